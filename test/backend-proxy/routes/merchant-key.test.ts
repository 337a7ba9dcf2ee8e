// The merchant's key: every merchant route needs it and refuses browsers, and it opens no order route.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Problem } from '../../../backend-proxy/protocol/wire.ts';
import { SECRETS, SHOP, createWorld, readDocument, type World } from '../world.ts';
import { PAYOUT } from './merchant-kit.ts';

const JSON_BODY = { 'Content-Type': 'application/json' };

async function merchantRoutes(world: World): Promise<[method: string, path: string][]> {
  const { paths } = await readDocument(world.proxy);
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { security = [] }]): [string, string][] =>
      security.some((scheme) => 'merchantKey' in scheme)
        ? [[method.toUpperCase(), path.replace(/\{[^}]+\}/, 'x')]]
        : [],
    ),
  );
  assert.equal(routes.length, 15);
  return routes;
}

it("every merchant route needs the merchant's key; a missing key, a wrong one and an order token get the same answer", async (t) => {
  const world = await createWorld(t);
  const wrong = ['', 'Bearer', 'Bearer ', `Bearer ${SECRETS.merchant}x`, `Bearer ${SECRETS.merchant.slice(1)}`, `Basic ${SECRETS.merchant}`, SECRETS.merchant, `Bearer ${SECRETS.merchant} x`, `Bearer ${world.token()}`, `Bearer ${SECRETS.ipn}`, `Bearer ${SECRETS.order}`]; // prettier-ignore
  for (const [method, path] of await merchantRoutes(world)) {
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
  for (const [method, path] of await merchantRoutes(world)) {
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

it("the merchant's key may be any of several, so that one can be rotated without a gap", async (t) => {
  const other = 'another-merchant-key-0123456789-0123456789';
  const world = await createWorld(t, { config: { merchantKeys: [other, SECRETS.merchant] } });
  for (const key of [other, SECRETS.merchant]) {
    const response = await world.request('GET', '/webhooks', { headers: { Authorization: `bearer ${key}` } });
    assert.equal(response.status, 200);
  }
});

it("the merchant's key does not open the order routes, which need an order token", async (t) => {
  const world = await createWorld(t);
  for (const path of ['/order', '/order/events']) {
    const response = await world.request('GET', path, { headers: { Authorization: `Bearer ${SECRETS.merchant}` } });
    assert.equal(response.status, 401);
  }
});
