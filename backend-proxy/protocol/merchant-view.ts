// Builds the merchant's view of a transaction for HTTP and webhooks. Pure. The shopper's view is in wire.ts: it has no
// payment id and no history, and shows only the last four digits of a wallet id.
import { iso } from './durations.ts';
import { decimalOf } from './money.ts';
import { STAGES, reasonOf, type Transaction, type TransactionType } from './transaction.ts';

/** Types and descriptions of all webhooks. Promised in docs/webhooks.md, in the same words. */
export const WEBHOOKS = {
  'payment.succeeded': 'The order is paid: ship it, unless it needs review',
  'payment.failed': 'One payment of the order failed; another one, or this one late, may still succeed',
  'payment.surplus': 'This payment paid an order that was already paid',
  'payment.after_close': 'This payment succeeded after its order was closed: ship nothing, and send the money back',
  'payment.mismatch': 'The gateway reports another amount, currency, type or payment id: this payment pays nothing',
  'payment.conflict': 'The gateway contradicts its earlier report or a person: ask its support',
  'payment.needs_review':
    'A person has to resolve this payment: find out, then POST /transactions/{gatewayOrderId}/resolve',
  'payout.succeeded': 'The money is with the customer',
  'payout.failed':
    'Two status checks or a person say so: fix the cause shown in `history` and send again under a new orderId',
  'payout.mismatch': 'The gateway reports another wallet, amount, currency, type or payment id: ask its support',
  'payout.conflict':
    'The gateway contradicts its earlier report or a person: ask its support before sending anything again',
  'payout.needs_review':
    'A person has to resolve this payout: find out, then POST /transactions/{gatewayOrderId}/resolve',
  'refund.succeeded': 'The money is back with the wallet that paid',
  'refund.failed': 'Two status checks or a person say so: the amount is refundable again',
  'refund.mismatch': 'The gateway reports another wallet, amount, currency, type or payment id: ask its support',
  'refund.conflict':
    'The gateway contradicts its earlier report or a person: ask its support before sending anything again',
  'refund.needs_review':
    'A person has to resolve this refund: find out, then POST /transactions/{gatewayOrderId}/resolve',
} as const;
export type WebhookType = keyof typeof WEBHOOKS;

const VIEWS = { PAY: merchantPayment, PAYOUT: merchantPayout, REFUND: merchantRefund } as const satisfies Record<
  TransactionType,
  unknown
>;

export function merchantView(transaction: Transaction): MerchantPayment | MerchantPayout | MerchantRefund {
  return VIEWS[transaction.type](transaction);
}

export type MerchantPayment = ReturnType<typeof merchantPayment>;
export type MerchantPayout = ReturnType<typeof merchantPayout>;
export type MerchantRefund = ReturnType<typeof merchantRefund>;

export function merchantPayment(payment: Transaction) {
  const { orderId, id, method, late, surplus, afterClose, settledMinor, payer, metadata } = payment;
  return {
    type: 'PAY' as const,
    orderId,
    gatewayOrderId: id,
    method,
    late,
    surplus,
    afterClose,
    settled: decimalOf(settledMinor, payment.currency),
    payer,
    metadata,
    ...commonFields(payment),
  };
}

export function merchantPayout(payout: Transaction) {
  const { orderId, id, note } = payout;
  return { type: 'PAYOUT' as const, orderId, gatewayOrderId: id, note, ...commonFields(payout) };
}

export function merchantRefund(refund: Transaction) {
  const { orderId, id, refundOf, note, metadata } = refund;
  return { type: 'REFUND' as const, orderId, gatewayOrderId: id, refundOf, note, metadata, ...commonFields(refund) };
}

function commonFields(transaction: Transaction) {
  const { amountMinor, currency, stage, paymentId, customer, needsReview, version, createdAt, updatedAt, history } =
    transaction;
  const { erasedAt, failedAt } = transaction;
  const { status } = STAGES[stage];
  return {
    paymentId,
    amount: decimalOf(amountMinor, currency),
    currency,
    customer,
    status,
    reason: reasonOf(transaction),
    needsReview,
    version,
    createdAt: iso(createdAt),
    updatedAt: iso(updatedAt),
    reportedFailedAt: failedAt === null ? null : iso(failedAt),
    erasedAt: erasedAt === null ? null : iso(erasedAt),
    history: history.map(({ at, event, source, detail }) => ({ at: iso(at), event, source, detail })),
  };
}
