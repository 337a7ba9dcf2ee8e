// All headers of each kind of answer, over a socket and mounted in another Hono app.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Hono } from 'hono';
import { SECRETS, SHOP, createWorld, type World } from '../world.ts';

const SECURITY = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
};
const JSON_TYPE = { 'content-type': 'application/json' };
const NO_STORE = { 'cache-control': 'no-store' };
const PROBLEM = { ...NO_STORE, 'content-type': 'application/problem+json' };
const WITHOUT_ORIGIN = { 'access-control-expose-headers': 'X-Request-Id,Retry-After', vary: 'Origin' };
const SHARED = { ...WITHOUT_ORIGIN, 'access-control-allow-origin': SHOP };
const PREFLIGHT = {
  ...WITHOUT_ORIGIN,
  'access-control-allow-headers': 'Authorization,Content-Type,Idempotency-Key',
  'access-control-allow-methods': 'GET,POST,OPTIONS',
  'access-control-max-age': '7200',
  vary: 'Origin, Access-Control-Request-Headers',
};
const STREAM = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};
const WIDGET = {
  'access-control-allow-origin': '*',
  'cache-control': 'public, max-age=60',
  'cross-origin-resource-policy': 'cross-origin',
  etag: '"62812040450f10afc011cc18bf4156eb470c50a6"',
  vary: 'Accept-Encoding',
};
const SCRIPT = { ...WIDGET, 'content-type': 'text/javascript; charset=utf-8' };
/** What Hono answers for the merchant's own app. */
const OTHERS_404 = { 'content-type': 'text/plain; charset=UTF-8' };
/** Depend on the connection, the body or the file. */
const OF_THE_CONNECTION = ['date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding', 'last-modified'];

type Row = [request: string, headers: Record<string, string>, body: string, status: number, answered: object];

function rows(world: World): Row[] {
  const token = { authorization: `Bearer ${world.token()}` };
  const merchant = { authorization: `Bearer ${SECRETS.merchant}` };
  const start = { ...token, ...JSON_TYPE, 'idempotency-key': 'k' };
  const origin = { origin: SHOP };
  const evil = { origin: 'https://evil.example' };
  const large = 'x'.repeat(17_000);
  const etag = { 'if-none-match': WIDGET.etag, 'accept-encoding': 'identity' };
  return [
    ['GET /healthz', {}, '', 200, JSON_TYPE],
    ['GET /healthz', origin, '', 200, JSON_TYPE],
    ['HEAD /healthz', {}, '', 200, JSON_TYPE],
    ['GET /readyz', {}, '', 200, JSON_TYPE],
    ['GET /metrics', merchant, '', 200, { ...NO_STORE, 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }],
    ['GET /openapi.json', {}, '', 200, { ...JSON_TYPE, 'cache-control': 'public, max-age=60' }],
    ['POST /nowhere', {}, large, 413, PROBLEM],
    ['POST /order/payments', { ...start, ...origin }, '{"method":"QR"}', 201, { ...JSON_TYPE, ...NO_STORE, ...SHARED }],
    ['POST /order/payments', start, '{"method":"QR"}', 200, { ...JSON_TYPE, ...NO_STORE, ...WITHOUT_ORIGIN }],
    ['POST /order/payments', { ...start, ...origin }, '{"method":', 400, { ...PROBLEM, ...SHARED }],
    ['POST /order/payments', { ...token, ...origin }, '{}', 415, { ...PROBLEM, ...SHARED }],
    ['POST /order/payments', { ...start, ...origin }, large, 413, PROBLEM],
    ['GET /order', { ...token, ...origin }, '', 200, { ...JSON_TYPE, ...NO_STORE, ...SHARED }],
    ['HEAD /order', token, '', 200, { ...JSON_TYPE, ...NO_STORE, ...WITHOUT_ORIGIN }],
    ['GET /order', origin, '', 401, { ...PROBLEM, ...SHARED, 'www-authenticate': 'Bearer' }],
    ['GET /order', { ...token, ...evil }, '', 403, PROBLEM],
    ['GET /order/events', { ...token, ...origin }, '', 200, { ...STREAM, ...SHARED }],
    ['GET /order/events', token, '', 200, { ...STREAM, ...WITHOUT_ORIGIN }],
    ['OPTIONS /order/payments', origin, '', 204, { ...PREFLIGHT, 'access-control-allow-origin': SHOP }],
    ['OPTIONS /order/payments', {}, '', 204, PREFLIGHT],
    ['OPTIONS /order/nowhere', origin, '', 204, { ...PREFLIGHT, 'access-control-allow-origin': SHOP }],
    ['OPTIONS /order/payments', evil, '', 403, PROBLEM],
    [`POST /ipn/${SECRETS.ipn}`, {}, '{}', 200, {}],
    ['POST /ipn/wrong', {}, '{}', 404, PROBLEM],
    ['GET /widget.js', { ...origin, 'accept-encoding': 'identity' }, '', 200, SCRIPT],
    ['GET /widget.js', etag, '', 304, WIDGET],
    ['GET /orders/A-1', merchant, '', 200, JSON_TYPE],
    ['GET /orders/A-2', merchant, '', 404, PROBLEM],
    ['GET /orders/A-1', {}, '', 401, { ...PROBLEM, 'www-authenticate': 'Bearer' }],
    ['OPTIONS /orders', origin, '', 403, PROBLEM],
    ['GET /orders/broken', merchant, '', 500, PROBLEM],
  ];
}

