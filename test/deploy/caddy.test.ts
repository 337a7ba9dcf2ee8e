// docs/deploy/Caddyfile in a real Caddy, in front of a real proxy.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SECRETS } from '../faults/canary-secrets.ts';
import { signOrder } from '../faults/clients.ts';
import { createEnvironment } from '../faults/environment.ts';
import { until } from '../faults/fault-test.ts';
import { startProxy } from '../faults/processes.ts';
import { whyNoDebian } from '../debian-package.ts';
import { startCaddy } from './caddy.ts';
import { openClient } from './http2-client.ts';

const why = whyNoDebian();

it(
  'Caddy passes on the widget and streams, keeps /metrics inside, and has the IPN secret in no log',
  { skip: why ?? false },
  async (t) => {
    const { gateway, databaseUrl } = await createEnvironment({
      defer: (end) => t.after(async () => void (await end())),
    });
    const proxy = await startProxy({ databaseUrl, gatewayUrl: gateway.url, env: { TRUSTED_PROXIES: '1' } });
    t.after(proxy.kill9);
    const caddy = await startCaddy([new URL(proxy.url).host]);
    t.after(caddy.end);
    const client = await openClient(caddy.port);
    t.after(client.close);
    const token = signOrder({ orderId: 'A-1', amount: '5.00', currency: 'EUR' }, Date.now());

    assert.equal((await client.ask('GET', '/widget.js')).status, 200);
    const view = Promise.withResolvers<string>();
    const stream = await client.read('/order/events', { Authorization: `Bearer ${token}` }, view.resolve);
    assert.equal(stream.status, 200);
    assert.match(await view.promise, /^event: order\n/);
    assert.equal((await client.ask('GET', '/metrics')).status, 404);

    const path = `/ipn/${SECRETS.ipnSecret}`;
    assert.equal((await client.ask('POST', path, {}, '{}')).status, 200);
    await proxy.end();
    assert.ok((await client.ask('POST', path, {}, '{}')).status >= 502);
    const logged = () => caddy.log().match(/"uri":"\/ipn\/\.\.\."/g)?.length ?? 0;
    // Of the first request one line, of the second also its error.
    await until('Caddy has logged both requests', () => logged() >= 3);
    assert.ok(!caddy.log().includes(SECRETS.ipnSecret));
    assert.ok(!caddy.log().includes(token));
  },
);
