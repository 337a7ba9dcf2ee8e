// Journeys with failures and detours: in each the shopper can continue, and the shop packs no unpaid order.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { PaymentProxy } from '../../backend-proxy/client.ts';
import { M } from '../backend-proxy/time.ts';
import { ADA, World, type Shopper } from './shopper.ts';

const CHECKOUT_LIFE_MS = 15 * M;
const RESOLVABLE_WITHIN_MS = 60_000;

const world = await World.open();
afterEach(() => world.leave());
after(() => world.close());

test('a payment declined on the phone: nothing is packed, and another method still pays', async () => {
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
});

test('a payment canceled at the checkout: the shopper is back at the shop, unpaid, and can try again', async () => {
  const shopper = await world.shopper();
  await shopper.order();
  const orderPage = shopper.page.url();
  await shopper.pay('CHECKOUT');
  await shopper.page.getByRole('button', { name: /^Cancel/ }).click();
  await shopper.page.waitForURL(orderPage);
  await shopper.sees('failed');
  await shopper.page.getByRole('heading', { name: 'The payment was canceled' }).waitFor();
  await shopper.isUnfulfilled();
  await shopper.page.getByText('We pack your order once it is paid.', { exact: true }).waitFor();
  await shopper.page.getByRole('heading', { name: 'Not paid yet', level: 1 }).waitFor();
  assert.equal(await shopper.page.locator('.trial').isVisible(), false, 'there is no field to fill in');
  await shopper.part('again').click();
  await shopper.page.waitForURL(`${world.stack.sandbox}/pay?token=*`);
});

test('a payment canceled at the checkout while an earlier code is open: the shopper goes back to it, and pays', async () => {
  const shopper = await world.shopper();
  const phone = await world.phone(ADA);
  await shopper.order();
  const orderPage = shopper.page.url();
  await shopper.pay('QR');
  const code = await shopper.scannedCode();
  await shopper.part('other').click();
  await shopper.pay('CHECKOUT');
  await shopper.page.getByRole('button', { name: /^Cancel/ }).click();
  await shopper.page.waitForURL(orderPage);
  await shopper.part('back').click();
  assert.equal(await shopper.scannedCode(), code);
  await shopper.page.getByText('with this code.').waitFor();
  await phone.scan(code);
  await phone.approve();
  await shopper.isFulfilled();
});

test('an expired checkout token: the widget learns of it and starts a new payment', async () => {
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
});

test('a code whose time is up: the demo no longer leads to the wallet phone with it', async () => {
  const shopper = await world.shopper();
  await shopper.order();
  await shopper.pay('QR');
  await shopper.page.getByText('wallet phone with this code').waitFor();
  await shopper.page.evaluate((late) => (Date.now = () => late), Date.now() + CHECKOUT_LIFE_MS);
  await shopper.page.getByRole('heading', { name: 'Time is up' }).waitFor();
  await shopper.page.locator('.trial').waitFor({ state: 'hidden' });
});

test('a page reloaded while waiting: it shows the same code, which can still be paid', async () => {
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
});

test('a switch to another method while waiting: the first code still counts when it is paid', async () => {
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
});

test('a proxy killed while the shopper waits: the widget recovers by itself', async () => {
  const shopper = await world.shopper();
  const phone = await world.phone(ADA);
  await shopper.order();
  await shopper.pay('QR');
  const code = await shopper.scannedCode();
  await world.stack.restartProxy('SIGKILL');
  await phone.scan(code);
  await phone.approve();
  await shopper.isFulfilled();
  // The browser reports the lost connection, and so does the widget if the proxy takes seconds to restart.
  shopper.visitor.allowed = /net::ERR_|^console: <payment-widget> network /;
});

