// `payment-widget/testing` over a test world of this source: what a shop's tests do, and the words for a wrong call.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { PaymentProxy } from '../../../backend-proxy/client.ts';
import { Payments, startPayments } from '../../../demo/kit/testing.ts';
import { TestWorld } from '../../../demo/kit/test-world.ts';

async function open(t: TestContext) {
  const payments = new Payments(await TestWorld.open({ clock: 'stopped' }));
  t.after(() => payments.close());
  const client = new PaymentProxy({ url: payments.url, key: payments.env.MERCHANT_API_KEY });
  return { payments, client };
}

it('the kit pays, declines and expires, each with its webhook', async (t) => {
  const { payments } = await open(t);
  const paid = await payments.order({ amount: '25.00' });
  assert.equal((await payments.shopper(paid).pays('QR')).paid, true);
  assert.equal((await payments.webhooks.next('payment.succeeded')).data.amount, '25.00');
  const declined = await payments.order();
  assert.notEqual(declined.orderId, paid.orderId);
  assert.equal((await payments.shopper(declined).declines('QR')).payment?.reason, 'DECLINED');
  const expired = await payments.order({ minAmount: '1', maxAmount: '50' });
  await payments.shopper(expired, { amount: '20.00' }).starts('CHECKOUT');
  await payments.wallet.expire(expired.orderId);
  await payments.clock.advance('1m');
  assert.equal((await payments.webhooks.next('payment.failed', expired)).data.reason, 'EXPIRED');
});

it('the kit has a payment approved by hand after time has passed', async (t) => {
  const { payments, client } = await open(t);
  const { orderId, token } = await payments.order({ expiresIn: 7200 });
  await payments.shopper({ token }).starts('JETGO');
  const before = payments.clock.now().getTime();
  await payments.clock.advance('10m');
  assert.equal(payments.clock.now().getTime() - before, 600_000);
  await payments.wallet.approve(orderId);
  await payments.clock.advance('1m');
  assert.equal((await client.order(orderId))?.paid, true);
});

it('a fault of the kit concerns its order alone, and ends after its times', async (t) => {
  const { payments } = await open(t);
  const [broken, other] = [await payments.order(), await payments.order()];
  payments.faults.refuse('pay', { orderId: broken.orderId, times: 1 });
  payments.faults.ipn('never', { orderId: other.orderId });
  assert.equal((await payments.shopper(broken).starts('QR')).payment?.reason, 'REJECTED');
  assert.equal((await payments.shopper(broken).pays('QR')).paid, true);
  assert.equal((await payments.shopper(other).pays('QR')).paid, false);
  await payments.clock.advance('10m');
  assert.equal((await payments.webhooks.next('payment.succeeded', other)).data.orderId, other.orderId);
});

for (const [fault, cause] of [
  ['lose', (payments: Payments) => payments.faults.lose('pay', { times: 1 })],
  ['down', (payments: Payments) => payments.faults.down('status', { times: 3 })],
  ['ipn twice', (payments: Payments) => payments.faults.ipn('twice')],
  ['ipn reversed', (payments: Payments) => payments.faults.ipn('reversed')],
] as const) {
  it(`the shop hears once of a payment with the fault: ${fault}`, async (t) => {
    const { payments } = await open(t);
    cause(payments);
    const order = await payments.order({ customerReferenceNo: 'c-1' });
    await payments.shopper(order).pays('DIRECT');
    await payments.clock.advance('10m');
    assert.deepEqual(
      payments.webhooks.all.map(({ type }) => type),
      ['payment.succeeded'],
    );
    assert.ok(payments.journal.some(({ to, path }) => to === 'gateway' && path.endsWith('/pay')));
    await payments.reset();
    assert.equal(payments.journal.length, 0);
  });
}

it('the kit says what is allowed', async (t) => {
  const { payments } = await open(t);
  const wrong = (value: string) => value as never;
  for (const [call, says] of [
    [() => payments.faults.lose(wrong('refund')), /no fault of 'refund': pay, payout, status/],
    [() => payments.faults.ipn(wrong('late')), /no fault of 'late': never, twice, reversed/],
    [() => payments.faults.down('pay', { times: 0 }), /times: a whole number from 1/],
    [() => payments.faults.delay('pay', '6 seconds'), /'6 seconds' is no duration: '500ms', '30s'/],
    [() => payments.clock.advance('soon'), /'soon' is no duration/],
    [() => payments.clock.advance(-1), /'-1' is no duration/],
    [() => startPayments({ clock: wrong('slow') }), /clock: 'real' or 'stopped', not 'slow'/],
    [() => startPayments(), /needs payment-sandbox: npm i -D payment-sandbox@\d/],
  ] as const) {
    await assert.rejects(async () => call(), says);
  }
});
