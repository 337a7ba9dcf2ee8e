// POST /orders/{orderId}/refunds: money back to the wallet that paid, once for each key, and what others see of it.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { it, type TestContext } from 'node:test';
import type { Gateway } from '../../../backend-proxy/gateway/gateway.ts';
import { MAX_UNSEEN_IN_A_ROW } from '../../../backend-proxy/protocol/refundable.ts';
import type { Problem } from '../../../backend-proxy/protocol/wire.ts';
import { M, NOON, S } from '../time.ts';
import { SECRETS, createWorld, type World, type WorldOptions } from '../world.ts';
import { inWords, words } from '../in-words.ts';
import { PAYOUT } from './merchant-kit.ts';

const WAYS = { DIRECT: 'WALLET', CHECKOUT: null, JETGO: 'no', QR: 'JETGO' };
const PAYER = '23456789';

const refund = <Body = Record<string, unknown>>(world: World, body: object = {}, key = 'key-1', orderId = 'A-1') =>
  world.merchant<Body>('POST', `/orders/${orderId}/refunds`, body, key);

/** The database is restored from before its refund A-1-r1. */
async function loseRefund(world: World): Promise<void> {
  const database = new DatabaseSync(world.file);
  database.exec(`delete from transactions where id = 'A-1-r1'; delete from history where transaction_id = 'A-1-r1'`);
  database.close();
  await world.ledger.recordRestore(world.now());
}

/** With this text as its body. */
async function refundByText(world: World, body: string | undefined, key: string | undefined, type?: string) {
  const headers = { Authorization: `Bearer ${SECRETS.merchant}`, ...(key !== undefined && { 'Idempotency-Key': key }) };
  const response = await world.request('POST', '/orders/A-1/refunds', {
    headers: { ...headers, ...(type !== undefined && { 'Content-Type': type }) },
    ...(body !== undefined && { body }),
  });
  return { status: response.status, body: (await response.json()) as Problem };
}

/** A-1 is paid by another wallet than any that was typed. */
async function createPaid(t: TestContext, options: WorldOptions = {}): Promise<World> {
  const world = await createWorld(t, { webhooks: true, profile: { refundAs: WAYS }, ...options });
  await world.paid({ amount: '10.00' }, PAYER);
  return world;
}

it('without a body, and with the list that PHP writes, all that is left is sent back; other bodies are refused', async (t) => {
  for (const [body, type] of [
    ['[]', 'application/json'],
    ['', 'application/json'],
    [undefined, undefined],
  ] as const) {
    const world = await createPaid(t);
    const { status } = await refundByText(world, body, 'key-1', type);
    assert.deepEqual([status, (await world.ledger.transaction('A-1-r1'))?.amountMinor], [202, 1000], body);
    for (const other of ['[1]', 'null', '""', '{'])
      assert.equal((await refundByText(world, other, 'key-2', 'application/json')).status, 400, other);
    const { status: left, body: refused } = await refundByText(world, '{}', 'key-3', 'application/json');
    assert.deepEqual([left, refused.detail], [422, 'amount: nothing is left to refund.']);
    const { body: without } = await refundByText(world, '{}', undefined, 'application/json');
    assert.match(JSON.stringify(without.errors), /send the header Idempotency-Key/);
  }
});

it('POST /orders/:orderId/refunds sends the money to the wallet that paid, and answers 202 with the refund', async (t) => {
  const world = await createPaid(t);
  const createdAt = new Date(world.now()).toISOString();
  const { status, body } = await refund(world, { amount: 4, note: 'One cup was cold' });
  assert.equal(status, 202);
  const { history, ...view } = body as { history: object[] };
  assert.deepEqual(view, {
    type: 'REFUND',
    orderId: 'A-1',
    gatewayOrderId: 'A-1-r1',
    refundOf: 'A-1',
    paymentId: '100002',
    amount: '4.00',
    currency: 'EUR',
    customer: PAYER,
    note: 'One cup was cold',
    metadata: null,
    status: 'PROCESSING',
    reason: null,
    needsReview: false,
    version: 3,
    createdAt,
    updatedAt: new Date(world.now()).toISOString(),
    reportedFailedAt: null,
    erasedAt: null,
  });
  assert.equal(history.length, 3);
  const order = (await world.merchant<{ refunds: object[]; refundable: object[] }>('GET', '/orders/A-1')).body;
  assert.deepEqual(order.refunds, [body]);
  assert.deepEqual(order.refundable, [{ gatewayOrderId: 'A-1', amount: '6.00' }]);
  await world.settleAfter('approve', 'A-1-r1');
  assert.deepEqual(world.webhooks(), ['payment.succeeded', 'refund.succeeded']);
  const { body: after } = await world.merchant('GET', '/transactions/A-1-r1');
  assert.deepEqual([after['type'], after['status']], ['REFUND', 'SUCCESS']);
});

