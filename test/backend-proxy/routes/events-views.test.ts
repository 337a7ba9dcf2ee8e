// GET /order/events through the app: the view at once and after every commit, until the order is paid.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { NOON } from '../time.ts';
import { REFUNDS_QR, SHOP, createWorld } from '../world.ts';
import { open, reading } from './events-kit.ts';

it('the event stream starts with the whole view, and its headers keep proxies from buffering it', async (t) => {
  const world = await createWorld(t);
  const token = world.token();
  const response = await world.request('GET', '/order/events', {
    headers: { Authorization: `Bearer ${token}`, Origin: SHOP },
  });
  assert.deepEqual(
    ['content-type', 'cache-control', 'x-accel-buffering', 'access-control-allow-origin', 'content-length'].map(
      (name) => response.headers.get(name),
    ),
    ['text/event-stream; charset=utf-8', 'no-store, no-transform', 'no', SHOP, null],
  );
  const stream = reading(response);
  assert.deepEqual(await stream.view(), await world.view(token));
  await stream.cancel();
});

it('the event stream sends every commit, whatever caused it, and ends once the order is paid', async (t) => {
  const world = await createWorld(t);
  const token = world.token();
  const stream = await open(world, token);
  assert.equal((await stream.view()).payment, null);
  const { body } = await world.start(token, { method: 'QR' });
  let seen = await stream.view();
  while (seen.version < body.version) seen = await stream.view();
  assert.deepEqual(seen.payment, body.payment);
  await world.settleAfter('approve', 'A-1');
  const last = await stream.view();
  assert.deepEqual([last.paid, last.payment?.status], [true, 'SUCCESS']);
  assert.equal(await stream.next(), 'end');
});

it('the event stream of a paid order sends one view and ends', async (t) => {
  const world = await createWorld(t);
  const token = world.token();
  await world.start(token, { method: 'QR' });
  await world.settleAfter('approve', 'A-1');
  const stream = await open(world, token);
  assert.equal((await stream.view()).paid, true);
  assert.equal(await stream.next(), 'end');
});

it('the event stream shows the closing, and ends once nothing of the closed order is open', async (t) => {
  const world = await createWorld(t);
  const token = world.token();
  await world.start(token, { method: 'QR' });
  const stream = await open(world, token);
  assert.equal((await stream.view()).closed, false);
  await world.merchant('POST', '/orders/A-1/close', {});
  assert.equal((await stream.view()).closed, true);
  await world.settleAfter('decline', 'A-1');
  assert.equal((await stream.view()).payment?.status, 'FAILED');
  assert.equal(await stream.next(), 'end');
});

it('the event stream of a closed order that was paid after all continues until the money is on its way back and there', async (t) => {
  const world = await createWorld(t, {
    profile: REFUNDS_QR,
  });
  const token = world.token();
  await world.start(token, { method: 'QR' });
  await world.merchant('POST', '/orders/A-1/close', {});
  await world.settleAfter('approve', 'A-1', '23456789');
  const stream = await open(world, token);
  assert.deepEqual((await stream.view()).refunds, []);
  await world.proxy.refunds.start({ orderId: 'A-1', amount: '10', idempotencyKey: 'refund' });
  await world.settle();
  for (let sent: string | undefined; sent !== 'SUCCESS';) {
    sent = (await stream.view()).refunds[0]?.status;
    if (sent === 'PROCESSING') await world.settleAfter('approve', 'A-1-r1');
  }
  assert.equal(await stream.next(), 'end');
});

it('the event stream of a paid order continues while another payment can still be paid, and shows when it was', async (t) => {
  const world = await createWorld(t);
  const token = world.token();
  await world.start(token, { method: 'QR' });
  await world.start(token, { method: 'JETGO' });
  await world.settleAfter('approve', 'A-1-2');
  const stream = await open(world, token);
  const { paid, surplus, otherOpen } = await stream.view();
  assert.deepEqual([paid, surplus, otherOpen], [true, false, true]);
  await world.settleAfter('approve', 'A-1');
  const last = await stream.view();
  assert.deepEqual([last.surplus, last.otherOpen], [true, false]);
  assert.equal(await stream.next(), 'end');
});

it('the event stream ends after a success even if another payment was declined', async (t) => {
  const world = await createWorld(t);
  const token = world.token();
  await world.start(token, { method: 'QR' });
  await world.settleAfter('decline', 'A-1');
  await world.start(token, { method: 'JETGO' });
  await world.settleAfter('approve', 'A-1-2');
  const stream = await open(world, token);
  assert.equal((await stream.view()).paid, true);
  assert.equal(await stream.next(), 'end');
});

it('the event stream continues after a failed payment, because another may follow', async (t) => {
  const world = await createWorld(t);
  const token = world.token();
  const { body } = await world.start(token, { method: 'QR' });
  const stream = await open(world, token);
  assert.equal((await stream.view()).version, body.version);
  await world.settleAfter('decline', 'A-1');
  assert.equal((await stream.view()).payment?.reason, 'DECLINED');
  await world.start(token, { method: 'CHECKOUT' });
  assert.equal((await stream.view()).payment?.method, 'CHECKOUT');
  await stream.cancel();
});

it('the event stream sends nothing about other orders', async (t) => {
  const world = await createWorld(t);
  const own = world.token({ orderId: 'B' });
  const stream = await open(world, own);
  await stream.view();
  await world.start(world.token(), { method: 'QR' });
  await world.start(own, { method: 'CHECKOUT' });
  assert.equal((await stream.view()).payment?.method, 'CHECKOUT', 'the next view is of the next commit of its order');
  await stream.cancel();
});

it('the event stream needs a valid token', async (t) => {
  const world = await createWorld(t);
  for (const [token, code] of [
    ['', 'invalid_token'],
    ['x', 'invalid_token'],
    [world.token({ exp: NOON / 1000 }), 'token_expired'],
  ] as const) {
    const response = await world.request('GET', '/order/events', { headers: { Authorization: `Bearer ${token}` } });
    assert.equal(response.status, 401);
    assert.equal(((await response.json()) as { code: string }).code, code);
  }
});
