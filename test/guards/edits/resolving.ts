// The edits that remove the guards of SECURITY.md's section "Resolving by a person", by attack (see ../edits.ts).
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