test('an order closed while its payment is checked: the open page says so, and leads to the shop’s help', async () => {
  const shopper = await world.shopper();
  const phone = await world.phone(ADA);
  await shopper.order();
  await shopper.pay('QR');
  await world.control('/faults', { status: { tamper: { amount: 0.01 } } });
  await phone.scan(await shopper.scannedCode());
  await phone.approve();
  await shopper.page.getByText('once your payment is confirmed.').waitFor();
  const { proxy: url, secrets } = world.stack;
  await new PaymentProxy({ url, key: secrets.merchantApiKey }).closeOrder(shopper.orderId);
  const news = shopper.page.getByRole('status').filter({ hasText: /payment\. If you have questions/ });
  assert.equal(await news.getByRole('link', { name: 'contact us' }).getAttribute('href'), '/contact');
  await world.control('/faults', {});
});

test('a report with another amount: the shop says that it is checked, until a person ends the payment', async () => {
  const shopper = await world.shopper();
  const phone = await world.phone(ADA);
  await shopper.order();
  await shopper.pay('QR');
  const code = await shopper.scannedCode();
  await world.control('/faults', { status: { tamper: { amount: 0.01 } } });
  await phone.scan(code);
  await phone.approve();
  await shopper.page.getByText('once your payment is confirmed.').waitFor();
  await shopper.page.getByRole('link', { name: 'Contact the shop' }).waitFor();
  await shopper.page.getByRole('link', { name: 'Account' }).click();
  await shopper.page.getByText('Being checked').waitFor();
  await shopper.page.goBack();
  await shopper.page.getByRole('heading', { name: 'We are checking your payment' }).waitFor();
  const resolve = (status = 'FAILED') =>
    fetch(`${world.stack.proxy}/transactions/${shopper.orderId}/resolve`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.stack.secrets.merchantApiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        status,
        gatewayReports: 'SUCCESS',
        by: 'Mia of the shop',
        note: 'sent back by the wallet',
      }),
    });
  // An answer that was on its way when the payment ended.
  const late = {
    state: 'checking',
    heading: 'Payment being checked',
    text: 'We pack your order once your payment is confirmed.',
  };
  await shopper.page.route('**/state', (route) => route.fulfill({ json: late }), { times: 1 });
  let answer = await resolve();
  for (const end = Date.now() + RESOLVABLE_WITHIN_MS; answer.status === 409 && Date.now() < end;) {
    await new Promise((done) => setTimeout(done, 100));
    answer = await resolve();
  }
  assert.equal(answer.status, 200, await answer.text());
  await shopper.sees('failed');
  await shopper.page.getByRole('heading', { name: 'The shop could not confirm this payment' }).waitFor();
  await shopper.isUnfulfilled();
  assert.equal((await resolve('SUCCESS')).status, 409, 'a payment can be resolved once');
  await world.control('/faults', {});
});

/** Answers each start of a payment in the proxy's place. */
async function refuseStarts({ page, visitor }: Shopper, status: number, code: string): Promise<void> {
  visitor.allowed = new RegExp(`${status}|${code}`);
  await page.route(/\/order\/payments$/, (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({
          status,
          headers: { 'content-type': 'application/problem+json', 'access-control-allow-origin': '*' },
          json: { code, retryable: status === 429 },
        })
      : route.continue(),
  );
}

test('a wallet that has had too many requests: the demo names another customer, and leads to that phone', async () => {
  const shopper = await world.shopper();
  const { page } = shopper;
  await refuseStarts(shopper, 429, 'too_many_prompts');
  await shopper.order();
  await shopper.pay('DIRECT', ADA);
  await page.getByText('Use wallet 2345 6789 (Bruno).').waitFor();
  for (const link of await page.getByRole('link', { name: 'wallet phone' }).all())
    assert.match((await link.getAttribute('href')) ?? '', /as=23456789$/);
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Fill in' }).click();
  await shopper.part('pay').click();
  await shopper.sees('waiting');
});

test('an order that takes no further payment: the demo says nothing of paying', async () => {
  const shopper = await world.shopper();
  await refuseStarts(shopper, 422, 'too_many_payments');
  await shopper.order();
  await shopper.pay('DIRECT', ADA);
  await shopper.part('pay').waitFor({ state: 'detached' });
  await shopper.page.locator('.trial').waitFor({ state: 'hidden' });
});
