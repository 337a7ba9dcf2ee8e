// `payment-widget/testing` over a test world of this source: what a shop's tests do, and the words for a wrong call.
import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { PaymentProxy } from '../../../backend-proxy/client.ts';
import { Payments, startPayments } from '../../../demo/kit/testing.ts';
import { TestWorld, type TestWorldOptions } from '../../../demo/kit/test-world.ts';

async function open(t: TestContext, options: TestWorldOptions = {}) {
  const payments = new Payments(await TestWorld.open({ clock: 'stopped', ...options }));
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

for (const [fault, method, says] of [
  ['lose', 'QR', /The shopper was shown no code: the gateway's answer to the payment of TEST-1 was lost/],
  ['refuse', 'QR', /The gateway has no payment of TEST-1: it refused the request/],
  ['down', 'DIRECT', /The gateway has no payment of TEST-1: it refused the request/],
] as const) {
  it(`nobody pays by ${method} what the shopper never saw because of the fault: ${fault}`, async (t) => {
    const { payments } = await open(t);
    payments.faults[fault]('pay', { times: 1 });
    const order = await payments.order({ customerReferenceNo: 'c-1' });
    await assert.rejects(payments.shopper(order).pays(method), says);
    await assert.rejects(payments.wallet.approve(order.orderId), says);
  });
}

it('a shopper waits for a delayed answer until the clock is advanced, and says so where nobody does', async (t) => {
  const { payments } = await open(t);
  payments.faults.delay('pay', '6s');
  const paying = payments.shopper(await payments.order()).pays('QR');
  await payments.clock.advance('6s');
  assert.equal((await paying).paid, true);
  await assert.rejects(payments.shopper(await payments.order()).pays('QR'), /waits for the clock, .* await paying;$/);
});

it('a plain order has an address that the proxy takes, also where other origins may pay', async (t) => {
  const { payments } = await open(t, { origins: ['https://shop.test'] });
  assert.equal((await payments.shopper(await payments.order()).pays('QR')).paid, true);
  await payments.order({ returnUrl: 'https://shop.test/thanks' });
});

it('a scan ends with what the proxy refused, if the page shows no code', async (t) => {
  const { payments } = await open(t);
  const { token } = await payments.order();
  const init = { headers: { origin: 'null', authorization: `Bearer ${token}` } };
  assert.equal((await fetch(`${payments.url}/order`, init)).status, 403);
  const waitFor = () => new Promise<void>(() => undefined);
  const page = { locator: () => ({ first: () => ({ waitFor }) }), evaluate: () => Promise.reject(new Error()) };
  await assert.rejects(payments.wallet.scan(page), /no code: the proxy refused GET \/order: .*forbidden_origin/);
});

it('the kit says what is allowed', async (t) => {
  const { payments } = await open(t);
  const wrong = (value: unknown) => value as never;
  for (const [call, says] of [
    [() => payments.faults.lose(wrong('refund')), /no fault of 'refund': pay, payout, status/],
    [() => payments.faults.ipn(wrong('late')), /no fault of 'late': never, twice, reversed/],
    [() => payments.faults.down('pay', { times: 0 }), /times: a whole number from 1/],
    [() => payments.faults.delay('pay', '6 seconds'), /'6 seconds' is no duration: '500ms', '30s'/],
    [() => payments.clock.advance('soon'), /'soon' is no duration/],
    [() => payments.clock.advance(-1), /'-1' is no duration/],
    [() => payments.faults.delay('status', '1s'), /status cannot be delayed/],
    [() => payments.faults.lose('pay', wrong({ time: 1 })), /time: there are times and orderId/],
    [() => payments.order(wrong({ amout: '1' })), /amout: unknown field/],
    [() => payments.order({ orderId: 'x'.repeat(58) }), /orderId: at most 57 characters/],
    [async () => payments.shopper(await payments.order()).pays(wrong('qr')), /method: .*"QR"/],
    [() => payments.webhooks.next(wrong('payment.suceeded')), /no webhook 'payment.suceeded': payment.succeeded, /],
    [() => payments.webhooks.answer(wrong('x')), /An HTTP status, 200 to 599/],
    [() => TestWorld.open({ clock: wrong('slow') }), /clock: 'real' or 'stopped'/],
    [() => TestWorld.open(wrong({ clok: 'stopped' })), /clok: unknown field/],
    [() => TestWorld.open({ seed: wrong('abc') }), /seed: a whole number/],
    [() => TestWorld.open({ ports: wrong(8080) }), /ports: \{ proxy, gateway \}/],
    [() => TestWorld.open({ origins: wrong('localhost') }), /origins: a list, like \["https:\/\/shop.test"\]/],
    [() => TestWorld.open({ origins: ['localhost'] }), /origins.0: an origin, like "https:\/\/shop.test"/],
    [() => startPayments(), /needs payment-sandbox: npm i -D payment-sandbox@\d/],
  ] as const) {
    await assert.rejects(async () => call(), says);
  }
});
