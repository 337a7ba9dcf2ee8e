// The edits for the attacks under "Personal data" in docs/threats.md.
import type { Edits } from '../apply.ts';

const FINGERPRINT = 'backend-proxy/fingerprint.ts';
const ERASING = 'backend-proxy/ledger/queries/erasing.ts';
const ERASE_ROWS = 'backend-proxy/ledger/queries/erase-rows.ts';
const SQLITE = 'backend-proxy/ledger/sqlite/sqlite.ts';

export const personalData: Edits = {
  'Guess a wallet id from a stored fingerprint': [
    [
      FINGERPRINT,
      "return KEYED + createHmac('sha256', key).update(fingerprint).digest('base64url');",
      'return fingerprint;',
    ],
  ],
  'Get a payout twice because it was erased': [
    [FINGERPRINT, ' || stored === keyedFingerprint(key, fingerprint)', ''],
    [
      'backend-proxy/ledger/rules/payouts.ts',
      'isSameRequest(draft.fingerprintKey, same.fingerprint, fingerprint)',
      'same.fingerprint === fingerprint',
    ],
  ],
  'Read what a shop noted about a customer': [
    [
      'backend-proxy/orders/order-view.ts',
      'supportUrl: terms.supportUrl ?? null,',
      'supportUrl: terms.supportUrl ?? null, ...{ metadata: terms.metadata },',
    ],
    [
      'backend-proxy/payments.ts',
      'returnUrl: terms.returnUrl,',
      'returnUrl: terms.returnUrl, ...{ metadata: terms.metadata },',
    ],
    [
      'backend-proxy/orders/order-token.ts',
      'z.custom<Metadata>(isMetadata, METADATA)',
      'z.record(z.string().regex(METADATA_KEY), z.string())',
    ],
  ],
  'Erase what is not settled yet': [
    [
      [ERASING, ".where('needs_review', '=', sql.lit(0))", ''],
      [ERASE_ROWS, 'and +t.needs_review = 0', ''],
    ],
    [
      [ERASING, ".where('next_check_at', 'is', null)", ''],
      [ERASE_ROWS, 'and t.next_check_at is null', ''],
    ],
    [
      [ERASING, ".where('updated_at', '<', before)", ''],
      [ERASE_ROWS, 'and +t.updated_at < ${erasing.changedBefore}', ''],
    ],
    [
      [ERASE_ROWS, "w.transaction_id = t.id and w.state not in ('delivered', 'dead')", 'false'],
      [ERASE_ROWS, "and w.body <> ''", 'and false'],
    ],
  ],
  'Let another wallet pass once the right one is erased': [
    [
      'backend-proxy/protocol/verify.ts',
      "if (namesWallet(expected, report) && expected.customer === null) return { kind: 'incomparable' };",
      '',
    ],
  ],
  'Read erased data in the file': [[SQLITE, 'PRAGMA secure_delete = ON;', '']],
  'Stop the proxy by erasing years at once': [
    [ERASE_ROWS, 'const ERASED_AT_ONCE = 50;', 'const ERASED_AT_ONCE = 5_000;'],
  ],
  'Stop the proxy by shrinking a file at once': [
    [SQLITE, 'const SHRINK_PAGES = 128;', 'const SHRINK_PAGES = 1_000_000;'],
  ],
};
