// Each journey by keyboard alone, in a window of 1280 × 1024 px at 400% or on a phone: every stop of the focus is seen
// and in order, nothing scrolls sideways, and each text is announced once.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import type { BrowserContextOptions } from 'playwright-core';
import { PaymentProxy } from '../../backend-proxy/client.ts';
import { daysOf } from '../../demo/shop/shop-pages.ts';
import { texts } from '../english.ts';
import { problemsInBothSchemes } from './audit.ts';
import { Keyboard } from './keyboard.ts';
import { ADA, BRUNO, World, type Shopper } from './shopper.ts';

const AT_400: BrowserContextOptions = { viewport: { width: 320, height: 256 }, permissions: ['clipboard-write'] };
const ON_PHONE: BrowserContextOptions = {
  ...AT_400,
  viewport: { width: 320, height: 640 },
  hasTouch: true,
  isMobile: true,
};
/** The shop's first link behind the widget. */
const BEHIND = 'your orders';
/** The demo's link below the widget. */
const PHONE = 'wallet phone';
const SENT_ON = `We will send your order on ${daysOf(new Date()).sent}.`;
const APPROVE =
  'Open the app and approve €15.00 to \u2068Stillwater Coffee\u2069. The request is there even without a notification.';
const SENT = 'Sent to \u2066•••• 5678\u2069';
const REQUESTED = [texts.direct, APPROVE, SENT];

const world = await World.open();
after(() => world.close());

async function shopperWithKeyboard(options: BrowserContextOptions): Promise<[Shopper, Keyboard]> {
  const shopper = await world.shopper(options);
  return [shopper, await Keyboard.of(shopper.page)];
}

it('the checks of the keyboard find a focus that cannot be seen, and a text that is heard twice', async () => {
  const [shopper, keyboard] = await shopperWithKeyboard(AT_400);
  await shopper.page.goto(world.stack.shop);
  await shopper.page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('.brand { outline: none !important }');
    document.adoptedStyleSheets.push(sheet);
  });
  await assert.rejects(keyboard.tabTo('Stillwater'), /shows no focus/);
  await shopper.page.evaluate(() => document.adoptedStyleSheets.pop());
  await assert.rejects(keyboard.tabTo('No such button'), /is not reached/);
  await shopper.page.evaluate(async () => {
    const region = document.querySelector('[role=status]');
    for (const text of ['Once more', '', 'Once more']) {
      if (region) region.textContent = text;
      await new Promise(requestAnimationFrame);
    }
  });
  await assert.rejects(keyboard.heard('Once more'), /heard twice/);
  await shopper.leave();
});

/** In light and in dark, with standalone links too low for a finger; those of a sentence are as high as its lines. */
async function problemsOn({ page }: Shopper): Promise<string[]> {
  const problems = await problemsInBothSchemes(page);
  const low = await page.evaluate(() =>
    [...document.querySelectorAll('a, button, summary')]
      .filter((each) => each.checkVisibility() && !each.closest('main p') && each.getBoundingClientRect().height < 24)
      .map((each) => `lower than 24 px: ${each.outerHTML}`),
  );
  return [...problems, ...low];
}

it('axe finds no problem on the shop’s pages and the payment page, in light and dark', async () => {
  const shopper = await world.shopper({ ...ON_PHONE, bypassCSP: true });
  await shopper.order();
  assert.deepEqual(await problemsOn(shopper), [], 'the order');
  for (const path of ['/', '/account', '/contact']) {
    await shopper.page.goto(world.stack.shop + path);
    assert.deepEqual(await problemsOn(shopper), [], path);
  }
  const { proxy: url, secrets } = world.stack;
  const client = new PaymentProxy({ url, key: secrets.merchantApiKey });
  const order = { orderId: 'AXE-1', amount: '30.00', currency: 'EUR', returnUrl: `${url}/pay` };
  const link = await client.createOrder({ ...order, supportUrl: 'https://stillwater.example/help' });
  await shopper.page.goto(link.url ?? '');
  await shopper.page.getByText('Order AXE').waitFor();
  assert.deepEqual(await problemsOn(shopper), [], 'the payment page');
  await shopper.leave();
});

/** What describes a method comes with the second bundle, before the badge. */
const describedIn = (shopper: Shopper): Promise<void> => shopper.part('test').waitFor();

