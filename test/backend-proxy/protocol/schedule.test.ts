// When the gateway is asked next: the promised times, walked through as a process would walk them, and the limits.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  CHECKS_PER_MINUTE,
  CHECKOUT_LIFETIME_MS,
  EXPIRY_GRACE_MS,
  LAST_SWEEP_MS,
  PAYOUT_FAILED_APART_MS,
  PAYOUT_REVIEW_MS,
  SENDING_LIMIT_MS,
  UNKNOWN_AFTER_SENT_MS,
  UNKNOWN_APART_MS,
  nextCheckAt,
  reviewAfterMs,
  type Timeline,
} from '../../../backend-proxy/protocol/schedule.ts';
import { STAGES, type Stage } from '../../../backend-proxy/protocol/transaction.ts';

const S = 1000;
const M = 60 * S;
const H = 60 * M;
const D = 24 * H;
const T0 = 1_000_000 * S;
const SWEEP = [15 * S, 30 * S, M, 2 * M, 5 * M, 10 * M, 17 * M, 30 * M, H, 3 * H, 6 * H, 12 * H, D, 2 * D, 3 * D, 4 * D, 5 * D, 6 * D, 7 * D]; // prettier-ignore

function timeline(given: Partial<Timeline> = {}): Timeline {
  return {
    type: 'PAY',
    stage: 'pending',
    createdAt: T0,
    sentAt: T0,
    expiresAt: null,
    rungAt: null,
    unknownAt: null,
    failedAt: null,
    needsReview: false,
    checks: [],
    ...given,
  };
}

/** Offsets from T0 of all checks from `from` on, each made the moment it is due, with nothing learned by any. */
function walk(given: Partial<Timeline>, from = T0): number[] {
  const made: number[] = [];
  let now = from;
  for (;;) {
    const checks = [...(given.checks ?? []), ...made].slice(-CHECKS_PER_MINUTE);
    const next = nextCheckAt(timeline({ ...given, checks }), now);
    if (next === null) return made.map((at) => at - T0);
    assert.ok(made.length < 100, 'it never ends');
    now = Math.max(now, next);
    made.push(now);
  }
}

describe('with no IPN at all', () => {
  it('a pending payment is asked about by the sweep, to seven days, and then no more', () => {
    assert.deepEqual(walk({}), SWEEP);
  });

  it('one that ended by the shopper or our clock is still watched', () => {
    assert.deepEqual(walk({ stage: 'replaced' }), SWEEP);
    assert.deepEqual(walk({ stage: 'expired' }), SWEEP);
  });

  it('one that the gateway ended, or that ended with proof, is left alone', () => {
    for (const stage of ['rejected', 'not_created', 'declined', 'succeeded'] as const)
      assert.deepEqual(walk({ stage }), []);
  });

  it('one that was replaced before it was sent is nothing to ask about', () => {
    assert.deepEqual(walk({ stage: 'replaced', sentAt: null }), []);
    assert.notDeepEqual(walk({ stage: 'created', sentAt: null }), []);
  });

  it('a process that was down for a day asks at once, and goes on from there', () => {
    assert.deepEqual(walk({ checks: [T0 + 15 * S] }, T0 + D + 1), [2 * D, 3 * D, 4 * D, 5 * D, 6 * D, 7 * D]);
    assert.equal(nextCheckAt(timeline({ checks: [T0 + 15 * S] }), T0 + 20 * S), T0 + 30 * S);
  });
});

