// How payments settle: without any IPN, after each kind of lost answer, and by our clock. Each test then compares the
// database with the gateway, which has received exactly one create per payment.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_SUCH_ORDER, SELF, createWorld, type World, startHeaders } from './world.ts';
import type { Collection, Gateway } from '../../backend-proxy/gateway/gateway.ts';
import type { MerchantPayment } from '../../backend-proxy/protocol/merchant-view.ts';
import { D, H, M, NOON, S } from './time.ts';
import { until } from './until.ts';

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

describe('payments without any IPN', () => {
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

  it('without an IPN many payments of every kind all settle', async (t) => {
    const world = await createWorld(t);
    await world.faults({ ipn: { never: true } });
    for (let n = 0; n < 12; n += 1) {
      const method = (['QR', 'JETGO', 'CHECKOUT'] as const)[n % 3]!;
      await world.start(world.token({ orderId: `A-${n}` }), { method });
      if (n % 4 === 0) await world.customer('approve', `A-${n}`);
      if (n % 4 === 1) await world.customer('decline', `A-${n}`);
    }
    await world.pass(H);
    await assertAgreement(world);
    const ranks = world.rows<{ rank: number; n: number }>(
      'select rank, count(*) as n from transactions group by rank order by rank',
    );
    // The gateway declined the two unpaid CHECKOUTs when their tokens expired.
    assert.deepEqual(ranks, [
      { rank: 3, n: 4 },
      { rank: 8, n: 5 },
      { rank: 9, n: 3 },
    ]);
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
});

describe('a lost answer', () => {
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

  it('an uncertain payment stays so while the status check is unavailable, and settles afterwards', async (t) => {
    const world = await createWorld(t);
    await world.faults({ pay: { dropAnswer: true }, status: { status: 503 }, ipn: { never: true } });
    await world.start(world.token({ customerReferenceNo: 'c-1' }), DIRECT);
    await world.pass(3 * H);
    assert.equal((await world.view(world.token())).payment?.status, 'INITIALIZED');
    await world.customer('approve', 'A-1');
    await world.faults({});
    await world.pass(3 * H);
    assert.equal((await world.view(world.token())).paid, true);
    await assertAgreement(world);
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

  it('a replaced payment with a lost answer is still checked to its end', async (t) => {
    const world = await createWorld(t);
    const token = world.token({ customerReferenceNo: 'c-1' });
    await world.faults({ pay: { dropAnswer: true }, times: 1, ipn: { never: true } });
    await world.start(token, DIRECT);
    await world.start(token, { method: 'CHECKOUT' });
    await world.customer('approve', 'A-1');
    await world.pass(M);
    const [first, second] = await payments(world);
    assert.deepEqual([first?.status, first?.late, second?.status], ['SUCCESS', true, 'PROCESSING']);
    await assertAgreement(world);
  });

  it('a payment at a gateway slower than our time limit is uncertain, and is found by a check', async (t) => {
    const world = await createWorld(t, { totalTimeoutMs: 100 });
    const token = world.token();
    await world.faults({ pay: { delayMs: 60_000 }, times: 1 });
    const { body } = await world.start(token, { method: 'QR' });
    assert.equal(body.payment?.status, 'INITIALIZED');
    assert.equal((await payments(world))[0]?.history.at(-1)?.detail, 'TimeoutError');
    await world.faults({});
    await world.pass(5 * S);
    assert.equal((await world.view(token)).payment?.status, 'PROCESSING');
    await assertAgreement(world);
  });
});

describe('an unpaid CHECKOUT', () => {
  it('an unpaid CHECKOUT is ended by the gateway after 15 minutes and reported as expired', async (t) => {
    const world = await createWorld(t, { webhooks: true });
    await world.start(world.token(), { method: 'CHECKOUT' });
    await world.pass(15 * M);
    const { payment } = await world.view(world.token());
    assert.deepEqual([payment?.status, payment?.reason, payment?.checkoutUrl], ['FAILED', 'EXPIRED', null]);
    assert.deepEqual(world.webhooks(), ['payment.failed']);
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
});

describe('a transaction left by a dead process', () => {
  it('a transaction left while being sent is uncertain at the next start and settled by checks', async (t) => {
    const held = Promise.withResolvers<void>();
    const world = await createWorld(t, {
      wrapGateway: (gateway) => ({
        ...gateway,
        pay: async (collection) => {
          const sent = await gateway.pay(collection);
          await held.promise;
          return sent;
        },
      }),
    });
    const starting = world.start(world.token(), { method: 'QR' });
    await until(async () => (await world.gatewayHas('A-1')) !== undefined);
    await world.ledger.recover(SELF);
    assert.deepEqual((await events(world)).at(-1), 'uncertain by restart');
    await world.pass(2 * S);
    assert.equal((await payments(world))[0]?.status, 'PROCESSING');
    held.resolve();
    assert.equal((await starting).body.payment?.status, 'PROCESSING');
    await assertAgreement(world);
  });

  it('a payment whose process died before its POST is uncertain after 45 s, and is never sent', async (t) => {
    const world = await createWorld(t, {
      wrapLedger: (ledger) => ({
        ...ledger,
        async openPayment(...given) {
          await ledger.openPayment(...given);
          throw new Error('died here');
        },
      }),
    });
    const headers = startHeaders(world.token());
    const start = () => world.request('POST', '/order/payments', { headers, body: '{"method":"QR"}' });
    assert.equal((await start()).status, 500);
    await world.pass(45 * S);
    assert.deepEqual(await events(world), ['created by shopper', 'sending by shopper', 'uncertain by clock']);
    await start();
    assert.equal(await world.gatewayHas('A-1'), undefined);
  });
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
