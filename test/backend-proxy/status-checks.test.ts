// The check that an IPN requests: begun with the IPN's own commit, or if a limit is reached, with the next claim.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { createCheckRate } from '../../backend-proxy/use-cases/check-rate.ts';
import type { Gateway } from '../../backend-proxy/gateway/gateway.ts';
import type { Ledger } from '../../backend-proxy/ledger/ledger.ts';
import { createStatusChecks, type UnknownProof } from '../../backend-proxy/use-cases/status-checks.ts';
import { createWorld } from './world.ts';

const PROOF: UnknownProof = {
  found: async () => undefined,
  unknown: () => undefined,
  proveWaiting: async () => false,
  isProven: async () => false,
  wrongPaths: () => [],
};

/** Status checks beside the world's own, with a payment to send IPNs for and a count of what it does. */
async function setUp(t: TestContext, { available = 10 } = {}) {
  let ledger!: Ledger;
  const world = await createWorld(t, { wrapLedger: (given) => (ledger = given) });
  await world.start(world.token(), { method: 'QR' });
  const counts = { claims: 0, calls: 0 };
  const gateway = {
    status: async () => {
      counts.calls += 1;
      return { kind: 'unavailable', detail: 'HTTP 500' };
    },
  } as unknown as Gateway;
  const counted: Ledger = {
    ...ledger,
    claimChecks: async (...given) => {
      const claims = await ledger.claimChecks(...given);
      counts.claims += claims.length;
      return claims;
    },
  };
  const rate = { ...createCheckRate(), available: () => available };
  const statusChecks = createStatusChecks({ gateway, ledger: counted, proof: PROOF, rate }, (error) =>
    assert.fail(String(error)),
  );
  let ipns = 0;
  const sendIpn = (transactionId = 'A-1') =>
    statusChecks.receive({
      id: `ipn ${(ipns += 1)}`,
      body: '{}',
      reading: {
        transactionId,
        type: 'PAY',
        paymentId: null,
        customer: null,
        amount: null,
        currency: null,
        outcome: null,
      },
    });
  return { statusChecks, sendIpn, counts };
}

it('receive() begins the check with the commit of the IPN, without another claim', async (t) => {
  const { statusChecks, sendIpn, counts } = await setUp(t);
  const stop = statusChecks.run();
  assert.equal(await sendIpn(), true);
  await stop();
  assert.deepEqual(counts, { claims: 0, calls: 1 });
});

it('receive() leaves the check to a claim if the rate is used up', async (t) => {
  const { statusChecks, sendIpn, counts } = await setUp(t, { available: 0 });
  const stop = statusChecks.run();
  assert.equal(await sendIpn(), true);
  await stop();
  assert.deepEqual(counts, { claims: 0, calls: 0 });
  await statusChecks.tick();
  assert.deepEqual(counts, { claims: 1, calls: 1 });
});

it('receive() during a check of the same transaction leaves the next one to a claim', async (t) => {
  const { statusChecks, sendIpn, counts } = await setUp(t);
  const stop = statusChecks.run();
  assert.deepEqual(await Promise.all([sendIpn(), sendIpn()]), [true, true]);
  await stop();
  assert.equal(counts.calls, 1);
});

it('what a killed process was checking is checked by another one 5 seconds later', async (t) => {
  let ledger!: Ledger;
  const world = await createWorld(t, { wrapLedger: (given) => (ledger = given) });
  await world.start(world.token(), { method: 'QR' });
  world.skip(15_000);
  let calls = 0;
  const process = () => {
    const status = () => ((calls += 1), new Promise<never>(() => undefined));
    const ports = { gateway: { status } as unknown as Gateway, ledger, proof: PROOF, rate: createCheckRate() };
    return createStatusChecks(ports, (error) => assert.fail(String(error)));
  };
  await process().begin();
  world.skip(4_999);
  await process().begin();
  assert.equal(calls, 1);
  world.skip(1);
  await process().begin();
  assert.equal(calls, 2);
});

it('receive() of an unknown transaction begins nothing and gives its turn back', async (t) => {
  const { statusChecks, sendIpn, counts } = await setUp(t);
  const stop = statusChecks.run();
  for (let n = 0; n < 30; n += 1) assert.equal(await sendIpn('of-nobody'), false);
  assert.equal(await sendIpn(), true);
  await stop();
  assert.equal(counts.calls, 1);
});
