// GET /order: the view of an order, and its versions.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { it, type TestContext } from 'node:test';
import type { Method, OrderView, StartPayment } from '../../../backend-proxy/protocol/wire.ts';
import { NOON } from '../time.ts';
import { createWorld, REFUNDS_QR, type World } from '../world.ts';
import { open } from './events-kit.ts';

const OPEN = { amount: undefined, minAmount: '5', maxAmount: '50.00' };
import { inWords } from '../in-words.ts';

it('the order view of an order that was never started shows the terms of the token', async (t) => {
  const world = await createWorld(t);
  const view = await world.view(world.token({ description: 'Two teapots', methods: ['QR', 'CHECKOUT'] }));
  assert.deepEqual(view, {
    orderId: 'A-1',
    amount: '10.10',
    currency: 'EUR',
    description: 'Two teapots',
    supportUrl: null,
    methods: ['QR', 'CHECKOUT'],
    paid: false,
    checking: false,
    closed: false,
    test: true,
    surplus: false,
    surplusAmount: null,
    owedAmount: null,
    otherOpen: false,
    otherPayments: [],
    received: [],
    refunds: [],
    refundInDoubtAmount: null,
    refundFailedAmount: null,
    version: 0,
    serverTime: '2026-11-20T12:00:00.000Z',
    payment: null,
    openPayment: null,
  });
  assert.equal((await world.view(world.token(OPEN))).amount, null);
});

it('the order view names a payment whose answer was lost as open only if the wallet may have its request', async (t) => {
  const world = await createWorld(t);
  for (const [method, isOpen] of [
    ['QR', false],
    ['CHECKOUT', false],
    ['DIRECT', true],
  ] as const) {
    const token = world.token({ orderId: `OF-${method}`, customerReferenceNo: 'C-1' });
    await world.faults({ pay: { dropAnswer: true } });
    await world.start(token, { method, ...(method === 'DIRECT' && { customer: '12345678' }) });
    await world.faults({});
    await world.settle();
    const { payment } = await world.view(token);
    const walletLast4 = isOpen ? '5678' : null;
    assert.deepEqual([payment?.answer, payment?.walletLast4], ['LOST', walletLast4]);
    await world.start(token, { method: 'JETGO' });
    const { otherOpen, otherPayments } = await world.view(token);
    assert.equal(otherOpen, isOpen, method);
    const createdAt = payment?.createdAt;
    assert.deepEqual(otherPayments, isOpen ? [{ method, walletLast4, createdAt }] : []);
  }
});

it('the order view links a request that the wallet has to the profile’s app, and nothing else', async (t) => {
  const world = await createWorld(t, { profile: { walletAppUrl: '/wallet' } });
  const linkOf = async (method: Method, orderId: string, body = {}) => {
    const token = world.token({ orderId, customerReferenceNo: orderId });
    await world.start(token, { method, ...body });
    return async () => (await world.view(token)).payment?.appUrl;
  };
  const customer = { customer: '12345678' };
  const request = await linkOf('DIRECT', 'OF-1', customer);
  assert.match((await request()) ?? '', /^http:\/\/127\.0\.0\.1:\d+\/wallet$/);
  assert.equal(await (await linkOf('CHECKOUT', 'OF-2'))(), null);
  assert.notEqual(await (await linkOf('QR', 'OF-3'))(), await request());
  await world.settleAfter('decline', 'OF-1');
  assert.equal(await request(), null, 'nothing is left to confirm');
  await world.faults({ pay: { dropAnswer: true } });
  const lost = await linkOf('DIRECT', 'OF-4', customer);
  assert.equal(await lost(), null, 'the wallet may not have it');
});

it('the order view has the one payment that is still open once the newest has failed, with its code', async (t) => {
  const world = await createWorld(t);
  const token = world.token();
  await world.start(token, { method: 'QR' });
  const before = await world.view(token);
  assert.equal(before.openPayment, null, 'it is the current payment');
  await world.start(token, { method: 'CHECKOUT' });
  assert.equal((await world.view(token)).openPayment, null, 'the newest is open');
  await world.settleAfter('decline', 'A-1-2');
  const after = await world.view(token);
  assert.deepEqual([after.payment?.status, after.openPayment], ['FAILED', before.payment]);
  await world.settleAfter('approve', 'A-1');
  const paid = await world.view(token);
  assert.deepEqual([paid.paid, paid.payment?.method, paid.openPayment], [true, 'QR', null]);
});

