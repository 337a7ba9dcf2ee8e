// When to ask the gateway about a transaction next: pure. Each list is of offsets from an event that the ledger keeps (sent, rung
// by an IPN, answer lost …); the next check is the first offset after the last check that was answered. A time that passed
// while the process was down is simply due. Whether a ring was heard is told by counts and never by time, so clocks that differ
// or step back can delay a check and silence none; a past time that lies ahead counts as now.
import { STAGES, TYPES, type PostOutcome, type Stage, type TransactionType } from './transaction.ts';

const S = 1000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;

const DAILY_MS = [2 * D, 3 * D, 4 * D, 5 * D, 6 * D, 7 * D];
/** With no IPN at all, every transaction still settles by these; a payment that ended without the gateway's word is watched by them. */
const SWEEP_MS = [15 * S, 30 * S, M, 2 * M, 5 * M, 10 * M, 17 * M, 30 * M, H, 3 * H, 6 * H, 12 * H, D, ...DAILY_MS];
/** A payout that was told FAILED, and what a person ended: the contrary has to be heard. */
const LATE_SWEEP_MS = [H, 6 * H, D, ...DAILY_MS];
/** After an answer that was lost. */
const UNCERTAIN_MS = [2 * S, 5 * S, 10 * S, 30 * S, 60 * S];
/** After an IPN, while the status check still says pending. */
const RUNG_MS = [S, 3 * S, 10 * S, 30 * S, 2 * M, 10 * M];
/** After a check that was not answered; the last one repeats. */
const UNANSWERED_MS = [5 * S, 15 * S, M, 5 * M, 15 * M];

/** A transaction that was rung for this lately goes before the sweep. */
export const RUNG_LATELY_MS = 10 * M;
/** The gateway's token of a CHECKOUT lives this long. */
export const CHECKOUT_LIFETIME_MS = 15 * M;
/** And this much longer we wait for the gateway's own word before our clock says so. */
export const EXPIRY_GRACE_MS = 2 * M;
/** A POST takes 30 s at most; one that has no answer after this was left by a process that died. */
export const SENDING_LIMIT_MS = 45 * S;
/** Two checks this far apart have to say FAILED before a payout is reported so. */
export const PAYOUT_FAILED_APART_MS = 30 * S;
export const LAST_SWEEP_MS = 7 * D;
/** Still open after this, a person has to look. For payouts a little more than a day, so that the day's last check still counts. */
export const REVIEW_AFTER_MS = { PAY: LAST_SWEEP_MS, PAYOUT: D + 2 * M } as const satisfies Record<
  TransactionType,
  number
>;
/** No answer for this long after the last sweep: nobody is asked any more. */
const GIVE_UP_MS = LAST_SWEEP_MS + D;
/** No check is ever planned further ahead than this; what is was planned by another clock. */
export const LONGEST_WAIT_MS = D + M;
/** Checks of one transaction in any one minute, and how many of them the lists may take: a new ring is asked at once. */
export const CHECKS_PER_MINUTE = 5;
const LISTED_PER_MINUTE = 3;

/** Two believed "unknown" end a transaction: when, after the POST, the two checks may begin, and how long after the first's end. */
interface UnknownRule {
  firstMs: number;
  secondMs: number;
  apartMs: number;
}
const SOON: UnknownRule = { firstMs: 90 * S, secondMs: 90 * S, apartMs: M };
/** It was answered, though not by the gateway: no call of ours is still on its way. */
const ANSWERED: UnknownRule = { firstMs: 0, secondMs: 0, apartMs: 10 * S };
/** Money that may have left is not told FAILED by a status check that lags. */
const SLOW: UnknownRule = { firstMs: H, secondMs: D, apartMs: M };

const UNKNOWN_RULES = {
  refused: { PAY: SOON, PAYOUT: SOON },
  unreached: { PAY: SOON, PAYOUT: SOON },
  foreign: { PAY: ANSWERED, PAYOUT: SLOW },
  lost: { PAY: SOON, PAYOUT: SLOW },
  identified: null,
  accepted: null,
  duplicate: null,
  withheld: null,
} as const satisfies Record<PostOutcome, Record<TransactionType, UnknownRule> | null>;

/** The rule by which "unknown" may end it, or null where nothing of the kind does. An answer that never came is a lost one. */
export function unknownRule(type: TransactionType, answer: PostOutcome | null): UnknownRule | null {
  return UNKNOWN_RULES[answer ?? 'lost']?.[type] ?? null;
}

/** One check: when it began, and whether a ring asked for it. */
export interface Check {
  at: number;
  rung: boolean;
}

/** What the ledger keeps for this; times in ms since 1970, null where it has not happened. */
export interface Timeline {
  type: TransactionType;
  stage: Stage;
  answer: PostOutcome | null;
  createdAt: number;
  sentAt: number | null;
  /** When the answer was known to be lost. */
  lostAt: number | null;
  expiresAt: number | null;
  rungAt: number | null;
  /** IPNs that came for it, and how many of them had come when the last answered check was claimed. */
  rings: number;
  ringsHeard: number;
  /** When the first believed "unknown" ended, and the first FAILED of a payout. */
  unknownAt: number | null;
  failedAt: number | null;
  needsReview: boolean;
  /** A person has ended it. */
  isResolved: boolean;
  /** After a step of the clock: every wait that would end something begins here again. */
  waitsFrom: number;
  /** When the last check that was answered began. */
  checkedAt: number | null;
  /** Checks since then that were not answered. */
  unanswered: number;
  /** The last checks, answered or not, oldest first, at most CHECKS_PER_MINUTE. */
  checks: readonly Check[];
}

