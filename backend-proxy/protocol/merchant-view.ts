// What the merchant sees of a transaction, over HTTP and in webhooks: pure, from the ledger's record to promised names.
// The shopper's view is in wire.ts and has nothing of this: no payment ids, no history, of a wallet id its last four digits.
import { iso } from './iso-time.ts';
import { decimalOf } from './money.ts';
import { STAGES, reasonOf, type HistoryEntry, type Transaction, type TransactionType } from './transaction.ts';
import type { Method, Reason, Status } from './wire.ts';

interface Settling {
  paymentId: string | null;
  amount: string;
  currency: string;
  customer: string | null;
  status: Status;
  reason: Reason | null;
  needsReview: boolean;
  /** Raised by every change. */
  version: number;
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
  gatewayOrderId: string;
  note: string | null;
}

/** What each says. Promised in README.md. */
export const WEBHOOKS = {
  'payment.succeeded': 'The order is paid: ship',
  'payment.failed': 'One try of the order failed; another, or this one late, may still succeed',
  'payment.surplus': 'An order that is paid was paid once more, by this payment',
  'payment.mismatch': 'The gateway reports another amount, currency, type or payment id: nothing is paid by it',
  'payment.conflict': 'The gateway reports the contrary of what it, or a person here, had said: ask its support',
  'payment.needs_review':
    'Nothing settles this payment by itself: find out, and answer by POST /transactions/{gatewayOrderId}/resolve',
  'payout.succeeded': 'The money is with the customer',
  'payout.failed':
    'The gateway said so twice, or a person here: mend what the history says, and send under a new orderId',
  'payout.mismatch': 'The gateway reports another wallet, amount, currency, type or payment id: ask its support',
  'payout.conflict':
    'The gateway reports the contrary of what was told before: ask its support before anything is sent again',
  'payout.needs_review':
    'Nothing settles this payout by itself: find out, and answer by POST /transactions/{gatewayOrderId}/resolve',
} as const;
export type WebhookType = keyof typeof WEBHOOKS;

const VIEWS = { PAY: merchantPayment, PAYOUT: merchantPayout } as const satisfies Record<
  TransactionType,
  (transaction: Transaction) => MerchantPayment | MerchantPayout
>;

export function merchantView(transaction: Transaction): MerchantPayment | MerchantPayout {
  return VIEWS[transaction.type](transaction);
}

export function merchantPayment(payment: Transaction): MerchantPayment {
  const { orderId, id, method, late, surplus } = payment;
  return { type: 'PAY', orderId, gatewayOrderId: id, method, late, surplus, ...settling(payment) };
}

export function merchantPayout(payout: Transaction): MerchantPayout {
  const { orderId, id, note } = payout;
  return { type: 'PAYOUT', orderId, gatewayOrderId: id, note, ...settling(payout) };
}

function settling(transaction: Transaction): Settling {
  const { amountMinor, currency, stage, paymentId, customer, needsReview, version, createdAt, updatedAt, history } =
    transaction;
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
    history: history.map(({ at, event, source, detail }) => ({ at: iso(at), event, source, detail })),
  };
}
