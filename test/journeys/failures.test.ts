// Journeys that go wrong, or sideways: each ends where the shopper can go on, and the shop packs nothing that is not paid.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ADA, World } from './shopper.ts';

const CHECKOUT_LIFE_MS = 15 * 60 * 1000;
const RESOLVABLE_WITHIN_MS = 60_000;

const world = await World.open();
after(() => world.close());

test('declined on the phone: nothing is packed, and another method still pays', async () => {
  const shopper = await world.shopper();
  const phone = await world.phone(ADA);
  await shopper.order();
  await shopper.pay('DIRECT', ADA);
  await phone.decline();
  await shopper.sees('failed');
  await shopper.isUnfulfilled();
  await shopper.part('other').click();
  await shopper.pay('QR');
  await phone.scan(await shopper.scannedCode());
  await phone.approve();
  await shopper.isFulfilled();
  assert.deepEqual(await world.atGateway(shopper.orderId), ['FAILED', 'SUCCESS']);
  await Promise.all([shopper.leave(), phone.leave()]);
});

test('cancelled at the checkout: the shopper is back at the shop, unpaid, and can try again', async () => {
  const shopper = await world.shopper();
  await shopper.order();
  const orderPage = shopper.page.url();
  await shopper.pay('CHECKOUT');
  await shopper.page.getByRole('button', { name: /^Cancel/ }).click();
  await shopper.page.waitForURL(orderPage);
  await shopper.sees('failed');
  await shopper.isUnfulfilled();
  await shopper.part('again').click();
  await shopper.page.waitForURL(`${world.stack.sandbox}/pay?token=*`);
  await shopper.leave();
});

test('the checkout token runs out: the widget learns it, and starts anew', async () => {
  const shopper = await world.shopper();
  await shopper.order();
  await shopper.pay('CHECKOUT');
  await shopper.page.waitForURL(`${world.stack.sandbox}/pay?token=*`);
  const firstToken = shopper.page.url();
  await shopper.page.goBack();
  await shopper.sees('waiting');
  await shopper.part('countdown').waitFor();
  await world.control('/clock', { advanceMs: CHECKOUT_LIFE_MS });
  await shopper.sees('failed');
  assert.deepEqual(await world.atGateway(shopper.orderId), ['FAILED']);
  await shopper.isUnfulfilled();
  await shopper.part('again').click();
  await shopper.page.waitForURL(`${world.stack.sandbox}/pay?token=*`);
  assert.notEqual(shopper.page.url(), firstToken);
  await shopper.leave();
});

test('the page is loaded anew while waiting: the same code is there, and pays', async () => {
  const shopper = await world.shopper();
  const phone = await world.phone(ADA);
  await shopper.order();
  await shopper.pay('QR');
  const code = await shopper.scannedCode();
  await shopper.page.reload();
  await shopper.sees('waiting');
  assert.equal(await shopper.scannedCode(), code);
  await phone.scan(code);
  await phone.approve();
  await shopper.isFulfilled();
  await Promise.all([shopper.leave(), phone.leave()]);
});

test('another method while waiting: the code left behind still counts when it is paid', async () => {
  const shopper = await world.shopper();
  const phone = await world.phone(ADA);
  await shopper.order();
  await shopper.pay('QR');
  const left = await shopper.scannedCode();
  await shopper.part('other').click();
  await shopper.sees('choosing');
  await shopper.pay('JETGO');
  await shopper.part('code').waitFor();
  assert.notEqual(await shopper.scannedCode(), left);
  await phone.scan(left);
  await phone.approve();
  await shopper.isFulfilled();
  await Promise.all([shopper.leave(), phone.leave()]);
});

test('the shopper who closed the page gets the order all the same', async () => {
  const shopper = await world.shopper();
  const phone = await world.phone(ADA);
  await shopper.order();
  const orderPage = shopper.page.url();
  await shopper.pay('QR');
  await phone.scan(await shopper.scannedCode());
  await shopper.page.goto('about:blank');
  await phone.approve();
  await shopper.page.goto(`${world.stack.shop}/account`);
  await shopper.page.goto(orderPage);
  await shopper.isFulfilled();
  await Promise.all([shopper.leave(), phone.leave()]);
});

test('the proxy is killed while the shopper waits: the widget comes back by itself', async () => {
  const shopper = await world.shopper();
  const phone = await world.phone(ADA);
  await shopper.order();
  await shopper.pay('QR');
  const code = await shopper.scannedCode();
  await world.stack.restartProxy('SIGKILL');
  await phone.scan(code);
  await phone.approve();
  await shopper.isFulfilled();
  // The browser may complain about the connection, and so does the widget if the proxy takes seconds to come back.
  await Promise.all([shopper.leave(/net::ERR_|^console: <payment-widget> network /), phone.leave()]);
});

test('a payment of which the gateway reports another sum is a person’s to end, and the shopper is told who did', async () => {
  const shopper = await world.shopper();
  const phone = await world.phone(ADA);
  await shopper.order();
  await shopper.pay('QR');
  const code = await shopper.scannedCode();
  await world.control('/faults', { status: { tamper: { amount: 0.01 } } });
  await phone.scan(code);
  await phone.approve();
  const resolve = () =>
    fetch(`${world.stack.proxy}/transactions/${shopper.orderId}/resolve`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.stack.secrets.merchantApiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ status: 'FAILED', by: 'Mia of the shop', note: 'sent back by the wallet' }),
    });
  let answer = await resolve();
  for (const end = Date.now() + RESOLVABLE_WITHIN_MS; answer.status === 409 && Date.now() < end;) {
    await new Promise((done) => setTimeout(done, 100));
    answer = await resolve();
  }
  assert.equal(answer.status, 200, await answer.text());
  await shopper.sees('failed');
  await shopper.page.getByText('The shop has closed this payment').waitFor();
  await shopper.isUnfulfilled();
  assert.equal((await resolve()).status, 409, 'a person’s word is asked for once');
  await Promise.all([shopper.leave(), phone.leave()]);
  await world.control('/faults', {});
});
