import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Hono } from 'hono';
import { createProxy } from '../../backend-proxy/index.ts';
import { SECRETS, SHOP, createWorld } from './world.ts';

it('createProxy() answers under a path of another Hono app, and ends', async (t) => {
  const world = await createWorld(t);
  const env = {
    GATEWAY_URL: world.gatewayUrl,
    GATEWAY_API_KEY: SECRETS.gatewayKey,
    ORDER_SECRET: SECRETS.order,
    MERCHANT_API_KEY: SECRETS.merchant,
    IPN_SECRET: SECRETS.ipn,
    ALLOWED_ORIGINS: SHOP,
    DATABASE_URL: `file:${world.file}.other`,
  };
  const proxy = await createProxy(env, { log: () => undefined });
  const shop = new Hono().route('/pay', proxy.app);
  assert.equal((await shop.request('/pay/healthz')).status, 200);
  const own = new Request('http://127.0.0.1/healthz');
  assert.equal((await proxy.fetch(own)).status, 200);
  await proxy.stop();
  assert.equal((await proxy.fetch(new Request('http://127.0.0.1/readyz'))).status, 503);
});
