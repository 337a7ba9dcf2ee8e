// The proxy mounted in a merchant's own server: in another Hono app, and in a plain node:http server.
import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { Agent, request as fetchBy } from 'undici';
import type { OrderView, Problem } from '../../../backend-proxy/protocol/wire.ts';
import { mountAt, type NodeHandler } from '../../../backend-proxy/http/mount.ts';
import { SECRETS, SHOP, createWorld, startHeaders } from '../world.ts';
import { serveOnLoopback } from '../../loopback.ts';

const JSON_BODY = { 'Content-Type': 'application/json' };

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
  assert.deepEqual(document.servers, [{ url: '.' }]);
  assert.equal(await (await server.request('/')).text(), 'the shop');
  assert.equal(
    (await server.request('/order', { headers })).status,
    404,
    'the proxy answers nothing outside its prefix',
  );
});

describe('served by its own server', () => {
  /** Without those that differ for each answer or each connection. */
  const lasting = (headers: Headers) =>
    Object.fromEntries(
      [...headers].filter(
        ([name]) => !['x-request-id', 'date', 'connection', 'keep-alive', 'transfer-encoding'].includes(name),
      ),
    );

  async function open(t: TestContext) {
    const world = await createWorld(t);
    const work = world.proxy.run();
    t.after(() => work.stop());
    const url = await world.listen();
    const token = world.token();
    const headers = { Authorization: `Bearer ${token}`, Origin: SHOP };
    return { world, token, headers, url: `${url}/order/events` };
  }

  it('an event stream has the same headers on a socket as in a web response, and one line in the log', async (t) => {
    const { world, headers, url } = await open(t);
    const inMemory = await world.request('GET', '/order/events', { headers });
    world.log.length = 0;
    const onSocket = await fetch(url, { headers });
    assert.deepEqual(lasting(onSocket.headers), lasting(inMemory.headers));
    assert.match(onSocket.headers.get('x-request-id') ?? '', /^[\w-]{36}$/);
    assert.deepEqual(
      world.log
        .filter(({ event }) => event === 'request')
        .map(({ route, status, requestId }) => [route, status, requestId]),
      [['/order/events', 200, onSocket.headers.get('x-request-id')]],
    );
    await Promise.all([inMemory.body?.cancel(), onSocket.body?.cancel()]);
  });

  it('an event stream on a socket sends each change, and its connection is used again after the end', async (t) => {
    const { world, token, headers, url } = await open(t);
    const agent = new Agent({ connections: 1 });
    t.after(() => agent.close());
    const response = await fetchBy(url, { headers, dispatcher: agent });
    let text = '';
    const ended = (async () => {
      for await (const chunk of response.body) text += String(chunk);
    })();
    await world.start(token, { method: 'QR' });
    await world.settleAfter('approve', 'A-1');
    await ended;
    const versions = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    assert.ok(versions.length >= 2 && versions.every((version, at) => at === 0 || version > versions[at - 1]!), text);
    assert.match(text, /"paid":true/);
    const again = await fetchBy(url, { headers, dispatcher: agent });
    assert.match(await again.body.text(), /"paid":true/);
  });

  it('HEAD of an event stream is answered without opening one', async (t) => {
    const { world, headers, url } = await open(t);
    const response = await fetch(url, { method: 'HEAD', headers });
    assert.deepEqual(
      [response.status, response.headers.get('content-type')],
      [200, 'text/event-stream; charset=utf-8'],
    );
    assert.match(await world.metrics(), /open_streams 0\n/);
  });

  it('a refused event stream is answered with a problem', async (t) => {
    const { url } = await open(t);
    const response = await fetch(url);
    assert.deepEqual([response.status, ((await response.json()) as Problem).code], [401, 'invalid_token']);
  });
});

it('a proxy mounted in a node:http server answers its prefix and leaves other paths to the server', async (t) => {
  const world = await createWorld(t);
  const listener = getRequestListener((request) => {
    const url = new URL(request.url);
    url.pathname = url.pathname.replace(/^\/pay/, '');
    return world.proxy.app.fetch(new Request(url, request));
  });
  const { url: base, close } = await serveOnLoopback((request, response) => {
    if (request.url?.startsWith('/pay/')) void listener(request, response);
    else response.end('the shop');
  });
  t.after(close);
  assert.equal(await (await fetch(`${base}/`)).text(), 'the shop');
  const started = await fetch(`${base}/pay/order/payments`, {
    method: 'POST',
    headers: startHeaders(world.token()),
    body: '{"method":"CHECKOUT"}',
  });
  assert.equal(started.status, 201);
  assert.equal((await fetch(`${base}/pay/ipn/${SECRETS.ipn}`, { method: 'POST', body: '{}' })).status, 200);
  assert.equal((await fetch(`${base}/pay/nowhere`)).status, 404);
});

