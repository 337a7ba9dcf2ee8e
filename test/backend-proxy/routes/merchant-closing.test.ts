// POST /orders/{orderId}/close: what it answers, what the shopper sees, what a SUCCESS does then, and `ifUnpaid`.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Checked } from '../../../backend-proxy/gateway/gateway.ts';
import { DEFAULT_PROFILE } from '../../../backend-proxy/gateway/profile.ts';
import type { Problem } from '../../../backend-proxy/protocol/wire.ts';
import { M, NOON, S } from '../time.ts';
import { until } from '../until.ts';
import { createWorld, type World } from '../world.ts';

const iso = (ms: number) => new Date(ms).toISOString();
const close = (world: World, body: object = {}, orderId = 'A-1') =>
  world.merchant<Problem & Record<string, unknown>>('POST', `/orders/${orderId}/close`, body);
const kindOf = ({ status, body }: Awaited<ReturnType<typeof close>>) => [status, body.code];

it('an order that nobody has started can be closed: the view says so, a start is 409, and again changes nothing', async (t) => {
  const world = await createWorld(t);
  const closed = { orderId: 'A-1', closed: true, closedAt: iso(NOON), mayStillBePaid: [] };
  const { status, body } = await close(world, { reason: 'out of stock' });
  assert.deepEqual([status, body], [200, closed]);
  world.skip(S);
  assert.deepEqual((await close(world, { ifUnpaid: true })).body, closed);
  const { body: order } = await world.merchant('GET', '/orders/A-1');
  const none = {
    amount: null,
    currency: 'XXX',
    paid: false,
    metadata: null,
    payments: [],
    refunds: [],
    refundable: [],
  };
  assert.deepEqual(order, { ...none, orderId: 'A-1', closed: true, closedAt: iso(NOON), closeReason: 'out of stock' });
  const view = await world.view(world.token());
  assert.deepEqual([view.closed, view.paid, view.payment, view.amount], [true, false, null, '10.10']);
  const newer = world.token({ iat: Math.floor(world.now() / 1000), amount: '9.00' });
  const refused = await world.refused(newer, { method: 'QR' });
  assert.deepEqual([refused.status, refused.body.code, refused.body.retryable], [409, 'order_closed', false]);
  assert.equal(await world.gatewayHas('A-1'), undefined);
});

it('what may still be paid is listed, with the end of a checkout; the shopper sees no code any more', async (t) => {
  const world = await createWorld(t);
  const token = world.token();
  await world.start(token, { method: 'CHECKOUT' });
  await world.start(token, { method: 'JETGO' });
  await world.settleAfter('decline', 'A-1-2');
  world.skip(S);
  assert.ok((await world.start(token, { method: 'QR' })).body.payment?.qr);
  const { body } = await close(world);
  assert.deepEqual(body['mayStillBePaid'], [
    { gatewayOrderId: 'A-1', method: 'CHECKOUT', until: iso(NOON + 15 * M) },
    { gatewayOrderId: 'A-1-3', method: 'QR', until: null },
  ]);
  const { closed, payment } = await world.view(token);
  assert.deepEqual([closed, payment?.status, payment?.qr], [true, 'PROCESSING', null]);
});

it('with ifUnpaid, the gateway is asked first: an open payment is 409, and a SUCCESS that came meanwhile pays', async (t) => {
  const world = await createWorld(t, { webhooks: true });
  await world.proxy.begin();
  await world.start(world.token(), { method: 'QR' });
  assert.deepEqual(kindOf(await close(world, { ifUnpaid: true })), [409, 'payment_open']);
  await world.customer('approve', 'A-1');
  assert.deepEqual(kindOf(await close(world, { ifUnpaid: true })), [409, 'already_paid']);
  await world.settle();
  assert.deepEqual(world.webhooks(), ['payment.succeeded']);
});

it('with ifUnpaid, an order closes once the gateway says that nothing is under way, before any IPN', async (t) => {
  const world = await createWorld(t);
  await world.proxy.begin();
  await world.start(world.token(), { method: 'QR' });
  await world.customer('decline', 'A-1');
  assert.deepEqual(kindOf(await close(world, { ifUnpaid: true })), [200, undefined]);
  assert.equal((await world.view(world.token())).payment?.reason, 'DECLINED');
});

it('with ifUnpaid, a gateway that does not answer closes nothing: 503, and later again', async (t) => {
  const world = await createWorld(t);
  await world.proxy.begin();
  await world.start(world.token(), { method: 'JETGO' });
  await world.start(world.token(), { method: 'QR' });
  await world.customer('decline', 'A-1-2');
  await world.settle();
  world.skip(M);
  await world.faults({ status: { status: 500 } });
  const refused = await close(world, { ifUnpaid: true });
  assert.deepEqual([...kindOf(refused), refused.headers.get('Retry-After')], [503, 'unavailable', '10']);
  await world.faults({});
  world.skip(M);
  assert.deepEqual(kindOf(await close(world, { ifUnpaid: true })), [200, undefined]);
});

it('with ifUnpaid, the gateway is asked about all payments at once, so a slow one is waited for once', async (t) => {
  const answers: (() => void)[] = [];
  const held = (): Promise<Checked> =>
    new Promise((answer) => answers.push(() => answer({ kind: 'unavailable', detail: '' })));
  const world = await createWorld(t, { wrapGateway: (gateway) => ({ ...gateway, status: held }) });
  await world.proxy.begin();
  await world.start(world.token(), { method: 'JETGO' });
  await world.start(world.token(), { method: 'QR' });
  const closing = close(world, { ifUnpaid: true });
  await until(() => answers.length === 2);
  for (const answer of answers) answer();
  assert.deepEqual(kindOf(await closing), [503, 'unavailable']);
});

it('without a status check, ifUnpaid goes by the IPNs', async (t) => {
  const world = await createWorld(t, { profile: { paths: { ...DEFAULT_PROFILE.paths, status: null } } });
  await world.proxy.begin();
  await world.start(world.token(), { method: 'QR' });
  assert.deepEqual(kindOf(await close(world, { ifUnpaid: true })), [409, 'payment_open']);
  await world.start(world.token({ orderId: 'B-1' }), { method: 'QR' });
  await world.settleAfter('decline', 'B-1');
  assert.deepEqual(kindOf(await close(world, { ifUnpaid: true }, 'B-1')), [200, undefined]);
});

it('a closing is refused with unknown fields, a long reason, or a reason that is no single line', async (t) => {
  const world = await createWorld(t);
  for (const wrong of [{ force: true }, { reason: 'x'.repeat(201) }, { reason: 'a\nb' }, { ifUnpaid: 'yes' }])
    assert.deepEqual(kindOf(await close(world, wrong)), [400, 'invalid_request'], JSON.stringify(wrong));
  assert.equal((await world.view(world.token())).closed, false);
});
