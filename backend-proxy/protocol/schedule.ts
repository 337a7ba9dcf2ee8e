// Decides when to check a transaction at the gateway next. Pure. Each list holds offsets from an event that the ledger
// stores (sent, an IPN received, answer lost …); the next check is due at the first offset after the last answered
// check. A time that passed while the process was down is due at once.
// IPNs are compared by count, never by time, so clocks that differ or step back can delay a check but never suppress
// one. A stored time in the future counts as now.
import { DAY_MS as D, HOUR_MS as H, MINUTE_MS as M, SECOND_MS as S, CALL_OVER_MS } from './durations.ts';
import type { Way } from './verify.ts';
import { STAGES, TYPES, isOpen, type PostOutcome, type Stage, type TransactionType } from './transaction.ts';

export const LAST_SWEEP_MS = 7 * D;
const DAILY_MS = [2 * D, 3 * D, 4 * D, 5 * D, 6 * D, LAST_SWEEP_MS];
/**
 * Settles every transaction even if no IPN ever arrives, and catches a late SUCCESS of a payment that ended without a
 * report.
 */
const SWEEP_MS = [15 * S, 30 * S, M, 2 * M, 5 * M, 10 * M, 17 * M, 30 * M, H, 3 * H, 6 * H, 12 * H, D, ...DAILY_MS];
/**
 * After a payout was reported FAILED, or a person ended a transaction: a report that contradicts this must be found.
 */
const LATE_SWEEP_MS = [H, 6 * H, D, ...DAILY_MS];
/** After an answer was lost. */
const UNCERTAIN_MS = [2 * S, 5 * S, 10 * S, 30 * S, 60 * S];
/** After an IPN, while status checks still report pending. */
const AFTER_IPN_MS = [S, 3 * S, 10 * S, 30 * S, 2 * M, 10 * M];
/**
 * After an unanswered check; the last wait repeats. If half of all answers are garbled, one transaction in 8,000 has no
 * answer after those of a minute, so a shopper hardly ever meets the longer ones.
 */
const UNANSWERED_MS = [5 * S, 15 * S, M, M, M, M, M, M, M, M, M, M, 5 * M, 15 * M];

/**
 * After an unanswered check that an IPN requested, because a shopper may be waiting. At most so many of these checks
 * for one IPN, and in any minute, do not count in the limit.
 */
const REPEAT_MS = [S, 2 * S, 4 * S, 8 * S];

/** An IPN this recent puts a transaction ahead of the sweep. */
export const RECENT_IPN_MS = 10 * M;
/** Lifetime of the gateway's token for a CHECKOUT. */
export const CHECKOUT_LIFETIME_MS = 15 * M;
/** Time for the gateway to report an expiry itself before our clock decides. */
const EXPIRY_GRACE_MS = 2 * M;
/** Minimum time between the two checks that must both report FAILED before a payout is reported as FAILED. */
export const PAYOUT_FAILED_APART_MS = 30 * S;
/**
 * A transaction still open after this needs a review. A payout gets slightly more than a day, so that the check at one
 * day still counts.
 */
export const REVIEW_AFTER_MS = { PAY: LAST_SWEEP_MS, PAYOUT: D + 2 * M, REFUND: D + 2 * M } as const satisfies Record<
  TransactionType,
  number
>;
/**
 * Unanswered checks stop 8 days after the creation or the last IPN, but only after at least 110 in a row (about a day's
 * worth).
 */
const GIVE_UP_MS = LAST_SWEEP_MS + D;
const GIVE_UP_CHECKS = 110;
/** No check is planned further ahead than this; one that is was planned by another clock. */
export const MAX_CHECK_WAIT_MS = D + M;
/**
 * Maximum checks of one transaction in any minute, and how many of them may follow the lists or a merchant's question:
 * the rest are left to new IPNs.
 */
const CHECKS_PER_MINUTE = 5;
const SCHEDULED_PER_MINUTE = 3;
/** As many as the limits need: those of a minute, and those that are outside the limit. */
export const CHECKS_KEPT = CHECKS_PER_MINUTE + REPEAT_MS.length;

/**
 * Two proven "unknown" end a transaction. The first two limits say how long after the POST each check may begin, the
 * third how long after the end of the first the second may begin.
 */
interface UnknownRule {
  firstMs: number;
  secondMs: number;
  apartMs: number;
}
const SOON: UnknownRule = { firstMs: 90 * S, secondMs: 90 * S, apartMs: M };
/** Something other than the gateway answered: the call cannot arrive any more, and brought nothing to pay with. */
const ANSWERED: UnknownRule = { firstMs: 0, secondMs: 0, apartMs: 10 * S };
/** For so long after something was sent, a lagging status check may not know it. */
export const LAG_MS = 10 * M;
/** A prompt may have reached the wallet: a status check may lag while the customer confirms. */
const PROMPTED: UnknownRule = { firstMs: 90 * S, secondMs: LAG_MS, apartMs: M };
/**
 * For so long after a restore, the gateway is asked for a payout or refund before it is sent. The copy that is restored
 * is taken to be no older.
 */
