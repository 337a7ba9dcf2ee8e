// Webhooks: signed as the `standardwebhooks` library verifies, retried by the documented schedule with the same id
// and body, and never sent to a private network.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import type { Ledger } from '../../backend-proxy/ledger/ledger.ts';
import type { Delivery, Webhook } from '../../backend-proxy/ledger/model.ts';
import { MAX_WEBHOOK_WAIT_MS } from '../../backend-proxy/ledger/queries/webhooks.ts';
import { WEBHOOKS } from '../../backend-proxy/protocol/merchant-view.ts';
import { RETRY_AFTER_MS, createWebhookSender, deliveryOf } from '../../backend-proxy/use-cases/webhooks.ts';
import { assertDocumentedWebhook, type OpenApi } from './documented.ts';
import { SECRETS, createWorld, type World } from './world.ts';
import { S, M, H } from './time.ts';
import { serveOnLoopback } from '../loopback.ts';
import { inWords } from './in-words.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const answered = (status: number, retryAfter?: string) => ({ status, retryAfter });

const after = (attempts: number, answer: Parameters<typeof deliveryOf>[1], random = 0.5) => {
  const delivery = deliveryOf(attempts, answer, NOW, () => random);
  return 'afterMs' in delivery ? delivery.afterMs : delivery.state;
};

it('a webhook is delivered by any 2xx and by no other status', () => {
  for (const status of [200, 201, 202, 204, 299]) {
    assert.deepEqual(
      deliveryOf(1, answered(status), NOW, () => 0.5),
      { state: 'delivered', answer: `HTTP ${status}` },
    );
  }
  for (const status of [100, 199, 300, 301, 302, 307, 304, 400, 401, 404, 409, 429, 500, 503]) {
    assert.equal(after(1, answered(status)), 5 * S, String(status));
  }
});

it('a webhook is retried after 5 s, 5 m, 30 m, 2, 5, 10, 14, 20 and 24 h, and then it is dead', () => {
  const waits = [5 * S, 5 * M, 30 * M, 2 * H, 5 * H, 10 * H, 14 * H, 20 * H, 24 * H];
  assert.deepEqual(RETRY_AFTER_MS, waits);
  assert.deepEqual(
    waits.map((_, at) => after(at + 1, answered(500))),
    waits,
  );
  assert.deepEqual(
    waits.map((_, at) => after(at + 1, { lost: 'ECONNREFUSED' })),
    waits,
  );
  assert.deepEqual(
    deliveryOf(10, answered(500), NOW, () => 0.5),
    { state: 'dead', answer: 'HTTP 500' },
  );
  assert.deepEqual(
    deliveryOf(10, { lost: 'ETIMEDOUT' }, NOW, () => 0.5),
    { state: 'dead', answer: 'ETIMEDOUT' },
  );
  assert.equal(after(10, answered(200)), 'delivered');
});

it('a webhook retry varies by up to a fifth, so that many do not coincide', () => {
  assert.equal(after(2, answered(500), 0), 0.8 * 5 * M);
  assert.equal(after(2, answered(500), 1), 1.2 * 5 * M);
  assert.equal(after(2, answered(500), 0.75), 1.1 * 5 * M);
});

it('no webhook waits so long that its retry counts as planned by another clock', () => {
  for (const at of RETRY_AFTER_MS.keys()) {
    for (const answer of [answered(500), answered(503, '999999999')]) {
      const wait = after(at + 1, answer, 1);
      assert.ok(typeof wait === 'number' && wait < MAX_WEBHOOK_WAIT_MS, `${at}: ${wait}`);
    }
  }
});

it('a webhook answered 410 is dead at once', () => {
  assert.deepEqual(
    deliveryOf(1, answered(410), NOW, () => 0.5),
    { state: 'dead', answer: 'HTTP 410' },
  );
});

