// GET /order: the view of an order, and its versions.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import type { OrderView } from '../../../backend-proxy/protocol/wire.ts';
import { H, NOON } from '../time.ts';
import { createWorld } from '../world.ts';
import { OPEN } from './order-kit.ts';

it('the order view of an order that was never started shows the terms of the token', async (t) => {
  const world = await createWorld(t);
  const view = await world.view(world.token({ description: 'Two teapots', methods: ['QR', 'CHECKOUT'] }));
  assert.deepEqual(view, {
    orderId: 'A-1',
    amount: '10.10',
    currency: 'EUR',
    description: 'Two teapots',
    supportUrl: null,
    methods: ['QR', 'CHECKOUT'],
    paid: false,
    checking: false,
    closed: false,
    test: true,
    surplus: false,
    otherOpen: false,
    refunds: [],
    version: 0,
    serverTime: '2026-11-20T12:00:00.000Z',
    payment: null,
  });
  assert.equal((await world.view(world.token(OPEN))).amount, null);
});

it('the order view is not cached and has a request id', async (t) => {
  const world = await createWorld(t);
  const headers = { Authorization: `Bearer ${world.token()}` };
  const response = await world.request('GET', '/order', { headers });
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.match(response.headers.get('x-request-id') ?? '', /^[\w-]{36}$/);
});

it('the order view accepts a newer token of the same order', async (t) => {
  const world = await createWorld(t);
  await world.start(world.token(), { method: 'QR' });
  world.skip(2 * H);
  const view = await world.view(world.token());
  assert.equal(view.payment?.method, 'QR');
});

it('the order view is shown while the database is read-only, and its terms are stored afterwards', async (t) => {
  const world = await createWorld(t);
  const issued = Math.floor(NOON / 1000);
  const other = new DatabaseSync(world.file);
  other.exec('begin immediate');
  assert.equal((await world.view(world.token({ iat: issued, amount: '9.00' }))).amount, '9.00');
  other.exec('rollback');
  other.close();
  const { body } = await world.refused(world.token({ iat: issued - 60 }), { method: 'QR' });
  assert.equal(body.code, 'order_changed');
});

it('the order view shows the stored amount and currency, whatever a newer token says', async (t) => {
  const world = await createWorld(t);
  await world.start(world.token(), { method: 'QR' });
  const other = world.token({ amount: '9999', currency: 'JPY' });
  const { amount, currency } = await world.view(other);
  assert.deepEqual([amount, currency], ['10.10', 'EUR']);
  const { status, body } = await world.refused(other, { method: 'QR' });
  assert.deepEqual([status, body.code, body.retryable], [409, 'order_changed', false]);
  for (const changed of [{ amount: '10.11' }, { currency: 'USD' }]) {
    assert.equal((await world.refused(world.token(changed), { method: 'QR' })).body.code, 'order_changed');
  }
  const open = await world.refused(world.token(OPEN), { method: 'QR', amount: '10.10' });
  assert.equal(open.body.code, 'order_changed');
  assert.equal(await world.gatewayHas('A-1-2'), undefined);
});

it('the order view never goes back: each later one has a version at least as high', async (t) => {
  const world = await createWorld(t);
  const token = world.token();
  const seen: OrderView[] = [await world.view(token)];
  for (const method of ['QR', 'CHECKOUT', 'JETGO'] as const) {
    seen.push((await world.start(token, { method })).body, await world.view(token));
  }
  await world.settleAfter('approve', 'A-1-3');
  seen.push(await world.view(token));
  const versions = seen.map(({ version }) => version);
  assert.deepEqual(
    versions,
    versions.toSorted((a, b) => a - b),
  );
  assert.equal(new Set(versions).size, 5);
});
