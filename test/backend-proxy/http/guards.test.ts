// The comparison of secrets, and the bearer of a request.
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { it } from 'node:test';
import { Hono } from 'hono';
import { bearerOf, createSecretCheck, keysWith } from '../../../backend-proxy/http/guards.ts';
import { OpenAPIHono, createRoute } from '@hono/zod-openapi';
import { problemResponse, toRefusal } from '../../../backend-proxy/http/answer.ts';
import { serveRoute } from '../../../backend-proxy/http/route.ts';

it('a secret matches only if it equals one of the list exactly', () => {
  const isSecret = createSecretCheck(['first-secret', 'second-secret']);
  for (const known of ['first-secret', 'second-secret']) assert.equal(isSecret(known), true);
  for (const other of ['', 'first-secre', 'first-secret ', 'First-secret', 'first-secretsecond-secret', 'x']) {
    assert.equal(isSecret(other), false, other);
  }
  assert.equal(createSecretCheck([])(''), false);
});

it('a secret is compared by timingSafeEqual with each of the list, and by nothing that ends sooner', (t) => {
  const compared = t.mock.method(crypto, 'timingSafeEqual');
  syncBuiltinESMExports();
  t.after(() => {
    t.mock.restoreAll();
    syncBuiltinESMExports();
  });
  const isSecret = createSecretCheck(['first-secret', 'second-secret', 'third-secret']);
  for (const [candidate, results] of [
    ['first-secret', [true, false, false]],
    ['second-secret', [false, true, false]],
    ['none of them', [false, false, false]],
    ['', [false, false, false]],
  ] as const) {
    compared.mock.resetCalls();
    assert.equal(isSecret(candidate), results.some(Boolean));
    assert.deepEqual(
      compared.mock.calls.map(({ result }) => result),
      results,
      candidate,
    );
  }
});

it('a candidate of any length can be checked, because its hash is compared', () => {
  const isSecret = createSecretCheck(['s']);
  assert.equal(isSecret('x'.repeat(100_000)), false);
  assert.equal(isSecret('ü\0'), false);
});

async function seen(headers: Record<string, string>) {
  const app = new Hono();
  app.get('/', (c) => c.json({ bearer: bearerOf(c) }));
  return (await (await app.request('/', { headers })).json()) as { bearer: string };
}

it('bearerOf() reads one word of at most 8192 characters after the scheme, in any case', async () => {
  const bearer = async (Authorization: string) => (await seen({ Authorization })).bearer;
  assert.equal(await bearer('Bearer abc'), 'abc');
  assert.equal(await bearer('bEARER abc'), 'abc');
  assert.equal(await bearer(`Bearer ${'x'.repeat(8192)}`), 'x'.repeat(8192));
  for (const none of [
    '',
    'abc',
    'Bearer',
    'Bearer a b',
    'Basic abc',
    'xBearer abc',
    `Bearer ${'x'.repeat(8193)}`,
    'Bearer  abc',
  ]) {
    assert.equal(await bearer(none), '', none.slice(0, 20));
  }
  assert.equal((await seen({})).bearer, '');
});

const ROUTE = { method: 'get', path: '/new', responses: { 200: { description: 'served' } } } as const;
const serve = () => new Response('served');

it('a route that does not say who may call it does not compile', () => {
  // @ts-expect-error: it has no `security`
  assert.throws(() => serveRoute(new OpenAPIHono(), createRoute(ROUTE), serve), TypeError);
  // @ts-expect-error: a merchant's key needs a scope
  serveRoute(new OpenAPIHono(), createRoute({ ...ROUTE, security: [{ merchantKey: [] }] }), serve);
  // @ts-expect-error: there is no such scope
  serveRoute(new OpenAPIHono(), createRoute({ ...ROUTE, security: keysWith('refund') }), serve);
});

it("a merchant's route under a path that no key guards is closed", async () => {
  const app = new OpenAPIHono();
  app.onError((error, c) => problemResponse(c, toRefusal(error)));
  app.use((c, next) => {
    c.set('headers', {});
    return next();
  });
  serveRoute(app, createRoute({ ...ROUTE, security: keysWith('read') }), serve);
  assert.equal((await app.request('/new', { headers: { Authorization: 'Bearer any' } })).status, 401);
});
