// When the next check is due while the outcome is unknown, and when the answer "unknown" ends a transaction.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CALL_OVER_MS } from '../../../backend-proxy/protocol/gateway-call.ts';
import { PAYOUT_FAILED_APART_MS, nextCheckAt, unknownRule } from '../../../backend-proxy/protocol/schedule.ts';
import type { Way } from '../../../backend-proxy/protocol/verify.ts';
import type { PostOutcome } from '../../../backend-proxy/protocol/transaction.ts';
import { D, H, M, S } from '../time.ts';
import { T0, UNCERTAIN, checked, ipnAt, timeline, walk } from './schedule-kit.ts';

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

  it('a transaction is not checked while its POST is in flight, not even for an IPN; 45 s later it is', () => {
    const sending = timeline({ stage: 'sending', answer: null });
    for (const given of [sending, { ...sending, ...ipnAt(T0 + S) }, { ...sending, stage: 'replaced' } as const]) {
      assert.equal(nextCheckAt(given, T0 + S), T0 + 45 * S);
    }
    assert.equal(
      nextCheckAt({ ...sending, waitsFrom: T0 + 3 * S }, T0 + 3 * S),
      T0 + 48 * S,
      'a step restarts the wait',
    );
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
});

describe('unknownRule()', () => {
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
});
