// POST /order/payments refused: each refusal with its code, and no call to the gateway.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { STARTS_PER_MINUTE } from '../../../backend-proxy/http/guards.ts';
import { createWorld, startHeaders } from '../world.ts';
import { DIRECT, creates } from './order-kit.ts';

it('a start after the order is paid is refused with 409, and nothing is sent', async (t) => {
  const world = await createWorld(t);
  const token = world.token();
  await world.start(token, { method: 'QR' });
  await world.settleAfter('approve', 'A-1');
  const { status, body } = await world.refused(token, { method: 'QR' });
  assert.deepEqual([status, body.code, body.retryable], [409, 'already_paid', false]);
  assert.equal(await world.gatewayHas('A-1-2'), undefined);
});

it('while a SUCCESS waits for a person, the view has nothing to pay with, and a start is refused with 409', async (t) => {
  const world = await createWorld(t, {
    wrapGateway: (gateway) => ({
      ...gateway,
      async pay(collection) {
        const sent = await gateway.pay(collection);
        return collection.transactionId === 'A-1' ? { kind: 'duplicate', detail: 'HTTP 409' } : sent;
      },
    }),
  });
  const token = world.token();
  await world.start(token, { method: 'QR' });
  assert.notEqual((await world.start(token, { method: 'QR' })).body.payment?.qr, null);
  await world.settleAfter('approve', 'A-1');
  const { paid, checking, payment } = await world.view(token);
  assert.deepEqual([paid, checking, payment?.status, payment?.qr], [false, true, 'PROCESSING', null]);
  const { status, body } = await world.refused(token, { method: 'QR' });
  assert.deepEqual([status, body.code, body.retryable], [409, 'payment_under_review', false]);
  await world.merchant('POST', '/transactions/A-1/resolve', { status: 'SUCCESS', by: 'ada', note: 'ours' });
  const after = await world.view(token);
  assert.deepEqual([after.paid, after.checking], [true, false]);
});

it('a start whose body sets the order, amount or currency of the token is refused', async (t) => {
  const world = await createWorld(t);
  for (const key of ['orderId', 'currency', 'amountMinor', 'returnUrl', 'exp', 'status', 'paid', 'constructor']) {
    const { status, body } = await world.refused(world.token(), { method: 'QR', [key]: 'A-2' });
    assert.deepEqual([status, body.errors], [400, [{ field: key, detail: 'unknown field' }]]);
  }
  const raw = '{"method":"QR","__proto__":{"amount":"0.01"}}';
  const headers = startHeaders(world.token());
  assert.equal((await world.request('POST', '/order/payments', { headers, body: raw })).status, 400);
  for (const body of [
    {},
    { method: 'qr' },
    { method: ['QR'] },
    { method: 'QR', amount: 10 },
    { method: 'QR', amount: '0.01' },
    { method: 'CHECKOUT', customer: 12345678 },
    [],
  ]) {
    assert.equal((await world.refused(world.token(), body)).status, 400, JSON.stringify(body));
  }
  assert.equal(await world.gatewayHas('A-1'), undefined);
});

it('a query, which could hold a token, is refused on every order route', async (t) => {
  const world = await createWorld(t);
  const headers = startHeaders(world.token());
  for (const [method, path] of [
    ['GET', '/order'],
    ['POST', '/order/payments'],
    ['GET', '/order/events'],
  ] as const) {
    const response = await world.request(method, `${path}?token=x`, {
      headers,
      ...(method === 'POST' && { body: '{"method":"QR"}' }),
    });
    assert.equal(response.status, 400, path);
  }
});

it('a start by a method that the token does not offer is refused with 422', async (t) => {
  const world = await createWorld(t);
  for (const [claims, method] of [
    [{ methods: ['QR'] }, 'CHECKOUT'],
    [{}, 'DIRECT'],
  ] as const) {
    const { status, body } = await world.refused(world.token(claims), { method, customer: '12345678' });
    assert.deepEqual([status, body.code, body.errors?.[0]?.field], [422, 'method_unavailable', 'method']);
  }
});

it('a start is refused after 5 payments of an order, 3 of them DIRECT', async (t) => {
  const world = await createWorld(t);
  const token = world.token(DIRECT);
  for (let n = 0; n < 3; n += 1) await world.start(token, { method: 'DIRECT' });
  const direct = await world.refused(token, { method: 'DIRECT' });
  assert.deepEqual([direct.status, direct.body.code, direct.body.retryable], [422, 'method_unavailable', false]);
  for (let n = 0; n < 2; n += 1) await world.start(token, { method: 'QR' });
  const any = await world.refused(token, { method: 'QR' });
  assert.deepEqual([any.status, any.body.code], [429, 'too_many_payments']);
  assert.deepEqual(await creates(world, 'A-1', 'A-1-5', 'A-1-6'), [1, 1, undefined]);
});

it('a start is refused after 30 from one address in a minute, with the time to wait', async (t) => {
  const world = await createWorld(t, { config: { trustedProxies: 1 } });
  const start = (address: string, n: number) =>
    world.request('POST', '/order/payments', {
      headers: {
        'X-Forwarded-For': address,
        'Content-Type': 'application/json',
        'Idempotency-Key': `k${n}`,
        Authorization: 'Bearer x',
      },
      body: '{"method":"QR"}',
    });
  assert.equal(STARTS_PER_MINUTE, 30);
  for (let n = 0; n < 30; n += 1) assert.equal((await start('8.8.8.8', n)).status, 401);
  world.skip(20_000);
  const refused = await start('8.8.8.8', 31);
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('retry-after'), '40');
  assert.equal(((await refused.json()) as { code: string }).code, 'too_many_requests');
  assert.equal((await start('8.8.4.4', 1)).status, 401, 'another address is free');
  world.skip(40_000);
  assert.equal((await start('8.8.8.8', 32)).status, 401);
});
