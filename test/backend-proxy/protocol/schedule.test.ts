// When the next check is due without IPNs: the sweep, the late sweep, what is not checked at all, and what follows a
// check that the gateway did not answer.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  MAX_CHECK_WAIT_MS,
  nextCheckAt,
  CHECKS_KEPT,
  REVIEW_AFTER_MS,
  withoutAnswer,
  type Check,
  type Timeline,
  PAYOUT_FAILED_APART_MS,
  unknownRule,
  CHECKOUT_LIFETIME_MS,
  LAST_SWEEP_MS,
  expiryOf,
} from '../../../backend-proxy/protocol/schedule.ts';
import { D, H, M, S } from '../time.ts';
import { CALL_OVER_MS } from '../../../backend-proxy/protocol/durations.ts';
import { STAGES, type PostOutcome, type Stage } from '../../../backend-proxy/protocol/transaction.ts';
import type { Way } from '../../../backend-proxy/protocol/verify.ts';
import fc from 'fast-check';

const DAILY = [2 * D, 3 * D, 4 * D, 5 * D, 6 * D, 7 * D];
const SWEEP = [15 * S, 30 * S, M, 2 * M, 5 * M, 10 * M, 17 * M, 30 * M, H, 3 * H, 6 * H, 12 * H, D, ...DAILY];
const LATE_SWEEP = [H, 6 * H, D, ...DAILY];

it('a pending payment is checked by the sweep up to seven days, and then no more', () => {
  assert.deepEqual(walk({}), SWEEP);
});

it('a payment that ended without a report is still checked by the sweep up to seven days', () => {
  for (const stage of ['replaced', 'expired', 'rejected', 'not_created'] as const) {
    assert.deepEqual(walk({ stage }), SWEEP, stage);
  }
});

it('a FAILED payout is checked by the late sweep, whatever its stage', () => {
  for (const stage of ['not_created', 'declined'] as const) {
    assert.deepEqual(walk({ type: 'PAYOUT', stage }), LATE_SWEEP, stage);
  }
});

it('a transaction that a person ended is checked by the late sweep', () => {
  for (const stage of ['declined', 'succeeded'] as const) {
    assert.deepEqual(walk({ stage, isResolved: true }), LATE_SWEEP, stage);
    assert.deepEqual(walk({ stage, isResolved: true, answer: 'duplicate' }), LATE_SWEEP, stage);
  }
});

it('a transaction that ended by a verified report is not checked', () => {
  for (const stage of ['declined', 'succeeded'] as const) assert.deepEqual(walk({ stage }), [], stage);
  assert.deepEqual(walk({ type: 'PAYOUT', stage: 'succeeded' }), []);
});

it('no list waits so long that the check counts as planned by another clock', () => {
  const ended = { type: 'PAYOUT', stage: 'declined' } as const;
  const resolved = { stage: 'succeeded', isResolved: true } as const;
  for (const given of [{}, UNCERTAIN, { ...UNCERTAIN, type: 'PAYOUT' } as const, ended, resolved]) {
    for (const isAnswered of [true, false]) {
      const made = walk(given, T0, isAnswered);
      const waits = made.map((at, n) => at - (made[n - 1] ?? 0));
      assert.ok(Math.max(...waits) < MAX_CHECK_WAIT_MS, made.join());
    }
  }
});

it('a payout withheld after a restore of the database is checked like a sent one', () => {
  const withheld = { type: 'PAYOUT', stage: 'uncertain', answer: 'withheld', sentAt: null } as const;
  assert.deepEqual(walk({ ...withheld, needsReview: true }), SWEEP);
});

it('a process that was down for a day checks at once and continues from there', () => {
  const down = checked(T0 + 15 * S);
  assert.deepEqual(walk(down, T0 + D + 1), [D + 1, ...DAILY]);
  assert.equal(nextCheckAt(timeline(down), T0 + 20 * S), T0 + 30 * S);
});