export const RESTORED_LATELY_MS = 7 * D;
/** The same of a payout, where nothing else keeps it from being made twice. */
export const PAYOUT_LAG_MS = H;
/** A payout may have left: a lagging status check must not make it FAILED. */
const SLOW: UnknownRule = { firstMs: PAYOUT_LAG_MS, secondMs: D, apartMs: M };

const UNKNOWN_RULES = {
  refused: { payout: SOON, prompt: SOON, shown: SOON },
  // A payment has ended at once.
  unreached: { payout: SOON, prompt: null, shown: null },
  foreign: { payout: SLOW, prompt: PROMPTED, shown: ANSWERED },
  lost: { payout: SLOW, prompt: PROMPTED, shown: SOON },
  identified: null,
  accepted: null,
  duplicate: null,
  withheld: null,
} as const satisfies Record<PostOutcome, Record<Way, UnknownRule | null> | null>;

/** The rule by which "unknown" may end the transaction, or null if it never does. A missing answer counts as lost. */
export function unknownRule(way: Way, answer: PostOutcome | null): UnknownRule | null {
  return UNKNOWN_RULES[answer ?? 'lost']?.[way] ?? null;
}

/** One check: when it began, and whether an IPN requested it. */
export interface Check {
  at: number;
  byIpn: boolean;
  /** It got no answer, so it is repeated soon, and is outside the limit. */
  isRepeated?: true;
}

/** What the ledger stores about one transaction; times in ms since 1970, null if it has not happened. */
export interface Timeline {
  type: TransactionType;
  way: Way;
  stage: Stage;
  answer: PostOutcome | null;
  createdAt: number;
  sentAt: number | null;
  /** When the answer was found to be lost. */
  lostAt: number | null;
  expiresAt: number | null;
  ipnReceivedAt: number | null;
  /** IPNs received, and how many of them had been received when the last answered check was claimed. */
  ipnsReceived: number;
  ipnsAnswered: number;
  /** When the first proven "unknown" ended, and when a payout's first FAILED was reported. */
  unknownAt: number | null;
  failedAt: number | null;
  needsReview: boolean;
  /** Ended by a person. */
  isResolved: boolean;
  /** After a clock step: every wait that may end the transaction starts again here. */
  waitsFrom: number;
  /** When the last answered check began. */
  checkedAt: number | null;
  /** Unanswered checks since then, and since the last IPN. */
  unanswered: number;
  /** The last checks, answered or not, oldest first, at most CHECKS_KEPT. */
  checks: readonly Check[];
}

/**
 * When the next check is due, or null if none is needed. A time in the past is due now. Of several reasons to check,
 * the earliest decides (`min`); a check has to wait until each of its waits is over (`max`).
 */
export function nextCheckAt(row: Timeline, now: number): number | null {
  const t = clampToNow(row, now);
  const isOver = now > Math.max(t.createdAt, t.ipnReceivedAt ?? 0) + GIVE_UP_MS;
  if (isOver && t.unanswered >= GIVE_UP_CHECKS) return null;
  const scheduled = Math.min(...scheduledTimes(t));
  const times = [
    hasUnansweredIpn(t)
      ? Math.max(t.ipnReceivedAt ?? now, waitEndsAt(t), allowedAt(t.checks, CHECKS_PER_MINUTE))
      : Infinity,
    Number.isFinite(scheduled) ? Math.max(scheduled, waitEndsAt(t), scheduledAllowedAt(t.checks)) : Infinity,
    reviewAt(t),
  ];
  // Nothing counts before the answer to our POST: a report could be about another's transaction of this id.
  const callOver = t.answer === null ? Math.max(t.sentAt ?? t.createdAt, t.waitsFrom) + CALL_OVER_MS : -Infinity;
  const next = Math.max(Math.min(...times), callOver);
  return Number.isFinite(next) ? next : null;
}

/** Whether an IPN arrived after the last answered check was claimed. */
export function hasUnansweredIpn({
  ipnsReceived,
  ipnsAnswered,
}: Pick<Timeline, 'ipnsReceived' | 'ipnsAnswered'>): boolean {
  return ipnsReceived > ipnsAnswered;
}

