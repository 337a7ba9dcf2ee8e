// POST /order/payments with an idempotency key: a repeated start creates one payment.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createWorld } from '../world.ts';
import { DIRECT, OPEN, creates } from './order-kit.ts';

it('a repeated idempotency key answers 200 with the view, and nothing is sent', async (t) => {
  const world = await createWorld(t);
  const token = world.token();
  assert.equal((await world.start(token, { method: 'QR' }, 'key-1')).status, 201);
  const { status, body } = await world.start(token, { method: 'QR' }, 'key-1');
  assert.deepEqual([status, body.payment?.status], [200, 'PROCESSING']);
  assert.deepEqual(await creates(world, 'A-1', 'A-1-2'), [1, undefined]);
});

it('an idempotency key sent many times at once creates one payment', async (t) => {
  const world = await createWorld(t);
  const token = world.token();
  const answers = await Promise.all(Array.from({ length: 8 }, () => world.start(token, { method: 'QR' }, 'key-1')));
  assert.deepEqual(answers.filter(({ status }) => status === 201).length, 1);
  assert.equal(answers.filter(({ status }) => status === 200).length, 7);
  assert.deepEqual(await creates(world, 'A-1', 'A-1-2'), [1, undefined]);
});

it('an idempotency key with another body is refused with 422', async (t) => {
  const world = await createWorld(t);
  const token = world.token({ ...OPEN, ...DIRECT });
  await world.start(token, { method: 'QR', amount: '10' }, 'key-1');
  for (const body of [
    { method: 'JETGO', amount: '10' },
    { method: 'QR', amount: '11' },
    { method: 'DIRECT', amount: '10' },
  ]) {
    const refused = await world.refused(token, body, 'key-1');
    assert.deepEqual([refused.status, refused.body.code], [422, 'idempotency_key_reused']);
  }
  assert.equal((await world.start(token, { method: 'QR', amount: '10.00' }, 'key-1')).status, 200, 'the same amount');
});

it('an idempotency key is required, with 1 to 255 printable characters', async (t) => {
  const world = await createWorld(t);
  for (const key of ['x', '~'.repeat(255)]) {
    assert.equal((await world.start(world.token({ orderId: `O${key.length}` }), { method: 'QR' }, key)).status, 201);
  }
  for (const key of ['', 'x'.repeat(256), 'a b']) {
    const { status, body } = await world.refused(world.token(), { method: 'QR' }, key);
    assert.deepEqual([status, body.errors?.[0]?.field], [400, 'idempotency-key']);
  }
  const headers = { Authorization: `Bearer ${world.token()}`, 'Content-Type': 'application/json' };
  const response = await world.request('POST', '/order/payments', { headers, body: '{"method":"QR"}' });
  assert.equal(response.status, 400);
  assert.equal(await world.gatewayHas('A-1'), undefined);
});
