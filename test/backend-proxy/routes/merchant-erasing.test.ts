// DELETE /orders/{orderId}/personal-data, and what the merchant, the shopper and the gateway see after it.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { Problem } from '../../../backend-proxy/protocol/wire.ts';
import { D, M } from '../time.ts';
import { createWorld, type World } from '../world.ts';

interface View {
  gatewayOrderId: string;
  customer: string | null;
  payer?: string | null;
  note?: string | null;
  status: string;
  needsReview: boolean;
  erasedAt: string | null;
  version: number;
  history: { event: string; source: string; detail: string | null }[];
}
interface Erased {
  orderId: string;
  transactions: View[];
}

const WALLET = '12345678';
const ERASE_ORDER = '/orders/A-1/personal-data';

/** An order that was paid from a wallet, and reported. */
async function paid(t: TestContext): Promise<World> {
  const world = await createWorld(t, { webhooks: true });
  await world.start(
    world.token({ customerReferenceNo: 'c-1' }),
    { method: 'DIRECT', customer: WALLET },
    'key-of-the-shopper-abcdef',
  );
  await world.customer('approve', 'A-1');
  await world.pass(M);
  return world;
}

it('DELETE /orders/:orderId/personal-data erases a paid order, and the views say since when', async (t) => {
  const world = await paid(t);
  const before = (await world.merchant<{ payments: View[] }>('GET', '/orders/A-1')).body.payments[0];
  assert.deepEqual([before?.customer, before?.payer, before?.erasedAt], [WALLET, WALLET, null]);
  const { status, body } = await world.merchant<Erased>('DELETE', ERASE_ORDER);
  assert.equal(status, 200);
  const [payment] = body.transactions;
  const erasedAt = new Date(world.now()).toISOString();
  const kept = { status: 'SUCCESS', erasedAt, version: before?.version };
  assert.partialDeepStrictEqual(payment, { ...kept, customer: null, payer: null });
  assert.deepEqual(payment?.history.at(-1), { at: erasedAt, event: 'erased', source: 'merchant', detail: null });
  assert.deepEqual((await world.merchant<{ payments: View[] }>('GET', '/orders/A-1')).body.payments, [payment]);
  assert.equal((await world.view(world.token())).paid, true);
  for (const table of ['transactions', 'history', 'webhooks', 'ipns']) {
    assert.doesNotMatch(JSON.stringify(world.rows(`select * from ${table}`)), /"(12345678|c-1)\\?"/, table);
  }
  world.skip(M);
  assert.deepEqual((await world.merchant('DELETE', ERASE_ORDER)).body, body, 'again it changes nothing');
});

it('DELETE /orders/:orderId/personal-data is 409 with the reason while a payment is open or checked', async (t) => {
  const world = await createWorld(t, { webhooks: true });
  await world.start(world.token(), { method: 'QR' });
  const open = await world.merchant<Problem>('DELETE', ERASE_ORDER);
  assert.deepEqual([open.status, open.body.code, open.body.retryable], [409, 'not_ended', true]);
  assert.match(open.body.detail ?? '', /A-1 is open/);
  await world.start(world.token(), { method: 'QR' });
  await world.customer('approve', 'A-1-2');
  await world.pass(M);
  const swept = await world.merchant<Problem>('DELETE', ERASE_ORDER);
  assert.match(swept.body.detail ?? '', /A-1 is checked until 2026-11-27T12:00:00.000Z/);
  await world.pass(7 * D);
  assert.equal((await world.merchant('DELETE', ERASE_ORDER)).status, 200);
});

it('DELETE /orders/:orderId/personal-data of an order that is not known, or was never started, is 404', async (t) => {
  const world = await createWorld(t);
  await world.view(world.token());
  assert.equal((await world.merchant('DELETE', ERASE_ORDER)).status, 404);
  assert.equal((await world.merchant('DELETE', '/orders/%00/personal-data')).status, 400);
});

it('a webhook is not sent again once its body is erased: 410', async (t) => {
  const world = await paid(t);
  await world.merchant('DELETE', ERASE_ORDER);
  const { body } = await world.merchant<{ webhooks: { id: string; erased: boolean }[] }>('GET', '/webhooks');
  const [webhook] = body.webhooks;
  assert.equal(webhook?.erased, true);
  const sent = world.receiver.received.length;
  const again = await world.merchant<Problem>('POST', `/webhooks/${webhook.id}/redeliver`);
  assert.deepEqual([again.status, again.body.code], [410, 'erased']);
  await world.pass(M);
  assert.equal(world.receiver.received.length, sent);
});
