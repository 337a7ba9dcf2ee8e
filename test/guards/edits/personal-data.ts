// The edits for the attacks under "Personal data" in docs/threats.md.
import type { Edits } from '../apply.ts';

const FINGERPRINT = 'backend-proxy/fingerprint.ts';
const ERASING = 'backend-proxy/ledger/queries/erasing.ts';
const ERASE_ROWS = 'backend-proxy/ledger/queries/erase-rows.ts';
const SQLITE = 'backend-proxy/ledger/sqlite/sqlite.ts';

export const personalData: Edits = {
  'Guess a wallet id from a stored fingerprint': [
    {
      file: FINGERPRINT,
      find: "return KEYED + createHmac('sha256', key).update(fingerprint).digest('base64url');",
      put: 'return fingerprint;',
    },
  ],
  'Get a payout twice because it was erased': [
    { file: FINGERPRINT, find: ' || stored === keyedFingerprint(key, fingerprint)', put: '' },
    {
      file: 'backend-proxy/ledger/rules/payouts.ts',
      find: 'isSameRequest(draft.fingerprintKey, same.fingerprint, fingerprint)',
      put: 'same.fingerprint === fingerprint',
    },
  ],
  'Erase what is not settled yet': [
    [
      { file: ERASING, find: ".where('needs_review', '=', sql.lit(0))", put: '' },
      { file: ERASE_ROWS, find: 'and +t.needs_review = 0', put: '' },
    ],
    [
      { file: ERASING, find: ".where('next_check_at', 'is', null)", put: '' },
      { file: ERASE_ROWS, find: 'and t.next_check_at is null', put: '' },
    ],
    [
      { file: ERASING, find: ".where('updated_at', '<', before)", put: '' },
      { file: ERASE_ROWS, find: 'and +t.updated_at < ${erasing.changedBefore}', put: '' },
    ],
    [
      { file: ERASE_ROWS, find: "w.transaction_id = t.id and w.state not in ('delivered', 'dead')", put: 'false' },
      { file: ERASE_ROWS, find: "and w.body <> ''", put: 'and false' },
    ],
  ],
  'Let another wallet pass once the right one is erased': [
    {
      file: 'backend-proxy/protocol/verify.ts',
      find: "if (namesReceiver(report) && expected.customer === null) return { kind: 'incomparable' };",
      put: '',
    },
  ],
  'Read erased data in the file': [{ file: SQLITE, find: 'PRAGMA secure_delete = ON;', put: '' }],
  'Stop the proxy by erasing years at once': [
    { file: ERASE_ROWS, find: 'const ERASED_AT_ONCE = 50;', put: 'const ERASED_AT_ONCE = 5_000;' },
  ],
  'Stop the proxy by shrinking a file at once': [
    { file: SQLITE, find: 'const SHRINK_PAGES = 128;', put: 'const SHRINK_PAGES = 1_000_000;' },
  ],
};
