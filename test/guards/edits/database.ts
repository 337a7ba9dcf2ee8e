// The edits for the attacks under "Database" in SECURITY.md.
import type { Edits } from '../apply.ts';

const SQLITE = 'backend-proxy/ledger/sqlite.ts';
const POSTGRES_CONNECTION = 'backend-proxy/ledger/postgres-connection.ts';
const POSTGRES_COMMIT = 'backend-proxy/ledger/postgres-commit.ts';
const MAIN = 'backend-proxy/main.ts';

export const database: Edits = {
  'Lose what was acknowledged': [
    { file: SQLITE, find: 'journal_mode = WAL', put: 'journal_mode = DELETE' },
    { file: SQLITE, find: 'synchronous = FULL', put: 'synchronous = NORMAL' },
  ],
  '…by a careless PostgreSQL': [{ file: POSTGRES_CONNECTION, find: "fsync: 'on', transaction", put: 'transaction' }],
  '…by a 200 before the commit': [
    { file: 'backend-proxy/routes/ipn.ts', find: 'await ledger.receiveIpn(', put: 'void ledger.receiveIpn(' },
  ],
  '…by a commit of unknown outcome': [
    {
      file: POSTGRES_COMMIT,
      find: 'if (done.unknown === undefined || (await wasCommitted(url, done.begun))) return',
      put: 'if (done.unknown === undefined) return',
    },
  ],
  '…by another run of the server': [
    {
      file: POSTGRES_COMMIT,
      find: "return found['server'] === server ? 'committed' : 'unknowable';",
      put: "return 'committed';",
    },
  ],
  '…by dropping the answer in hand': [
    {
      file: 'backend-proxy/recorder.ts',
      find: 'const mayRetry = error instanceof Refusal',
      put: 'const mayRetry = false && error instanceof Refusal',
    },
  ],
  'Write to a server that no longer may': [
    { file: POSTGRES_CONNECTION, find: 'isUnusable ||= isWrongServerError(error);', put: '' },
  ],
  '…or that has vanished': [
    { file: POSTGRES_CONNECTION, find: 'const SILENCE_LIMIT_MS = 12_000;', put: 'const SILENCE_LIMIT_MS = 900_000;' },
  ],
  'Stop all by a lock': [
    { file: SQLITE, find: '{ timeout: 0 }', put: '{ timeout: 5_000 }' },
    { file: SQLITE, find: 'if (primaryCode(refused) === SQLITE_BUSY) {', put: 'if (false) {' },
  ],
  'Read the books as another user': [
    { file: MAIN, find: 'process.umask(0o077);', put: '' },
    { file: 'backend-proxy/private-files.ts', find: 'chmodSync(path, modeOf(path) & 0o777 & ~OTHERS);', put: '' },
  ],
};
