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

/** Promised in README.md. */
export const WEBHOOK_TYPES = [
  'payment.succeeded',
  'payment.failed',
  'payment.surplus',
  'payment.mismatch',
  'payment.conflict',
  'payout.succeeded',
  'payout.failed',
  'payout.mismatch',
  'payout.conflict',
  'payout.needs_review',
] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

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