it('an unanswered check is repeated after 5 s, 15 s, each minute for ten, 5 and then every 15 minutes', () => {
  const minutes = Array.from({ length: 10 }, (_, n) => 20 * S + (n + 1) * M);
  assert.deepEqual(
    walk(checked(T0 + 30 * M), T0 + H, false)
      .slice(0, 16)
      .map((offset) => offset - H),
    [0, 5 * S, 20 * S, ...minutes, 920 * S, 1820 * S, 2720 * S],
  );
});

it('an unanswered check skips no time of a list', () => {
  const at = T0 + H;
  const unanswered = { unanswered: 1, checkedAt: T0 + 30 * M, checks: [{ at, byIpn: false }] };
  assert.equal(nextCheckAt(timeline(unanswered), at + S), at + 5 * S);
  assert.equal(nextCheckAt(timeline({ ...unanswered, unanswered: 0, checkedAt: at }), at + S), T0 + 3 * H);
});

it('an unanswered check leaves its IPN unanswered', () => {
  const t = afterCheck(timeline({ ...ipnAt(T0 + H), ...checked(T0 + 30 * M) }), T0 + H, false);
  assert.equal(nextCheckAt(t, T0 + H), T0 + H + S);
});

it('unanswered checks end a day after the last sweep', () => {
  const made = walk({}, T0, false);
  assert.ok(made.at(-1)! > 7 * D && made.at(-1)! < 8 * D + H, String(made.at(-1)));
});

it('after 8 days one unanswered check does not end them: they end after about a day of them', () => {
  const made = walk(checked(T0 + H), T0 + 9 * D, false);
  assert.ok(made.length === 110 && made.at(-1)! > 10 * D - H && made.at(-1)! < 10 * D + H, String(made.at(-1)));
});

const T0 = 1_000_000 * S;

function timeline(given: Partial<Timeline> = {}): Timeline {
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

const UNCERTAIN = { stage: 'uncertain', answer: 'lost', lostAt: T0 } as const;
const ipnAt = (ipnReceivedAt: number) => ({ ipnReceivedAt, ipnsReceived: 1 });
const checked = (...times: number[]) => ({
  checkedAt: times.at(-1)!,
  checks: times.map((at) => ({ at, byIpn: false })),
});

/** What the ledger stores after a check that found nothing new. */
function afterCheck(t: Timeline, now: number, isAnswered: boolean): Timeline {
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
function walk(given: Partial<Timeline>, from = T0, isAnswered = true): number[] {
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

function mostInAMinute(times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + M).length));
}

it('an IPN is followed by a check at once, then at 1, 3, 10, 30 s, 2 and 10 minutes while the payment is open', () => {
  const ipnReceivedAt = T0 + 4 * H;
  const after = walk({ ...ipnAt(ipnReceivedAt), ...checked(T0 + 3 * H) }, ipnReceivedAt).map(
    (at) => at + T0 - ipnReceivedAt,
  );
  // The lists allow three a minute: what is due at 30 s waits until a minute after the check at 1 s.
  assert.deepEqual(after.slice(0, 7), [0, S, 3 * S, 10 * S, 61 * S, 2 * M, 10 * M]);
  assert.equal(after[7], 2 * H);
});

it('an IPN requests a check of an ended transaction, too', () => {
  for (const stage of ['declined', 'succeeded'] as const) {
    assert.deepEqual(walk({ stage, ...ipnAt(T0 + H) }, T0 + H), [H], stage);
  }
  for (const stage of ['rejected', 'not_created'] as const) {
    assert.deepEqual(
      walk({ stage, ...ipnAt(T0 + H), ...checked(T0 + 30 * M) }, T0 + H).slice(0, 3),
      [H, H + S, H + 3 * S],
      stage,
    );
  }
});

it('an IPN is answered by count, not by time: a check that began later by its clock does not answer it', () => {
  const later = { ipnReceivedAt: T0 + 5, checkedAt: T0 + H, checks: [{ at: T0 + H, byIpn: false }] };
  assert.equal(nextCheckAt(timeline({ ...later, ipnsReceived: 3, ipnsAnswered: 2 }), T0 + 5), T0 + 5);
  assert.notEqual(nextCheckAt(timeline({ ...later, ipnsReceived: 3, ipnsAnswered: 3 }), T0 + 5), T0 + 5);
});

