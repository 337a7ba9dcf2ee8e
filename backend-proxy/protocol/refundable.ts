// What of a payment can be sent back, and why not. Pure; the ledger decides by it, and the operator's page shows it.
import { exponentOf } from './money.ts';
import { STAGES, type Transaction } from './transaction.ts';
import type { Method } from './wire.ts';

/** Of one payment; their ids at the gateway end with the number. */
export const MAX_REFUNDS = 99;
/**
 * After so many in a row that failed, or that the gateway has not shown yet, none is sent; so after a restore, no more
 * in a row are looked up in vain.
 */
export const MAX_UNSEEN_IN_A_ROW = 3;

/** The id at the gateway of a payment's refund; `transactionId`: the payment's. */
export function refundId(transactionId: string, attempt: number): string {
  return `${transactionId}-r${attempt}`;
}

/** What the gateway can send back. */
export interface RefundRules {
  /** The methods of payments that a payout can send back. */
  refundMethods: ReadonlySet<Method>;
  /** Whether payouts may have decimals. */
  payoutDecimals: boolean;
}

/** Why an order is listed for a person whose money came after it was closed. */
export const AFTER_CLOSE = 'SUCCESS after the order was closed';

/** Stable, for programs; each with the end of a sentence that begins "It cannot be refunded, because". */
export const NOT_REFUNDABLE = {
  not_paid: 'it has not succeeded',
  marked: 'the gateway reported its id as a duplicate',
  conflict: 'the gateway has contradicted itself or a person about it',
  under_review: 'it is under review',
  resolved: 'a person has resolved it, so the gateway did not name the wallet that paid',
  erased: 'the wallet that paid is erased',
  payer_unknown: 'the gateway did not name the whole wallet that paid',
  method: 'the gateway profile does not say how its method is refunded (refundAs)',
  failing: `its last ${MAX_UNSEEN_IN_A_ROW} refunds failed or are not known to the gateway yet`,
  too_many: `it has ${MAX_REFUNDS} refunds`,
} as const;
export type NotRefundable = keyof typeof NOT_REFUNDABLE;

/**
 * Minor units that are left of a payment: uncertain and reviewed refunds count as sent, only a FAILED one does not.
 * `refunds`: of the whole order.
 */
export function leftOf(payment: Pick<Transaction, 'id' | 'amountMinor'>, refunds: readonly Transaction[]): number {
  const reserved = refundsOf(payment, refunds).filter(isReserved);
  return Math.max(0, payment.amountMinor - reserved.reduce((sum, { amountMinor }) => sum + amountMinor, 0));
}

/** Never rounded in silence: the part of what is left that the gateway takes. */
export function sendableOf(
  left: number,
  currency: string,
  { payoutDecimals }: Pick<RefundRules, 'payoutDecimals'>,
): number {
  return payoutDecimals ? left : left - (left % 10 ** (exponentOf(currency) ?? 0));
}

/** Null if it can be refunded, as far as anything is left. */
export function whyNotRefundable(
  payment: Transaction,
  refunds: readonly Transaction[],
  methods: ReadonlySet<Method>,
): NotRefundable | null {
  const { stage, answer, conflict, payer, erasedAt, method, history } = payment;
  if (stage !== 'succeeded') return 'not_paid';
  if (answer === 'duplicate') return 'marked';
  if (conflict) return 'conflict';
  if (isInDoubt(payment)) return 'under_review';
  if (payer === null) {
    if (erasedAt !== null) return 'erased';
    return history.some(({ event }) => event === 'resolved') ? 'resolved' : 'payer_unknown';
  }
  if (method === null || !methods.has(method)) return 'method';
  const own = refundsOf(payment, refunds);
  if (own.length >= MAX_REFUNDS) return 'too_many';
  const last = own.toSorted((a, b) => a.attempt - b.attempt).slice(-MAX_UNSEEN_IN_A_ROW);
  return last.length === MAX_UNSEEN_IN_A_ROW && !last.some(isSeen) ? 'failing' : null;
}

/** Of an order: the payments that can be refunded now, and the most of each, in minor units. */
export function refundables(
  { payments, refunds }: { payments: readonly Transaction[]; refunds: readonly Transaction[] },
  rules: RefundRules,
): { payment: Transaction; minor: number }[] {
  return payments
    .filter((payment) => whyNotRefundable(payment, refunds, rules.refundMethods) === null)
    .map((payment) => ({ payment, minor: sendableOf(leftOf(payment, refunds), payment.currency, rules) }))
    .filter(({ minor }) => minor > 0);
}

/** A review only of what came after the order was closed is no doubt: the refund answers it. */
function isInDoubt({ needsReview, mismatch, history }: Transaction): boolean {
  const since = history.slice(history.findIndex(({ event }) => event === 'succeeded'));
  return (
    needsReview && (mismatch || since.some(({ event, detail }) => event === 'needs_review' && detail !== AFTER_CLOSE))
  );
}

function refundsOf({ id }: Pick<Transaction, 'id'>, refunds: readonly Transaction[]): Transaction[] {
  return refunds.filter(({ refundOf }) => refundOf === id);
}

/** FAILED ones that are reviewed may have been sent after all. */
function isReserved({ stage, needsReview }: Transaction): boolean {
  return STAGES[stage].status !== 'FAILED' || needsReview;
}

/** Whether the gateway has it, and has not refused it. */
function isSeen({ stage }: Transaction): boolean {
  return stage === 'pending' || stage === 'succeeded';
}