describe('an outcome that is not known', () => {
  it('is asked about at 2, 5, 10, 30, 60, 90 and 150 s as well, never more than five times a minute', () => {
    const expected = [2, 5, 10, 15, 30, 62, 90, 120, 150].map((s) => s * S);
    assert.deepEqual(walk({ stage: 'uncertain' }), [...expected, ...SWEEP.filter((at) => at > 150 * S)]);
  });

  it('counts from the moment of sending, not of creation', () => {
    const sentAt = T0 + 4 * S;
    const expected = [6, 9, 14, 15, 30, 66, 94, 120, 154].map((s) => s * S);
    assert.deepEqual(walk({ stage: 'uncertain', sentAt }).slice(0, 9), expected);
    const later = { stage: 'uncertain', sentAt, checks: [T0 + 20 * S] } as const;
    assert.equal(nextCheckAt(timeline(later), T0 + 30 * S), T0 + 34 * S);
    assert.equal(nextCheckAt(timeline(later), T0 + 60 * S), T0 + 64 * S);
    assert.equal(nextCheckAt(timeline({ stage: 'uncertain', sentAt: T0 + 4 * S }), T0 + 4 * S), T0 + 6 * S);
    assert.equal(nextCheckAt(timeline({ stage: 'sending', sentAt: T0 + 4 * S }), T0 + 4 * S), T0 + 6 * S);
    assert.equal(nextCheckAt(timeline({ stage: 'pending', sentAt: T0 + 4 * S }), T0 + 4 * S), T0 + 15 * S);
  });

  it('looks after a row that a dead process left, 45 s after it was written', () => {
    assert.equal(SENDING_LIMIT_MS, 45 * S);
    const after30s = (stage: Stage) => nextCheckAt(timeline({ stage, checks: [T0 + 30 * S] }), T0 + 30 * S);
    for (const stage of ['created', 'sending'] as const) assert.equal(after30s(stage), T0 + 45 * S, stage);
    for (const stage of ['uncertain', 'pending', 'replaced'] as const) assert.equal(after30s(stage), T0 + M, stage);
    assert.ok(walk({ stage: 'created', sentAt: null }).includes(45 * S));
  });

  it('that the gateway does not know is asked about once more after a minute', () => {
    assert.deepEqual([UNKNOWN_AFTER_SENT_MS, UNKNOWN_APART_MS], [90 * S, 60 * S]);
    const unknownAt = T0 + 200 * S;
    const next = nextCheckAt(timeline({ stage: 'uncertain', unknownAt, checks: [unknownAt] }), unknownAt);
    assert.equal(next, unknownAt + 60 * S);
  });

  it('of a payout that was reported FAILED once is asked about again after 30 s', () => {
    assert.equal(PAYOUT_FAILED_APART_MS, 30 * S);
    const failedAt = T0 + 400 * S;
    const next = nextCheckAt(timeline({ type: 'PAYOUT', failedAt, checks: [failedAt] }), failedAt);
    assert.equal(next, failedAt + 30 * S);
  });
});

describe('our clock', () => {
  it('asks a last time when the 15 minutes of a CHECKOUT and two of grace are over', () => {
    assert.deepEqual([CHECKOUT_LIFETIME_MS, EXPIRY_GRACE_MS], [15 * M, 2 * M]);
    const expiresAt = T0 + 20 * M;
    assert.ok(walk({ expiresAt }).includes(22 * M));
    assert.ok(!walk({ expiresAt, stage: 'uncertain' }).includes(22 * M));
    assert.ok(!walk({ expiresAt, stage: 'replaced' }).includes(22 * M));
    assert.ok(!walk({ expiresAt: null }).includes(22 * M));
  });

  it('asks for a person after 24 h of a payout and after the last sweep of a payment', () => {
    assert.deepEqual([PAYOUT_REVIEW_MS, LAST_SWEEP_MS], [D, 7 * D]);
    assert.deepEqual([reviewAfterMs('PAYOUT'), reviewAfterMs('PAY')], [D, 7 * D]);
    const past: Partial<Timeline> = { createdAt: T0 - 8 * D, checks: [T0 - 8 * D + 1] };
    assert.equal(nextCheckAt(timeline({ ...past }), T0), T0 - D, 'due since it should have been flagged');
    assert.equal(nextCheckAt(timeline({ ...past, needsReview: true }), T0), null);
    assert.equal(nextCheckAt(timeline({ ...past, stage: 'expired' }), T0), null);
    assert.equal(nextCheckAt(timeline({ ...past, stage: 'uncertain' }), T0), T0 - D);
  });
});

