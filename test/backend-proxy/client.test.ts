// The merchant's client against the real proxy: its types are those of the OpenAPI document, it has a method for each
// merchant route, and it repeats only what is safe to repeat.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { z } from 'zod';
import {
  PaymentProxy,
  PaymentProxyError,
  WebhookError,
  signOrder,
  verifyWebhook,
  type Delivery,
  type NewOrder,
  type Payment,
  type Payout,
  type Refund,
  type Transaction,
  type UnmatchedIpn,
  type WebhookEvent,
} from '../../backend-proxy/client.ts';
import type {
  ipnSchema,
  paymentSchema,
  payoutSchema,
  refundSchema,
  webhookSchema,
} from '../../backend-proxy/routes/merchant-schemas.ts';
import type { WebhookType } from '../../backend-proxy/protocol/merchant-view.ts';
import type { OrderClaims } from '../../backend-proxy/protocol/wire.ts';
import { createOrderTokens } from '../../backend-proxy/orders/order-token.ts';
import { SECRETS, SHOP, createWorld, readDocument, type World } from './world.ts';

/** `true` only for equal types, so that a row of `SAME` does not compile where two differ. */
type Same<One, Other> = [One, Other] extends [Other, One] ? true : never;
const SAME = {
  payment: true satisfies Same<Payment, z.infer<typeof paymentSchema>>,
  payout: true satisfies Same<Payout, z.infer<typeof payoutSchema>>,
  refund: true satisfies Same<Refund, z.infer<typeof refundSchema>>,
  delivery: true satisfies Same<Delivery, z.infer<typeof webhookSchema>>,
  ipn: true satisfies Same<UnmatchedIpn, z.infer<typeof ipnSchema>>,
  webhooks: true satisfies Same<WebhookEvent['type'], WebhookType>,
  claims: true satisfies Same<keyof NewOrder, Exclude<keyof OrderClaims, 'iat' | 'exp'> | 'expiresIn'>,
};

const URL_OF_PROXY = 'https://pay.example/pay';
const ORDER = { orderId: 'A-1', amount: '10.10', currency: 'EUR', returnUrl: `${SHOP}/thanks` } as const;
const REFUND_AS = { DIRECT: 'no', CHECKOUT: 'no', JETGO: 'no', QR: 'JETGO' };
const REFUSED = { code: 'payment_open', detail: 'A payment is under way.', retryable: true, requestId: 'r-1' };

/** The client of a world's proxy. */
function clientOf(world: World): PaymentProxy {
  const send: typeof fetch = (url, init = {}) => {
    const { pathname, search } = new URL(url as string);
    return world.request(init.method ?? 'GET', pathname.replace(/^\/pay/, '') + search, init);
  };
  return new PaymentProxy({ url: `${URL_OF_PROXY}/`, key: SECRETS.merchant, fetch: send });
}