it('an IPN is due at once even if the lists have used their three checks of the minute', () => {
  const made = { ...UNCERTAIN, ...checked(T0 + 2 * S, T0 + 5 * S, T0 + 10 * S) };
  assert.equal(nextCheckAt(timeline(made), T0 + 11 * S), T0 + 62 * S);
  assert.equal(nextCheckAt(timeline({ ...made, ...ipnAt(T0 + 11 * S) }), T0 + 11 * S), T0 + 11 * S);
});

it('the first FAILED of a payout ends the checks after its IPN', () => {
  const ipnReceivedAt = T0 + H;
  const given = {
    type: 'PAYOUT',
    ipnReceivedAt,
    ipnsReceived: 1,
    ipnsAnswered: 1,
    ...checked(ipnReceivedAt + 1),
  } as const;
  assert.equal(
    nextCheckAt(timeline({ ...given, failedAt: ipnReceivedAt + 1 }), ipnReceivedAt + 1),
    ipnReceivedAt + 1 + 30 * S,
  );
  assert.equal(nextCheckAt(timeline(given), ipnReceivedAt + 1), ipnReceivedAt + S);
});

it('a check of an IPN that gets no answer is repeated after 1, 2, 4 and 8 s, and then like any other', () => {
  const given = { ...ipnAt(T0 + H), ...checked(T0 + 30 * M) };
  const after = walk(given, T0 + H, false).map((at) => at - H);
  assert.deepEqual(after.slice(0, 8), [0, S, 3 * S, 7 * S, 15 * S, 75 * S, 135 * S, 195 * S]);
});

it('repeated checks of one IPN leave a new IPN its own at once, and are four in any minute', () => {
  let t = timeline({ ...ipnAt(T0 + H), ...checked(T0 + 30 * M) });
  for (const at of [0, S, 3 * S, 7 * S, 15 * S]) t = afterCheck(t, T0 + H + at, at === 15 * S);
  const made = [];
  for (let now = T0 + H + 16 * S; now < T0 + H + M; now += S) {
    t = { ...t, ipnReceivedAt: now, ipnsReceived: t.ipnsReceived + 1, unanswered: 0 };
    if ((nextCheckAt(t, now) ?? Infinity) > now) continue;
    made.push(now - T0 - H);
    t = afterCheck(t, now, true);
  }
  assert.deepEqual(
    made,
    [16, 17, 18, 19].map((second) => second * S),
  );
});

it('any number of IPNs leads to at most five checks a minute', () => {
  const made: number[] = [];
  let t = timeline();
  for (let now = T0; now < T0 + 10 * M; now += 250) {
    t = { ...t, ipnReceivedAt: now, ipnsReceived: t.ipnsReceived + 1 };
    const next = nextCheckAt(t, now);
    if (next === null || next > now) continue;
    made.push(now);
    t = afterCheck(t, now, true);
  }
  assert.equal(made.length, 50);
  assert.equal(mostInAMinute(made), 5);
});

it('after a lost answer, checks follow at 2, 5, 10, 30 and 60 s, at most three a minute', () => {
  assert.deepEqual(
    walk(UNCERTAIN).slice(0, 6),
    [2, 5, 10, 62, 90, 120].map((s) => s * S),
  );
  const lostAt = T0 + 30 * S;
  assert.deepEqual(
    walk({ ...UNCERTAIN, lostAt, ...checked(T0 + 30 * S) }, lostAt).slice(0, 4),
    [32, 35, 90, 120].map((s) => s * S),
  );
});

