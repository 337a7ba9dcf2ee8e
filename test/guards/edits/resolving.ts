// The edits for the attacks under "Resolving by a person" in docs/threats.md.
import type { Edits } from '../apply.ts';

const MERCHANT_ROUTES = 'backend-proxy/routes/merchant.ts';

export const resolving: Edits = {
  'Resolve a payment that needs no review': [
    { file: 'backend-proxy/ledger/rules/resolutions.ts', find: 'if (row.needs_review === 0) {', put: 'if (false) {' },
  ],
  'Resolve without the merchant key': [
    { file: MERCHANT_ROUTES, find: "'/payouts', '/transactions', '/totals'", put: "'/payouts', '/totals'" },
  ],
};