it('the order view has a refund that is reported failed as one in doubt, and as failed once that is certain', async (t) => {
  const world = await createWorld(t, { profile: REFUNDS_QR });
  const token = world.token();
  for (const method of ['QR', 'JETGO'] as const) await world.start(token, { method });
  for (const id of ['A-1-2', 'A-1']) await world.settleAfter('approve', id);
  const refund = { orderId: 'A-1', gatewayOrderId: 'A-1', amount: '10', idempotencyKey: 'refund' };
  await world.proxy.refunds.start(refund);
  await world.settle();
  const stand = async () => {
    const { refunds, refundInDoubtAmount, refundFailedAmount, owedAmount } = await world.view(token);
    const sent = refunds.map(({ status, amount }) => `${status} ${amount}`).join();
    return [sent, refundInDoubtAmount, refundFailedAmount, owedAmount];
  };
  assert.deepEqual(await stand(), ['PROCESSING 10.00', null, null, '0.10']);
  await world.settleAfter('decline', 'A-1-r1');
  assert.deepEqual(await stand(), ['', '10.00', null, '0.10'], 'neither on its way nor owed again');
  await world.pass(60_000);
  assert.deepEqual(await stand(), ['', null, '10.00', '10.10']);
  await world.proxy.refunds.start({ ...refund, amount: '4', idempotencyKey: 'again' });
  await world.settleAfter('approve', 'A-1-r2');
  assert.deepEqual(await stand(), ['SUCCESS 4.00', null, null, '6.10'], 'another was sent');
  await world.proxy.refunds.start({ ...refund, amount: '6', idempotencyKey: 'last' });
  await world.settleAfter('decline', 'A-1-r3');
  await world.pass(60_000);
  assert.deepEqual(await stand(), ['SUCCESS 4.00', null, '6.00', '6.10']);
  await world.merchant('POST', '/transactions/A-1/resolve', { status: 'SETTLED', by: 'ada', note: 'in cash' });
  assert.deepEqual(await stand(), ['SUCCESS 4.00', null, null, null], 'it was given back in another way');
});

it('the order view says what is owed of a second payment once no review doubts it', async (t) => {
  const world = await createWorld(t);
  const token = world.token();
  for (const method of ['QR', 'JETGO'] as const) await world.start(token, { method });
  for (const id of ['A-1-2', 'A-1']) await world.settleAfter('approve', id);
  const owed = async (isDoubted: 0 | 1) => {
    const database = new DatabaseSync(world.file);
    database.exec(`update transactions set needs_review = ${isDoubted}, mismatch = ${isDoubted} where surplus = 1`);
    database.close();
    const { surplus, received, owedAmount } = await world.view(token);
    return [surplus, received.length, owedAmount];
  };
  assert.deepEqual(await owed(1), [true, 2, null]);
  assert.deepEqual(await owed(0), [true, 2, '10.10']);
});

it('the order view keeps a failed refund of one payment while another payment is refunded', async (t) => {
  const world = await createWorld(t, { profile: REFUNDS_QR });
  const token = world.token();
  for (const method of ['QR', 'QR'] as const) await world.start(token, { method });
  for (const id of ['A-1', 'A-1-2']) await world.settleAfter('approve', id);
  const refund = (gatewayOrderId: string, amount: string) =>
    world.proxy.refunds.start({ orderId: 'A-1', gatewayOrderId, amount, idempotencyKey: gatewayOrderId });
  await refund('A-1', '3');
  await world.settleAfter('decline', 'A-1-r1');
  await world.pass(60_000);
  assert.equal((await world.view(token)).refundFailedAmount, '3.00');
  await refund('A-1-2', '10');
  await world.settleAfter('approve', 'A-1-2-r1');
  assert.equal((await world.view(token)).refundFailedAmount, '3.00');
});

it('the order view has no open payment if there are two, of another amount, after its time, or to a closed order', async (t) => {
  const world = await createWorld(t);
  const failed = async (
    orderId: string,
    claims: Parameters<World['token']>[0],
    bodies: Omit<StartPayment, 'method'>[],
  ) => {
    const token = world.token({ orderId, ...claims });
    for (const body of bodies) await world.start(token, { method: 'QR', ...body });
    await world.settleAfter('decline', `${orderId}-${bodies.length}`);
    const { otherOpen, payment } = await world.view(token);
    assert.deepEqual([otherOpen, payment?.status], [true, 'FAILED']);
    return async () => (await world.view(token)).openPayment;
  };
  assert.equal(await (await failed('OF-1', {}, [{}, {}, {}]))(), null);
  assert.equal(await (await failed('OF-2', OPEN, [{ amount: '10.00' }, { amount: '12.00' }]))(), null);
  const timed = await failed('OF-3', { payWithin: 600 }, [{}, {}]);
  assert.notEqual(await timed(), null);
  world.skip(600_000);
  assert.equal(await timed(), null);
  const closed = await failed('OF-4', {}, [{}, {}]);
  await world.merchant('POST', '/orders/OF-4/close', { reason: 'Sold out' });
  assert.equal(await closed(), null);
});

it('the order view is shown while the database is read-only, and its terms are stored afterwards', async (t) => {
  const world = await createWorld(t);
  const issued = Math.floor(NOON / 1000);
  const other = new DatabaseSync(world.file);
  other.exec('begin immediate');
  assert.equal((await world.view(world.token({ iat: issued, amount: '9.00' }))).amount, '9.00');
  other.exec('rollback');
  other.close();
  const { body } = await world.refused(world.token({ iat: issued - 60 }), { method: 'QR' });
  assert.equal(body.code, 'order_changed');
});