/** When the next check is due, or null where there is nothing left to ask. May lie in the past: then it is due. */
export function nextCheckAt(row: Timeline, now: number): number | null {
  const t = withoutFuture(row, now);
  if (t.unanswered > 0 && now > Math.max(t.createdAt, t.rungAt ?? 0) + GIVE_UP_MS) return null;
  const listed = Math.min(...listedTimes(t));
  const times = [
    hasUnansweredRing(t) ? allowed(t, t.rungAt ?? now, CHECKS_PER_MINUTE, () => true) : Infinity,
    Number.isFinite(listed) ? allowed(t, listed, LISTED_PER_MINUTE, ({ rung }) => !rung) : Infinity,
    reviewAt(t),
  ];
  const next = Math.min(...times);
  return Number.isFinite(next) ? next : null;
}

/** An IPN came that no answered check has heard. */
export function hasUnansweredRing({ rings, ringsHeard }: Pick<Timeline, 'rings' | 'ringsHeard'>): boolean {
  return rings > ringsHeard;
}

/** A past time that lies ahead was written by another clock, and counts as now. */
function withoutFuture(t: Timeline, now: number): Timeline {
  const past = <Time extends number | null>(at: Time): Time => (at === null ? at : (Math.min(at, now) as Time));
  return {
    ...t,
    createdAt: past(t.createdAt),
    sentAt: past(t.sentAt),
    lostAt: past(t.lostAt),
    rungAt: past(t.rungAt),
    unknownAt: past(t.unknownAt),
    failedAt: past(t.failedAt),
    waitsFrom: past(t.waitsFrom),
    checkedAt: past(t.checkedAt),
    checks: t.checks.map(({ at, rung }) => ({ at: past(at), rung })),
  };
}

/** Not before the wait after unanswered checks is over, nor before there is room in the minute among the checks of its kind. */
function allowed(t: Timeline, due: number, most: number, counts: (check: Check) => boolean): number {
  const last = t.unanswered === 0 ? undefined : t.checks.at(-1);
  const wait = UNANSWERED_MS[Math.min(t.unanswered, UNANSWERED_MS.length) - 1] ?? 0;
  const inAll = t.checks.at(-CHECKS_PER_MINUTE);
  const ofKind = t.checks.filter(counts).at(-most);
  return Math.max(due, last ? last.at + wait : 0, ...[inAll, ofKind].map((check) => (check ? check.at + M : 0)));
}

/** What the lists ask for after the last answered check: the first of each. */
function listedTimes(t: Timeline): number[] {
  const { type, stage, answer, sentAt, checkedAt } = t;
  const after = (from: number | null, offsets: readonly number[]): number[] => {
    const next = from === null ? undefined : offsets.find((offset) => from + offset > (checkedAt ?? -Infinity));
    return from === null || next === undefined ? [] : [from + next];
  };
  const { rank, status } = STAGES[stage];
  if (stage === 'created') return [t.createdAt + SENDING_LIMIT_MS];
  // Ended before anything was sent.
  if (sentAt === null && answer === null) return [];
  const from = sentAt ?? t.createdAt;
  if (stage === 'sending') return [from + SENDING_LIMIT_MS];
  if (t.isResolved) return answer === 'duplicate' ? [] : after(from, LATE_SWEEP_MS);
  if (stage === 'succeeded') return [];
  if (TYPES[type].isOutgoing && status === 'FAILED') return after(from, LATE_SWEEP_MS);
  if (stage === 'declined') return [];

  const due = after(from, SWEEP_MS);
  if (answer === null) due.push(from + SENDING_LIMIT_MS);
  if (stage === 'uncertain') due.push(...after(t.lostAt, UNCERTAIN_MS));
  if (!hasUnansweredRing(t) && t.failedAt === null) due.push(...after(t.rungAt, RUNG_MS));
  if (rank <= STAGES.uncertain.rank) due.push(...after(...unknownTimes(t, from)));
  if (rank <= STAGES.pending.rank && t.expiresAt !== null) due.push(...after(expiryOf(t, from), [0]));
  due.push(...after(t.failedAt, [PAYOUT_FAILED_APART_MS]));
  return due;
}

/** When a person has to be asked: whether the gateway answers then or not. */
function reviewAt({ type, stage, createdAt, needsReview }: Timeline): number {
  const isOpen = STAGES[stage].rank <= STAGES.pending.rank;
  return isOpen && !needsReview ? createdAt + REVIEW_AFTER_MS[type] : Infinity;
}

/** From when "unknown" counts, and when it is to be asked for. */
function unknownTimes({ type, answer, unknownAt, waitsFrom }: Timeline, sentAt: number): [number | null, number[]] {
  const rule = unknownRule(type, answer);
  if (rule === null) return [null, []];
  const from = Math.max(sentAt, waitsFrom);
  const second = unknownAt === null ? [] : [Math.max(rule.secondMs, unknownAt + rule.apartMs - from)];
  return [from, unknownAt === null ? [rule.firstMs] : second];
}

/** When our clock may end it, where a check that begins then agrees: after a step of the clock its whole time over again. */
export function expiryOf(
  { expiresAt, waitsFrom }: Pick<Timeline, 'expiresAt' | 'waitsFrom'>,
  sentAt: number,
): number | null {
  if (expiresAt === null) return null;
  const again = waitsFrom > sentAt ? waitsFrom + Math.min(expiresAt - sentAt, CHECKOUT_LIFETIME_MS * 4) : 0;
  return Math.max(expiresAt, again) + EXPIRY_GRACE_MS;
}