it('a transaction is not checked while its POST is in flight, not even for an IPN; 45 s later it is', () => {
  const sending = timeline({ stage: 'sending', answer: null });
  for (const given of [sending, { ...sending, ...ipnAt(T0 + S) }, { ...sending, stage: 'replaced' } as const]) {
    assert.equal(nextCheckAt(given, T0 + S), T0 + 45 * S);
  }
  assert.equal(nextCheckAt({ ...sending, waitsFrom: T0 + 3 * S }, T0 + 3 * S), T0 + 48 * S, 'a step restarts the wait');
  assert.equal(nextCheckAt({ ...sending, answer: 'identified', ...ipnAt(T0 + S) }, T0 + 2 * S), T0 + S);
  assert.equal(CALL_OVER_MS, 45 * S);
});

it('a payout reported FAILED once is checked again after 30 s, and then by the sweep', () => {
  assert.equal(PAYOUT_FAILED_APART_MS, 30 * S);
  const failedAt = T0 + 400 * S;
  const given = { type: 'PAYOUT', failedAt, ...checked(failedAt) } as const;
  assert.equal(nextCheckAt(timeline(given), failedAt), failedAt + 30 * S);
  assert.deepEqual(walk(given, failedAt).slice(0, 3), [430 * S, 10 * M, 17 * M]);
});

const SOON = [90 * S, 90 * S, M] as const;
/** First and second check after the POST, and the time between them; null if "unknown" never ends it. */
const RULES = {
  lost: { payout: [H, D, M], prompt: [90 * S, 10 * M, M], shown: [90 * S, 90 * S, M] },
  foreign: { payout: [H, D, M], prompt: [90 * S, 10 * M, M], shown: [0, 0, 10 * S] },
  refused: { payout: SOON, prompt: SOON, shown: SOON },
  unreached: { payout: SOON, prompt: null, shown: null },
  identified: null,
  accepted: null,
  duplicate: null,
  withheld: null,
} as const satisfies Record<PostOutcome, Record<Way, readonly [number, number, number] | null> | null>;
const ways = ['payout', 'prompt', 'shown'] as const;

it('unknownRule() has the promised times for each answer and way', () => {
  for (const [answer, rules] of Object.entries(RULES)) {
    for (const way of ways) {
      const rule = unknownRule(way, answer as PostOutcome);
      const actual = rule && [rule.firstMs, rule.secondMs, rule.apartMs];
      assert.deepEqual(actual, rules?.[way] ?? null, `${answer} ${way}`);
    }
  }
});

it('unknownRule() treats a missing answer as lost', () => {
  for (const way of ways) assert.deepEqual(unknownRule(way, null), unknownRule(way, 'lost'));
});

it('the two checks for "unknown" follow their rule and are not repeated', () => {
  for (const [answer, rules] of Object.entries(RULES)) {
    for (const way of ways) {
      const given = timeline({
        type: way === 'payout' ? 'PAYOUT' : 'PAY',
        way,
        stage: 'uncertain',
        answer: answer as PostOutcome,
      });
      const [first, second, apart] = rules?.[way] ?? [null, null, null];
      if (first === null) continue;
      if (first > 0) {
        const before = nextCheckAt({ ...given, ...checked(T0 + first - 1) }, T0 + first - 1);
        assert.equal(before, T0 + first, `${answer} ${way}: first`);
      }
      const unknownAt = T0 + first + 200;
      const due = Math.max(T0 + second, unknownAt + apart);
      const again = nextCheckAt({ ...given, ...checked(due - 1), unknownAt }, due - 1);
      assert.equal(again, due, `${answer} ${way}: second`);
    }
  }
});

it('a payment is checked when its time and the two minutes of grace are over, even if its answer was lost', () => {
  assert.equal(CHECKOUT_LIFETIME_MS, 15 * M);
  const expiresAt = T0 + 20 * M;
  assert.ok(walk({ expiresAt }).includes(22 * M));
  assert.ok(walk({ ...UNCERTAIN, expiresAt }).includes(22 * M));
  assert.ok(!walk({ expiresAt, stage: 'replaced' }).includes(22 * M));
  assert.ok(!walk({ expiresAt: null }).includes(22 * M));
});

