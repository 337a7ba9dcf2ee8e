// Keys with a scope: each key opens the routes of its scopes and no other, and the history and the log have its name.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { SCOPE_NAMES, type Scope } from '../../../backend-proxy/protocol/merchant-key.ts';
import type { Problem } from '../../../backend-proxy/protocol/wire.ts';
import { REFUNDS_QR, SECRETS, createWorld, readDocument, type World } from '../world.ts';
import { ORDER, PAYOUT, createSome } from './merchant-kit.ts';

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
      const told = `${scopes.join('+')} at ${route}: ${status} ${problem.code}`;
      if (needed.some((scope) => scopes.includes(scope))) assert.notEqual(problem.code, 'forbidden_scope', told);
      else {
        assert.deepEqual([status, problem.code], [403, 'forbidden_scope'], told);
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
  assert.deepEqual(
    requests.map(({ route, key }) => [route, key]),
    [
      ['/payouts', 'desk'],
      ['/transactions/:gatewayOrderId/resolve', 'office'],
      ['/orders/:orderId/personal-data', 'office'],
    ],
  );
  assert.equal(world.log.find(({ event }) => event === 'payout sent')?.['key'], 'desk');
  assert.doesNotMatch(JSON.stringify(world.log), /canary-key-of/);
});

it("without scopes a key is the merchant's own: it may do everything, and the history says `merchant`", async (t) => {
  const world = await createWorld(t);
  const { body } = await world.merchant<{ history: { source: string }[] }>('POST', '/payouts', PAYOUT);
  assert.equal(body.history[0]?.source, 'merchant');
});

it('two keys of one name are one holder who rotates: both are taken, each with scopes of its own', async (t) => {
  const keys = ['old', 'new'].map((key) => ({ name: 'shop', scopes: ['read' as const], key: secretOf(key) }));
  const world = await createWorld(t, { config: { merchantKeys: keys } });
  for (const { key } of keys) {
    const response = await world.request('GET', '/ipns', { headers: { Authorization: `Bearer ${key}` } });
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