async function createBreakableWorld(t: Parameters<typeof createWorld>[0]): Promise<World> {
  return createWorld(t, {
    wrapLedger: (ledger) => ({
      ...ledger,
      orderAt: (orderId) => (orderId === 'broken' ? Promise.reject(new Error('broken')) : ledger.orderAt(orderId)),
    }),
  });
}

async function assertHeaders(ask: (path: string, init: RequestInit) => Promise<Response>, all: Row[]): Promise<void> {
  for (const [request, headers, body, status, answered] of all) {
    const [method = '', path = ''] = request.split(' ');
    const response = await ask(path, { method, headers, ...(body !== '' && { body }) });
    const name = `${request} → ${status}`;
    const { 'x-request-id': id, ...rest } = Object.fromEntries(response.headers);
    for (const header of OF_THE_CONNECTION) delete rest[header];
    assert.equal(response.status, status, name);
    assert.deepEqual(rest, { ...SECURITY, ...answered }, name);
    assert.match(id ?? '', /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/, name);
    await response.body?.cancel();
  }
}

it('each kind of answer has exactly its headers over a socket', async (t) => {
  const world = await createBreakableWorld(t);
  const url = await world.listen();
  const ask = (path: string, init: RequestInit) => fetch(`${url}${path}`, init);
  const missing = ['/nowhere', '/order/nowhere', '/order/'];
  await assertHeaders(ask, rows(world));
  await assertHeaders(ask, [
    ...missing.map((path): Row => [
      `GET ${path}`,
      {},
      '',
      404,
      path === '/nowhere' ? PROBLEM : { ...PROBLEM, ...WITHOUT_ORIGIN },
    ]),
    ['POST /nowhere', {}, 'x', 404, PROBLEM],
  ]);
});

it('each kind of answer has exactly its headers in another Hono app, also the 404 of that app', async (t) => {
  const world = await createBreakableWorld(t);
  const app = new Hono().route('/pay', world.proxy.app);
  const ask = async (path: string, init: RequestInit) => app.request(`/pay${path}`, init);
  await assertHeaders(ask, rows(world));
  await assertHeaders(ask, [
    ['GET /nowhere', {}, '', 404, OTHERS_404],
    ['POST /nowhere', {}, 'x', 404, OTHERS_404],
    ['GET /order/nowhere', { origin: SHOP }, '', 404, { ...OTHERS_404, ...SHARED }],
  ]);
});

it('an answer says the length of its body, and a HEAD only that of a file', async (t) => {
  const world = await createBreakableWorld(t);
  const url = await world.listen();
  for (const path of ['/healthz', '/nowhere', '/openapi.json', '/widget.js']) {
    const response = await fetch(`${url}${path}`, { headers: { 'accept-encoding': 'identity' } });
    const length = String((await response.arrayBuffer()).byteLength);
    assert.equal(response.headers.get('content-length'), length, path);
    const head = await fetch(`${url}${path}`, { method: 'HEAD' });
    assert.deepEqual(
      [head.status, head.headers.get('content-length')],
      [response.status, path === '/widget.js' ? length : null],
    );
  }
});

it('a request id of the caller is kept if it has 1 to 255 letters, digits, and - _ =', async (t) => {
  const world = await createBreakableWorld(t);
  const idOf = async (id: string) =>
    (await world.request('GET', '/healthz', { headers: { 'X-Request-Id': id } })).headers.get('x-request-id');
  for (const id of ['a', 'My-id_1=', 'x'.repeat(255)]) assert.equal(await idOf(id), id);
  for (const id of ['', 'a b', 'ä', 'a\tb', '<a>', 'x'.repeat(256)]) {
    const given = await idOf(id);
    assert.match(given ?? '', /^[\da-f-]{36}$/, id);
    assert.notEqual(given, await idOf(id));
  }
});
