// The edits for the attacks under "Database" in docs/threats.md.
import type { Edits } from '../apply.ts';

const SQLITE = 'backend-proxy/ledger/sqlite/sqlite.ts';
const SQLITE_QUEUE = 'backend-proxy/ledger/sqlite/commit-queue.ts';
const POSTGRES_CONNECTION = 'backend-proxy/ledger/postgres/connection.ts';
const POSTGRES = 'backend-proxy/ledger/postgres/postgres.ts';
const POSTGRES_SERVERS = 'backend-proxy/ledger/postgres/servers.ts';
const POSTGRES_WRITE = 'backend-proxy/ledger/postgres/write.ts';
const POSTGRES_TRANSACTION = 'backend-proxy/ledger/postgres/in-transaction.ts';
const POSTGRES_ROWS = 'backend-proxy/ledger/postgres/rows.ts';
const PRIVATE_FILES = 'backend-proxy/ledger/sqlite/private-files.ts';

export const database: Edits = {
  'Lose an acknowledged commit in a power failure': [
    [SQLITE, 'journal_mode = WAL', 'journal_mode = DELETE'],
    [SQLITE, 'synchronous = FULL', 'synchronous = NORMAL'],
  ],
  'Lose an acknowledged commit without fsync': [[POSTGRES_CONNECTION, "  fsync: 'on',\n", '']],
  'Lose an acknowledged commit behind a pooler': [
    [POSTGRES, 'if (!on.isPooled) return on.run<Row>(statement);', 'return on.run<Row>(statement);'],
    [POSTGRES_WRITE, 'this.#wallet === undefined && !on.isPooled', 'this.#wallet === undefined'],
    [
      POSTGRES_TRANSACTION,
      'await on.runSimple(wallet === undefined ? BEGIN',
      "await on.runSimple(wallet === undefined ? 'begin'",
    ],
  ],
  'Acknowledge an IPN before its commit': [
    ['backend-proxy/routes/ipn.ts', 'isMatched = await receive({', 'isMatched = true; void receive({'],
  ],
  'Lose a save whose answer was lost': [
    [POSTGRES_WRITE, 'this.#lostAt ??= performance.now();', ''],
    [POSTGRES_WRITE, 'this.#lost.find(({ changes }) => isSaved(changes, loaded))', 'undefined'],
  ],
  'Overwrite what another proxy has just written': [
    [POSTGRES_ROWS, ' and xmin::text = ${parameter(versions.get(before))}', ''],
    [POSTGRES_ROWS, '} and (select saved from gate)`;\n    part(`update', '}`;\n    part(`update'],
  ],
  "Run another process's statement": [
    [POSTGRES_CONNECTION, "createHash('sha256').update(text).digest('base64url')", '`s${names.size}`'],
  ],
  "Lose the gateway's answer": [
    ['backend-proxy/workers/recorder.ts', 'if (!(error instanceof Refusal', 'if (true || !(error instanceof Refusal'],
  ],
  'Write to a former primary': [
    [POSTGRES_CONNECTION, 'isUnusable ||= isWrongServerError(error) || isOutcomeUnknown(error);', ''],
  ],
  'Write to a primary that was replaced': [
    [POSTGRES_SERVERS, 'timeline === first.timeline', 'false'],
    [POSTGRES_SERVERS, 'timeline < this.#newest', 'false'],
  ],
  'Wait for a server that is gone': [
    [POSTGRES_CONNECTION, 'const SILENCE_LIMIT_MS = 12_000;', 'const SILENCE_LIMIT_MS = 900_000;'],
  ],
  'Stop the proxy with a lock': [
    [SQLITE, '{ timeout: 0 }', '{ timeout: 5_000 }'],
    [SQLITE_QUEUE, 'if (primaryCode(refused) === SQLITE_BUSY) {', 'if (false) {'],
  ],
  'Read the database as another user': [
    [PRIVATE_FILES, "'a', 0o600", "'a', 0o644"],
    [PRIVATE_FILES, 'mode: 0o700', 'mode: 0o755'],
  ],
  'Read an older database as another user': [[PRIVATE_FILES, 'chmodSync(path, modeOf(path) & 0o777 & ~OTHERS);', '']],
};
