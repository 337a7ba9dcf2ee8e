// Problem documents: fields, codes, and what is hidden from the caller.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Problem } from '../../../backend-proxy/protocol/wire.ts';
import { SECRETS, createWorld } from '../world.ts';

it('an unknown route is a problem document with 404', async (t) => {
  const world = await createWorld(t);
  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/nowhere'],
    ['PUT', '/order'],
    ['DELETE', '/orders/A'],
    ['GET', '/order/payments'],
    ['GET', '/wp-login.php'],
    ['POST', '/webhooks'],
  ] as const) {
    const headers = { Authorization: `Bearer ${SECRETS.merchant}` };
    const response = await world.request(method, path, { headers });
    assert.equal(response.status, 404, `${method} ${path}`);
    assert.equal(response.headers.get('content-type'), 'application/problem+json');
  }
});

it('a problem document has the documented fields, its request id in the header and the log, and is not cached', async (t) => {
  const world = await createWorld(t);
  const response = await world.request('GET', '/order', { headers: { Authorization: 'Bearer x' } });
  const problem = (await response.json()) as Problem;
  const constant = { ...problem, detail: '', requestId: '' };
  assert.deepEqual(constant, {
    type: 'about:blank',
    title: 'The order token is not valid',
    status: 401,
    detail: '',
    code: 'invalid_token',
    retryable: false,
    requestId: '',
  });
  assert.equal(response.headers.get('x-request-id'), problem.requestId);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.ok(world.log.some(({ event, requestId }) => event === 'request' && requestId === problem.requestId));
});

it('an internal error shows no detail to the caller, and its place to the log', async (t) => {
  const world = await createWorld(t, {
    wrapLedger: (ledger) => ({
      ...ledger,
      orderAt: () => Promise.reject(Object.assign(new TypeError('canary of a secret'), { code: 'E_CODE' })),
    }),
  });
  const response = await world.request('GET', '/order', { headers: { Authorization: `Bearer ${world.token()}` } });
  const problem = (await response.json()) as Problem;
  assert.deepEqual([response.status, problem.code, problem.retryable], [500, 'internal', true]);
  assert.doesNotMatch(JSON.stringify([problem, world.log]), /canary/);
  const line = world.log.find(({ event }) => event === 'request failed');
  assert.equal(line?.['requestId'], problem.requestId);
  assert.match(String(line?.['error']), /^TypeError E_CODE .*at /);
  assert.ok(world.log.some(({ event, level }) => event === 'request' && level === 'warn'));
});
