// When the next check is due: the promised times, walked through like a process, and the limits.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  CHECKS_PER_MINUTE,
  CHECKOUT_LIFETIME_MS,
  EXPIRY_GRACE_MS,
  LAST_SWEEP_MS,
  PAYOUT_FAILED_APART_MS,
  SENDING_LIMIT_MS,
  expiryOf,
  nextCheckAt,
  REVIEW_AFTER_MS,
  unknownRule,
  type Check,
  type Timeline,
} from '../../../backend-proxy/protocol/schedule.ts';
import { STAGES, type PostOutcome, type Stage } from '../../../backend-proxy/protocol/transaction.ts';
import { D, H, M, S } from '../time.ts';

const T0 = 1_000_000 * S;
const DAILY = [2 * D, 3 * D, 4 * D, 5 * D, 6 * D, 7 * D];
const SWEEP = [15 * S, 30 * S, M, 2 * M, 5 * M, 10 * M, 17 * M, 30 * M, H, 3 * H, 6 * H, 12 * H, D, ...DAILY];
const LATE_SWEEP = [H, 6 * H, D, ...DAILY];

function timeline(given: Partial<Timeline> = {}): Timeline {
  return {
    type: 'PAY',
    stage: 'pending',
    answer: 'accepted',
    createdAt: T0,
    sentAt: T0,
    lostAt: null,
    expiresAt: null,
    rungAt: null,
    rings: 0,
    ringsAnswered: 0,
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
const rung = (rungAt: number) => ({ rungAt, rings: 1 });
const checked = (...times: number[]) => ({
  checkedAt: times.at(-1)!,
  checks: times.map((at) => ({ at, rung: false })),
});

/** What the ledger stores after a check that found nothing new. */
function afterCheck(t: Timeline, now: number, isAnswered: boolean): Timeline {
  const check: Check = { at: now, rung: t.rings > t.ringsAnswered };
  const isLeft = now >= (t.sentAt ?? t.createdAt) + SENDING_LIMIT_MS;
  const isOpen = STAGES[t.stage].rank <= STAGES.pending.rank;
  return {
    ...t,
    checks: [...t.checks, check].slice(-CHECKS_PER_MINUTE),
    ...(isAnswered ? { checkedAt: now, unanswered: 0, ringsAnswered: t.rings } : { unanswered: t.unanswered + 1 }),
    ...(isLeft && t.stage === 'created' && { stage: 'not_created' }),
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

describe('nextCheckAt() without IPNs', () => {
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

  it('a transaction that a person ended is checked by the late sweep, unless it is a duplicate', () => {
    for (const stage of ['declined', 'succeeded'] as const) {
      assert.deepEqual(walk({ stage, isResolved: true }), LATE_SWEEP, stage);
      assert.deepEqual(walk({ stage, isResolved: true, answer: 'duplicate' }), [], stage);
    }
  });

  it('a transaction that ended by a verified report is not checked', () => {
    for (const stage of ['declined', 'succeeded'] as const) assert.deepEqual(walk({ stage }), [], stage);
    assert.deepEqual(walk({ type: 'PAYOUT', stage: 'succeeded' }), []);
  });

  it('a payment replaced before it was sent is not checked', () => {
    assert.deepEqual(walk({ stage: 'replaced', sentAt: null, answer: null }), []);
    assert.deepEqual(walk({ stage: 'created', sentAt: null, answer: null }), [45 * S]);
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
});

describe('nextCheckAt() while the outcome is unknown', () => {
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

  it('a transaction is not checked while its POST is in flight, except for a ring; 45 s later it is', () => {
    const sending = { stage: 'sending', answer: null } as const;
    assert.equal(nextCheckAt(timeline(sending), T0), T0 + 45 * S);
    assert.equal(nextCheckAt(timeline({ ...sending, ...rung(T0 + S) }), T0 + S), T0 + S);
    assert.equal(nextCheckAt(timeline({ stage: 'created', sentAt: null, answer: null }), T0), T0 + 45 * S);
    assert.equal(SENDING_LIMIT_MS, 45 * S);
  });

  it('a payout reported FAILED once is checked again after 30 s, and then by the sweep', () => {
    assert.equal(PAYOUT_FAILED_APART_MS, 30 * S);
    const failedAt = T0 + 400 * S;
    const given = { type: 'PAYOUT', failedAt, ...checked(failedAt) } as const;
    assert.equal(nextCheckAt(timeline(given), failedAt), failedAt + 30 * S);
    assert.deepEqual(walk(given, failedAt).slice(0, 3), [430 * S, 10 * M, 17 * M]);
  });
});

describe('unknownRule()', () => {
  /** First and second check after the POST, and the time between them; null if "unknown" never ends it. */
  const RULES = {
    lost: { PAY: [90 * S, 90 * S, M], PAYOUT: [H, D, M] },
    foreign: { PAY: [0, 0, 10 * S], PAYOUT: [H, D, M] },
    refused: { PAY: [90 * S, 90 * S, M], PAYOUT: [90 * S, 90 * S, M] },
    unreached: { PAY: [90 * S, 90 * S, M], PAYOUT: [90 * S, 90 * S, M] },
    identified: null,
    accepted: null,
    duplicate: null,
    withheld: null,
  } as const satisfies Record<PostOutcome, Record<'PAY' | 'PAYOUT', readonly [number, number, number]> | null>;
  const types = ['PAY', 'PAYOUT'] as const;

  it('unknownRule() has the promised times for each answer and type', () => {
    for (const [answer, rules] of Object.entries(RULES)) {
      for (const type of types) {
        const rule = unknownRule(type, answer as PostOutcome);
        const actual = rule && [rule.firstMs, rule.secondMs, rule.apartMs];
        assert.deepEqual(actual, rules && rules[type], `${answer} ${type}`);
      }
    }
  });

  it('unknownRule() treats a missing answer as lost', () => {
    for (const type of types) assert.deepEqual(unknownRule(type, null), unknownRule(type, 'lost'));
  });

  it('the two checks for "unknown" follow their rule and are not repeated', () => {
    for (const [answer, rules] of Object.entries(RULES)) {
      for (const type of types) {
        const given = timeline({ type, stage: 'uncertain', answer: answer as PostOutcome });
        const [first, second, apart] = rules?.[type] ?? [null, null, null];
        if (first === null) continue;
        if (first > 0) {
          const before = nextCheckAt({ ...given, ...checked(T0 + first - 1) }, T0 + first - 1);
          assert.equal(before, T0 + first, `${answer} ${type}: first`);
        }
        const unknownAt = T0 + first + 200;
        const due = Math.max(T0 + second, unknownAt + apart);
        const again = nextCheckAt({ ...given, ...checked(due - 1), unknownAt }, due - 1);
        assert.equal(again, due, `${answer} ${type}: second`);
      }
    }
  });
});

describe("nextCheckAt() and the clock's rules", () => {
  it('a payment is checked when its time and the two minutes of grace are over, even if its answer was lost', () => {
    assert.deepEqual([CHECKOUT_LIFETIME_MS, EXPIRY_GRACE_MS], [15 * M, 2 * M]);
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

  it('a review is due after 24 h for a payout and after the last sweep for a payment', () => {
    assert.deepEqual(LAST_SWEEP_MS, 7 * D);
    assert.deepEqual(REVIEW_AFTER_MS, { PAY: 7 * D, PAYOUT: D + 2 * M });
    const past = { createdAt: T0 - 8 * D, sentAt: T0 - 8 * D, ...checked(T0 - D) };
    assert.equal(nextCheckAt(timeline(past), T0), T0 - D, 'due since it should have been flagged');
    assert.equal(nextCheckAt(timeline({ ...past, needsReview: true }), T0), null);
    assert.equal(nextCheckAt(timeline({ ...past, stage: 'expired' }), T0), null);
    assert.equal(nextCheckAt(timeline({ ...past, stage: 'uncertain' }), T0), T0 - D);
  });
});

describe('nextCheckAt() after an IPN', () => {
  it('an IPN is followed by a check at once, then at 1, 3, 10, 30 s, 2 and 10 minutes while the payment is open', () => {
    const rungAt = T0 + 4 * H;
    const after = walk({ ...rung(rungAt), ...checked(T0 + 3 * H) }, rungAt).map((at) => at + T0 - rungAt);
    // The lists allow three a minute: what is due at 30 s waits until a minute after the check at 1 s.
    assert.deepEqual(after.slice(0, 7), [0, S, 3 * S, 10 * S, 61 * S, 2 * M, 10 * M]);
    assert.equal(after[7], 2 * H);
  });

  it('an IPN requests a check of an ended transaction, too', () => {
    for (const stage of ['declined', 'succeeded'] as const) {
      assert.deepEqual(walk({ stage, ...rung(T0 + H) }, T0 + H), [H], stage);
    }
    for (const stage of ['rejected', 'not_created'] as const) {
      assert.deepEqual(
        walk({ stage, ...rung(T0 + H), ...checked(T0 + 30 * M) }, T0 + H).slice(0, 3),
        [H, H + S, H + 3 * S],
        stage,
      );
    }
  });

  it('a ring is answered by count, not by time: a check that began later by its clock does not answer it', () => {
    const later = { rungAt: T0 + 5, checkedAt: T0 + H, checks: [{ at: T0 + H, rung: false }] };
    assert.equal(nextCheckAt(timeline({ ...later, rings: 3, ringsAnswered: 2 }), T0 + 5), T0 + 5);
    assert.notEqual(nextCheckAt(timeline({ ...later, rings: 3, ringsAnswered: 3 }), T0 + 5), T0 + 5);
  });

  it('a ring is due at once even if the lists have used their three checks of the minute', () => {
    const made = { ...UNCERTAIN, ...checked(T0 + 2 * S, T0 + 5 * S, T0 + 10 * S) };
    assert.equal(nextCheckAt(timeline(made), T0 + 11 * S), T0 + 62 * S);
    assert.equal(nextCheckAt(timeline({ ...made, ...rung(T0 + 11 * S) }), T0 + 11 * S), T0 + 11 * S);
  });

  it('the first FAILED of a payout ends the checks after its IPN', () => {
    const rungAt = T0 + H;
    const given = { type: 'PAYOUT', rungAt, rings: 1, ringsAnswered: 1, ...checked(rungAt + 1) } as const;
    assert.equal(nextCheckAt(timeline({ ...given, failedAt: rungAt + 1 }), rungAt + 1), rungAt + 1 + 30 * S);
    assert.equal(nextCheckAt(timeline(given), rungAt + 1), rungAt + S);
  });

  it('any number of IPNs leads to at most five checks a minute', () => {
    const made: number[] = [];
    let t = timeline();
    for (let now = T0; now < T0 + 10 * M; now += 250) {
      t = { ...t, rungAt: now, rings: t.rings + 1 };
      const next = nextCheckAt(t, now);
      if (next === null || next > now) continue;
      made.push(now);
      t = afterCheck(t, now, true);
    }
    assert.equal(made.length, 50);
    assert.equal(mostInAMinute(made), 5);
  });
});

describe('nextCheckAt() after an unanswered check', () => {
  it('an unanswered check is repeated after 5 s, 15 s, 1, 5 and then every 15 minutes, and skips no time of a list', () => {
    const at = T0 + H;
    assert.deepEqual(
      walk(checked(T0 + 30 * M), at, false)
        .slice(0, 7)
        .map((offset) => offset - H),
      [0, 5 * S, 20 * S, 80 * S, 380 * S, 1280 * S, 2180 * S],
    );
    const unanswered = { unanswered: 1, checkedAt: T0 + 30 * M, checks: [{ at, rung: false }] };
    assert.equal(nextCheckAt(timeline(unanswered), at + S), at + 5 * S);
    assert.equal(nextCheckAt(timeline({ ...unanswered, unanswered: 0, checkedAt: at }), at + S), T0 + 3 * H);
  });

  it('an unanswered check leaves its ring unanswered', () => {
    const t = afterCheck(timeline({ ...rung(T0 + H), ...checked(T0 + 30 * M) }), T0 + H, false);
    assert.equal(nextCheckAt(t, T0 + H), T0 + H + 5 * S);
  });

  it('unanswered checks end a day after the last sweep', () => {
    const made = walk({}, T0, false);
    assert.ok(made.at(-1)! > 7 * D && made.at(-1)! < 8 * D + H, String(made.at(-1)));
  });
});

describe('nextCheckAt() with times of another clock', () => {
  it('a stored time in the future counts as now: it delays a check by its wait and suppresses none', () => {
    const now = T0 + H;
    const ahead = now + 10 * D;
    const sent = timeline({ createdAt: ahead, sentAt: ahead, checkedAt: ahead, checks: [{ at: ahead, rung: false }] });
    assert.equal(nextCheckAt(sent, now), now + 15 * S);
    assert.equal(nextCheckAt({ ...sent, ...UNCERTAIN, lostAt: ahead }, now), now + 2 * S);
    assert.equal(nextCheckAt({ ...sent, rungAt: ahead, rings: 1 }, now), now);
    const unknownAt = timeline({ ...UNCERTAIN, unknownAt: ahead, ...checked(now) });
    assert.equal(nextCheckAt(unknownAt, now), now + M);
    const failed = timeline({ type: 'PAYOUT', failedAt: ahead, ...checked(now) });
    assert.equal(nextCheckAt(failed, now), now + 30 * S);
    assert.equal(expiryOf({ expiresAt: now + M, waitsFrom: now }, now), now + 3 * M);
  });
});

function mostInAMinute(times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + M).length));
}

describe('nextCheckAt() after any history', () => {
  const offset = fc.option(fc.integer({ min: 0, max: 30 * M }), { nil: null });
  const ANSWERS = ['identified', 'accepted', 'refused', 'foreign', 'duplicate', 'lost', 'unreached', null] as const;
  const any = fc.record({
    type: fc.constantFrom('PAY' as const, 'PAYOUT' as const),
    stage: fc.constantFrom(...(Object.keys(STAGES) as Stage[])),
    answer: fc.constantFrom(...ANSWERS),
    sentAt: offset,
    lostAt: offset,
    expiresAt: offset,
    rungAt: offset,
    unknownAt: offset,
    failedAt: offset,
    needsReview: fc.boolean(),
    isResolved: fc.boolean(),
  });
  const at = (value: number | null) => (value === null ? null : T0 + value);
  const timesOf = ({
    sentAt,
    lostAt,
    expiresAt,
    rungAt,
    unknownAt,
    failedAt,
  }: Pick<Timeline, 'sentAt' | 'lostAt' | 'expiresAt' | 'rungAt' | 'unknownAt' | 'failedAt'>) => ({
    sentAt: at(sentAt),
    lostAt: at(lostAt),
    expiresAt: at(expiresAt),
    rungAt: at(rungAt),
    unknownAt: at(unknownAt),
    failedAt: at(failedAt),
    rings: rungAt === null ? 0 : 1,
  });

  it('after any history, checks end, come one after the other, and stay within five a minute', () => {
    fc.assert(
      fc.property(any, fc.boolean(), (given, isAnswered) => {
        const made = walk({ ...given, ...timesOf(given) }, T0 + 30 * M, isAnswered);
        assert.deepEqual(
          made,
          made.toSorted((a, b) => a - b),
        );
        if (made.length > 0) assert.ok(mostInAMinute(made) <= 5, made.join());
      }),
    );
  });

  it('after any history, a transaction that was sent and is open is checked until its review', () => {
    fc.assert(
      fc.property(any, fc.nat(7 * D - 1), ({ type, answer, sentAt }, ageMs) => {
        for (const stage of ['created', 'sending', 'uncertain', 'pending'] as const) {
          const given = timeline({ type, stage, answer, sentAt: T0 + (sentAt ?? 0) });
          assert.notEqual(nextCheckAt(given, T0 + ageMs), null, stage);
        }
      }),
    );
  });
});
