// The edits for the attacks under "Resolving by a person" in SECURITY.md.
import type { Edits } from '../apply.ts';

const MERCHANT_ROUTES = 'backend-proxy/routes/merchant.ts';

export const resolving: Edits = {
  "Take a stranger's word": [
    { file: 'backend-proxy/ledger/resolutions.ts', find: "    .where('needs_review', '=', 1)\n", put: '' },
  ],
  '…without the key': [
    { file: MERCHANT_ROUTES, find: "'/payouts', '/transactions', '/ipns'", put: "'/payouts', '/ipns'" },
  ],
};
