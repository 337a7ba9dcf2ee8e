// The proxy mounted in a merchant's own server: in another Hono app, and in a plain node:http server.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import type { OrderView, Problem } from '../../backend-proxy/protocol/wire.ts';
import { SECRETS, SHOP, createWorld } from './world.ts';

const JSON_BODY = { 'Content-Type': 'application/json' };

describe('mounted in another Hono app', () => {
  it('a proxy mounted in a Hono app works under its prefix, with errors and cross-origin headers', async (t) => {
    const world = await createWorld(t);
    const server = new Hono().get('/', (c) => c.text('the shop')).route('/pay', world.proxy.app);
    const headers = { Authorization: `Bearer ${world.token()}`, Origin: SHOP };
    const start = await server.request('/pay/order/payments', {
      method: 'POST',
      headers: { ...headers, ...JSON_BODY, 'Idempotency-Key': 'k' },
      body: '{"method":"QR"}',
    });
    assert.deepEqual([start.status, start.headers.get('access-control-allow-origin')], [201, SHOP]);
    const view = (await (await server.request('/pay/order', { headers })).json()) as OrderView;
    assert.equal(view.payment?.status, 'PROCESSING');
    const stream = await server.request('/pay/order/events', { headers });
    assert.match(stream.headers.get('content-type') ?? '', /event-stream/);
    await stream.body?.cancel();

    const foreign = await server.request('/pay/order', { headers: { ...headers, Origin: 'https://evil.example' } });
    assert.equal(foreign.status, 403);
    const refused = await server.request('/pay/order');
    const problem = (await refused.json()) as Problem;
    assert.deepEqual([refused.status, problem.code], [401, 'invalid_token']);
    assert.equal(refused.headers.get('x-request-id'), problem.requestId);
    const merchant = { Authorization: `Bearer ${SECRETS.merchant}` };
    assert.equal((await server.request('/pay/orders/A-1', { headers: merchant })).status, 200);
    assert.equal((await server.request('/pay/orders/A-1')).status, 401);
    assert.equal((await server.request('/pay/payouts', { method: 'POST', headers: merchant, body: '{}' })).status, 415);
    assert.equal((await server.request(`/pay/ipn/${SECRETS.ipn}`, { method: 'POST', body: '{}' })).status, 200);
    assert.equal((await server.request('/pay/ipn/wrong', { method: 'POST', body: '{}' })).status, 404);
    assert.equal((await server.request('/pay/widget.js')).status, 200);
    const document = (await (await server.request('http://shop.example/pay/openapi.json')).json()) as {
      servers: unknown;
    };
    assert.deepEqual(document.servers, [{ url: '/pay' }]);
    assert.equal(await (await server.request('/')).text(), 'the shop');
    assert.equal(
      (await server.request('/order', { headers })).status,
      404,
      'the proxy answers nothing outside its prefix',
    );
  });
});

describe('mounted in a plain node:http server', () => {
  it('a proxy mounted in a node:http server answers its prefix and leaves other paths to the server', async (t) => {
    const world = await createWorld(t);
    const listener = getRequestListener((request) => {
      const url = new URL(request.url);
      url.pathname = url.pathname.replace(/^\/pay/, '');
      return world.proxy.app.fetch(new Request(url, request));
    });
    const server = createServer((request, response) => {
      if (request.url?.startsWith('/pay/')) void listener(request, response);
      else response.end('the shop');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.closeAllConnections());
    t.after(() => server.close());
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    assert.equal(await (await fetch(`${base}/`)).text(), 'the shop');
    const started = await fetch(`${base}/pay/order/payments`, {
      method: 'POST',
      headers: { ...JSON_BODY, Authorization: `Bearer ${world.token()}`, 'Idempotency-Key': 'k' },
      body: '{"method":"CHECKOUT"}',
    });
    assert.equal(started.status, 201);
    assert.equal((await fetch(`${base}/pay/ipn/${SECRETS.ipn}`, { method: 'POST', body: '{}' })).status, 200);
    assert.equal((await fetch(`${base}/pay/nowhere`)).status, 404);
  });
});
