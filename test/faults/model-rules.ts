// The model's rules of more than one look: what a report, a believed "unknown" and the clock each do to one transaction.
import { isIncomplete, isMismatch, outcomeOf, type Fields } from './model-answers.ts';
import { requestReview, flag, raise, rank, wasReportedFailed, type ModelTransaction } from './model-transaction.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The gateway had the id before our POST: a success is a person's to judge, a difference says that it is not ours. */
export function markedReported(one: ModelTransaction, fields: Fields, failedBefore: number | null, now: number): void {
  if (one.resolved !== null) return;
  if (!isMismatch(one, fields)) {
    if (outcomeOf(one, fields) === 'succeeded' && !isIncomplete(one, fields)) requestReview(one);
    return;
  }
  one.failedAt = failedBefore ?? now;
  if (one.type === 'PAY' || (failedBefore !== null && now >= failedBefore + 30 * SECOND)) raise(one, 'rejected');
}

export function failed(one: ModelTransaction, fields: Fields, now: number): void {
  if (one.stage === 'succeeded') {
    if (one.resolved !== 'declined') flag(one, 'conflict');
    return;
  }
  const isOver = fields['message'] === 'TOKEN_EXPIRED' || (one.expiresAt !== null && now >= one.expiresAt - 5 * SECOND);
  if (one.type === 'PAY') raise(one, 'declined', isOver ? 'EXPIRED' : null);
  else if (one.failedAt === null) one.failedAt = now;
  else if (now >= one.failedAt + 30 * SECOND) raise(one, 'declined');
}

/** The gateway has it. */
export function found(one: ModelTransaction): void {
  if (wasReportedFailed(one) && one.resolved === null) return flag(one, 'conflict');
  if (raise(one, 'pending')) limitCheckout(one);
}

/** The 15 minutes of a CHECKOUT, or the order's own time where that is shorter. */
export function limitCheckout(one: ModelTransaction): void {
  if (one.method !== 'CHECKOUT' || one.sentAt === null) return;
  one.expiresAt = Math.min(one.expiresAt ?? Infinity, one.sentAt + 15 * MINUTE);
}

/** How long after the POST the two may have been said, and how far apart, by what the POST was answered with. */
function unknownRule({ type, answer }: ModelTransaction): [first: number, second: number, apart: number] | undefined {
  if (answer === 'refused') return [90 * SECOND, 90 * SECOND, MINUTE];
  if (answer !== 'lost' && answer !== 'foreign') return undefined;
  if (type === 'PAYOUT') return [HOUR, DAY, MINUTE];
  return answer === 'lost' ? [90 * SECOND, 90 * SECOND, MINUTE] : [0, 0, 10 * SECOND];
}

export function believedUnknown(one: ModelTransaction, at: number): void {
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

/** What the clock says is written down when a check ends; an end only where the check does not speak against it. */
export function timePassed(one: ModelTransaction, agrees: boolean, now: number): void {
  const isOpen = one.stage === 'uncertain' || one.stage === 'pending';
  const isOver = one.expiresAt !== null && now >= one.expiresAt + 2 * MINUTE;
  if (isOpen && isOver && agrees && one.type === 'PAY' && one.answer !== 'duplicate') raise(one, 'expired');
  const reviewAfter = one.type === 'PAYOUT' ? DAY + 2 * MINUTE : 7 * DAY;
  if (rank(one.stage) <= rank('pending') && now >= one.createdAt + reviewAfter) requestReview(one);
}
