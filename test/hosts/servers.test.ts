// The proxy's npm package inside a merchant's own server: Express, Fastify, Hono, Node, Bun and Deno, each with the
// proxy under /pay and a route of the merchant's own that takes JSON.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, it } from 'node:test';
import type { OrderView, Problem } from '../../backend-proxy/protocol/wire.ts';
import { SECRETS, SHOP } from '../backend-proxy/world.ts';
import { createRunningClock } from '../faults/manual-clock.ts';
import { startGateway } from '../faults/sandbox-gateway.ts';
import { installProxy } from './installed-proxy.ts';
import { Shop, type RUNTIMES } from './server.ts';

const [installed, gateway] = await Promise.all([
  installProxy(),
  startGateway({ clock: createRunningClock(), apiKey: SECRETS.gatewayKey }),
]);
after(() => gateway.close());

/** The data of a stream's messages, as they come. */
async function* viewsOf(response: Response): AsyncGenerator<OrderView> {
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const messages = text.split('\n\n');
    text = messages.pop() ?? '';
    for (const message of messages) {
      const data = /^data: (.*)$/m.exec(message)?.[1];
      if (data !== undefined) yield JSON.parse(data) as OrderView;
    }
  }
}

const HOSTS: Record<string, keyof typeof RUNTIMES> = {
  express: 'node',
  fastify: 'node',
  hono: 'node',
  node: 'node',
  bun: 'bun',
  deno: 'deno',
};

for (const [name, runtime] of Object.entries(HOSTS)) {
  it(`a server with ${name} takes a payment under its prefix, from the order to the IPN, and ends cleanly`, async (t) => {
    const shop = await Shop.open(installed, { server: `${name}.js`, runtime, gateway: gateway.url });
    t.after(() => shop.end());
    await gateway.control('ipn-url', { url: `${shop.url}/pay/ipn/${SECRETS.ipn}` });
    const orderId = `${name.toUpperCase()}-1`;
    const token = await shop.order(orderId);
    const start = await shop.start(token);
    assert.deepEqual([start.status, start.headers.get('access-control-allow-origin')], [201, SHOP]);

    const headers = { Authorization: `Bearer ${token}`, Origin: SHOP };
    const stream = await shop.proxy('/order/events', { headers });
    assert.match(stream.headers.get('content-type') ?? '', /event-stream/);
    const seen: (string | undefined)[] = [];
    for await (const view of viewsOf(stream)) {
      if (seen.length === 0) await gateway.act(orderId, 'approve');
      seen.push(view.payment?.status);
      if (view.paid) break;
    }
    assert.deepEqual([seen[0], seen.at(-1)], ['PROCESSING', 'SUCCESS']);

    const widget = await shop.proxy('/widget.js');
    assert.equal(await widget.text(), readFileSync('dist/widget/widget.js', 'utf8'));
    const { servers } = (await (await shop.proxy('/openapi.json')).json()) as { servers: unknown };
    assert.deepEqual(servers, [{ url: '.' }]);

    const cart = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"items":1}' };
    assert.deepEqual(await (await fetch(`${shop.url}/cart`, cart)).json(), { items: 1 });
    assert.deepEqual(await shop.end(), { code: 0, strayLines: [] });
  });
}

it('a server with express.json() before the proxy gets an error that says so, and starts no payment', async (t) => {
  const env = { AFTER_JSON: 'yes', DATABASE_URL: `file:${installed.folder}/after-json.db` };
  const shop = await Shop.open(installed, { server: 'express.js', runtime: 'node', gateway: gateway.url, env });
  t.after(() => shop.end());
  const body = JSON.stringify({ orderId: 'J-1', amount: '1.10', currency: 'EUR', returnUrl: `${SHOP}/thanks` });
  const response = await shop.proxy('/orders', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
  });
  const { code, detail, retryable } = (await response.json()) as Problem;
  assert.deepEqual([response.status, code, retryable], [400, 'invalid_request', false]);
  assert.match(detail, /mount the proxy before express\.json\(\)/);
});
