// The edits for the attacks under "Database" in docs/threats.md.
import type { Edits } from '../apply.ts';

const SQLITE = 'backend-proxy/ledger/sqlite/sqlite.ts';
const SQLITE_QUEUE = 'backend-proxy/ledger/sqlite/commit-queue.ts';
const POSTGRES_CONNECTION = 'backend-proxy/ledger/postgres/connection.ts';
const POSTGRES = 'backend-proxy/ledger/postgres/postgres.ts';
const POSTGRES_WRITE = 'backend-proxy/ledger/postgres/write.ts';
const POSTGRES_TRANSACTION = 'backend-proxy/ledger/postgres/in-transaction.ts';
const POSTGRES_ROWS = 'backend-proxy/ledger/postgres/rows.ts';
const PRIVATE_FILES = 'backend-proxy/ledger/sqlite/private-files.ts';

export const database: Edits = {
  'Lose an acknowledged commit in a power failure': [
    { file: SQLITE, find: 'journal_mode = WAL', put: 'journal_mode = DELETE' },
    { file: SQLITE, find: 'synchronous = FULL', put: 'synchronous = NORMAL' },
  ],
  'Lose an acknowledged commit without fsync': [
    { file: POSTGRES_CONNECTION, find: "fsync: 'on', transaction", put: 'transaction' },
  ],
  'Lose an acknowledged commit behind a pooler': [
    { file: POSTGRES, find: 'if (!on.isPooled) return on.run<Row>(statement);', put: 'return on.run<Row>(statement);' },
    { file: POSTGRES_WRITE, find: 'this.#wallet === undefined && !on.isPooled', put: 'this.#wallet === undefined' },
    {
      file: POSTGRES_TRANSACTION,
      find: 'await on.runSimple(wallet === undefined ? BEGIN',
      put: "await on.runSimple(wallet === undefined ? 'begin'",
    },
  ],
  'Acknowledge an IPN before its commit': [
    {
      file: 'backend-proxy/routes/ipn.ts',
      find: 'isMatched = await receive({',
      put: 'isMatched = true; void receive({',
    },
  ],
  'Lose a save whose answer was lost': [
    { file: POSTGRES_WRITE, find: 'this.#lostAt ??= performance.now();', put: '' },
    { file: POSTGRES_WRITE, find: 'this.#lost.find(({ changes }) => isSaved(changes, loaded))', put: 'undefined' },
  ],
  'Overwrite what another proxy has just written': [
    { file: POSTGRES_ROWS, find: ' and xmin::text = ${parameter(versions.get(before))}', put: '' },
    { file: POSTGRES_ROWS, find: '} and (select saved from gate)`;\n    part(`update', put: '}`;\n    part(`update' },
  ],
  "Run another process's statement": [
    {
      file: POSTGRES_CONNECTION,
      find: "createHash('sha256').update(text).digest('base64url')",
      put: '`s${names.size}`',
    },
  ],
  "Lose the gateway's answer": [
    {
      file: 'backend-proxy/workers/recorder.ts',
      find: 'const mayRetry = error instanceof Refusal',
      put: 'const mayRetry = false && error instanceof Refusal',
    },
  ],
  'Write to a former primary': [
    {
      file: POSTGRES_CONNECTION,
      find: 'isUnusable ||= isWrongServerError(error) || isOutcomeUnknown(error);',
      put: '',
    },
  ],
  'Wait for a server that is gone': [
    { file: POSTGRES_CONNECTION, find: 'const SILENCE_LIMIT_MS = 12_000;', put: 'const SILENCE_LIMIT_MS = 900_000;' },
  ],
  'Stop the proxy with a lock': [
    { file: SQLITE, find: '{ timeout: 0 }', put: '{ timeout: 5_000 }' },
    { file: SQLITE_QUEUE, find: 'if (primaryCode(refused) === SQLITE_BUSY) {', put: 'if (false) {' },
  ],
  'Read the database as another user': [
    { file: PRIVATE_FILES, find: "'a', 0o600", put: "'a', 0o644" },
    { file: PRIVATE_FILES, find: 'mode: 0o700', put: 'mode: 0o755' },
  ],
  'Read an older database as another user': [
    { file: PRIVATE_FILES, find: 'chmodSync(path, modeOf(path) & 0o777 & ~OTHERS);', put: '' },
  ],
};
