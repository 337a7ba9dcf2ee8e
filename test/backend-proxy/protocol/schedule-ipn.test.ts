// When the next check is due after an IPN: at once, then at growing distances, and at most five times a minute.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { nextCheckAt } from '../../../backend-proxy/protocol/schedule.ts';
import { H, M, S } from '../time.ts';
import { T0, UNCERTAIN, afterCheck, checked, mostInAMinute, ipnAt, timeline, walk } from './schedule-kit.ts';

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