describe('by keyboard alone', { concurrency: 2 }, () => {
  it('DIRECT by keyboard alone: a wrong wallet ID, a declined payment, and a second try that pays', async () => {
    const [shopper, keyboard] = await shopperWithKeyboard(AT_400);
    const phone = await world.phone(ADA);
    await shopper.page.goto(world.stack.shop);
    await keyboard.tabTo('Add Dawn Chorus');
    await keyboard.press('Enter');
    assert.deepEqual(await keyboard.heard(), ['1 item, €15.00']);
    await keyboard.tabTo('Check out');
    await keyboard.press('Enter');
    await shopper.part('pay').waitFor();

    assert.deepEqual((await keyboard.tabTo(texts.wallet)).slice(-2), [texts.byId, texts.wallet]);
    await keyboard.type('1');
    await keyboard.press('Enter');
    assert.deepEqual(await keyboard.heard(texts.walletWrong), [texts.walletWrong]);
    assert.equal((await keyboard.stop()).name, texts.wallet);
    await keyboard.tabTo('Pay €15.00');
    await keyboard.press('Enter');
    assert.deepEqual(await keyboard.heard(texts.walletWrong), [texts.wallet, texts.walletWrong]);

    await keyboard.press('ControlOrMeta+A');
    await keyboard.type(ADA);
    await keyboard.press('Enter');
    assert.deepEqual(await keyboard.heard(SENT), [texts.sending, ...REQUESTED]);
    assert.equal((await keyboard.stop()).name, texts.direct);
    await phone.decline();
    assert.deepEqual(await keyboard.heard(texts.DECLINED_help), [texts.DECLINED, texts.DECLINED_help]);

    assert.deepEqual(await keyboard.tabTo(texts.newRequest), [texts.newRequest]);
    await keyboard.press('Enter');
    const again = await keyboard.heard(SENT);
    assert.deepEqual(again, [texts.sending, texts.safe, ...REQUESTED]);
    await phone.page.goto(`${world.stack.sandbox}/wallet?as=${ADA}`);
    await phone.approve();
    assert.deepEqual(await keyboard.heard(SENT_ON), [texts.paid, '€15.00', SENT_ON]);
    await shopper.isFulfilled();
    await Promise.all([shopper.leave(), phone.leave()]);
  });

  it('CHECKOUT by keyboard alone: to the hosted page, through its login and its code, and back', async () => {
    const [shopper, keyboard] = await shopperWithKeyboard(AT_400);
    await shopper.order();
    const orderPage = shopper.page.url();
    await describedIn(shopper);
    await keyboard.tabTo(texts.byId);
    await keyboard.press('ArrowDown');
    const limit = texts.checkoutTime.replace('{time}', '15 minutes');
    assert.deepEqual(await keyboard.heard(), [texts.CHECKOUT_help, limit]);
    assert.deepEqual(await keyboard.tabTo('Pay €30.00'), ['Pay €30.00']);
    await keyboard.press('Enter');
    await shopper.page.locator('#password').waitFor();
    await shopper.page.locator('input:focus').waitFor();

    assert.equal((await keyboard.stop()).name, 'Wallet ID or e-mail');
    await keyboard.type(BRUNO);
    await keyboard.tabTo('Password');
    await keyboard.type('sandbox');
    await keyboard.press('Enter');
    // The browser moves the focus there when it draws the page.
    await shopper.page.locator('#code:focus').waitFor();
    assert.equal((await keyboard.stop()).name, 'Six-digit code from your wallet app');
    const phone = await world.phone(BRUNO);
    await keyboard.type(await phone.securityCode());
    await phone.leave();
    await keyboard.press('Enter');
    await shopper.page.getByRole('button', { name: 'Pay €30.00' }).waitFor();
    await keyboard.tabTo('Pay €30.00');
    await keyboard.press('Enter');
    await shopper.page.waitForURL(orderPage);
    // Until the proxy knows the outcome, the page says how to go on at the hosted page. The shop's own sentence may be
    // on it from the start, which is no announcement.
    const heard = (await keyboard.heard('€30.00')).filter((piece) => piece !== SENT_ON);
    assert.deepEqual(heard.slice(-2), [texts.paid, '€30.00']);
    await shopper.isFulfilled();
    await shopper.leave();
  });

  it('QR by keyboard alone, in forced colors: the fold below the code, and a way out of the widget', async () => {
    const [shopper, keyboard] = await shopperWithKeyboard({ ...AT_400, forcedColors: 'active' });
    const phone = await world.phone(ADA);
    await shopper.order();
    await describedIn(shopper);
    await keyboard.tabTo(texts.byId);
    await keyboard.press('ArrowUp');
    assert.deepEqual(await keyboard.heard(), [texts.QR_help, texts.scan_help]);
    await keyboard.press('Enter');
    const started = [texts.sending, texts.QR_help, texts.scan_help, texts.waiting];
    assert.deepEqual(await keyboard.heard(texts.waiting), started);

    assert.deepEqual(await keyboard.tabTo(texts.thisDevice), [texts.thisDevice]);
    await keyboard.press('Enter');
    assert.deepEqual(await keyboard.tabTo(texts.copy), [texts.appOpen, texts.copy]);
    await keyboard.press('Space');
    assert.deepEqual(await keyboard.heard(texts.copied), [texts.copied]);
    assert.deepEqual(await keyboard.tabTo(BEHIND), [texts.save, texts.other, PHONE, BEHIND]);
    assert.deepEqual(await keyboard.tabTo(texts.save, 'Shift+Tab'), [PHONE, texts.other, texts.save]);
    // The picture of the whole code needs a higher window.
    await shopper.page.setViewportSize({ width: 320, height: 640 });
    await phone.scan(await shopper.scannedCode());
    await phone.approve();
    assert.deepEqual(await keyboard.heard(SENT_ON), [texts.paid, '€30.00', SENT_ON]);
    await shopper.isFulfilled();
    await Promise.all([shopper.leave(), phone.leave()]);
  });

  it('JETGO on a phone by keyboard alone: the fold with the code for another device', async () => {
    const [shopper, keyboard] = await shopperWithKeyboard(ON_PHONE);
    const phone = await world.phone(ADA);
    await shopper.order();
    // Else the press would leave the page.
    await shopper.page.locator('payment-widget').evaluate((element) => element.setAttribute('app-open', 'ask'));
    await keyboard.tabTo(texts.app);
    await keyboard.press('Enter');
    const started = [texts.sending, texts.app, texts.app_help, texts.waiting];
    assert.deepEqual(await keyboard.heard(texts.waiting), started);

    assert.deepEqual(await keyboard.tabTo(texts.other), [texts.appOpen, texts.otherDevice, texts.other]);
    await keyboard.tabTo(texts.otherDevice, 'Shift+Tab');
    await keyboard.press('Enter');
    assert.deepEqual(await keyboard.tabTo(texts.other), [texts.copy, texts.save, texts.other]);
    await phone.scan(await shopper.scannedCode());
    await phone.approve();
    assert.deepEqual(await keyboard.heard(SENT_ON), [texts.paid, '€30.00', SENT_ON]);
    await shopper.isFulfilled();
    await Promise.all([shopper.leave(), phone.leave()]);
  });
});
