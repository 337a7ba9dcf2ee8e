// When the next check is due without IPNs: the sweep, the late sweep, what is not checked at all, and what follows a
// check that the gateway did not answer.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MAX_CHECK_WAIT_MS, nextCheckAt } from '../../../backend-proxy/protocol/schedule.ts';
import { D, H, M, S } from '../time.ts';
import { T0, UNCERTAIN, afterCheck, checked, ipnAt, timeline, walk } from './schedule-kit.ts';

const DAILY = [2 * D, 3 * D, 4 * D, 5 * D, 6 * D, 7 * D];
const SWEEP = [15 * S, 30 * S, M, 2 * M, 5 * M, 10 * M, 17 * M, 30 * M, H, 3 * H, 6 * H, 12 * H, D, ...DAILY];
const LATE_SWEEP = [H, 6 * H, D, ...DAILY];

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
});

describe('nextCheckAt() after an unanswered check', () => {
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
});
