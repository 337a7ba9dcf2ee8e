// docs/deploy/nginx.conf in a real nginx, in front of a real proxy.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createEnvironment } from '../faults/environment.ts';
import { SECRETS } from '../faults/canary-secrets.ts';
import { signOrder } from '../faults/clients.ts';
import { until } from '../faults/fault-test.ts';
import { startProxy, type Running } from '../faults/processes.ts';
import { whyNoDebian } from '../debian-package.ts';
import { openClient, type Client } from './http2-client.ts';
import { startNginx, type Nginx } from './nginx.ts';

const why = whyNoDebian();
const bearer = (orderId: string) => ({
  Authorization: `Bearer ${signOrder({ orderId, amount: '5.00', currency: 'EUR' }, Date.now())}`,
});
const JSON_BODY = { 'Content-Type': 'application/json' };
const QR = JSON.stringify({ method: 'QR' });
/** Of one address in a minute. */
const STARTS = 30;
const BURST = 100;

describe('docs/deploy/nginx.conf', { skip: why === undefined ? false : why }, () => {
  const ends: (() => unknown)[] = [];
  let proxy: Running;
  let nginx: Nginx;
  let client: Client;

  before(async () => {
    const { gateway, databaseUrl } = await createEnvironment({ defer: (end) => ends.push(end) });
    proxy = await startProxy({ databaseUrl, gatewayUrl: gateway.url, env: { TRUSTED_PROXIES: '1' } });
    ends.push(() => proxy.kill9());
    nginx = await startNginx([new URL(proxy.url).host]);
    ends.push(nginx.end);
    client = await openClient(nginx.port);
    ends.push(client.close);
  });
  after(async () => {
    for (const end of ends.toReversed()) await end();
  });

  it('nginx serves the widget, the order and a start below /pay/ over HTTP/2', async () => {
    const widget = await client.ask('GET', '/pay/widget.js', { 'Accept-Encoding': 'gzip' });
    assert.deepEqual([widget.status, widget.headers['content-encoding']], [200, 'gzip']);
    assert.equal((await client.ask('GET', '/pay/order', bearer('A-1'))).status, 200);
    const headers = { ...bearer('A-1'), ...JSON_BODY, 'Idempotency-Key': 'key-of-A-1' };
    assert.equal((await client.ask('POST', '/pay/order/payments', headers, QR)).status, 201);
  });

  it('nginx passes a stream on as it comes', async () => {
    const stream = Promise.withResolvers<string>();
    const { status } = await client.read('/pay/order/events', bearer('A-1'), stream.resolve);
    // The stream stays open: a buffer would keep this first view.
    assert.match(await stream.promise, /^event: order\n/);
    assert.equal(status, 200);
  });

  it('nginx redirects http to https with path and query', async () => {
    const url = `http://127.0.0.1:${nginx.httpPort}/pay/widget.js?a=b`;
    const response = await fetch(url, { redirect: 'manual', headers: { Connection: 'close' } });
    assert.deepEqual([response.status, response.headers.get('location')], [301, 'https://127.0.0.1/pay/widget.js?a=b']);
  });

  it('nginx sets no HSTS by itself, keeps /metrics inside and refuses large bodies', async () => {
    const metrics = await client.ask('GET', '/pay/metrics', { Authorization: `Bearer ${SECRETS.merchantApiKey}` });
    assert.deepEqual([metrics.status, metrics.headers['strict-transport-security']], [404, undefined]);
    const large = await client.ask('POST', '/pay/orders', JSON_BODY, 'x'.repeat(17_000));
    assert.equal(large.status, 413);
  });

  it('the proxy counts starts by the address that nginx saw, whatever the caller claims', async () => {
    const own = await openClient(nginx.port, '127.9.9.9');
    const start = (n: number) =>
      own.ask(
        'POST',
        '/pay/order/payments',
        {
          ...bearer(`many-${n}`),
          ...JSON_BODY,
          'Idempotency-Key': 'the-key-of-each',
          'X-Forwarded-For': `192.0.2.${n}`,
        },
        QR,
      );
    const statuses = new Set<number>();
    // Twice the limit, because a new minute may begin meanwhile.
    for (let n = 0; n <= 2 * STARTS && !statuses.has(429); n += 1) statuses.add((await start(n)).status);
    own.close();
    assert.deepEqual([...statuses], [201, 429]);
  });

  it('nginx limits how often one address asks for orders, and neither IPNs nor the merchant', async () => {
    const own = await openClient(nginx.port, '127.9.9.8');
    const many = async (method: string, path: string) => {
      const asked = Array.from({ length: 3 * BURST }, () => own.ask(method, path, {}, method === 'GET' ? '' : '{}'));
      return new Set((await Promise.all(asked)).map(({ status }) => status));
    };
    assert.deepEqual(await many('POST', `/pay/ipn/${SECRETS.ipnSecret}`), new Set([200]));
    assert.ok(!(await many('POST', '/pay/orders')).has(429));
    let isLimited = false;
    // Again on a machine that is too slow for the limit.
    for (let round = 0; round < 5 && !isLimited; round += 1) isLimited = (await many('GET', '/pay/order')).has(429);
    assert.ok(isLimited);
    own.close();
  });

  it('the logs of nginx have the id that the proxy answers and logs, and never the IPN secret', async () => {
    const path = `/pay/ipn/${SECRETS.ipnSecret}`;
    const answer = await client.ask('POST', path, {}, '{}');
    const id = answer.headers['x-request-id'] ?? '';
    // nginx writes its log when the answer is sent.
    await until('nginx has logged the id', () => nginx.log('access').includes(id));
    assert.match(nginx.log('access'), new RegExp(`"POST /pay/ipn/\\.\\.\\." 200 .* ${id}$`, 'm'));
    await until('the proxy has logged the id', () => proxy.output().includes(id));
    await proxy.end();
    assert.equal((await client.ask('POST', path, {}, '{}')).status, 502);
    assert.equal((await client.ask('GET', '/pay/order', bearer('A-1'))).status, 502);
    // Each by its path: a request of an earlier test may end with 502, too.
    const failed = [/"POST \/pay\/ipn\/\.\.\." 502 /, /"GET \/pay\/order" 502 /];
    await until('nginx has logged both failures', () => failed.every((line) => line.test(nginx.log('access'))));
    assert.match(nginx.log('error'), /Connection refused.*"GET \/pay\/order /);
    assert.doesNotMatch(nginx.log('error') + nginx.log('access'), new RegExp(SECRETS.ipnSecret));
  });
});
