// When the next check is due without IPNs: the sweep, the late sweep, and what is not checked at all.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextCheckAt } from '../../../backend-proxy/protocol/schedule.ts';
import { D, H, M, S } from '../time.ts';
import { T0, checked, timeline, walk } from './schedule-kit.ts';

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
