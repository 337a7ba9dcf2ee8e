// The check that an IPN requests: begun with the IPN's own commit, or if a limit is reached, with the next claim.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { createCheckRate } from '../../backend-proxy/use-cases/check-rate.ts';
import type { Gateway, Collection } from '../../backend-proxy/gateway/gateway.ts';
import type { Ledger } from '../../backend-proxy/ledger/ledger.ts';
import { createStatusChecks, type UnknownProof } from '../../backend-proxy/use-cases/status-checks.ts';
import { createWorld, NO_SUCH_ORDER, type World } from './world.ts';
import type { MerchantPayment } from '../../backend-proxy/protocol/merchant-view.ts';
import { D, H, M, NOON, S } from './time.ts';

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

const LOST = {
  'cut after the work': { dropAnswer: true },
  halved: { halfAnswer: true },
  garbage: { garbage: true },
  'a 202 for another order': { tamper: { orderId: 'B' } },
  'without its URL': { tamper: { checkout: null } },
} as const;

const DIRECT = { method: 'DIRECT', customer: '12345678' } as const;

const payments = async (world: World, orderId = 'A-1') =>
  (await world.merchant<{ payments: MerchantPayment[] }>('GET', `/orders/${orderId}`)).body.payments;
const events = async (world: World) =>
  (await payments(world))[0]!.history.map(({ event, source }) => `${event} by ${source}`);

/** Asserts that every settled transaction of the gateway is settled in the database, and was created once. */
async function assertAgreement(world: World): Promise<void> {
  const held = world.rows<{ id: string; rank: number; payment_id: string }>(
    'select id, rank, payment_id from transactions',
  );
  for (const { id, rank, payment_id } of held) {
    const theirs = await world.gatewayHas(id);
    if (theirs === undefined) continue;
    assert.equal(theirs.createRequests, 1, id);
    if (theirs.status === 'SUCCESS') assert.equal(rank, 9, id);
    if (theirs.status === 'FAILED') assert.ok(rank === 8 || rank === 4, id);
    assert.ok(payment_id, id);
  }
}

it('without an IPN an approved payment is paid by the next sweep, at each of the documented times', async (t) => {
  for (const afterMs of [10 * S, 25 * S, 59 * S, 4 * M, 29 * M, 5 * H, 20 * H, 6 * D]) {
    const world = await createWorld(t);
    const token = world.token();
    await world.faults({ ipn: { never: true } });
    await world.start(token, { method: 'QR' });
    await world.pass(afterMs);
    assert.equal((await world.view(world.token())).paid, false);
    await world.customer('approve', 'A-1');
    await world.pass(D);
    assert.equal((await world.view(world.token())).paid, true, `${afterMs} ms`);
    await assertAgreement(world);
  }
});

it('a code that nobody has paid after seven days is EXPIRED by the last check, without a review', async (t) => {
  const world = await createWorld(t);
  await world.start(world.token(), { method: 'QR' });
  await world.passTo(NOON + 7 * D - 1);
  assert.equal((await payments(world))[0]?.status, 'PROCESSING');
  await world.pass(1);
  const [payment] = await payments(world);
  assert.deepEqual([payment?.status, payment?.reason, payment?.needsReview], ['FAILED', 'EXPIRED', false]);
  await world.pass(30 * D);
  assert.deepEqual(world.rows('select next_check_at from transactions'), [{ next_check_at: null }]);
  await world.settleAfter('approve', 'A-1');
  assert.equal((await payments(world))[0]?.status, 'SUCCESS', 'an IPN still requests a check');
});

for (const [name, fault] of Object.entries(LOST)) {
  it(`a payment whose answer was lost (${name}) is uncertain, then found, with one create, and a person judges its SUCCESS`, async (t) => {
    const world = await createWorld(t);
    const token = world.token();
    await world.faults({ pay: fault, times: 1 });
    const { status, body } = await world.start(token, { method: 'CHECKOUT' }, 'key');
    assert.deepEqual([status, body.payment?.status, body.payment?.reason], [201, 'INITIALIZED', null]);
    assert.equal((await world.start(token, { method: 'CHECKOUT' }, 'key')).status, 200, 'the same key sends nothing');
    await world.pass(2 * S);
    assert.equal((await world.view(token)).payment?.status, 'PROCESSING');
    assert.deepEqual(await events(world), [
      'created by shopper',
      'sending by shopper',
      'uncertain by answer',
      'pending by check',
    ]);
    world.skip(1);
    await world.settleAfter('approve', 'A-1');
    // Nobody was shown the page.
    const { paid, checking } = await world.view(token);
    assert.deepEqual([paid, checking, (await world.gatewayHas('A-1'))?.createRequests], [false, true, 1]);
  });
}

it('a payment that was never created is NOT_CREATED after two checks that agree, a minute apart and 90 s after', async (t) => {
  for (const status of [500, 502, 429, 302]) {
    const world = await createWorld(t, { webhooks: true, profile: { noSuchOrder: NO_SUCH_ORDER } });
    const token = world.token();
    await world.faults({ pay: { status }, times: 1 });
    await world.start(token, { method: 'QR' });
    await world.pass(149 * S);
    assert.equal((await world.view(token)).payment?.status, 'INITIALIZED', String(status));
    await world.pass(91 * S);
    const { payment } = await world.view(token);
    assert.deepEqual([payment?.status, payment?.reason], ['FAILED', 'NOT_CREATED']);
    assert.equal(await world.gatewayHas('A-1'), undefined);
    assert.equal(world.receiver.received[0]?.payload.type, 'payment.failed');
    assert.equal((await world.start(token, { method: 'QR' })).status, 201);
  }
});

