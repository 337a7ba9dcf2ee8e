// Cross-origin requests: only allowed origins may use the order routes.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SECRETS, SHOP, createWorld, startHeaders } from '../world.ts';

const preflight = {
  'Access-Control-Request-Method': 'POST',
  'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key',
};

it('a cross-origin request of an allowed origin is answered with exactly that origin, also for errors', async (t) => {
  const world = await createWorld(t, { config: { allowedOrigins: [SHOP, 'https://other.example'] } });
  for (const origin of [SHOP, 'https://other.example']) {
    for (const [method, path, status] of [
      ['GET', '/order', 401],
      ['POST', '/order/payments', 415],
      ['GET', '/order/events', 401],
      ['OPTIONS', '/order/payments', 204],
      ['OPTIONS', '/order', 204],
    ] as const) {
      const response = await world.request(method, path, {
        headers: { Origin: origin, ...(method === 'OPTIONS' && preflight) },
      });
      assert.equal(response.status, status, `${method} ${path}`);
      assert.equal(response.headers.get('access-control-allow-origin'), origin);
      assert.equal(response.headers.get('access-control-allow-credentials'), null);
      assert.match(response.headers.get('vary') ?? '', /^Origin(, Access-Control-Request-Headers)?$/);
    }
  }
});

it('a cross-origin request of any other origin is refused without any effect', async (t) => {
  const world = await createWorld(t);
  const auth = startHeaders(world.token());
  for (const origin of [
    'https://evil.example',
    'null',
    'http://shop.example',
    'https://shop.example.evil.example',
    'https://a.shop.example',
    `${SHOP}/`,
    'https://SHOP.example',
    '',
  ]) {
    for (const [method, path] of [
      ['GET', '/order'],
      ['POST', '/order/payments'],
      ['GET', '/order/events'],
      ['OPTIONS', '/order/payments'],
    ] as const) {
      const response = await world.request(method, path, {
        headers: { ...auth, Origin: origin },
        ...(method === 'POST' && { body: '{"method":"QR"}' }),
      });
      assert.equal(response.status, 403, `${method} ${path} ${origin}`);
      assert.equal(response.headers.get('access-control-allow-origin'), null);
    }
  }
  assert.deepEqual(world.rows('select * from transactions'), []);
});

it('cross-origin headers are sent on no other route', async (t) => {
  const world = await createWorld(t);
  for (const [method, path] of [
    ['OPTIONS', '/orders'],
    ['GET', '/healthz'],
    ['GET', '/openapi.json'],
    ['OPTIONS', `/ipn/${SECRETS.ipn}`],
  ] as const) {
    const response = await world.request(method, path, { headers: { Origin: SHOP } });
    assert.equal(response.headers.get('access-control-allow-origin'), null, path);
  }
});
