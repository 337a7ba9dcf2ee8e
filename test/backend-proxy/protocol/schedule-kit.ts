// A timeline to ask the schedule about, and a walk through its checks like that of a process.
import assert from 'node:assert/strict';
import { CALL_OVER_MS } from '../../../backend-proxy/protocol/gateway-call.ts';
import {
  CHECKS_KEPT,
  REVIEW_AFTER_MS,
  nextCheckAt,
  withoutAnswer,
  type Check,
  type Timeline,
} from '../../../backend-proxy/protocol/schedule.ts';
import { STAGES } from '../../../backend-proxy/protocol/transaction.ts';
import { M, S } from '../time.ts';

export const T0 = 1_000_000 * S;

export function timeline(given: Partial<Timeline> = {}): Timeline {
  return {
    type: 'PAY',
    way: given.type === 'PAYOUT' ? 'payout' : 'shown',
    stage: 'pending',
    answer: 'accepted',
    createdAt: T0,
    sentAt: T0,
    lostAt: null,
    expiresAt: null,
    ipnReceivedAt: null,
    ipnsReceived: 0,
    ipnsAnswered: 0,
    unknownAt: null,
    failedAt: null,
    needsReview: false,
    isResolved: false,
    waitsFrom: 0,
    checkedAt: null,
    unanswered: 0,
    checks: [],
    ...given,
  };
}

export const UNCERTAIN = { stage: 'uncertain', answer: 'lost', lostAt: T0 } as const;
export const ipnAt = (ipnReceivedAt: number) => ({ ipnReceivedAt, ipnsReceived: 1 });
export const checked = (...times: number[]) => ({
  checkedAt: times.at(-1)!,
  checks: times.map((at) => ({ at, byIpn: false })),
});

/** What the ledger stores after a check that found nothing new. */
export function afterCheck(t: Timeline, now: number, isAnswered: boolean): Timeline {
  const check: Check = { at: now, byIpn: t.ipnsReceived > t.ipnsAnswered };
  const checks = [...t.checks, check].slice(-CHECKS_KEPT);
  const isLeft = now >= (t.sentAt ?? t.createdAt) + CALL_OVER_MS;
  const isOpen = STAGES[t.stage].rank <= STAGES.pending.rank;
  return {
    ...t,
    checks,
    ...(isAnswered
      ? { checkedAt: now, unanswered: 0, ipnsAnswered: t.ipnsReceived }
      : { unanswered: t.unanswered + 1, checks: withoutAnswer({ ...t, checks }, now) }),
    ...(isLeft && t.stage === 'sending' && { stage: 'uncertain' }),
    ...(isLeft && t.sentAt !== null && t.answer === null && { answer: 'lost', lostAt: now }),
    ...(isOpen && now >= t.createdAt + REVIEW_AFTER_MS[t.type] && { needsReview: true }),
  };
}

/** Offsets from T0 of all checks from `from` on, each made when due and finding nothing new. */
export function walk(given: Partial<Timeline>, from = T0, isAnswered = true): number[] {
  const made: number[] = [];
  let t = timeline(given);
  for (let now = from; ; made.push(now - T0)) {
    const next = nextCheckAt(t, now);
    if (next === null) return made;
    assert.ok(made.length < 2_000, 'it never ends');
    now = Math.max(now, next);
    t = afterCheck(t, now, isAnswered);
  }
}

export function mostInAMinute(times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + M).length));
}