for (const [method, ends] of [
  ['DIRECT', { status: 'SUCCESS', needsReview: false }],
  ['QR', { status: 'INITIALIZED', needsReview: true }],
] as const) {
  it(`after a restore a ${method} that did not reach the gateway is checked: an earlier call of its id may be lost`, async (t) => {
    const pay = async (gateway: Gateway, asked: Collection) => {
      // As an earlier call would have made it.
      if (asked.transactionId === 'A-1') await gateway.pay(asked);
      return { kind: 'unreached', detail: 'ECONNREFUSED' } as const;
    };
    const world = await createWorld(t, {
      profile: { noSuchOrder: NO_SUCH_ORDER },
      wrapGateway: (gateway) => ({ ...gateway, pay: (asked) => pay(gateway, asked) }),
    });
    await world.faults({ ipn: { never: true } });
    await world.ledger.recordRestore(world.now());
    for (const orderId of ['A-1', 'A-2']) {
      const token = world.token({ orderId, customerReferenceNo: 'c' });
      await world.start(token, method === 'DIRECT' ? DIRECT : { method });
    }
    await world.customer('approve', 'A-1');
    await world.pass(15 * M);
    const [{ status, needsReview } = assert.fail()] = await payments(world);
    assert.deepEqual({ status, needsReview }, ends);
    assert.equal((await payments(world, 'A-2'))[0]?.reason, 'NOT_CREATED', 'the gateway has never had this one');
  });
}

it('a payment that did not reach the gateway stays open while nobody can say whether the database was restored', async (t) => {
  const world = await createWorld(t, {
    wrapGateway: (gateway) => ({ ...gateway, pay: async () => ({ kind: 'unreached', detail: 'ECONNREFUSED' }) }),
    wrapLedger: (ledger) => ({ ...ledger, wasRestoredLately: () => Promise.reject(new Error('unreadable')) }),
  });
  assert.equal((await world.start(world.token(), { method: 'QR' })).body.payment?.status, 'INITIALIZED');
});

it('a CHECKOUT is EXPIRED by our clock 17 minutes after it was sent if a check then says pending, and counts as paid, late, if it was paid in the last second', async (t) => {
  const world = await createWorld(t, { webhooks: true });
  await world.start(world.token(), { method: 'CHECKOUT' });
  await world.faults({ status: { tamper: { status: 'PROCESSING' } }, ipn: { never: true } });
  await world.pass(14 * M);
  await world.customer('approve', 'A-1');
  await world.passTo(NOON + 17 * M - 1);
  assert.equal((await world.view(world.token())).payment?.status, 'PROCESSING');
  await world.pass(1);
  assert.equal((await world.view(world.token())).payment?.reason, 'EXPIRED');
  assert.deepEqual((await events(world)).at(-1), 'expired by clock');
  await world.faults({});
  await world.pass(H);
  const { paid, payment } = await world.view(world.token());
  assert.deepEqual([paid, payment?.status, payment?.late], [true, 'SUCCESS', true]);
  const [seen] = await payments(world);
  assert.equal(payment?.paidAt, seen?.history.find(({ event }) => event === 'succeeded')?.at);
  assert.ok(payment?.paidAt && payment.paidAt > payment.createdAt, 'when it was seen, not when it was begun');
  assert.deepEqual([seen?.customer, seen?.payer], [null, '12345678'], 'who paid, of whom nothing was known before');
  const received = world.receiver.received.map(({ payload }) => [payload.type, payload.data['late']]);
  assert.deepEqual(received, [
    ['payment.failed', false],
    ['payment.succeeded', true],
  ]);
});

it('status checks run one at a time per transaction, and continue after a failure', async (t) => {
  let calls = 0;
  let inFlight = 0;
  const world = await createWorld(t, {
    wrapGateway: (gateway) => ({
      ...gateway,
      status: async (id, type) => {
        calls += 1;
        inFlight += 1;
        assert.equal(inFlight, 1);
        await new Promise((resolve) => setTimeout(resolve, 10));
        inFlight -= 1;
        if (calls === 1) throw new Error('canary of the gateway');
        return gateway.status!(id, type);
      },
    }),
  });
  await world.start(world.token(), { method: 'QR' });
  await world.customer('approve', 'A-1');
  await world.sandbox.tick();
  await Promise.all([world.proxy.tick(), world.proxy.tick(), world.proxy.tick()]);
  assert.equal(calls, 1);
  assert.equal((await world.view(world.token())).paid, false);
  assert.ok(world.log.some(({ event }) => event === 'work failed'));
  assert.doesNotMatch(JSON.stringify(world.log), /canary of the gateway/);
  await world.pass(45 * S);
  assert.equal((await world.view(world.token())).paid, true, 'when the lease has run out it is asked again');
});