/** A client that gets these answers in turn; `calls` has what it asked, `waits` how long it waited in between. */
function clientThatGets(...answers: (Response | Error)[]) {
  const calls: string[] = [];
  const waits: number[] = [];
  const send: typeof fetch = (url, { method = '' } = {}) => {
    calls.push(`${method} ${new URL(url as string).pathname}`);
    const answer = answers.shift() ?? Response.json({});
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const wait = (ms: number) => Promise.resolve(void waits.push(ms));
  return { client: new PaymentProxy({ url: 'https://pay.example', key: 'k', fetch: send, wait }), calls, waits };
}

const refused = (status: number, problem: object, headers = {}) => Response.json(problem, { status, headers });

it('has the types of the OpenAPI document', () => {
  assert.equal(Object.values(SAME).length, 7);
});

it('signs an order that the proxy accepts, in each language', async (t) => {
  const world = await createWorld(t);
  const order = { ...ORDER, description: 'Ein Päckchen für 10,10 €, 日本', expiresIn: 600 };
  const view = await world.view(await signOrder(order, `${SECRETS.order},an-older-one`, world.now()));
  assert.deepEqual([view.orderId, view.amount, view.description], ['A-1', '10.10', order.description]);
});

for (const [what, order, secret, says] of [
  ['with a short secret', ORDER, 'short', /^The secret needs at least 32 bytes/],
  ['without a secret', ORDER, undefined, /^The secret needs at least 32 bytes/],
  ['an amount that is a number', { ...ORDER, amount: 10.1 }, SECRETS.order, /^amount: a string/],
  ['no currency', { ...ORDER, currency: undefined }, SECRETS.order, /^currency: a string/],
] as const) {
  it(`does not sign ${what}`, async () => {
    await assert.rejects(signOrder(order as never, secret as string), { name: 'TypeError', message: says });
  });
}

it('follows an order from its token to its refund, and verifies the webhooks', async (t) => {
  const world = await createWorld(t, { webhooks: true, profile: { refundAs: REFUND_AS } });
  const client = clientOf(world);
  assert.equal(await client.order('A-1'), null);
  const { token } = await client.createOrder({ ...ORDER, metadata: { cart: '7' } });
  await world.start(token, { method: 'QR' });
  await world.settleAfter('approve', 'A-1', '23456789');
  const order = await client.order('A-1');
  assert.deepEqual([order?.paid, order?.refundable], [true, [{ gatewayOrderId: 'A-1', amount: '10.00' }]]);

  const refund = await client.refund('A-1', { key: 'R-1', amount: '4' });
  assert.equal((await client.refund('A-1', { key: 'R-1', amount: '4' })).gatewayOrderId, refund.gatewayOrderId);
  await world.pass(60_000);
  const listed: Transaction[] = [];
  for await (const transaction of client.transactions({ orderId: 'A-1' })) listed.push(transaction);
  assert.deepEqual(listed.map(({ type, status }) => `${type} ${status}`).toSorted(), ['PAY SUCCESS', 'REFUND SUCCESS']);

  const events: WebhookEvent[] = [];
  for (const { body, headers, at } of world.receiver.received) {
    events.push(await verifyWebhook(body, headers, SECRETS.webhook, at));
  }
  const [paid, sentBack] = events;
  assert.deepEqual([paid?.type, sentBack?.type], ['payment.succeeded', 'refund.succeeded']);
  assert.equal(paid?.type === 'payment.succeeded' && paid.data.metadata?.['cart'], '7');
});

it('says why the proxy refused, and repeats nothing that is final', async (t) => {
  const client = clientOf(await createWorld(t));
  await assert.rejects(client.createOrder({ ...ORDER, currency: 'eur' }), (error: PaymentProxyError) => {
    assert.deepEqual([error.code, error.status, error.retryable], ['invalid_request', 400, false]);
    assert.equal(error.errors[0]?.field, 'currency');
    return error.requestId !== null;
  });
});

it('has a method for each merchant route', async (t) => {
  const { paths } = (await readDocument((await createWorld(t)).proxy)) as unknown as {
    paths: Record<string, Record<string, { security?: object[] }>>;
  };
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { security = [] }]) => security.some((by) => 'merchantKey' in by))
      .map(([method]) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, 'X')}`),
  );
  const { client, calls } = clientThatGets();
  await client.createOrder(ORDER);
  await client.order('X');
  await client.closeOrder('X');
  await client.erase('X');
  await client.refund('X', { key: 'k' });
  await client.sendPayout({ orderId: 'X', amount: 1, currency: 'EUR', customer: '12345678' });
  await client.payout('X');
  await client.transaction('X');
  await client
    .transactions()
    .next()
    .catch(() => undefined);
  await client.resolve('X', { status: 'SUCCESS', by: 'Ada', note: 'Seen in the statement' });
  await client.webhooks();
  await client.webhook('X');
  await client.redeliver('X');
  await client.unmatchedIpns();
  assert.deepEqual(calls.toSorted(), routes.filter((route) => route !== 'GET /metrics').toSorted());
});

it('repeats twice what is safe to repeat, and waits as long as the proxy asks', async () => {
  const { client, calls, waits } = clientThatGets(
    new TypeError('fetch failed'),
    refused(503, { ...REFUSED, code: 'unavailable' }, { 'retry-after': '5' }),
    refused(502, {}),
  );
  await assert.rejects(client.refund('A-1', { key: 'k' }), { code: 'unreachable', status: 502, retryable: true });
  assert.deepEqual([calls.length, waits], [3, [500, 5_000]]);
});

for (const [what, answer, call] of [
  ['a redelivery', new TypeError('fetch failed'), (client: PaymentProxy) => client.redeliver('X')],
  [
    'what the proxy refuses for good',
    refused(409, { ...REFUSED, retryable: false }),
    (client: PaymentProxy) => client.closeOrder('X'),
  ],
  [
    'what has to wait for a minute',
    refused(409, REFUSED, { 'retry-after': '60' }),
    (client: PaymentProxy) => client.closeOrder('X'),
  ],
] as const) {
  it(`does not repeat ${what}`, async () => {
    const { client, calls } = clientThatGets(answer);
    await assert.rejects(call(client), PaymentProxyError);
    assert.equal(calls.length, 1);
  });
}

it('imports nothing', () => {
  assert.doesNotMatch(readFileSync('backend-proxy/client.ts', 'utf8'), /^import|require\(|\bprocess\b|\bBuffer\b/m);
});

interface Vectors {
  now: number;
  orderSecret: string;
  webhookSecret: string;
  tokens: { name: string; token: string; valid: boolean }[];
  webhooks: { name: string; body: string; headers: Record<string, string>; secret?: string; valid: boolean }[];
}

for (const secrets of [undefined, []]) {
  it(`verifies no webhook with ${JSON.stringify(secrets)} as its secrets`, async () => {
    const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': '0', 'webhook-signature': 'v1,' };
    await assert.rejects(verifyWebhook('{}', headers, secrets as string[]), TypeError);
  });
}

describe('docs/vectors.json', () => {
  const { now, orderSecret, webhookSecret, tokens, webhooks } = JSON.parse(
    readFileSync('docs/vectors.json', 'utf8'),
  ) as Vectors;

  for (const { name, token, valid } of tokens) {
    it(`the proxy ${valid ? 'accepts' : 'refuses'} the token "${name}"`, async () => {
      const verifier = createOrderTokens([orderSecret], { allowedOrigins: [SHOP] }, () => now * 1000);
      const verified = await verifier.verify(token).then(
        () => true,
        () => false,
      );
      assert.equal(verified, valid);
    });
  }

  for (const { name, body, headers, secret, valid } of webhooks) {
    it(`verifyWebhook() ${valid ? 'accepts' : 'refuses'} the webhook "${name}"`, async () => {
      if (secret !== undefined) return assert.rejects(verifyWebhook(body, headers, secret, now * 1000), TypeError);
      const verified = await verifyWebhook(body, headers, webhookSecret, now * 1000).then(
        () => true,
        (error: unknown) => (error instanceof WebhookError ? false : Promise.reject(error as Error)),
      );
      assert.equal(verified, valid);
    });
  }
});
