// What of a payment can be sent back, and why not. Pure; the ledger decides by it, and the operator's page shows it.
import { exponentOf } from './money.ts';
import { RESTORED_LATELY_MS } from './schedule.ts';
import { STAGES, isOpen, type Transaction } from './transaction.ts';
import type { Method } from './wire.ts';

/** Of one payment; their ids at the gateway end with the number. */
export const MAX_REFUNDS = 99;
/**
 * After a restore, the look-up ends at so many numbers in a row that the gateway does not know. So that it finds every
 * refund, none is sent with a number further than this behind the last one that the gateway has shown.
 */
export const MAX_UNSEEN_IN_A_ROW = 10;

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
  conflict: 'the gateway or a person has said that no money moved',
  under_review: 'it is under review',
  resolved: 'a person has resolved it, so the wallet that paid is not verified',
  erased: 'the wallet that paid is erased',
  payer_unknown: 'the gateway did not name the whole wallet that paid',
  method: 'the gateway profile does not say how its method is refunded (refundAs)',
  failing: `the gateway has not shown its last ${MAX_UNSEEN_IN_A_ROW} refunds`,
  too_many: `it has ${MAX_REFUNDS} refunds`,
} as const;
export type NotRefundable = keyof typeof NOT_REFUNDABLE;

/**
 * Minor units that are left of a payment: uncertain and reviewed refunds count as sent, only a FAILED one does not.
 * What a person has settled is not left. `refunds`: of the whole order.
 */
export function leftOf(
  payment: Pick<Transaction, 'id' | 'amountMinor' | 'settledMinor'>,
  refunds: readonly Transaction[],
): number {
  const reserved = refundsOf(payment, refunds).filter(isReserved);
  const sent = reserved.reduce((sum, { amountMinor }) => sum + amountMinor, payment.settledMinor);
  return Math.max(0, payment.amountMinor - sent);
}

export const paysNothing = ({ surplus, afterClose }: Pick<Transaction, 'surplus' | 'afterClose'>) =>
  surplus || afterClose;

/** What is left of money that pays no order, once no review doubts it: the shop owes it to the customer. */
export function owedOf(payment: Transaction, refunds: readonly Transaction[]): number {
  return paysNothing(payment) && !isInDoubt(payment) ? leftOf(payment, refunds) : 0;
}

/** Never rounded in silence: the part of what is left that the gateway takes. */
export function sendableOf(
  left: number,
  currency: string,
  { payoutDecimals }: Pick<RefundRules, 'payoutDecimals'>,
): number {
  return payoutDecimals ? left : left - (left % 10 ** (exponentOf(currency) ?? 0));
}

/** Null if it can be refunded, as far as anything is left and another number is free (`limitOf`). */
export function whyNotRefundable(payment: Transaction, methods: ReadonlySet<Method>): NotRefundable | null {
  const { stage, answer, payer, erasedAt, method, resolved } = payment;
  if (stage !== 'succeeded') return 'not_paid';
  if (answer === 'duplicate') return 'marked';
  if (isContradicted(payment)) return 'conflict';
  if (isInDoubt(payment)) return 'under_review';
  if (payer === null) {
    if (erasedAt !== null) return 'erased';
    return resolved === null ? 'payer_unknown' : 'resolved';
  }
  return method === null || !methods.has(method) ? 'method' : null;
}

/** Why a refund with this number cannot be sent. */
interface RefundLimit {
  cause: 'too_many' | 'failing';
  /** One that the gateway has not shown is open: it may show it soon. */
  isOpen: boolean;
  /** When time ends it, ms since 1970; null if it does not. */
  until: number | null;
}

/** `attempt`: the number; by default the next. Null if it may be sent. */
export function limitOf(
  payment: Pick<Transaction, 'id'>,
  refunds: readonly Transaction[],
  now: number,
  attempt?: number,
): RefundLimit | null {
  const own = refundsOf(payment, refunds);
  const next = attempt ?? 1 + lastOf(own);
  if (next > MAX_REFUNDS) return { cause: 'too_many', isOpen: false, until: null };
  const counts = ({ seen, createdAt }: Transaction) => !seen && createdAt > now - RESTORED_LATELY_MS;
  const last = lastOf(own.filter((refund) => !counts(refund)));
  if (next - last <= MAX_UNSEEN_IN_A_ROW) return null;
  const behind = own.filter((refund) => refund.attempt > last);
  const ends = behind.filter((refund) => next - refund.attempt <= MAX_UNSEEN_IN_A_ROW);
  return {
    cause: 'failing',
    isOpen: behind.some(({ stage }) => isOpen(stage)),
    until: ends.length === 0 ? null : Math.min(...ends.map(({ createdAt }) => createdAt)) + RESTORED_LATELY_MS,
  };
}

function lastOf(refunds: readonly Transaction[]): number {
  return Math.max(0, ...refunds.map(({ attempt }) => attempt));
}

/** Of an order: the payments that can be refunded now, and the most of each, in minor units. */
export function refundables(
  { payments, refunds }: { payments: readonly Transaction[]; refunds: readonly Transaction[] },
  rules: RefundRules,
  now: number,
): { payment: Transaction; minor: number }[] {
  return payments
    .filter((payment) => whyNotRefundable(payment, rules.refundMethods) === null)
    .filter((payment) => limitOf(payment, refunds, now) === null)
    .map((payment) => ({ payment, minor: sendableOf(leftOf(payment, refunds), payment.currency, rules) }))
    .filter(({ minor }) => minor > 0);
}

/**
 * Whether the gateway or a person has said the contrary of its SUCCESS, and no person has decided since that the money
 * came.
 */
export function isContradicted({
  conflict,
  resolved,
  needsReview,
}: Pick<Transaction, 'conflict' | 'resolved' | 'needsReview'>): boolean {
  return resolved === 'declined' || (conflict && needsReview);
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

/** The payment's last refund, if it failed for certain. `refunds`: of the whole order, oldest first. */
export function failedRefundOf(payment: Transaction, refunds: readonly Transaction[]): Transaction | undefined {
  const last = refundsOf(payment, refunds).at(-1);
  return last && !isReserved(last) ? last : undefined;
}

/** FAILED ones that are reviewed may have been sent after all. */
export function isReserved({ stage, needsReview }: Transaction): boolean {
  return STAGES[stage].status !== 'FAILED' || needsReview;
}
