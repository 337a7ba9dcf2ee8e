// Who may call a merchant route, and with what body: each key opens the routes of its scopes and no other, its name is
// in the history and the log, no browser may use it, and a body is JSON of known keys and plain texts.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { SCOPE_NAMES, type Scope } from '../../../backend-proxy/protocol/merchant-key.ts';
import type { Problem } from '../../../backend-proxy/protocol/wire.ts';
import { REFUNDS_QR, SECRETS, createWorld, readDocument, type World, SHOP } from '../world.ts';
import { ORDER, PAYOUT, createSome } from './merchant-kit.ts';
import { inWords } from '../in-words.ts';

/** What opens each route. A route of the OpenAPI document that is missing here fails a test. */
const ROUTES: Record<string, Scope[]> = {
  'POST /orders': ['orders'],
  'GET /orders/{orderId}': ['orders', 'read'],
  'POST /orders/{orderId}/close': ['orders'],
  'POST /orders/{orderId}/refunds': ['refunds'],
  'DELETE /orders/{orderId}/personal-data': ['operate'],
  'POST /payouts': ['payouts'],
  'GET /payouts/{orderId}': ['payouts', 'read'],
  'GET /transactions': ['read'],
  'GET /transactions/{gatewayOrderId}': ['read'],
  'POST /transactions/{gatewayOrderId}/resolve': ['operate'],
  'GET /ipns': ['read'],
  'GET /webhooks': ['read'],
  'GET /webhooks/{id}': ['read'],
  'POST /webhooks/{id}/redeliver': ['operate'],
  'GET /metrics': ['read'],
};

type Aimed = [path: string, body?: object | undefined];

interface Called {
  route: string;
  status: number;
  problem: Problem;
}

const secretOf = (name: string) => `canary-key-of-${name}-`.padEnd(40, 'x');

/** With a key of each of these names. */
function withKeys(keys: Record<string, Scope[]>) {
  const scoped = Object.entries(keys).map(([name, scopes]) => ({ name, scopes, key: secretOf(name) }));
  return { config: { merchantKeys: [SECRETS.merchant, ...scoped] } };
}

