// When to ask the gateway about a transaction next: pure, without counters. Each schedule is a list of offsets from an
// event that the ledger keeps (created, sent, rung by an IPN, first seen failed …); the next check is the earliest
// offset still ahead. A time that passed while the process was down is simply due.
import { STAGES, type Stage, type TransactionType } from './transaction.ts';

const S = 1000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;

/** With no IPN at all, every transaction still settles by these. */
const SWEEP_MS = [
  15 * S,
  30 * S,
  M,
  2 * M,
  5 * M,
  10 * M,
  17 * M,
  30 * M,
  H,
  3 * H,
  6 * H,
  12 * H,
  D,
  2 * D,
  3 * D,
  4 * D,
  5 * D,
  6 * D,
  7 * D,
];
/** After an answer that was lost. The last two serve the rule of two checks, at least 90 s after the POST. */
const UNCERTAIN_MS = [2 * S, 5 * S, 10 * S, 30 * S, 60 * S, 90 * S, 150 * S];
/** After an IPN, while the status check still says pending. */
const RUNG_MS = [S, 3 * S, 10 * S, 30 * S, 2 * M, 10 * M];

/** The gateway's token of a CHECKOUT lives this long. */
export const CHECKOUT_LIFETIME_MS = 15 * M;
/** And this much longer we wait for the gateway's own word before our clock says so. */
export const EXPIRY_GRACE_MS = 2 * M;
/** A POST takes 30 s at most; a row that is still being sent after this was left by a process that died. */
export const SENDING_LIMIT_MS = 45 * S;
/** Two checks this far apart, both this long after the POST, have to say "unknown" before a payment counts as not created. */
export const UNKNOWN_APART_MS = 60 * S;
export const UNKNOWN_AFTER_SENT_MS = 90 * S;
/** Two checks this far apart have to say FAILED before a payout is reported so. */
export const PAYOUT_FAILED_APART_MS = 30 * S;
/** A payout without an end after this, or a payment after the last sweep, needs a person. */
export const PAYOUT_REVIEW_MS = D;
export const LAST_SWEEP_MS = 7 * D;
/** Checks of one transaction in any one minute. */
export const CHECKS_PER_MINUTE = 5;

/** What the ledger keeps for this; times in ms since 1970, null where it has not happened. */
export interface Timeline {
  type: TransactionType;
  stage: Stage;
  createdAt: number;
  sentAt: number | null;
  expiresAt: number | null;
  rungAt: number | null;
  unknownAt: number | null;
  failedAt: number | null;
  needsReview: boolean;
  /** When the last checks began, oldest first, at most CHECKS_PER_MINUTE of them. */
  checks: readonly number[];
}

/** When the next check is due, or null where there is nothing left to ask. May lie in the past: then it is due. */
export function nextCheckAt(t: Timeline, now: number): number | null {
  const lastCheck = t.checks.at(-1) ?? -Infinity;
  const due = [...rung(t, now), ...unfinished(t, now)].filter((at) => at > lastCheck);
  return due.length === 0 ? null : Math.max(Math.min(...due), earliestAllowed(t));
}

function rung({ rungAt, stage, failedAt, checks }: Timeline, now: number): number[] {
  if (rungAt === null) return [];
  const lastCheck = checks.at(-1);
  if (lastCheck === undefined || lastCheck < rungAt) return [rungAt];
  // The gateway's final word is there, or for a payout the first of the two that it takes.
  const isAnswered = STAGES[stage].rank >= STAGES.declined.rank || failedAt !== null;
  return isAnswered ? [] : ahead(rungAt, RUNG_MS, now);
}

function unfinished(t: Timeline, now: number): number[] {
  if (STAGES[t.stage].rank > STAGES.expired.rank) return [];
  const neverSent = t.stage === 'replaced' && t.sentAt === null;
  if (neverSent) return [];
  const due = ahead(t.createdAt, SWEEP_MS, now);
  if (t.stage === 'created' || t.stage === 'sending') due.push(t.createdAt + SENDING_LIMIT_MS);
  if (t.sentAt !== null && STAGES[t.stage].rank <= STAGES.uncertain.rank)
    due.push(...ahead(t.sentAt, UNCERTAIN_MS, now));
  if (t.stage === 'pending' && t.expiresAt !== null) due.push(t.expiresAt + EXPIRY_GRACE_MS);
  if (t.unknownAt !== null) due.push(t.unknownAt + UNKNOWN_APART_MS);
  if (t.failedAt !== null) due.push(t.failedAt + PAYOUT_FAILED_APART_MS);
  if (!t.needsReview && !STAGES[t.stage].ended) due.push(t.createdAt + reviewAfterMs(t.type));
  return due;
}

export function reviewAfterMs(type: TransactionType): number {
  return type === 'PAYOUT' ? PAYOUT_REVIEW_MS : LAST_SWEEP_MS;
}

function ahead(from: number, offsets: readonly number[], now: number): number[] {
  const next = offsets.find((offset) => from + offset > now);
  return next === undefined ? [] : [from + next];
}

function earliestAllowed({ checks }: Timeline): number {
  const oldest = checks.at(-CHECKS_PER_MINUTE);
  return oldest === undefined ? 0 : oldest + M;
}
