// The model's rules that span several checks: what a report, a proven "unknown" and the clock do to a transaction.
import { D, H, M, S } from '../backend-proxy/time.ts';
import { isIncomplete, isMismatch, outcomeOf, type Fields } from './model-answers.ts';
import { requestReview, flag, raise, rank, wasReportedFailed, type ModelTransaction } from './model-transaction.ts';

/** The gateway knew the id before our POST: a success needs a review, and a difference proves that it is not ours. */
export function markedReported(one: ModelTransaction, fields: Fields, failedBefore: number | null, now: number): void {
  if (one.resolved !== null) return;
  if (!isMismatch(one, fields)) {
    if (outcomeOf(one, fields) === 'succeeded' && !isIncomplete(one, fields)) requestReview(one);
    return;
  }
  one.failedAt = failedBefore ?? now;
  if (one.type === 'PAY' || (failedBefore !== null && now >= failedBefore + 30 * S)) raise(one, 'rejected');
}

export function failed(one: ModelTransaction, fields: Fields, now: number): void {
  if (one.stage === 'succeeded') {
    if (one.resolved !== 'declined') flag(one, 'conflict');
    return;
  }
  const isOver = fields['message'] === 'TOKEN_EXPIRED' || (one.expiresAt !== null && now >= one.expiresAt - 5 * S);
  if (one.type === 'PAY') raise(one, 'declined', isOver ? 'EXPIRED' : null);
  else if (one.failedAt === null) one.failedAt = now;
  else if (now >= one.failedAt + 30 * S) raise(one, 'declined');
}

/** The gateway has the transaction. */
export function found(one: ModelTransaction): void {
  if (wasReportedFailed(one) && one.resolved === null) return flag(one, 'conflict');
  if (raise(one, 'pending')) limitCheckout(one);
}

/** The 15 minutes of a CHECKOUT, or the order's own limit if that is shorter. */
export function limitCheckout(one: ModelTransaction): void {
  if (one.method !== 'CHECKOUT' || one.sentAt === null) return;
  one.expiresAt = Math.min(one.expiresAt ?? Infinity, one.sentAt + 15 * M);
}

/** How long after the POST the two "unknown" may come, and how far apart, by the answer to the POST. */
function unknownRule({ type, answer }: ModelTransaction): [first: number, second: number, apart: number] | undefined {
  if (answer === 'refused') return [90 * S, 90 * S, M];
  if (answer !== 'lost' && answer !== 'foreign') return undefined;
  if (type === 'PAYOUT') return [H, D, M];
  return answer === 'lost' ? [90 * S, 90 * S, M] : [0, 0, 10 * S];
}

export function provenUnknown(one: ModelTransaction, at: number): void {
  const rule = unknownRule(one);
  const isKnown = one.paymentId !== null || one.isFound || one.hasRing;
  if (rule === undefined || isKnown || one.sentAt === null || rank(one.stage) > rank('expired')) return;
  const [first, second, apart] = rule;
  if (one.unknownAt === null) {
    if (at >= one.sentAt + first) one.unknownAt = at;
  } else if (at >= Math.max(one.unknownAt + apart, one.sentAt + second)) raise(one, 'not_created');
}

export function isPending(one: ModelTransaction, fields: Fields): boolean {
  return !isMismatch(one, fields) && !isIncomplete(one, fields) && outcomeOf(one, fields) === 'pending';
}

/** The clock's effects are stored when a check ends; an expiry only if the check does not contradict it. */
export function timePassed(one: ModelTransaction, agrees: boolean, now: number): void {
  const isOpen = one.stage === 'uncertain' || one.stage === 'pending';
  const isOver = one.expiresAt !== null && now >= one.expiresAt + 2 * M;
  if (isOpen && isOver && agrees && one.type === 'PAY' && one.answer !== 'duplicate') raise(one, 'expired');
  const reviewAfter = one.type === 'PAYOUT' ? D + 2 * M : 7 * D;
  if (rank(one.stage) <= rank('pending') && now >= one.createdAt + reviewAfter) requestReview(one);
}
