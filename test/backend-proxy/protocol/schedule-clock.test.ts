// When the clock itself makes a check due: expiry, review, a clock step, and stored times of another clock.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  CHECKOUT_LIFETIME_MS,
  EXPIRY_GRACE_MS,
  LAST_SWEEP_MS,
  REVIEW_AFTER_MS,
  expiryOf,
  nextCheckAt,
} from '../../../backend-proxy/protocol/schedule.ts';
import { D, H, M, S } from '../time.ts';
import { T0, UNCERTAIN, checked, timeline, walk } from './schedule-kit.ts';

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
