// The edits for the attacks under "Commands" in docs/threats.md.
import type { Edits } from '../apply.ts';

export const commands: Edits = {
  'Get a payout twice after a restore by command': [
    ['backend-proxy/commands/restore.ts', 'await ledger.recordRestore(at);', ''],
  ],
  'Replace the database of a running proxy': [
    [
      'backend-proxy/ledger/sqlite/exchange.ts',
      "database.exec('pragma journal_mode = delete; pragma locking_mode = exclusive; begin exclusive');",
      '',
    ],
  ],
  'Read a backup as another user': [
    [
      ['backend-proxy/ledger/sqlite/copy.ts', "'wx', 0o600", "'wx', 0o644"],
      ['backend-proxy/main.ts', 'process.umask(0o077);', ''],
    ],
  ],
  'Take the secrets by a wrong URL': [
    ['backend-proxy/commands/doctor/doctor.ts', "if (health.result === 'FAIL') {", 'if (false) {'],
  ],
  "Write to the operator's terminal": [
    ['backend-proxy/commands/report.ts', 'UNPRINTABLE = /[\\p{Cc}', 'UNPRINTABLE = /[\\uFFFF'],
  ],
};
