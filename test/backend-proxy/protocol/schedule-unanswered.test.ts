// When the next check is due after one that the gateway did not answer.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nextCheckAt } from '../../../backend-proxy/protocol/schedule.ts';
import { D, H, M, S } from '../time.ts';
import { T0, afterCheck, checked, ipnAt, timeline, walk } from './schedule-kit.ts';

describe('nextCheckAt() after an unanswered check', () => {
  it('an unanswered check is repeated after 5 s, 15 s, 1, 5 and then every 15 minutes, and skips no time of a list', () => {
    const at = T0 + H;
    assert.deepEqual(
      walk(checked(T0 + 30 * M), at, false)
        .slice(0, 7)
        .map((offset) => offset - H),
      [0, 5 * S, 20 * S, 80 * S, 380 * S, 1280 * S, 2180 * S],
    );
    const unanswered = { unanswered: 1, checkedAt: T0 + 30 * M, checks: [{ at, byIpn: false }] };
    assert.equal(nextCheckAt(timeline(unanswered), at + S), at + 5 * S);
    assert.equal(nextCheckAt(timeline({ ...unanswered, unanswered: 0, checkedAt: at }), at + S), T0 + 3 * H);
  });

  it('an unanswered check leaves its IPN unanswered', () => {
    const t = afterCheck(timeline({ ...ipnAt(T0 + H), ...checked(T0 + 30 * M) }), T0 + H, false);
    assert.equal(nextCheckAt(t, T0 + H), T0 + H + 5 * S);
  });

  it('unanswered checks end a day after the last sweep', () => {
    const made = walk({}, T0, false);
    assert.ok(made.at(-1)! > 7 * D && made.at(-1)! < 8 * D + H, String(made.at(-1)));
  });
});
