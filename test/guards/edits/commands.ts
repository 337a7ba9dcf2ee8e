// The edits for the attacks under "Commands" in docs/threats.md.
import type { Edits } from '../apply.ts';

export const commands: Edits = {
  'Get a payout twice after a restore by command': [
    { file: 'backend-proxy/commands/restore.ts', find: 'await ledger.recordRestore(at);', put: '' },
  ],
  'Replace the database of a running proxy': [
    {
      file: 'backend-proxy/ledger/sqlite/exchange.ts',
      find: "database.exec('pragma journal_mode = delete; pragma locking_mode = exclusive; begin exclusive');",
      put: '',
    },
  ],
  'Read a backup as another user': [
    [
      { file: 'backend-proxy/ledger/sqlite/copy.ts', find: "'wx', 0o600", put: "'wx', 0o644" },
      { file: 'backend-proxy/main.ts', find: 'process.umask(0o077);', put: '' },
    ],
  ],
  'Take the secrets by a wrong URL': [
    { file: 'backend-proxy/commands/doctor/doctor.ts', find: "if (health.result === 'FAIL') {", put: 'if (false) {' },
  ],
  "Write to the operator's terminal": [
    { file: 'backend-proxy/commands/report.ts', find: 'replaceAll(/[\\p{Cc}', put: 'replaceAll(/[\\uFFFF' },
  ],
};
