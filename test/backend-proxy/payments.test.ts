// Starting a payment, over HTTP and against the sandbox: what is sent, what is shown, and what is never sent.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createWorld } from './world.ts';

describe('starting a payment', () => {
  it('answers 201 with the order view, and the gateway has exactly one create', async (t) => {
    const world = await createWorld(t);
    const token = world.token();
    const { status, body } = await world.start(token, { method: 'QR' });
    assert.equal(status, 201);
    assert.equal(body.payment?.status, 'PROCESSING');
    assert.equal((await world.gatewayHas('A-1'))?.createRequests, 1);
    await world.customer('approve', 'A-1');
    await world.settle();
    assert.equal((await world.view(token)).paid, true);
  });
});
