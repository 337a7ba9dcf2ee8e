// How many status checks a second the gateway is asked: what makes it more, what makes it less, and its bounds. By a clock that the
// test moves; at the end over the real ledger and the real sandbox, in the worker's own steps.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import fc from 'fast-check';
import { heard, type Call } from '../../backend-proxy/gateway/instrumented.ts';
import { createGateway } from '../../backend-proxy/gateway/http.ts';
import { DEFAULT_PROFILE } from '../../backend-proxy/gateway/profile.ts';
import type { Ledger } from '../../backend-proxy/ledger/ledger.ts';
import { createCheckRate } from '../../backend-proxy/check-rate.ts';
import type { UnknownProof } from '../../backend-proxy/unknown-proof.ts';
import { createReconciler } from '../../backend-proxy/reconcile.ts';
import { SECRETS, createWorld } from './world.ts';

const GOOD: Call = { operation: 'status', outcome: 'found', ms: 20 };
const BAD: Call = { operation: 'status', outcome: 'unavailable', ms: 20, detail: 'HTTP 503' };

function pacing(limit?: number) {
  const clock = { now: 5_000 };
  const pace = createCheckRate({ ...(limit !== undefined && { limit }), clock: () => clock.now });
  /** Asks all that it may for so long, one answer each; says how many and the most in any one step. */
  const use = (ms: number, answer: Call) => {
    let asked = 0;
    let mostAtOnce = 0;
    for (const end = clock.now + ms; clock.now < end; clock.now += 5) {
      const room = pace.room();
      pace.began(room);
      asked += room;
      mostAtOnce = Math.max(mostAtOnce, room);
      for (let n = 0; n < room; n += 1) pace.noted(answer);
    }
    return { asked, mostAtOnce };
  };
  return { pace, clock, use };
}

describe('the pace', () => {
  it('begins at 20 a second, spread over it', () => {
    const { use, pace } = pacing();
    const { asked, mostAtOnce } = use(10_000, { ...GOOD, ms: 1_001 });
    assert.equal(pace.perSecond(), 20, 'a slow answer neither adds nor takes');
    assert.ok(asked >= 200 && asked <= 204, `${asked}`);
    assert.equal(mostAtOnce, 4);
  });

  it('grows by 20 a second while answers are good and quick, up to its limit', () => {
    const { use, pace } = pacing();
    use(5_000, GOOD);
    assert.ok(pace.perSecond() > 110 && pace.perSecond() < 130, `${pace.perSecond()}`);
    use(25_000, { ...GOOD, outcome: 'unknown', ms: 1_000 });
    assert.equal(pace.perSecond(), 500);
    const { asked, mostAtOnce } = use(10_000, GOOD);
    assert.ok(asked >= 4_900 && asked <= 5_000, `${asked}`);
    assert.ok(mostAtOnce <= 100);
  });

  it('grows only while all of it is used', () => {
    const { pace, clock } = pacing();
    for (let n = 0; n < 1_000; n += 1) {
      assert.ok(pace.room() >= 1);
      pace.began(1);
      pace.noted(GOOD);
      clock.now += 100;
    }
    assert.equal(pace.perSecond(), 20);
    for (let n = 0; n < 100; n += 1) pace.noted({ operation: 'pay', outcome: 'accepted', ms: 20 });
    assert.equal(pace.perSecond(), 20);
  });

  it('has room for nothing when it is used up, and says when it has again', () => {
    const { pace, clock } = pacing();
    pace.began(pace.room());
    assert.deepEqual([pace.room(), pace.dueInMs()], [0, 50]);
    clock.now += 48;
    assert.equal(pace.room(), 0);
    clock.now += pace.dueInMs();
    assert.deepEqual([pace.room(), pace.dueInMs()], [1, 0]);
  });

  it('gives shares of 25 ms where it is fast, so that a claim is worth its commit', () => {
    const { use, pace, clock } = pacing();
    use(40_000, GOOD);
    clock.now += 1_000;
    pace.began(pace.room());
    const due = pace.dueInMs();
    assert.ok(due > 20 && due <= 25, `${due}`);
    clock.now += due - 2;
    assert.equal(pace.room(), 0);
    clock.now += 2;
    assert.ok(pace.room() >= 12);
  });

  it('saves nothing up over an idle hour but 200 ms of it', () => {
    const { pace, clock } = pacing();
    clock.now += 3_600_000;
    assert.equal(pace.room(), 4);
  });

  it('stays as it is where its clock is set back, though none that it is given is', () => {
    const { pace, clock } = pacing();
    clock.now -= 3_600_000;
    assert.equal(pace.room(), 4);
  });
});

