// The check rate: what raises it, what halves it, and its bounds, by a clock that the test moves.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { type Call } from '../../../backend-proxy/observability/metrics.ts';
import { createCheckRate } from '../../../backend-proxy/use-cases/check-rate.ts';

const GOOD: Call = { operation: 'status', outcome: 'found', ms: 20 };
const BAD: Call = { operation: 'status', outcome: 'unavailable', ms: 20, detail: 'HTTP 503' };
const LIMITED: Call = { ...BAD, detail: 'HTTP 429' };
/** Unanswered checks in a row before the rate falls: no network loses so many of a few. */
const BEFORE_IT_FALLS = 34;

function createRate(limit?: number) {
  const clock = { now: 5_000 };
  const rate = createCheckRate({ ...(limit !== undefined && { limit }), clock: () => clock.now });
  /** Takes all available checks for `ms`, with one answer each; returns their number and the most in one step. */
  const use = (ms: number, answer: Call | (() => Call)) => {
    let asked = 0;
    let mostAtOnce = 0;
    for (const end = clock.now + ms; clock.now < end; clock.now += 5) {
      const free = rate.available();
      rate.take(free);
      asked += free;
      mostAtOnce = Math.max(mostAtOnce, free);
      for (let n = 0; n < free; n += 1) rate.record(typeof answer === 'function' ? answer() : answer);
    }
    return { asked, mostAtOnce };
  };
  return { rate, clock, use };
}

it('the check rate starts at 20 per second, evenly spread', () => {
  const { use, rate } = createRate();
  const { asked, mostAtOnce } = use(10_000, { ...GOOD, ms: 1_001 });
  assert.equal(rate.perSecond(), 20, 'a slow answer changes nothing');
  assert.ok(asked >= 200 && asked <= 204, `${asked}`);
  assert.equal(mostAtOnce, 4);
});

it('the check rate doubles each second on good and quick answers, up to its limit', () => {
  const { use, rate } = createRate();
  use(1_000, GOOD);
  assert.ok(rate.perSecond() > 40 && rate.perSecond() < 65, `${rate.perSecond()}`);
  use(5_000, GOOD);
  assert.equal(rate.perSecond(), 500);
});

it('the check rate grows by 20 per second once it was halved, up to its limit', () => {
  const { use, rate } = createRate();
  rate.record(LIMITED);
  use(5_000, GOOD);
  assert.ok(rate.perSecond() > 90 && rate.perSecond() < 130, `${rate.perSecond()}`);
  use(25_000, { ...GOOD, outcome: 'unknown', ms: 1_000 });
  assert.equal(rate.perSecond(), 500);
  const { asked, mostAtOnce } = use(10_000, GOOD);
  assert.ok(asked >= 4_900 && asked <= 5_000, `${asked}`);
  assert.ok(mostAtOnce <= 100);
});

it('the check rate grows only while it is fully used', () => {
  const { rate, clock } = createRate();
  for (let n = 0; n < 1_000; n += 1) {
    assert.ok(rate.available() >= 1);
    rate.take(1);
    rate.record(GOOD);
    clock.now += 100;
  }
  assert.equal(rate.perSecond(), 20);
  for (let n = 0; n < 100; n += 1) rate.record({ operation: 'pay', outcome: 'accepted', ms: 20 });
  assert.equal(rate.perSecond(), 20);
});

it('available() is 0 when the rate is used up, and availableInMs() says when it is not', () => {
  const { rate, clock } = createRate();
  rate.take(rate.available());
  assert.deepEqual([rate.available(), rate.availableInMs()], [0, 50]);
  clock.now += 48;
  assert.equal(rate.available(), 0);
  clock.now += rate.availableInMs();
  assert.deepEqual([rate.available(), rate.availableInMs()], [1, 0]);
});

it('a high check rate is given out in shares of 25 ms, so that a claim is worth its commit', () => {
  const { use, rate, clock } = createRate();
  use(40_000, GOOD);
  clock.now += 1_000;
  rate.take(rate.available());
  const due = rate.availableInMs();
  assert.ok(due > 20 && due <= 25, `${due}`);
  clock.now += due - 2;
  assert.equal(rate.available(), 0);
  clock.now += 2;
  assert.ok(rate.available() >= 12);
});

it('an idle hour saves only 200 ms of the check rate', () => {
  const { rate, clock } = createRate();
  clock.now += 3_600_000;
  assert.equal(rate.available(), 4);
});

it('the check rate ignores a clock that is set back', () => {
  const { rate, clock } = createRate();
  clock.now -= 3_600_000;
  assert.equal(rate.available(), 4);
});

it('the check rate is halved at once by a 429 to a status check', () => {
  const { rate } = createRate();
  rate.record(LIMITED);
  assert.equal(rate.perSecond(), 10);
});