it('the same key again is the stored refund, and nothing is sent twice; another body under it is refused', async (t) => {
  const world = await createPaid(t);
  const answers = await Promise.all(Array.from({ length: 6 }, () => refund(world, { amount: '4.00' })));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([202]));
  assert.equal((await world.gatewayHas('A-1-r1'))?.createRequests, 1);
  assert.equal(await world.gatewayHas('A-1-r2'), undefined);
  for (const changed of [{ amount: '5.00' }, { note: 'Other' }, { gatewayOrderId: 'A-1' }]) {
    const other = await refund<Problem>(world, { amount: '4.00', ...changed });
    assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused']);
  }
});

it('where the gateway takes no decimals, the order says the whole amount that can be sent back, as a 422 does', async (t) => {
  const world = await createWorld(t, { profile: { refundAs: WAYS } });
  await world.paid({ amount: '10.10' }, PAYER);
  const refused = await refund<Problem & { refundable: string }>(world);
  assert.deepEqual([refused.status, refused.body.refundable], [422, '10.00']);
  const { refundable } = (await world.merchant<{ refundable: object[] }>('GET', '/orders/A-1')).body;
  assert.deepEqual(refundable, [{ gatewayOrderId: 'A-1', amount: '10.00' }]);
  assert.equal((await refund(world, { amount: '10' }, 'key-2')).status, 202);
  const after = (await world.merchant<{ refundable: object[] }>('GET', '/orders/A-1')).body;
  assert.deepEqual(after.refundable, [], 'cents cannot be sent back');
});

it('names every wrong field and an order without payments; nothing is sent', async (t) => {
  const world = await createPaid(t);
  const wrong = await refund<Problem>(world, { amount: 1.5, note: '', gatewayOrderId: 'a b', customer: '1' });
  assert.equal(wrong.status, 400);
  assert.deepEqual(inWords(wrong.body.errors, 'field')?.toSorted(), ['amount', 'customer', 'gatewayOrderId', 'note']);
  assert.equal((await refund<Problem>(world, {}, 'key', 'B-1')).status, 404);
  assert.equal((await refund<Problem>(world, { gatewayOrderId: 'B-1' })).body.code, 'not_found');
  assert.equal(await world.gatewayHas('A-1-r1'), undefined);
});

it('409 not_refundable names the cause; a refund is typed as `refundAs` says', async (t) => {
  const bodies: string[] = [];
  const world = await createPaid(t, {
    wrapGateway: (gateway) => ({
      ...gateway,
      payout: (payout, headers) => {
        bodies.push(`${payout.transactionId} ${payout.refunds}`);
        return gateway.payout(payout, headers);
      },
    }),
  });
  for (const [orderId, method] of [
    ['B-1', 'JETGO'],
    ['C-1', 'CHECKOUT'],
  ] as const) {
    await world.start(world.token({ orderId, amount: '10.00' }), { method }, orderId);
    await world.settleAfter('approve', orderId, PAYER);
  }
  const { status, body } = await refund<Problem & { cause: string }>(world, {}, 'key', 'B-1');
  assert.deepEqual([status, body.code, body.cause, body.retryable], [409, 'not_refundable', 'method', false]);
  assert.equal((await refund(world, {}, 'key', 'C-1')).status, 202);
  assert.equal((await refund(world)).status, 202);
  assert.deepEqual(bodies, ['C-1-r1 CHECKOUT', 'A-1-r1 QR']);
});

it('after a restore the gateway is asked for refunds that were lost, and none is sent twice', async (t) => {
  const world = await createPaid(t);
  const first = await refund(world, { amount: 4 }, 'lost');
  await world.settleAfter('approve', 'A-1-r1');
  await loseRefund(world);
  const again = await refund(world, { amount: 4 }, 'lost');
  assert.deepEqual([again.status, again.body['gatewayOrderId']], [202, first.body['gatewayOrderId']]);
  assert.equal((await world.gatewayHas('A-1-r1'))?.createRequests, 1);
  await world.pass(10 * S);
  assert.equal((await world.merchant('GET', '/transactions/A-1-r1')).body['status'], 'SUCCESS');
  assert.equal((await refund(world, {}, 'rest')).status, 503, 'another one may be lost, and a status check may lag');
  await world.pass(10 * M);
  const rest = await refund(world, {}, 'rest');
  assert.deepEqual([rest.body['gatewayOrderId'], rest.body['amount']], ['A-1-r2', '6.00']);
  assert.equal((await world.gatewayHas('A-1-r2'))?.createRequests, 1, 'its "unknown" was proven');
});

