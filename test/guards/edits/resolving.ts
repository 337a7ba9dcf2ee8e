// The edits for the attacks under "Resolving by a person" in docs/threats.md.
import type { Edits } from '../apply.ts';

const MERCHANT_ROUTES = 'backend-proxy/routes/merchant.ts';

export const resolving: Edits = {
  'Resolve a payment that needs no review': [
    ['backend-proxy/ledger/rules/resolutions.ts', 'if (!mayBeResolved(toTransactionState(row))) {', 'if (false) {'],
  ],
  'Say FAILED of what the gateway reports as SUCCESS': [
    [
      'backend-proxy/ledger/rules/resolutions.ts',
      'if (contrary !== null && gatewayReports',
      'if (false && gatewayReports',
    ],
  ],
  'Hide a SUCCESS behind an open review': [
    [
      'backend-proxy/ledger/rules/transitions.ts',
      'if (row.needs_review === 1 && (detail === null || isInReview(draft, row, name, detail))) return;',
      'if (row.needs_review === 1) return;',
    ],
  ],
  'Resolve without the merchant key': [
    [
      [MERCHANT_ROUTES, "'/payouts', '/transactions', '/totals'", "'/payouts', '/totals'"],
      [
        'backend-proxy/http/access.ts',
        "throw new Refusal('unauthorized', 'No key opens this route.')",
        'return undefined',
      ],
    ],
  ],
};