describe('an IPN', () => {
  it('is followed by a check at once, then at 1, 3, 10, 30 s, 2 and 10 minutes while nothing is final', () => {
    const rungAt = T0 + 4 * H;
    const after = walk({ rungAt, checks: [T0 + 3 * H] }, rungAt).map((at) => at + T0 - rungAt);
    // 30 s is the fifth in its minute; what follows comes no sooner than a minute after the first.
    assert.deepEqual(after.slice(0, 7), [0, S, 3 * S, 10 * S, 30 * S, 2 * M, 10 * M]);
    assert.equal(after[7], 2 * H);
  });

  it('rings also for what has ended, once', () => {
    for (const stage of ['rejected', 'not_created', 'declined', 'succeeded'] as const) {
      const offsets = walk({ stage, rungAt: T0 + H }, T0 + H);
      if (STAGES[stage].rank >= STAGES.declined.rank) assert.deepEqual(offsets, [H], stage);
      else assert.deepEqual(offsets.slice(0, 3), [H, H + S, H + 3 * S], stage);
    }
  });

  it('that comes after a check has begun is asked about anew', () => {
    assert.equal(nextCheckAt(timeline({ rungAt: T0 + 5, checks: [T0 + 4] }), T0 + 5), T0 + 5);
    assert.equal(nextCheckAt(timeline({ rungAt: T0 + 5, checks: [T0 + 5] }), T0 + 5), T0 + 5 + S);
  });

  it('of a payout is answered by the first FAILED: the second check has its own time', () => {
    const rungAt = T0 + H;
    const given = { type: 'PAYOUT', rungAt, failedAt: rungAt + 1, checks: [rungAt + 1] } as const;
    assert.equal(nextCheckAt(timeline(given), rungAt + 1), rungAt + 1 + 30 * S);
    assert.equal(nextCheckAt(timeline({ ...given, failedAt: null }), rungAt + 1), rungAt + S);
  });

  it('never brings more than five checks in a minute, however often it rings', () => {
    const made: number[] = [];
    for (let now = T0; now < T0 + 10 * M; now += 250) {
      const next = nextCheckAt(timeline({ rungAt: now, checks: made.slice(-CHECKS_PER_MINUTE) }), now);
      if (next !== null && next <= now) made.push(now);
    }
    assert.equal(made.length, 50);
    assert.equal(mostInAMinute(made), 5);
  });
});

function mostInAMinute(times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + M).length));
}

describe('whatever has happened', () => {
  const offset = fc.option(fc.integer({ min: 0, max: 30 * M }), { nil: null });
  const any = fc.record({
    type: fc.constantFrom('PAY' as const, 'PAYOUT' as const),
    stage: fc.constantFrom(...(Object.keys(STAGES) as Stage[])),
    sentAt: offset,
    expiresAt: offset,
    rungAt: offset,
    unknownAt: offset,
    failedAt: offset,
    needsReview: fc.boolean(),
  });
  const at = (value: number | null) => (value === null ? null : T0 + value);

  it('the checks end, come one after the other, and keep to five a minute', () => {
    fc.assert(
      fc.property(any, (given) => {
        const { sentAt, expiresAt, rungAt, unknownAt, failedAt } = given;
        const times = { sentAt: at(sentAt), expiresAt: at(expiresAt), rungAt: at(rungAt), unknownAt: at(unknownAt), failedAt: at(failedAt) }; // prettier-ignore
        const made = walk({ ...given, ...times });
        assert.deepEqual(
          made,
          [...new Set(made)].toSorted((a, b) => a - b),
        );
        if (made.length > 0) assert.ok(mostInAMinute(made) <= 5, made.join());
      }),
    );
  });

  it('what has no end yet is asked about again, until a person has to look', () => {
    fc.assert(
      fc.property(any, fc.nat(7 * D - 1), ({ type, sentAt }, ageMs) => {
        for (const stage of ['created', 'sending', 'uncertain', 'pending'] as const) {
          const given = timeline({ type, stage, sentAt: at(sentAt) });
          assert.notEqual(nextCheckAt(given, T0 + ageMs), null, stage);
        }
      }),
    );
  });
});