it('the order view shows the stored amount and currency, whatever a newer token says', async (t) => {
  const world = await createWorld(t);
  await world.start(world.token(), { method: 'QR' });
  const other = world.token({ amount: '9999', currency: 'JPY' });
  const { amount, currency } = await world.view(other);
  assert.deepEqual([amount, currency], ['10.10', 'EUR']);
  const { status, body } = await world.refused(other, { method: 'QR' });
  assert.deepEqual([status, body.code, body.retryable], [409, 'order_changed', false]);
  for (const changed of [{ amount: '10.11' }, { currency: 'USD' }]) {
    assert.equal((await world.refused(world.token(changed), { method: 'QR' })).body.code, 'order_changed');
  }
  const entered = await world.refused(world.token(OPEN), { method: 'QR', amount: '10.10' });
  assert.equal(entered.body.code, 'order_changed');
  assert.equal(await world.gatewayHas('A-1-2'), undefined);
});

/** A-1 is paid. */
async function createPaid(t: TestContext) {
  const world = await createWorld(t, { profile: REFUNDS_QR });
  await world.paid({ amount: '10.00' }, '23456789');
  const refund = (amount: string) =>
    world.merchant('POST', '/orders/A-1/refunds', { amount, note: 'One cup was cold' }, `key-${amount}`);
  return Object.assign(world, { refund });
}

const refundsOf = async (world: World) => (await world.view(world.token())).refunds;

it('the order view has the amounts of refunds that are accepted or sent, and nothing of those that failed', async (t) => {
  const world = await createPaid(t);
  assert.deepEqual(await refundsOf(world), []);
  await world.refund('4.00');
  await world.settleAfter('approve', 'A-1-r1');
  await world.refund('3.00');
  await world.settleAfter('decline', 'A-1-r2');
  await world.pass(60_000);
  await world.refund('1.00');
  assert.deepEqual(await refundsOf(world), [
    { amount: '4.00', status: 'SUCCESS' },
    { amount: '1.00', status: 'PROCESSING' },
  ]);
});

it('the order view says nothing of a refund once it is reported failed, and the stream says so at once', async (t) => {
  const world = await createPaid(t);
  await world.refund('4.00');
  const stream = await open(world, world.token());
  assert.equal((await stream.view()).refunds.length, 1);
  await world.settleAfter('decline', 'A-1-r1');
  const { body } = await world.merchant('GET', '/transactions/A-1-r1');
  assert.deepEqual([body['status'], typeof body['reportedFailedAt']], ['PROCESSING', 'string']);
  assert.deepEqual(await refundsOf(world), []);
  assert.deepEqual((await stream.view()).refunds, []);
});

it('the order view says nothing of a refund whose answer is lost, until a status check has found it', async (t) => {
  const world = await createPaid(t);
  await world.faults({ payout: { dropAnswer: true } });
  await world.refund('4.00');
  assert.equal((await world.merchant('GET', '/transactions/A-1-r1')).body['status'], 'INITIALIZED');
  assert.deepEqual(await refundsOf(world), []);
  await world.pass(5_000);
  assert.deepEqual(inWords(await refundsOf(world), 'amount'), ['4.00']);
});

for (const flag of ['needs_review', 'mismatch', 'conflict']) {
  it(`the order view says nothing of a refund with the flag ${flag}, accepted or sent`, async (t) => {
    const world = await createPaid(t);
    for (const amount of ['4.00', '3.00']) await world.refund(amount);
    await world.settleAfter('approve', 'A-1-r1');
    assert.equal((await refundsOf(world)).length, 2);
    const database = new DatabaseSync(world.file);
    database.exec(`update transactions set ${flag} = 1 where type = 'REFUND'`);
    database.close();
    assert.deepEqual(await refundsOf(world), []);
  });
}

it('a paid order is checked while its payment is in doubt, and its payment has a reason once a person has denied it', async (t) => {
  const world = await createPaid(t);
  const database = new DatabaseSync(world.file);
  database.exec(`update transactions set needs_review = 1, conflict = 1 where type = 'PAY'`);
  database.close();
  const stream = await open(world, world.token());
  const seen = ({ paid, checking, payment, received }: OrderView) =>
    [paid, checking, payment?.status, payment?.reason, received.length]; // prettier-ignore
  assert.deepEqual(seen(await stream.view()), [true, true, 'SUCCESS', null, 1]);
  const word = { status: 'FAILED', by: 'ada', note: 'nothing came', gatewayReports: 'SUCCESS' };
  assert.equal((await world.merchant('POST', '/transactions/A-1/resolve', word)).status, 200);
  assert.deepEqual(seen(await stream.view()), [true, false, 'SUCCESS', 'RESOLVED', 0]);
  assert.equal(await stream.next(), 'end');
});

it('the event stream of a paid order goes on while a refund is on its way, and shows when it was sent', async (t) => {
  const world = await createPaid(t);
  await world.refund('4.00');
  const stream = await open(world, world.token());
  assert.deepEqual((await stream.view()).refunds, [{ amount: '4.00', status: 'PROCESSING' }]);
  await world.settleAfter('approve', 'A-1-r1');
  assert.deepEqual((await stream.view()).refunds, [{ amount: '4.00', status: 'SUCCESS' }]);
  assert.equal(await stream.next(), 'end');
});
