// The test world as a shop's tests use it: a payment, a webhook, a refund, faults, the clock, the journal.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { PaymentProxy, verifyWebhook } from '../../../backend-proxy/client.ts';
import { TestWorld, type TestWorldOptions } from '../../../demo/kit/test-world.ts';
import type { ReceivedWebhook } from '../../../demo/kit/webhook-inbox.ts';
import { freePort } from '../../free-port.ts';

const ORDER = { amount: '10.00', currency: 'EUR', returnUrl: 'http://localhost:3000/thanks' } as const;

async function open(t: TestContext, options: TestWorldOptions = {}) {
  const world = await TestWorld.open(options);
  t.after(() => world.close());
  return { world, client: new PaymentProxy({ url: world.url, key: world.env.MERCHANT_API_KEY }) };
}

describe('the test world', () => {
  it('starts within two seconds, pays without a browser, and tells the shop by a webhook', async (t) => {
    const { world, client } = await open(t);
    const token = await world.token({ ...ORDER, orderId: 'A-1' });
    const view = await world.shop({ token, method: 'QR', does: 'approve' });
    assert.equal(view.paid, true);
    const event = await world.webhooks.next('payment.succeeded', { orderId: 'A-1' });
    assert.equal(event.data.amount, '10.00');
    await client.refund('A-1', { key: 'R-1', amount: '4' });
    await world.advance(60_000);
    assert.equal((await world.webhooks.next('refund.succeeded')).data.amount, '4.00');
  });

  for (const method of ['DIRECT', 'CHECKOUT', 'JETGO', 'QR'] as const) {
    it(`a shopper declines by ${method}`, async (t) => {
      const { world } = await open(t, { clock: 'stopped' });
      const token = await world.token({ ...ORDER, orderId: 'A-1', customerReferenceNo: 'c-1' });
      const { payment } = await world.shop({ token, method, does: 'decline' });
      assert.deepEqual([payment?.status, payment?.reason], ['FAILED', 'DECLINED']);
    });
  }

  it("passes webhooks on to the shop's endpoint, signed by the real time, and answers as that does", async (t) => {
    const bodies: string[] = [];
    let answered = 0;
    const shop = createServer((request, response) => {
      request.setEncoding('utf8').on('data', (text: string) => bodies.push(text));
      const answer = () => {
        response.writeHead(bodies.length === 1 ? 500 : 204).end();
        answered += 1;
      };
      request.on('end', () => setTimeout(answer, 100));
    });
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
    t.after(() => shop.close());
    const { port } = shop.address() as { port: number };
    const { world } = await open(t, { webhookUrl: `http://127.0.0.1:${port}/hooks`, clock: 'stopped' });
    const token = await world.token({ ...ORDER, orderId: 'A-1' });
    const paying = world.shop({ token, method: 'QR', does: 'approve' });
    await world.webhooks.next('payment.succeeded');
    assert.equal(answered, 1, 'next() waits for the answer of the shop');
    await paying;
    await world.advance(10_000);
    assert.deepEqual([bodies.length, new Set(bodies).size], [2, 1]);
  });

  it('says once that nothing listens at the webhook URL, and in each answer', async (t) => {
    const webhookUrl = `http://127.0.0.1:${await freePort()}/hook`;
    const said = t.mock.method(console, 'error', () => undefined);
    const { world } = await open(t, { webhookUrl, clock: 'stopped' });
    await world.shop({ token: await world.token({ ...ORDER, orderId: 'A-1' }), method: 'QR', does: 'approve' });
    await world.advance(10_000);
    const answers = world.journal.entries.filter(({ to }) => to === 'receiver').map(({ answer }) => answer);
    const why = `Nothing listens at ${webhookUrl} (ECONNREFUSED).`;
    assert.deepEqual(answers, [why, why]);
    assert.deepEqual(
      said.mock.calls.map(({ arguments: [text] }) => text as string),
      [`payment-sandbox: ${why}`],
    );
  });

  it('begins again after a reset, and the same seed makes the same codes', async (t) => {
    const { world, client } = await open(t, { seed: 7, clock: 'stopped' });
    const code = async () => {
      const view = await world.shop({
        token: await world.token({ ...ORDER, orderId: 'A-1' }),
        method: 'QR',
        does: 'nothing',
      });
      return view.payment?.qr;
    };
    const first = await code();
    await world.reset();
    assert.equal(await client.order('A-1'), null);
    assert.deepEqual(await code(), first);
    assert.equal(world.webhooks.all.length, 0);
  });

  it('has the same controls for every language', async (t) => {
    const { world } = await open(t, { clock: 'stopped' });
    const post = async (path: string, body: object) => {
      const init = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
      const response = await fetch(`${world.gatewayUrl}/_sandbox/${path}`, init);
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const token = await world.token({ ...ORDER, orderId: 'A-1' });
    const paid = await post('shopper', { token, method: 'QR', does: 'approve' });
    assert.equal(paid.body['paid'], true, JSON.stringify(paid.body));
    assert.equal((await post('clock', { advanceMs: 60_000 })).status, 200);
    const elsewhere = await world.token({ ...ORDER, orderId: 'A-2', returnUrl: 'https://shop.example/' });
    const shopping = { token, method: 'QR', does: 'approve' };
    for (const [path, status, body, says] of [
      ['clock', 400, { advanceMs: -1 }, /advanceMs: .*>=0/],
      ['clock', 400, { advance: 1 }, /advanceMs: .*expected number.* takes advanceMs/],
      ['shopper', 400, { ...shopping, method: 'CARD' }, /method: .*DIRECT.*CHECKOUT.*JETGO.*QR/],
      ['shopper', 400, { ...shopping, coupon: 1 }, /takes token, method, customer, amount, does/],
      ['shopper', 404, { ...shopping, customer: '99' }, /customer: one of 12345678, 23456789/],
      ['shopper', 401, { ...shopping, token: elsewhere }, /returnUrl: a URL whose origin is on loopback/],
      ['faults', 400, { pay: { explode: true } }, /pay: takes only, delayMs, status/],
      ['reset', 400, { hard: true }, /takes no field/],
      ['restart', 404, {}, /GET \/_sandbox\/journal.*POST \/_sandbox\/faults/],
      ['journal', 405, {}, /takes GET/],
    ] as const) {
      const refused = await post(path, body);
      assert.equal(refused.status, status, path);
      assert.match(JSON.stringify(refused.body), says);
    }
    assert.match(await (await fetch(`${world.gatewayUrl}/_sandbox/clock`)).text(), /It takes POST\./);
    const { webhooks } = (await (await fetch(`${world.gatewayUrl}/_sandbox/webhooks`)).json()) as {
      webhooks: readonly ReceivedWebhook[];
    };
    for (const { body, headers } of webhooks) await verifyWebhook(body, headers, world.env.WEBHOOK_SECRET);
    assert.deepEqual(webhooks, world.webhooks.all);
    const journal = await (await fetch(`${world.gatewayUrl}/_sandbox/journal`)).json();
    assert.ok((journal as { journal: unknown[] }).journal.length > 3);
    assert.equal((await post('reset', {})).status, 200);
  });

  it('does not start with NODE_ENV=production, on a port that is taken, nor with a webhook URL elsewhere', async (t) => {
    const { world } = await open(t);
    const taken = Number(new URL(world.url).port);
    const outside = TestWorld.open({ webhookUrl: 'https://shop.example/hook' });
    await assert.rejects(outside, /webhookUrl: an http or https URL on loopback/);
    await assert.rejects(TestWorld.open({ ports: { proxy: taken, gateway: 0 } }), /EADDRINUSE/);
    t.after(() => delete process.env.NODE_ENV);
    process.env.NODE_ENV = 'production';
    await assert.rejects(TestWorld.open(), /does not run with NODE_ENV=production/);
  });
});