describe('the pace is halved', () => {
  const HALVING: Record<string, Call> = {
    'a 429 to a status check': { ...BAD, detail: 'HTTP 429' },
    'a 429 to a payment': { operation: 'pay', outcome: 'lost', ms: 5, detail: 'HTTP 429' },
    'a 429 to a payout': { operation: 'payout', outcome: 'lost', ms: 5, detail: 'HTTP 429' },
    'a 429 that the profile takes for a refusal': {
      operation: 'pay',
      outcome: 'refused',
      ms: 5,
      detail: 'HTTP 429 SLOW',
    },
    'a 500': { ...BAD, detail: 'HTTP 500' },
    'a 503': BAD,
    'a timeout': { ...BAD, ms: 30_000, detail: 'TimeoutError' },
    'a cut connection': { ...BAD, detail: 'UND_ERR_SOCKET' },
    'an undocumented answer': { ...BAD, detail: 'undocumented answer' },
  };
  for (const [what, call] of Object.entries(HALVING)) {
    it(`by ${what}`, () => {
      const { pace } = pacing();
      pace.noted(call);
      assert.equal(pace.perSecond(), 10);
    });
  }

  it('by nothing that a payment or a payout alone met: an endpoint that fails holds up nothing but itself', () => {
    const { pace } = pacing();
    for (const detail of ['HTTP 500', 'TimeoutError', 'undocumented answer', 'HTTP 4290']) {
      pace.noted({ operation: 'pay', outcome: 'lost', ms: 30_000, detail, retryAfterMs: 60_000 });
      pace.noted({ operation: 'payout', outcome: 'refused', ms: 5, detail: 'HTTP 400 WALLET_NOT_FOUND' });
    }
    assert.deepEqual([pace.perSecond(), pace.room()], [20, 4]);
  });

  it('once for all that was in flight together, however many of them fail and when', () => {
    const { pace, clock } = pacing();
    for (let n = 0; n < 24; n += 1) pace.noted({ ...BAD, ms: 1_000 });
    assert.equal(pace.perSecond(), 10);
    clock.now += 900;
    pace.noted({ ...BAD, ms: 1_900 });
    assert.equal(pace.perSecond(), 10);
    pace.noted({ ...BAD, ms: 600 });
    assert.equal(pace.perSecond(), 5, 'but again by one that began after it');
  });

  it('once in 250 ms where answers are quicker than that', () => {
    const { pace, clock, use } = pacing();
    use(40_000, GOOD);
    const from = clock.now;
    for (; clock.now < from + 250; clock.now += 2) pace.noted({ ...BAD, ms: 1 });
    assert.equal(pace.perSecond(), 250);
  });

  it('down to one a second and no further, and grows back when answers are good', () => {
    const { pace, use } = pacing();
    use(60_000, BAD);
    assert.equal(pace.perSecond(), 1);
    const { asked } = use(20_000, BAD);
    assert.ok(asked >= 19 && asked <= 21, `${asked}`);
    use(8_000, GOOD);
    assert.ok(pace.perSecond() >= 20, `${pace.perSecond()}`);
  });

  it('never to under one a second, and never grows above its limit, whatever the gateway answers', () => {
    const answers = [GOOD, BAD, { ...GOOD, ms: 5_000 }, { ...BAD, retryAfterMs: 300 }, { ...BAD, ms: 0 }];
    fc.assert(
      fc.property(
        fc.constantFrom(1, 7, 500, 10_000),
        fc.array(fc.tuple(fc.constantFrom(...answers), fc.nat(3_000)), { maxLength: 20 }),
        (limit, phases) => {
          const { pace, use } = pacing(limit);
          assert.equal(pace.perSecond(), Math.min(20, limit));
          for (const [answer, ms] of phases) {
            const { asked } = use(ms, answer);
            assert.ok(pace.perSecond() >= 1 && pace.perSecond() <= limit);
            assert.ok(asked <= 1 + (limit * (ms + 205)) / 1000, `${asked} in ${ms} ms and what was saved`);
          }
        },
      ),
    );
  });
});

