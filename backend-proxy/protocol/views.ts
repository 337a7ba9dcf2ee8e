// What the merchant sees of a transaction, over HTTP and in webhooks: pure, from the ledger's record to promised names.
// The shopper's view is in wire.ts and has nothing of this: no payment ids, no history, of a wallet id its last four digits.
import { formatAmount } from './money.ts';
import { STAGES, type HistoryEntry, type Transaction } from './transaction.ts';
import type { Method, Reason, Status } from './wire.ts';

interface Settling {
  paymentId: string | null;
  amount: string;
  currency: string;
  customer: string | null;
  status: Status;
  reason: Reason | null;
  needsReview: boolean;
  createdAt: string;
  updatedAt: string;
  history: { at: string; event: HistoryEntry['event']; source: HistoryEntry['source']; detail: string | null }[];
}

export interface MerchantPayment extends Settling {
  type: 'PAY';
  orderId: string;
  gatewayOrderId: string;
  method: Method | null;
  late: boolean;
  surplus: boolean;
}

export interface MerchantPayout extends Settling {
  type: 'PAYOUT';
  orderId: string;
  note: string | null;
}

/** What each says. Promised in README.md. */
export const WEBHOOKS = {
  'payment.succeeded': 'The order is paid: ship',
  'payment.failed': 'One try of the order failed; another, or this one late, may still succeed',
  'payment.surplus': 'An order that is paid was paid once more, by this payment',
  'payment.mismatch': 'The gateway reports another amount, currency, type or payment id: nothing is paid by it',
  'payment.conflict': 'The gateway reports FAILED after it reported SUCCESS: ask its support',
  'payout.succeeded': 'The money is with the customer',
  'payout.failed':
    'Nothing was sent, by two checks that agree: mend what the history says, and send under a new orderId',
  'payout.mismatch': 'The gateway reports another amount, currency, type or payment id: ask its support',
  'payout.conflict': 'The gateway reports FAILED after it reported SUCCESS: ask its support',
  'payout.needs_review': 'A day without an end: ask the gateway’s support about it',
} as const;
export type WebhookType = keyof typeof WEBHOOKS;

export function merchantView(transaction: Transaction): MerchantPayment | MerchantPayout {
  return transaction.type === 'PAY' ? paymentView(transaction) : payoutView(transaction);
}

export function paymentView(payment: Transaction): MerchantPayment {
  const { orderId, id, method, late, surplus } = payment;
  return { type: 'PAY', orderId, gatewayOrderId: id, method, late, surplus, ...settling(payment) };
}

export function payoutView(payout: Transaction): MerchantPayout {
  return { type: 'PAYOUT', orderId: payout.orderId, note: payout.note, ...settling(payout) };
}

function settling(transaction: Transaction): Settling {
  const { amountMinor, currency, stage, paymentId, customer, needsReview, createdAt, updatedAt, history } = transaction;
  const { status, reason } = STAGES[stage];
  return {
    paymentId,
    amount: formatAmount(amountMinor, currency),
    currency,
    customer,
    status,
    reason,
    needsReview,
    createdAt: iso(createdAt),
    updatedAt: iso(updatedAt),
    history: history.map(({ at, event, source, detail }) => ({ at: iso(at), event, source, detail })),
  };
}

/** RFC 3339, in UTC with milliseconds. */
export function iso(ms: number): string {
  return new Date(ms).toISOString();
}