it('a webhook retry follows Retry-After, in seconds or as a date, within the planned wait and a day', () => {
  assert.equal(after(1, answered(503, '120')), 120 * S);
  assert.equal(after(1, answered(503, '1')), 5 * S);
  assert.equal(after(1, answered(503, String(25 * 3600))), 24 * H);
  assert.equal(after(1, answered(503, '999999999')), 24 * H);
  assert.equal(after(1, answered(503, new Date(NOW + 90 * S).toUTCString())), 90 * S);
  assert.equal(after(1, answered(503, new Date(NOW - 90 * S).toUTCString())), 5 * S);
  assert.equal(after(1, answered(503, new Date(NOW + 90 * H).toUTCString())), 24 * H);
  for (const nonsense of ['', 'soon', '1e9', '0x10', '-5'])
    assert.equal(after(1, answered(503, nonsense)), 5 * S, nonsense);
  assert.equal(after(9, answered(429, '60')), 24 * H);
  assert.equal(after(10, answered(503, '60')), 'dead');
});

it('a webhook does not follow a redirect', async (t) => {
  const asked: string[] = [];
  const { url, close } = await serveOnLoopback((incoming, response) => {
    asked.push(incoming.url ?? '');
    response.writeHead(307, { location: '/elsewhere' }).end();
  });
  t.after(close);
  const due = [{ id: 'msg_1', body: '{}', attempts: 1 } as Webhook];
  const answers: string[] = [];
  const ledger = {
    claimWebhooks: async () => due.splice(0),
    recordDelivery: async (_webhook: unknown, { answer }: Delivery) => answers.push(answer) > 0,
  } as unknown as Ledger;
  const sender = createWebhookSender({ ledger, target: { url: `${url}/hooks`, secrets: [SECRETS.webhook] } }, (error) =>
    assert.fail(String(error)),
  );
  await sender.tick();
  assert.deepEqual([asked, answers], [['/hooks'], ['HTTP 307']]);
});

async function paid(world: World, orderId: string): Promise<void> {
  await world.paid({ orderId });
}

it("a webhook has the merchant's view of a payment, with a signature that the merchant's library verifies", async (t) => {
  const world = await createWorld(t, { webhooks: true });
  await paid(world, 'A-1');
  const [webhook, ...others] = world.receiver.received;
  assert.ok(webhook);
  assert.deepEqual(others, []);
  assert.equal(webhook.payload.type, 'payment.succeeded');
  assert.equal(webhook.payload.timestamp, new Date(world.now()).toISOString());
  const { data } = webhook.payload;
  assert.deepEqual(
    [data['orderId'], data['gatewayOrderId'], data['status'], data['amount'], data['currency']],
    ['A-1', 'A-1', 'SUCCESS', '10.10', 'EUR'],
  );
  const { body: order } = await world.merchant<{ payments: unknown[] }>('GET', '/orders/A-1');
  assert.deepEqual(order.payments, [data], 'the same view as over the API');
  const document = (await (await world.proxy.app.request('/openapi.json')).json()) as OpenApi;
  assertDocumentedWebhook(document, webhook.payload);
  assert.deepEqual(Object.keys(document.webhooks), Object.keys(WEBHOOKS));
  assert.match(webhook.id, /^msg_[0-9a-f]{40}$/);
  assert.equal(webhook.headers['content-type'], 'application/json');
  assert.equal(webhook.headers['webhook-timestamp'], String(Math.floor(world.now() / 1000)));
});

it('a payment.succeeded after a review says that it is needed, and no other follows once a person agrees', async (t) => {
  const world = await createWorld(t, { webhooks: true });
  await world.start(world.token(), { method: 'QR' });
  await world.faults({ status: { tamper: { amount: 0.01 } }, times: 1 });
  await world.settleAfter('approve', 'A-1');
  await world.pass(M);
  const sent = () => world.receiver.received.map(({ payload: { type, data } }) => [type, data['needsReview']]);
  const expected = [
    ['payment.mismatch', true],
    ['payment.needs_review', true],
    ['payment.succeeded', true],
  ];
  assert.deepEqual(sent(), expected);
  await world.merchant('POST', '/transactions/A-1/resolve', { status: 'SUCCESS', by: 'Ada', note: 'it came' });
  await world.pass(M);
  assert.deepEqual(sent(), expected);
  const { body } = await world.merchant<{ payments: object[] }>('GET', '/orders/A-1');
  assert.partialDeepStrictEqual(body.payments, [{ status: 'SUCCESS', needsReview: false, reason: null }]);
});