it('after a restore the look-up goes on from each number that is found: only so many unknown in a row end it', async (t) => {
  let wire: Gateway | undefined;
  const world = await createPaid(t, { wrapGateway: (gateway) => (wire = gateway) });
  const found = [MAX_UNSEEN_IN_A_ROW, 2 * MAX_UNSEEN_IN_A_ROW];
  const terms = { amountMinor: 300, currency: 'EUR', customer: PAYER, note: null, refunds: 'QR' } as const;
  for (const n of found) await wire?.payout({ ...terms, transactionId: `A-1-r${n}` });
  await world.ledger.recordRestore(world.now());
  await world.pass(10 * M);
  const { body } = await refund(world);
  assert.deepEqual([body['amount'], body['gatewayOrderId']], ['4.00', `A-1-r${2 * MAX_UNSEEN_IN_A_ROW + 1}`]);
});

for (const [what, sent] of Object.entries({
  'in another currency': { currency: 'USD', customer: PAYER },
  'of no amount': { currency: 'EUR', customer: PAYER },
})) {
  it(`after a restore a refund that the gateway has ${what} stops the next: nothing is sent, and a person decides`, async (t) => {
    let wire: Gateway | undefined;
    const world = await createPaid(t, { wrapGateway: (gateway) => (wire = gateway) });
    await wire?.payout({ transactionId: 'A-1-r1', amountMinor: 300, note: null, refunds: 'QR', ...sent });
    await world.ledger.recordRestore(world.now());
    if (sent.currency === 'EUR') await world.faults({ status: { only: 'A-1-r1', tamper: { amount: null } } });
    const { body } = await refund(world);
    assert.deepEqual([body['status'], body['needsReview'], body['amount']], ['INITIALIZED', true, '10.00']);
    assert.equal(await world.gatewayHas('A-1-r2'), undefined);
  });
}

it('after a restore, a gateway that does not answer is asked no further: nothing is sent, and a person decides', async (t) => {
  const world = await createPaid(t);
  await world.ledger.recordRestore(NOON);
  await world.faults({ status: { status: 503 } });
  const { status, body } = await refund(world, { amount: 4 });
  assert.deepEqual([status, body['status'], body['needsReview']], [202, 'INITIALIZED', true]);
  assert.equal(await world.gatewayHas('A-1-r1'), undefined);
});

it('after a restore no refund is sent while nothing proves that the gateway does not know it: a person decides', async (t) => {
  const world = await createPaid(t);
  await world.ledger.recordRestore(world.now());
  await world.pass(10 * M);
  const { body } = await refund(world);
  assert.deepEqual([body['status'], body['needsReview']], ['INITIALIZED', true]);
  assert.equal(await world.gatewayHas('A-1-r1'), undefined);
});

it('after a restore, a number that was withheld is asked about again: what the gateway has of it counts', async (t) => {
  const world = await createPaid(t);
  await world.paid({ orderId: 'B-1', amount: '10.00' }, PAYER);
  await refund(world, {}, 'proof', 'B-1');
  await world.settleAfter('approve', 'B-1-r1');
  await refund(world, { amount: 8 }, 'lost');
  await loseRefund(world);
  await world.faults({ status: { status: 503 } });
  const other = await refund(world, { amount: 1 }, 'other');
  assert.deepEqual([other.body['gatewayOrderId'], other.body['needsReview']], ['A-1-r1', true]);
  await world.faults({});
  const rest = await refund(world, { amount: 9 }, 'rest');
  assert.deepEqual([rest.status, rest.body['needsReview']], [202, true]);
  assert.equal(await world.gatewayHas('A-1-r2'), undefined, '8.00 and 9.00 are more than 10.00');
});