/** Calls every route of the document that a merchant's key may open; `{}` is no valid body. */
async function callAll(world: World, name: string, fill: (route: string) => Aimed): Promise<Called[]> {
  const { paths } = await readDocument(world.proxy);
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { security = [] }]) =>
      security.some((scheme) => 'merchantKey' in scheme) ? [`${method.toUpperCase()} ${path}`] : [],
    ),
  );
  assert.deepEqual(routes.toSorted(), Object.keys(ROUTES).toSorted());
  const called: Called[] = [];
  for (const route of routes) {
    const [method = ''] = route.split(' ');
    const [path, body = {}] = fill(route);
    const response = await world.request(method, path, {
      headers: {
        Authorization: `Bearer ${secretOf(name)}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': name,
      },
      ...(method === 'POST' && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const problem = (response.status >= 400 ? JSON.parse(text) : {}) as Problem;
    called.push({ route, status: response.status, problem });
  }
  return called;
}

const anyPath = (route: string): [string] => [(route.split(' ')[1] ?? '').replace(/\{[^}]+\}/, 'x')];

it('every route is opened by the keys that have its scope, and by no other key', async (t) => {
  const subsets = Array.from({ length: 2 ** SCOPE_NAMES.length }, (_, bits) =>
    SCOPE_NAMES.filter((_scope, at) => bits & (1 << at)),
  );
  const keys = Object.fromEntries(subsets.map((scopes, at) => [`k${at}`, scopes]));
  const world = await createWorld(t, withKeys(keys));
  for (const [name, scopes] of Object.entries(keys)) {
    for (const { route, status, problem } of await callAll(world, name, anyPath)) {
      const needed = ROUTES[route] ?? [];
      const called = `${scopes.join('+')} at ${route}: ${status} ${problem.code}`;
      if (needed.some((scope) => scopes.includes(scope))) assert.notEqual(problem.code, 'forbidden_scope', called);
      else {
        assert.deepEqual([status, problem.code], [403, 'forbidden_scope'], called);
        assert.ok(problem.detail.includes(name) && problem.detail.endsWith(`${needed.join(' or ')}.`), problem.detail);
        assert.ok(!problem.detail.includes(secretOf(name)));
      }
    }
  }
});

it('the OpenAPI document says which scopes open a route; `read` opens every GET, and nothing else', async (t) => {
  const { paths } = await readDocument((await createWorld(t)).proxy);
  for (const [route, scopes] of Object.entries(ROUTES)) {
    const [method = '', path = ''] = route.split(' ');
    const { security = [] } = paths[path]?.[method.toLowerCase()] ?? {};
    assert.deepEqual(
      security,
      scopes.map((scope) => ({ merchantKey: [scope] })),
    );
    assert.equal(scopes.includes('read'), method === 'GET', route);
  }
});

/** What there is to gain: one order paid, one declined, one open, a payout, and webhooks. */
async function createShop(t: TestContext, keys: Record<string, Scope[]>) {
  const world = await createSome(t, { ...withKeys(keys), profile: REFUNDS_QR });
  const [webhook] = world.rows<{ id: string }>("select id from webhooks where order_id = 'A-2'");
  /** A request that would succeed with every scope. */
  const aimed = (route: string): Aimed => {
    const path = (route.split(' ')[1] ?? '')
      .replace('{id}', webhook?.id ?? '')
      .replace(
        route.includes('/payouts') ? '{orderId}' : '{gatewayOrderId}',
        route.includes('/payouts') ? 'P-1' : 'A-1',
      )
      .replace('{orderId}', route.endsWith('/close') ? '=A-3' : 'A-1');
    return [path, BODIES[route]];
  };
  const state = async () => ({
    gateway: (await (await world.sandbox.app.request('/_sandbox/transactions')).json()) as { transactions: object[] },
    transactions: world.rows<{ id: string; customer: string; payer: string }>('select * from transactions order by id'),
    history: world.rows('select * from history order by transaction_id, event, n'),
    webhooks: world.rows('select * from webhooks order by id'),
  });
  return { world, aimed, state };
}

const BODIES: Record<string, object> = {
  'POST /orders': ORDER,
  'POST /payouts': { ...PAYOUT, orderId: 'P-2' },
  'POST /orders/{orderId}/refunds': { amount: 10 },
  'POST /transactions/{gatewayOrderId}/resolve': { status: 'FAILED', by: 'thief', note: 'none' },
};

it('a stolen key of a shop pays nobody but who has paid: it signs, reads, closes, and sends a payer their own money back', async (t) => {
  const shop: Scope[] = ['orders', 'read', 'refunds'];
  const { world, aimed, state } = await createShop(t, { shop });
  const before = await state();
  const calls = await callAll(world, 'shop', aimed);
  const opened = calls.filter(({ problem }) => problem.code !== 'forbidden_scope').map(({ route }) => route);
  const readable = Object.keys(ROUTES).filter((route) => route.startsWith('GET'));
  const does = ['POST /orders', 'POST /orders/{orderId}/close', 'POST /orders/{orderId}/refunds'];
  assert.deepEqual(opened.toSorted(), [...readable, ...does].toSorted());
  assert.ok(calls.every(({ status, problem }) => status < 300 || problem.code === 'forbidden_scope'));
  await world.settle();
  const { transactions, ...after } = await state();
  const of = (id: string) => transactions.find((row) => row.id === id);
  assert.equal(of('A-1-r1')?.customer, of('A-1')?.payer);
  assert.deepEqual(
    transactions.filter((row) => row !== of('A-1-r1')),
    before.transactions,
  );
  assert.equal(after.gateway.transactions.length, before.gateway.transactions.length + 1, 'the refund');

  const other = await createShop(t, { all: SCOPE_NAMES });
  const changed = await callAll(other.world, 'all', other.aimed);
  const refused = changed.flatMap(({ route, problem: { code } }) => (code === undefined ? [] : [[route, code]]));
  const expected = [
    ['POST /orders/{orderId}/refunds', 'not_refundable'],
    ['POST /transactions/{gatewayOrderId}/resolve', 'no_review_needed'],
  ];
  assert.deepEqual(refused, expected, 'it asks validly; the payer is erased');
  assert.notEqual((await other.world.gatewayHas('P-2'))?.status, undefined, 'every scope does pay out');
});

it('the history says which key paid out, resolved and erased, and each log line of the request has its name', async (t) => {
  const keys = { desk: ['payouts', 'operate'], office: ['operate'] } satisfies Record<string, Scope[]>;
  const world = await createWorld(t, withKeys(keys));
  const call = async (name: string, method: string, path: string, body?: object) => {
    const headers = { Authorization: `Bearer ${secretOf(name)}`, 'Content-Type': 'application/json' };
    const response = await world.request(method, path, { headers, ...(body && { body: JSON.stringify(body) }) });
    assert.ok(response.ok, `${path}: ${await response.clone().text()}`);
    return (await response.json()) as { history: { event: string; source: string }[] };
  };
  await world.faults({ payout: { dropAnswer: true }, status: { status: 503 } });
  const paid = await call('desk', 'POST', '/payouts', PAYOUT);
  assert.equal(paid.history.find(({ event }) => event === 'created')?.source, 'merchant:desk');
  await world.pass(25 * 3_600_000);
  const word = { status: 'SUCCESS', by: 'Ada', note: 'on the statement' };
  const resolved = await call('office', 'POST', '/transactions/P-1/resolve', word);
  assert.equal(resolved.history.find(({ event }) => event === 'resolved')?.source, 'merchant:office');
  await world.faults({});
  await world.pass(8 * 24 * 3_600_000);
  await call('office', 'DELETE', '/orders/P-1/personal-data');
  const [erased] = world.rows<{ source: string }>("select source from history where event = 'erased'");
  assert.equal(erased?.source, 'merchant:office');

  const requests = world.log.filter(({ event, key }) => event === 'request' && key !== undefined);
  assert.deepEqual(inWords(requests, 'route', 'key'), [
    '/payouts desk',
    '/transactions/:gatewayOrderId/resolve office',
    '/orders/:orderId/personal-data office',
  ]);
  assert.equal(world.log.find(({ event }) => event === 'payout sent')?.['key'], 'desk');
  assert.doesNotMatch(JSON.stringify(world.log), /canary-key-of/);
});

it('two keys of one name are one holder who rotates: both are taken, each with scopes of its own', async (t) => {
  const keys = ['old', 'new'].map((key) => ({ name: 'shop', scopes: ['read' as const], key: secretOf(key) }));
  const world = await createWorld(t, { config: { merchantKeys: keys } });
  for (const { key } of keys) {
    const response = await world.request('GET', '/ipns', { headers: { Authorization: `bearer ${key}` } });
    assert.equal(response.status, 200);
  }
  const { status } = await world.request('GET', '/ipns', { headers: { Authorization: `Bearer ${SECRETS.merchant}` } });
  assert.equal(status, 401, 'no other key is there');
});

it('a token of METRICS_TOKEN opens /metrics alone, and then no key of the merchant opens it', async (t) => {
  const token = 'canary-metrics-token-0123456789';
  const world = await createWorld(t, { config: { metricsTokens: [token] } });
  const ask = async (path: string, key: string) =>
    (await world.request('GET', path, { headers: { Authorization: `Bearer ${key}` } })).status;
  assert.deepEqual([await ask('/metrics', token), await ask('/ipns', token)], [200, 401]);
  assert.equal(await ask('/metrics', SECRETS.merchant), 401);
});

const JSON_BODY = { 'Content-Type': 'application/json' };

const ALL = Object.keys(ROUTES).map((route) => route.replace(/\{[^}]+\}/, 'x').split(' ') as [string, string]);

it("every merchant route needs the merchant's key; a missing key, a wrong one and an order token get the same answer", async (t) => {
  const world = await createWorld(t);
  const bearers = [`${SECRETS.merchant}x`, SECRETS.merchant.slice(1), world.token(), SECRETS.ipn, SECRETS.order];
  const wrong = ['', 'Bearer', `Basic ${SECRETS.merchant}`, ...bearers.map((bearer) => `Bearer ${bearer}`)];
  for (const [method, path] of ALL) {
    const seen = new Set<string>();
    for (const authorization of wrong) {
      const headers = { ...JSON_BODY, ...(authorization && { Authorization: authorization }) };
      const response = await world.request(method, path, { headers, ...(method === 'POST' && { body: '{}' }) });
      assert.equal(response.status, 401, `${method} ${path} ${authorization}`);
      assert.equal(response.headers.get('www-authenticate'), 'Bearer');
      seen.add(JSON.stringify({ ...((await response.json()) as Problem), requestId: '' }));
    }
    assert.equal(seen.size, 1, `${method} ${path}`);
  }
});

it("the merchant's key is refused from a browser: any request with an Origin, allowed or not", async (t) => {
  const world = await createWorld(t);
  const auth = { Authorization: `Bearer ${SECRETS.merchant}`, ...JSON_BODY };
  for (const [method, path] of ALL) {
    for (const origin of [SHOP, 'https://evil.example', 'null', '']) {
      const response = await world.request(method, path, {
        headers: { ...auth, Origin: origin },
        ...(method === 'POST' && { body: JSON.stringify(PAYOUT) }),
      });
      assert.equal(response.status, 403, `${method} ${path} ${origin}`);
      assert.equal(response.headers.get('access-control-allow-origin'), null);
      assert.equal(((await response.json()) as Problem).code, 'forbidden_origin');
    }
  }
  assert.equal(await world.gatewayHas('P-1'), undefined);
});

it("the merchant's key does not open the order routes, which need an order token", async (t) => {
  const world = await createWorld(t);
  for (const path of ['/order', '/order/events']) {
    const response = await world.request('GET', path, { headers: { Authorization: `Bearer ${SECRETS.merchant}` } });
    assert.equal(response.status, 401);
  }
});

it('a body must be declared as JSON, be valid, have known keys only, and take at most 16 KB', async (t) => {
  const world = await createWorld(t);
  const auth = { Authorization: `Bearer ${SECRETS.merchant}` };
  for (const path of ['/orders', '/payouts']) {
    for (const type of [undefined, 'text/plain', 'application/x-www-form-urlencoded', 'application/jsonp']) {
      const headers = { ...auth, ...(type && { 'Content-Type': type }) };
      const response = await world.request('POST', path, { headers, body: JSON.stringify(PAYOUT) });
      assert.equal(response.status, 415, `${path} ${type}`);
    }
    for (const body of ['', '{', 'null', '[]', '"x"', '{"a":1,}', '\uFEFF{}']) {
      const { status } = await world.merchant<Problem>('POST', path, body);
      assert.equal(status, 400, `${path} ${body}`);
    }
    const large = await world.merchant<Problem>('POST', path, `{"a":"${'x'.repeat(16 * 1024)}"}`);
    assert.deepEqual([large.status, large.body.code], [413, 'payload_too_large']);
  }
  assert.deepEqual(world.rows('select * from transactions'), []);
  const headers = { ...auth, 'Content-Type': 'APPLICATION/JSON; charset=utf-8' };
  assert.equal((await world.request('POST', '/orders', { headers, body: JSON.stringify(ORDER) })).status, 201);
});

const NO_TEXT = ['\0', 'a\nb', 'a\u001bb', 'a\u007fb', 'a\u0085b', 'a\u009fb', 'a\u202eb', '\u202a', 'a\u2066b\u2069'];
const TEXT = ['ünïcode – 日本語 🙂', 'שלום', 'a\u00a0b', '\u200fשלום', 'it\'s "fine" <b>'];

it('a note, description or reference with control characters or bidirectional marks is refused', async (t) => {
  const world = await createWorld(t);
  const texts = [
    ['/payouts', PAYOUT, 'note', 200],
    ['/orders', ORDER, 'description', 200],
    ['/orders', ORDER, 'customerReferenceNo', 64],
  ] as const;
  for (const [path, body, field, most] of texts) {
    const detail = `a string of 1 to ${most} characters, without control characters or bidirectional marks`;
    for (const text of NO_TEXT) {
      const refused = await world.merchant<Problem>('POST', path, { ...body, [field]: text });
      assert.deepEqual([refused.status, refused.body.errors], [400, [{ field, detail }]], JSON.stringify(text));
    }
  }
  for (const [n, note] of TEXT.entries()) {
    const payout = await world.merchant<{ note: string }>('POST', '/payouts', { ...PAYOUT, orderId: `T-${n}`, note });
    assert.deepEqual([payout.status, payout.body.note], [202, note]);
  }
});
