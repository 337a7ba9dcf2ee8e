// The edits for the attacks under "Doubles and payouts" in docs/threats.md.
import type { Edits } from '../apply.ts';

const PAYMENTS = 'backend-proxy/ledger/rules/payments.ts';
const CLOSING = 'backend-proxy/ledger/rules/closing.ts';
const OBSERVATIONS = 'backend-proxy/ledger/rules/observations.ts';
const TRANSITIONS = 'backend-proxy/ledger/rules/transitions.ts';
const POST_ANSWERS = 'backend-proxy/ledger/rules/answers.ts';
const SCHEDULE = 'backend-proxy/protocol/schedule.ts';
const REFUSAL = 'backend-proxy/gateway/refusal.ts';
const ANSWERS = 'backend-proxy/gateway/answers.ts';
const OUTGOING = 'backend-proxy/outgoing.ts';
const REFUNDS = 'backend-proxy/refunds.ts';
const REFUND_RULES = 'backend-proxy/ledger/rules/refunds.ts';
const REFUNDABLE = 'backend-proxy/protocol/refundable.ts';
const PAYOUTS = 'backend-proxy/payouts.ts';
const UNKNOWN_PROOF = 'backend-proxy/workers/unknown-proof.ts';

export const doubles: Edits = {
  'Pay twice by clicking twice': [
    [
      [PAYMENTS, 'row.idempotency_key === payment.idempotencyKey', 'row.idempotency_key === null'],
      ['backend-proxy/ledger/schema/schema.ts', 'unique (order_id, idempotency_key)', 'unique (id, idempotency_key)'],
    ],
  ],
  'Get one order shipped twice': [[TRANSITIONS, 'order.paid_by === null', 'true']],
  'Get an order shipped that the shop has closed': [
    [TRANSITIONS, 'order.paid_by === null && order.closed_at === null', 'order.paid_by === null'],
    [CLOSING, 'seen?.paid_by != null', 'false'],
  ],
  'Reopen a closed order with a newer token': [[PAYMENTS, 'order.closed_at !== null', 'false']],
  'Close an order whose payment has just succeeded': [[CLOSING, '(row.checked_at ?? 0) >= since', 'true']],
  'Get a payout twice': [[PAYOUTS, 'if (!maySend) return payout;', '']],
  'Refund more than was paid': [
    [REFUND_RULES, 'amount <= left', 'true'],
    [REFUNDABLE, "!== 'FAILED' || needsReview;", "=== 'SUCCESS';"],
  ],
  'Get a refund twice': [
    [REFUNDS, 'if (!maySend) return refund;', ''],
    [REFUND_RULES, 'row.idempotency_key === key', 'false'],
  ],
  'Get a refund twice after a restore': [
    [REFUNDS, 'if (!(await ledger.wasRestoredLately())) return undefined;', 'return undefined;'],
  ],
  'Be refunded what another wallet paid': [[REFUND_RULES, 'customer: payment.payer', 'customer: payment.customer']],
  'Be refunded a payment in doubt': [
    [REFUNDABLE, "if (conflict) return 'conflict';", ''],
    [REFUNDABLE, "if (isInDoubt(payment)) return 'under_review';", ''],
  ],
  'Send after a pause what others have ended': [['backend-proxy/permission.ts', ') > PERMISSION_MS', ') > Infinity']],
  "Send twice because the database's answer was lost": [
    [POST_ANSWERS, 'return row.start_id === start.id &&', 'return row.start_id !== null &&'],
  ],
  'Get a payout twice after a temporary FAILED': [
    [OBSERVATIONS, 'if (isStale || (TYPES[row.type].isOutgoing && !isSecondFailure(draft, check))) return;', ''],
    [
      OBSERVATIONS,
      "if (observation.kind !== 'verified' || observation.outcome !== 'failed') row.failed_at = null;",
      '',
    ],
  ],
  'Get a payout twice because of a wrong status path': [
    [
      ANSWERS,
      'includes(status) && fields) {',
      "includes(status)) {\n    if (!fields) return { kind: 'unknown', isNoSuchOrder: false };",
    ],
  ],
  "Get a payout twice because of a framework's 404": [
    [
      UNKNOWN_PROOF,
      '      await found(type, askedAt);\n    }\n',
      "    }\n    if (kind !== 'unavailable') await found(type, askedAt);\n",
    ],
  ],
  'Get a payout twice before the path is proven': [
    [UNKNOWN_PROOF, 'if (isNoSuchOrder) await ledger', 'if (isNoSuchOrder || true) await ledger'],
  ],
  'Get a payout twice although the gateway knew it': [
    [
      OBSERVATIONS,
      'row.payment_id !== null || row.found_at !== null || row.ipns_received > 0;',
      'row.payment_id !== null || row.ipns_received > 0;',
    ],
    [
      OBSERVATIONS,
      'row.payment_id !== null || row.found_at !== null || row.ipns_received > 0;',
      'row.payment_id !== null || row.found_at !== null;',
    ],
  ],
  'Get a payout twice because of a late status check': [
    [SCHEDULE, 'lost: { payout: SLOW,', 'lost: { payout: SOON,'],
    [SCHEDULE, 'foreign: { payout: SLOW,', 'foreign: { payout: SOON,'],
  ],
  'Get a payout twice after a restore': [
    [PAYOUTS, 'if (!(await ledger.wasRestoredLately())', 'if (true'],
    [
      PAYOUTS,
      "if (checked.kind === 'unknown') continue;",
      "if (checked.kind === 'unknown') continue;\n      if (id !== '') return undefined;",
    ],
    [PAYOUTS, '(await isPathProven()) ? undefined', 'true ? undefined'],
  ],
  "Get a payout twice because of a firewall's 403": [
    [
      [
        OUTGOING,
        "return { stage: 'uncertain', answer: sent.kind, detail: sent.detail, needsReview };",
        "return { stage: 'rejected', answer: 'refused', detail: sent.detail };",
      ],
      [POST_ANSWERS, 'return !TYPES[row.type].isOutgoing && row.payment_id', 'return row.payment_id'],
    ],
  ],
  'Get a payout twice because of a foreign refusal': [[REFUSAL, "isCode ? 'refused' : 'foreign'", "'refused'"]],
  'Get a payout twice because of a status that is not final': [
    ['backend-proxy/gateway/profile.ts', "ERROR: 'error',", "ERROR: 'failed',"],
    [ANSWERS, "TYPES[type].isOutgoing ? 'pending' : 'failed'", "'failed'"],
  ],
};