describe('mounted under a prefix', () => {
  async function open(t: TestContext, listener: (proxy: NodeHandler) => RequestListener) {
    const world = await createWorld(t);
    const { url: base, close } = await serveOnLoopback(listener(mountAt('/pay', world.proxy.app.fetch).handler));
    t.after(close);
    const start = () =>
      fetch(`${base}/pay/order/payments`, {
        method: 'POST',
        headers: startHeaders(world.token()),
        body: '{"method":"QR"}',
      });
    return { world, base, start };
  }
  const statusOf = async (url: string) => (await fetch(url)).status;

  it('the handler answers below its prefix, and passes every other path to the server', async (t) => {
    const { base, start } = await open(t, (proxy) => (request, response) => {
      proxy(request, response, () => response.end(`the shop at ${request.url}`));
    });
    assert.equal((await start()).status, 201);
    assert.equal(await statusOf(`${base}/pay/nowhere`), 404);
    for (const path of ['/', '/pay', '/payments/', '/order?/pay/'])
      assert.equal(await (await fetch(base + path)).text(), `the shop at ${path}`);
  });

  it('the handler answers 404 outside its prefix if the server gives it nothing to pass on to', async (t) => {
    const { base } = await open(t, (proxy) => (request, response) => proxy(request, response));
    assert.deepEqual([await statusOf(`${base}/healthz`), await statusOf(`${base}/pay/healthz`)], [404, 200]);
  });

  it('the handler finds its prefix where the server has removed it from the URL, as Express does', async (t) => {
    const { start } = await open(t, (proxy) => (request, response) => {
      const { url = '' } = request;
      proxy(Object.assign(request, { originalUrl: url, url: url.replace('/pay', '') }), response);
    });
    assert.equal((await start()).status, 201);
  });

  it('a body that the host has read is refused with what to do, and no payment starts', async (t) => {
    const { world, start } = await open(t, (proxy) => async (request, response) => {
      for await (const _ of request);
      proxy(request, response);
    });
    const mounted = mountAt('/pay', world.proxy.app.fetch);
    const request = new Request('https://shop.example/pay/order/payments', {
      method: 'POST',
      headers: startHeaders(world.token()),
      body: '{"method":"QR"}',
    });
    await request.text();
    for (const response of [await start(), await mounted.fetch(request)]) {
      const { code, detail, errors } = (await response.json()) as Problem;
      assert.deepEqual(
        [response.status, code, errors],
        [400, 'invalid_request', [{ field: 'body', detail: 'read already' }]],
      );
      assert.match(detail, /mount the proxy before express\.json\(\)/);
    }
    assert.deepEqual(world.rows('select * from transactions'), []);
  });

  it('the fetch handler answers below its prefix only, with bodies of any kind', async (t) => {
    const world = await createWorld(t);
    const { fetch: answer } = mountAt('/pay', world.proxy.app.fetch);
    const ask = async (path: string, init?: RequestInit) =>
      (await answer(new Request(`https://shop.example${path}`, init))).status;
    assert.deepEqual([await ask('/pay/healthz'), await ask('/healthz'), await ask('/pay')], [200, 404, 404]);
    const init = (body: BodyInit): RequestInit => ({ method: 'POST', body, duplex: 'half' }) as RequestInit;
    const stream = new Blob(['{}']).stream();
    assert.deepEqual([await ask(`/pay/ipn/${SECRETS.ipn}`, init(stream)), await ask('/ipn/x', init('{}'))], [200, 404]);
  });

  it('a prefix that is not a path is refused', async (t) => {
    const world = await createWorld(t);
    for (const prefix of ['pay', '/pay/', '/', '/a b', '/pay?x', 'https://shop.example/pay'])
      assert.throws(() => mountAt(prefix, world.proxy.app.fetch), /^Error: prefix: a path like \/pay/);
  });
});