it('after a clock step a payment gets its whole time again, and never less than before', () => {
  const expiresAt = T0 + 10 * M;
  assert.equal(expiryOf({ expiresAt, waitsFrom: 0 }, T0), T0 + 12 * M);
  assert.equal(expiryOf({ expiresAt, waitsFrom: T0 + 4 * M }, T0), T0 + 16 * M);
  assert.equal(expiryOf({ expiresAt: null, waitsFrom: T0 }, T0), null);
});

it('a review is due after 24 h for a payout or refund and after the last sweep for a payment', () => {
  assert.deepEqual(LAST_SWEEP_MS, 7 * D);
  assert.deepEqual(REVIEW_AFTER_MS, { PAY: 7 * D, PAYOUT: D + 2 * M, REFUND: D + 2 * M });
  const past = { createdAt: T0 - 8 * D, sentAt: T0 - 8 * D, ...checked(T0 - D) };
  assert.equal(nextCheckAt(timeline(past), T0), T0 - D, 'due since it should have been flagged');
  assert.equal(nextCheckAt(timeline({ ...past, needsReview: true }), T0), null);
  assert.equal(nextCheckAt(timeline({ ...past, stage: 'expired' }), T0), null);
  assert.equal(nextCheckAt(timeline({ ...past, stage: 'uncertain' }), T0), T0 - D);
});

it('a stored time in the future counts as now: it delays a check by its wait and suppresses none', () => {
  const now = T0 + H;
  const ahead = now + 10 * D;
  const sent = timeline({ createdAt: ahead, sentAt: ahead, checkedAt: ahead, checks: [{ at: ahead, byIpn: false }] });
  assert.equal(nextCheckAt(sent, now), now + 15 * S);
  assert.equal(nextCheckAt({ ...sent, ...UNCERTAIN, lostAt: ahead }, now), now + 2 * S);
  assert.equal(nextCheckAt({ ...sent, ipnReceivedAt: ahead, ipnsReceived: 1 }, now), now);
  const unknownAt = timeline({ ...UNCERTAIN, unknownAt: ahead, ...checked(now) });
  assert.equal(nextCheckAt(unknownAt, now), now + M);
  const failed = timeline({ type: 'PAYOUT', failedAt: ahead, ...checked(now) });
  assert.equal(nextCheckAt(failed, now), now + 30 * S);
  assert.equal(expiryOf({ expiresAt: now + M, waitsFrom: now }, now), now + 3 * M);
});

const time = fc.option(fc.integer({ min: T0, max: T0 + 30 * M }), { nil: null });
const ANSWERS = ['identified', 'accepted', 'refused', 'foreign', 'duplicate', 'lost', 'unreached', null] as const;
const any = fc.record({
  type: fc.constantFrom('PAY' as const, 'PAYOUT' as const),
  stage: fc.constantFrom(...(Object.keys(STAGES) as Stage[])),
  answer: fc.constantFrom(...ANSWERS),
  sentAt: fc.integer({ min: T0, max: T0 + 30 * M }),
  lostAt: time,
  expiresAt: time,
  ipnReceivedAt: time,
  unknownAt: time,
  failedAt: time,
  needsReview: fc.boolean(),
  isResolved: fc.boolean(),
});

it('after any history, checks end, come one after the other, and stay within five a minute and four that an IPN repeats', () => {
  fc.assert(
    fc.property(any, fc.boolean(), (given, isAnswered) => {
      const ipnsReceived = given.ipnReceivedAt === null ? 0 : 1;
      const made = walk({ ...given, ipnsReceived }, T0 + 30 * M, isAnswered);
      assert.deepEqual(
        made,
        made.toSorted((a, b) => a - b),
      );
      if (made.length > 0) assert.ok(mostInAMinute(made) <= (isAnswered ? 5 : 9), made.join());
    }),
  );
});

it('after any history, a transaction that was sent and is open is checked until its review', () => {
  fc.assert(
    fc.property(any, fc.nat(7 * D - 1), ({ type, answer, sentAt }, ageMs) => {
      for (const stage of ['sending', 'uncertain', 'pending'] as const) {
        const given = timeline({ type, stage, answer, sentAt });
        assert.notEqual(nextCheckAt(given, T0 + ageMs), null, stage);
      }
    }),
  );
});