it('a webhook with one changed byte fails verification', async (t) => {
  const world = await createWorld(t, { webhooks: true });
  await paid(world, 'A-1');
  const { body, headers } = world.receiver.received[0]!;
  const verifier = new Verifier(SECRETS.webhook);
  t.mock.timers.enable({ apis: ['Date'], now: world.now() });
  assert.doesNotThrow(() => verifier.verify(body, headers));
  assert.throws(() => verifier.verify(body.replace('10.10', '10.11'), headers));
  assert.throws(() => verifier.verify(body, { ...headers, 'webhook-id': 'msg_other' }));
});

it('a webhook is signed by each secret, so that one can be rotated without a gap', async (t) => {
  const other = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
  const world = await createWorld(t, { webhooks: true });
  const target = world.receiver.url;
  const both = await createWorld(t, { config: { webhook: { url: target, secrets: [other, SECRETS.webhook] } } });
  await paid(both, 'A-1');
  const { headers, body } = world.receiver.received[0]!;
  assert.equal(headers['webhook-signature']?.split(' ').length, 2);
  t.mock.timers.enable({ apis: ['Date'], now: both.now() });
  for (const secret of [other, SECRETS.webhook]) new Verifier(secret).verify(body, headers);
});

it('a webhook is resent with the same id and body and a new timestamp until it is answered 2xx', async (t) => {
  const world = await createWorld(t, { webhooks: true });
  world.receiver.answers = [500, 'cut', { status: 503, headers: { 'retry-after': '3600' } }, 302, 204];
  await paid(world, 'A-1');
  await world.pass(4 * H);
  const { received } = world.receiver;
  assert.equal(received.length, 5);
  assert.equal(new Set(received.map(({ id, body }) => id + body)).size, 1);
  assert.equal(new Set(received.map(({ headers }) => headers['webhook-signature'])).size, 5);
  const waits = received.slice(1).map(({ at }, n) => at - received[n]!.at);
  const planned = [5 * S, 5 * M, H, 2 * H];
  waits.forEach((wait, n) => assert.ok(Math.abs(wait - planned[n]!) <= planned[n]! * 0.2 + 1, `${n}: ${wait}`));
  assert.equal(waits[2], H, 'as Retry-After asked');
  const { body } = await world.merchant<{ webhooks: { state: string; attempts: number; lastAnswer: string }[] }>(
    'GET',
    '/webhooks',
  );
  const shown = body.webhooks.map(({ state, attempts, lastAnswer }) => [state, attempts, lastAnswer]);
  assert.deepEqual(shown, [['delivered', 5, 'HTTP 204']]);
});

it('a webhook is dead after ten attempts, is listed, and can be sent again', async (t) => {
  const world = await createWorld(t, { webhooks: true });
  world.receiver.answers = [500];
  await paid(world, 'A-1');
  await world.pass(110 * H);
  assert.equal(world.receiver.received.length, 10);
  interface List {
    webhooks: { id: string; state: string; attempts: number; nextAttemptAt: string | null; orderId: string }[];
  }
  const dead = (await world.merchant<List>('GET', '/webhooks?state=dead')).body.webhooks;
  assert.deepEqual(inWords(dead, 'orderId', 'state', 'attempts', 'nextAttemptAt'), ['A-1 dead 10 null']);
  world.receiver.answers = [200];
  const { status, body } = await world.merchant('POST', `/webhooks/${dead[0]!.id}/redeliver`);
  assert.deepEqual([status, body['state'], body['attempts']], [202, 'pending', 0]);
  await world.settle();
  assert.equal(world.receiver.received.length, 11);
  assert.equal(new Set(world.receiver.received.map(({ body: bytes }) => bytes)).size, 1);
  assert.deepEqual((await world.merchant<List>('GET', '/webhooks?state=dead')).body.webhooks, []);
  assert.equal((await world.merchant<List>('GET', '/webhooks?state=delivered')).body.webhooks.length, 1);
});

it('webhooks are stored if no endpoint is configured', async (t) => {
  const world = await createWorld(t);
  await paid(world, 'A-1');
  assert.deepEqual(world.rows('select state, attempts from webhooks'), [{ state: 'pending', attempts: 0 }]);
});