/** A time of the past that lies in the future comes from a clock that was ahead; it counts as now. */
function clampToNow(t: Timeline, now: number): Timeline {
  const past = <Time extends number | null>(at: Time): Time => (at === null ? at : (Math.min(at, now) as Time));
  return {
    ...t,
    createdAt: past(t.createdAt),
    sentAt: past(t.sentAt),
    lostAt: past(t.lostAt),
    ipnReceivedAt: past(t.ipnReceivedAt),
    unknownAt: past(t.unknownAt),
    failedAt: past(t.failedAt),
    waitsFrom: past(t.waitsFrom),
    checkedAt: past(t.checkedAt),
    checks: t.checks.map((check) => ({ ...check, at: past(check.at) })),
  };
}

/** When the last minute has room for one more check that no IPN requests: among all, and among those of its kind. */
export function scheduledAllowedAt(checks: readonly Check[]): number {
  const ofKind = checks.filter(({ byIpn }) => !byIpn);
  return Math.max(allowedAt(checks, CHECKS_PER_MINUTE), allowedAt(ofKind, SCHEDULED_PER_MINUTE));
}

function allowedAt(checks: readonly Check[], perMinute: number): number {
  const counted = checks.filter(({ isRepeated }) => !isRepeated).at(-perMinute);
  return counted === undefined ? 0 : counted.at + M;
}

/** The end of the wait that follows unanswered checks. */
function waitEndsAt({ checks, unanswered }: Timeline): number {
  const last = checks.at(-1);
  if (unanswered === 0 || last === undefined) return 0;
  const waits = last.isRepeated ? REPEAT_MS : UNANSWERED_MS;
  return last.at + (waits[Math.min(unanswered, waits.length) - 1] ?? 0);
}

/** The checks of a row, of which the one that began at `at` got no answer, after `unanswered` others since its IPN. */
export function withoutAnswer({ checks, unanswered }: Pick<Timeline, 'checks' | 'unanswered'>, at: number): Check[] {
  const repeated = checks.filter((check) => check.isRepeated && check.at > at - M).length;
  const isSoon = Math.max(unanswered, repeated) < REPEAT_MS.length;
  return checks.map((check) => (isSoon && check.at === at && check.byIpn ? { ...check, isRepeated: true } : check));
}

/** For each list that applies, its first time after the last answered check. */
function scheduledTimes(t: Timeline): number[] {
  const { type, stage, answer, sentAt, checkedAt } = t;
  const after = (from: number | null, offsets: readonly number[]): number[] => {
    const next = from === null ? undefined : offsets.find((offset) => from + offset > (checkedAt ?? -Infinity));
    return from === null || next === undefined ? [] : [from + next];
  };
  const { rank, status } = STAGES[stage];
  const from = sentAt ?? t.createdAt;
  if (t.isResolved) return after(from, LATE_SWEEP_MS);
  if (stage === 'succeeded') return [];
  if (TYPES[type].isOutgoing && status === 'FAILED') return after(from, LATE_SWEEP_MS);
  // What was certainly not sent cannot succeed.
  const isUnsent = answer === 'unreached' && !TYPES[type].isOutgoing;
  if (stage === 'declined' || isUnsent) return [];

  const due = after(from, SWEEP_MS);
  if (stage === 'uncertain') due.push(...after(t.lostAt, UNCERTAIN_MS));
  if (!hasUnansweredIpn(t) && t.failedAt === null) due.push(...after(t.ipnReceivedAt, AFTER_IPN_MS));
  if (rank <= STAGES.uncertain.rank) due.push(...after(...unknownTimes(t, from)));
  if (isOpen(stage) && t.expiresAt !== null) due.push(...after(expiryOf(t, from), [0]));
  due.push(...after(t.failedAt, [PAYOUT_FAILED_APART_MS]));
  return due;
}

/** When the review is due, even if the gateway does not answer that check. */
function reviewAt({ type, stage, createdAt, needsReview }: Timeline): number {
  return isOpen(stage) && !needsReview ? createdAt + REVIEW_AFTER_MS[type] : Infinity;
}

/** The start and the offsets of the checks whose "unknown" counts. */
function unknownTimes({ way, answer, unknownAt, waitsFrom }: Timeline, sentAt: number): [number | null, number[]] {
  const rule = unknownRule(way, answer);
  if (rule === null) return [null, []];
  const from = Math.max(sentAt, waitsFrom);
  const second = unknownAt === null ? [] : [Math.max(rule.secondMs, unknownAt + rule.apartMs - from)];
  return [from, unknownAt === null ? [rule.firstMs] : second];
}

/**
 * When our clock may end a payment, if a check that begins then agrees. After a clock step its whole time runs again.
 */
export function expiryOf(
  { expiresAt, waitsFrom }: Pick<Timeline, 'expiresAt' | 'waitsFrom'>,
  sentAt: number,
): number | null {
  if (expiresAt === null) return null;
  const again = waitsFrom > sentAt ? waitsFrom + Math.min(expiresAt - sentAt, CHECKOUT_LIFETIME_MS * 4) : 0;
  return Math.max(expiresAt, again) + EXPIRY_GRACE_MS;
}
