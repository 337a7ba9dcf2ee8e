// A second payment of an order: it replaces the first, and both may succeed.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createWorld } from '../world.ts';
import { creates } from './order-kit.ts';

it('another method replaces the first payment, which is still checked: its late success pays the order', async (t) => {
  const world = await createWorld(t, { webhooks: true });
  const token = world.token();
  await world.start(token, { method: 'QR' });
  const { body } = await world.start(token, { method: 'CHECKOUT' });
  assert.equal(body.payment?.method, 'CHECKOUT');
  assert.deepEqual(await creates(world, 'A-1', 'A-1-2'), [1, 1]);
  await world.faults({ ipn: { never: true } });
  await world.customer('approve', 'A-1');
  await world.pass(60_000);
  const view = await world.view(token);
  assert.deepEqual(
    [view.paid, view.payment?.method, view.payment?.status, view.payment?.late],
    [true, 'QR', 'SUCCESS', true],
  );
  const { body: order } = await world.merchant<{
    payments: { status: string; reason: string; late: boolean; history: { event: string }[] }[];
  }>('GET', '/orders/A-1');
  const shown = order.payments.map(({ status, reason, late }) => [status, reason, late]);
  assert.deepEqual(shown, [
    ['SUCCESS', null, true],
    ['PROCESSING', null, false],
  ]);
  const events = order.payments[0]?.history.map(({ event }) => event);
  assert.deepEqual(events, ['created', 'sending', 'pending', 'replaced', 'succeeded']);
  assert.deepEqual(world.webhooks(), ['payment.failed', 'payment.succeeded']);
});

it('a second payment of an order is reported as surplus once, and the order stays paid by the first', async (t) => {
  const world = await createWorld(t, { webhooks: true });
  const token = world.token();
  await world.start(token, { method: 'QR' });
  await world.start(token, { method: 'CHECKOUT' });
  await world.settleAfter('approve', 'A-1-2');
  await world.customer('approve', 'A-1');
  await world.settleAfter('ipn', 'A-1');
  const view = await world.view(token);
  assert.deepEqual([view.paid, view.payment?.method, view.payment?.status], [true, 'CHECKOUT', 'SUCCESS']);
  assert.equal(view.surplus, true);
  const received = world.receiver.received.map(({ payload }) => [payload.type, payload.data['gatewayOrderId']]);
  assert.deepEqual(received, [
    ['payment.failed', 'A-1'],
    ['payment.succeeded', 'A-1-2'],
    ['payment.surplus', 'A-1'],
  ]);
});