describe('a Retry-After', () => {
  it('is waited for, to the millisecond, and nothing is saved up meanwhile', () => {
    const { pace, clock } = pacing();
    pace.noted({ ...BAD, detail: 'HTTP 429', retryAfterMs: 60_000 });
    assert.equal(pace.dueInMs(), 60_100);
    clock.now += 60_000;
    assert.equal(pace.room(), 0);
    clock.now += 100;
    assert.deepEqual([pace.room(), pace.dueInMs()], [1, 0]);
  });

  it('counts where the answer itself halves nothing any more, and the longest counts', () => {
    const { pace } = pacing();
    pace.noted({ operation: 'pay', outcome: 'lost', ms: 5, detail: 'HTTP 429', retryAfterMs: 9_000 });
    pace.noted({ ...BAD, retryAfterMs: 20_000 });
    pace.noted({ ...BAD, retryAfterMs: 3_000 });
    assert.deepEqual([pace.perSecond(), pace.dueInMs()], [10, 20_100]);
  });
});

/** `count` payments that are paid at the gateway and whose check is due, and a reconciler whose steps the test makes. */
async function backlog(t: TestContext, count: number) {
  const world = await createWorld(t);
  const ids = Array.from({ length: count }, (_, n) => `A-${n}`);
  await Promise.all(ids.map((orderId) => world.start(world.token({ orderId }), { method: 'CHECKOUT' })));
  for (const id of ids) await world.customer('approve', id);
  world.skip(16_000);
  const from = world.now();
  const wire = createGateway({
    url: world.gatewayUrl,
    apiKey: SECRETS.gatewayKey,
    profile: DEFAULT_PROFILE,
    checkoutHosts: [],
  });
  t.after(() => wire.close());
  const pace = createCheckRate({ clock: world.now });
  const gateway = heard(wire, (call) => pace.noted(call), world.now);
  const ledger: Ledger = {
    ...world.ledger,
    async claimChecks(most, leaseMs) {
      const claims = await world.ledger.claimChecks(most, leaseMs);
      askedAt.push(...claims.map(() => world.now() - from));
      return claims;
    },
    observe: (claim, observation) => world.ledger.observe(claim, observation).finally(() => (observed += 1)),
  };
  const askedAt: number[] = [];
  let observed = 0;
  const proof = { look: async () => undefined, found: async () => undefined } as unknown as UnknownProof;
  const worker = createReconciler({ gateway, ledger, proof, pace, now: world.now }, (error) =>
    assert.fail(String(error)),
  );
  return {
    world,
    pace,
    /** ms after the first step, for each check. */
    askedAt,
    /** Lets the worker take one step and wait as long as it wants to; the answers take no time. */
    async step() {
      const waitMs = await worker.begin();
      while (observed < askedAt.length) await new Promise((resolve) => setImmediate(resolve));
      world.skip(waitMs);
    },
    paid: async () => (await world.ledger.counts()).transactions.find(({ status }) => status === 'SUCCESS')?.count ?? 0,
  };
}

describe('a gateway', () => {
  it('that answers well is asked about 300 payments in 5 s, where 20 a second would take 15', async (t) => {
    const { step, askedAt, paid, pace } = await backlog(t, 300);
    while (askedAt.length < 300) await step();
    const [lastMs = Infinity] = askedAt.slice(-1);
    assert.equal(await paid(), 300);
    assert.ok(lastMs < 5_000, `${lastMs} ms`);
    assert.ok(pace.perSecond() > 100, `${pace.perSecond()} a second`);
  });

  it('that answers 429 is asked less and less, down to once a second, and more when it is well again', async (t) => {
    const { world, step, askedAt, paid, pace } = await backlog(t, 60);
    await world.faults({ status: { status: 429 } });
    while ((askedAt.at(-1) ?? 0) < 20_000) await step();
    const inSecond = (second: number) => askedAt.filter((ms) => Math.floor(ms / 1000) === second).length;
    assert.ok(inSecond(0) > inSecond(1) && inSecond(1) >= inSecond(2), askedAt.join(' '));
    for (let second = 5; second < 20; second += 1) assert.ok(inSecond(second) <= 2, askedAt.join(' '));
    assert.equal(pace.perSecond(), 1);
    const asked = askedAt.length;
    assert.ok(asked < 40, `${asked}`);
    await world.faults({});
    while ((await paid()) !== 60) await step();
    assert.ok(pace.perSecond() > 10, `${pace.perSecond()} a second`);
  });
});
