// When the next check is due after an IPN: at once, then at growing distances, and at most five times a minute.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextCheckAt } from '../../../backend-proxy/protocol/schedule.ts';
import { H, M, S } from '../time.ts';
import { T0, UNCERTAIN, afterCheck, checked, mostInAMinute, rung, timeline, walk } from './schedule-kit.ts';

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
