// POST /orders and GET /orders/{orderId}: the token for an order, and the payments of an order.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Problem } from '../../../backend-proxy/protocol/wire.ts';
import { NOON } from '../time.ts';
import { createWorld } from '../world.ts';
import { ORDER } from './merchant-kit.ts';

it('POST /orders answers 201 with a token that can pay the order, and its expiry', async (t) => {
  const world = await createWorld(t);
  const { status, body } = await world.merchant<{ token: string }>('POST', '/orders', { ...ORDER, expiresIn: 600 });
  assert.equal(status, 201);
  assert.deepEqual(
    { ...body, token: '' },
    { orderId: 'A-1', token: '', expiresAt: new Date(NOON + 600_000).toISOString(), url: null },
  );
  assert.equal((await world.start(body.token, { method: 'QR' })).status, 201);
  world.skip(600_000);
  assert.equal((await world.refused(body.token, { method: 'QR' })).body.code, 'token_expired');
});

it('POST /orders issues a token for an hour by default, and for a minute to a day on request', async (t) => {
  const world = await createWorld(t);
  const expires = async (expiresIn?: unknown) =>
    (
      await world.merchant<{ expiresAt?: string }>('POST', '/orders', {
        ...ORDER,
        ...(expiresIn !== undefined && { expiresIn }),
      })
    ).body.expiresAt;
  assert.equal(await expires(), new Date(NOON + 3_600_000).toISOString());
  assert.equal(await expires(60), new Date(NOON + 60_000).toISOString());
  assert.equal(await expires(86_400), new Date(NOON + 86_400_000).toISOString());
  for (const wrong of [59, 86_401, 600.5, '600', null]) assert.equal(await expires(wrong), undefined, String(wrong));
});

it('POST /orders names every invalid field and unknown key', async (t) => {
  const world = await createWorld(t);
  const wrong = {
    ...ORDER,
    orderId: '',
    currency: 'eur',
    customer: 'x',
    language: 'EN',
    exp: 1,
    status: 'paid',
    expiresIn: 86_401,
    methods: ['QR', 'qr'],
  };
  const { status, body } = await world.merchant<Problem>('POST', '/orders', wrong);
  assert.deepEqual([status, body.code], [400, 'invalid_request']);
  assert.deepEqual(Object.fromEntries(body.errors?.map(({ field, detail }) => [field, detail]) ?? []), {
    orderId: '1 to 64 printable ASCII characters, no spaces, not . or ..',
    currency: 'an ISO 4217 code in upper case',
    customer: 'a string of 4 to 20 digits',
    language: 'an ISO 639-1 code in lower case',
    expiresIn: 'a whole number of seconds, 60 to 86400',
    'methods.1': 'one of DIRECT, CHECKOUT, JETGO, QR',
    exp: 'unknown field',
    status: 'unknown field',
  });
  const terms = await world.merchant<Problem>('POST', '/orders', {
    ...ORDER,
    amount: '1e3',
    returnUrl: 'https://evil.example/',
    methods: ['DIRECT'],
  });
  const fields = terms.body.errors?.map(({ field }) => field);
  assert.deepEqual(fields, ['amount', 'returnUrl', 'customerReferenceNo']);
});

it('GET /orders lists all payments of an order, oldest first, with their history', async (t) => {
  const world = await createWorld(t);
  const token = world.token({ customer: '12345678' });
  await world.start(token, { method: 'CHECKOUT' });
  world.skip(1000);
  await world.start(token, { method: 'QR' });
  interface Body {
    payments: { gatewayOrderId: string; history: { event: string; source: string }[]; customer: string | null }[];
  }
  const { body } = await world.merchant<Body>('GET', '/orders/A-1');
  const { payments, ...order } = body;
  assert.deepEqual(order, {
    orderId: 'A-1',
    amount: '10.10',
    currency: 'EUR',
    paid: false,
    closed: false,
    closedAt: null,
    closeReason: null,
    metadata: null,
    refunds: [],
    refundable: [],
  });
  assert.deepEqual(
    payments.map(({ gatewayOrderId, customer, history }) => [
      gatewayOrderId,
      customer,
      history.map(({ event, source }) => `${event} by ${source}`),
    ]),
    [
      ['A-1', '12345678', ['created by shopper', 'sending by shopper', 'pending by answer', 'replaced by shopper']],
      ['A-1-2', null, ['created by shopper', 'sending by shopper', 'pending by answer']],
    ],
  );
});

it('GET /orders is 404 for an order that was never started, and 400 for an invalid id', async (t) => {
  const world = await createWorld(t);
  assert.equal((await world.merchant('GET', '/orders/nothing')).status, 404);
  for (const id of ['a%20b', '%00', 'x'.repeat(65), '%D9%A1'])
    assert.equal((await world.merchant('GET', `/orders/${id}`)).status, 400, id);
});