const HALVING: Record<string, Call> = {
  'a 500': { ...BAD, detail: 'HTTP 500' },
  'a 503': BAD,
  'a timeout': { ...BAD, ms: 30_000, detail: 'TimeoutError' },
  'a cut connection': { ...BAD, detail: 'UND_ERR_SOCKET' },
  'an undocumented answer': { ...BAD, detail: 'undocumented answer' },
};
for (const [what, call] of Object.entries(HALVING)) {
  it(`the check rate is halved by ${what}, where most of the last checks ended so`, () => {
    const { rate } = createRate();
    for (let n = 0; n < BEFORE_IT_FALLS; n += 1) rate.record(call);
    assert.equal(rate.perSecond(), 20);
    rate.record(call);
    assert.equal(rate.perSecond(), 10);
  });
}

it('the check rate stays high where 30 % of the answers are lost at random', () => {
  const { rate, use } = createRate();
  const random = seeded(1);
  use(60_000, () => (random() < 0.3 ? BAD : GOOD));
  assert.ok(rate.perSecond() > 250, `${rate.perSecond()}`);
});

it('the check rate is neither halved nor slowed by a payment or payout that the gateway limits or fails', () => {
  const { rate } = createRate();
  for (const detail of ['HTTP 429', 'HTTP 500', 'TimeoutError', 'undocumented answer']) {
    rate.record({ operation: 'pay', outcome: 'lost', ms: 30_000, detail });
    rate.record({ operation: 'payout', outcome: 'refused', ms: 5, detail: 'HTTP 429 SLOW' });
    rate.record({ operation: 'payout', outcome: 'refused', ms: 5, detail: 'HTTP 400 WALLET_NOT_FOUND' });
  }
  assert.deepEqual([rate.perSecond(), rate.available()], [20, 4]);
});

it('failures of calls that were in flight together halve the check rate once', () => {
  const { rate, clock } = createRate();
  for (let n = 0; n < 24; n += 1) rate.record({ ...LIMITED, ms: 1_000 });
  assert.equal(rate.perSecond(), 10);
  clock.now += 900;
  rate.record({ ...LIMITED, ms: 1_900 });
  assert.equal(rate.perSecond(), 10);
  rate.record({ ...LIMITED, ms: 600 });
  assert.equal(rate.perSecond(), 5, 'a call that began after the halving halves again');
});

it('the check rate is halved at most once in 250 ms', () => {
  const { rate, clock, use } = createRate();
  use(40_000, GOOD);
  const from = clock.now;
  for (; clock.now < from + 250; clock.now += 2) rate.record({ ...LIMITED, ms: 1 });
  assert.equal(rate.perSecond(), 250);
});

it('the check rate falls to one per second and no further, and grows back on good answers', () => {
  const { rate, use } = createRate();
  use(60_000, BAD);
  assert.equal(rate.perSecond(), 1);
  const { asked } = use(20_000, BAD);
  assert.ok(asked >= 19 && asked <= 21, `${asked}`);
  use(8_000, GOOD);
  assert.ok(rate.perSecond() >= 20, `${rate.perSecond()}`);
});

it('the check rate stays between one per second and its limit, whatever the gateway answers', () => {
  const answers = [GOOD, BAD, { ...GOOD, ms: 5_000 }, { ...BAD, retryAfterMs: 300 }, { ...BAD, ms: 0 }];
  fc.assert(
    fc.property(
      fc.constantFrom(1, 7, 500, 10_000),
      fc.array(fc.tuple(fc.constantFrom(...answers), fc.nat(3_000)), { maxLength: 20 }),
      (limit, phases) => {
        const { rate, use } = createRate(limit);
        assert.equal(rate.perSecond(), Math.min(20, limit));
        for (const [answer, ms] of phases) {
          const { asked } = use(ms, answer);
          assert.ok(rate.perSecond() >= 1 && rate.perSecond() <= limit);
          assert.ok(asked <= 1 + (limit * (ms + 205)) / 1000, `${asked} in ${ms} ms and what was saved`);
        }
      },
    ),
  );
});

it('a Retry-After leaves one check a second for as long as it asks, and the longest one wins', () => {
  const { rate, use } = createRate();
  rate.record({ ...BAD, detail: 'HTTP 429', retryAfterMs: 20_000 });
  rate.record({ ...BAD, retryAfterMs: 3_000 });
  assert.deepEqual([rate.perSecond(), rate.availableInMs()], [1, 1_000]);
  assert.equal(use(19_990, GOOD).asked, 19);
  use(20, GOOD);
  assert.ok(rate.perSecond() >= 10, `${rate.perSecond()}`);
});

/** Numbers from 0 to 1, the same ones each time. */
function seeded(seed: number): () => number {
  return () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
}