it('POST /payouts answers 202 with the payout, which GET /payouts returns too', async (t) => {
  const world = await createWorld(t);
  const { status, body } = await world.merchant('POST', '/payouts', PAYOUT);
  assert.equal(status, 202);
  const { history, ...view } = body as { history: { event: string; source: string }[] };
  assert.deepEqual(view, {
    type: 'PAYOUT',
    orderId: 'P-1',
    gatewayOrderId: 'P-1',
    paymentId: '100001',
    amount: '50.00',
    currency: 'EUR',
    customer: '12345678',
    note: 'Thank you',
    status: 'PROCESSING',
    reason: null,
    needsReview: false,
    version: 3,
    createdAt: new Date(NOON).toISOString(),
    updatedAt: new Date(world.now()).toISOString(),
    reportedFailedAt: null,
    erasedAt: null,
  });
  const steps = history.map(({ event, source }) => [event, source]);
  assert.deepEqual(steps, [
    ['created', 'merchant'],
    ['sending', 'merchant'],
    ['pending', 'answer'],
  ]);
  assert.deepEqual((await world.merchant('GET', '/payouts/P-1')).body, body);
  assert.equal((await world.merchant('GET', '/payouts/P-2')).status, 404);
  assert.equal((await world.merchant('GET', '/payouts/%00')).status, 400);
});

it('POST /payouts with the same body again returns the stored payout, and nothing is sent twice', async (t) => {
  const world = await createWorld(t);
  const answers = await Promise.all(Array.from({ length: 6 }, () => world.merchant('POST', '/payouts', PAYOUT)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([202]));
  await world.merchant('POST', '/payouts', { ...PAYOUT, amount: '50' });
  assert.equal((await world.gatewayHas('P-1'))?.createRequests, 1);
});

it('POST /payouts needs a whole amount above 0, read from its source text and never as a float', async (t) => {
  const world = await createWorld(t);
  for (const amount of [
    ...words`
    0 -5 5.5 5.01 1e3 1E3 1.0000000000000000001 9007199254740993 10000000000000 "5.000" "1e3" "١٢" "" "0" null true
    [5] {}
  `,
    '" 5"',
  ]) {
    const body = JSON.stringify(PAYOUT).replace('50', amount);
    const refused = await world.merchant<Problem>('POST', '/payouts', body);
    assert.deepEqual([refused.status, refused.body.errors?.[0]?.field], [400, 'amount'], amount);
  }
  assert.equal(await world.gatewayHas('P-1'), undefined);
  for (const [orderId, amount, shown] of [
    ['P-2', '5', '5.00'],
    ['P-3', '"7"', '7.00'],
    ['P-5', '8.0', '8.00'],
    ['P-6', '"9.00"', '9.00'],
    ['P-4', '9999999999999', '9999999999999.00'],
  ] as const) {
    const body = JSON.stringify({ ...PAYOUT, orderId }).replace('50', amount);
    const { body: payout } = await world.merchant('POST', '/payouts', body);
    assert.equal(payout['amount'], shown);
    const again = JSON.stringify({ ...PAYOUT, orderId, amount: payout['amount'] });
    assert.deepEqual(
      await world.merchant('POST', '/payouts', again).then((answer) => answer.body),
      payout,
      'with the amount of the answer',
    );
  }
});

it('POST /payouts accepts decimals if the profile allows them', async (t) => {
  const world = await createWorld(t, { profile: { payoutDecimals: true } });
  await world.faults({ payout: { dropAnswer: true } });
  assert.equal((await world.merchant('POST', '/payouts', { ...PAYOUT, amount: '10.10' })).body['amount'], '10.10');
  for (const amount of ['10.101', '0.00', '1e1']) {
    const { body } = await world.merchant<Problem>('POST', '/payouts', { ...PAYOUT, orderId: 'P-2', amount });
    assert.deepEqual(body.errors, [
      { field: 'amount', detail: 'an amount above 0 of at most 13 digits and 2 decimals' },
    ]);
  }
});

it('POST /payouts names every invalid field and unknown key', async (t) => {
  const world = await createWorld(t);
  const wrong = { orderId: 'a b', amount: 5, currency: 'X', customer: '1', note: '', type: 'JETGO' };
  const { body } = await world.merchant<Problem>('POST', '/payouts', wrong);
  assert.deepEqual(body.errors?.map(({ field }) => field).toSorted(), words`currency customer note orderId type`);
  assert.equal((await world.merchant('POST', '/payouts', { ...PAYOUT, note: 'x'.repeat(201) })).status, 400);
  assert.equal((await world.merchant('POST', '/payouts', { ...PAYOUT, note: 'x'.repeat(200) })).status, 202);
});
