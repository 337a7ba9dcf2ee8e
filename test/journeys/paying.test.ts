// Successful journeys: each method from the shop front to the shop's message that the order is being packed, with the
// three real processes. No browser may report an error or a warning.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { ADA, BRUNO, PHONE_SIZE, World, type Method, type Shopper } from './shopper.ts';

const world = await World.open();
afterEach(() => world.leave());
after(() => world.close());

/** Scrolls the order page from top to bottom, and fails if one of its parts slides over another. */
async function nothingOverlaps({ page }: Shopper): Promise<void> {
  const covered = await page.evaluate(() => {
    const parts = [...document.querySelectorAll('[data-order] > *')].filter((part) => part.checkVisibility());
    const found: string[] = [];
    for (let y = 0; y <= document.documentElement.scrollHeight; y += 40) {
      scrollTo(0, y);
      for (const [index, part] of parts.entries()) {
        const above = part.getBoundingClientRect();
        for (const other of parts.slice(index + 1)) {
          const { top, bottom, left, right } = other.getBoundingClientRect();
          const isApart = bottom <= above.top || top >= above.bottom || right <= above.left || left >= above.right;
          if (!isApart) found.push(`${part.className} over ${other.className} at ${y}`);
        }
      }
    }
    scrollTo(0, 0);
    return found;
  });
  assert.deepEqual(covered, []);
}

/** Presses the name of the method, and fails if the page moves. By mouse: Playwright's own presses scroll. */
async function choosesInPlace({ page, widget }: Shopper, method: Method): Promise<void> {
  const radio = widget.locator(`input[value="${method}"]`);
  // It comes with the proxy's first view, and moves what is below it.
  await widget.locator('[part=test]').waitFor();
  const { x = 0, y = 0, height = 0 } = (await radio.boundingBox()) ?? {};
  await page.mouse.click(x + 80, y + height / 2);
  assert.equal(await radio.isChecked(), true);
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  assert.equal(await page.evaluate(() => scrollY), 0, `${method} is chosen without a jump`);
}

async function middleOf(element: Locator): Promise<{ x: number; y: number }> {
  const box = await element.boundingBox();
  assert.ok(box);
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Fails unless this is all that the demo's hint says, and `phone` is where it leads. */
async function hints({ page }: Shopper, text: string, phone?: string): Promise<void> {
  await page.locator('.trial :visible', { hasText: text }).first().waitFor();
  assert.equal((await page.locator('.trial').innerText()).replace(/\s+/g, ' ').trim(), text);
  if (phone !== undefined) assert.equal(await page.locator('.trial a:visible').getAttribute('href'), phone);
}

test('every error and warning in a browser is recorded', async () => {
  const { visitor, page } = await world.shopper();
  await page.goto(world.stack.shop);
  await page.evaluate(() => {
    console.warn('a warning');
    setTimeout(() => {
      throw new Error('a mistake');
    });
    const image = new Image();
    image.src = 'https://elsewhere.example/';
    return new Promise((resolve) => image.addEventListener('error', resolve));
  });
  await assert.rejects(visitor.leave());
  const recorded = visitor.complaints.join();
  for (const complaint of ['a warning', 'a mistake', 'Content Security Policy'])
    assert.ok(recorded.includes(complaint), recorded);
});

test('the basket that appears does not cover what was pressed', async () => {
  const { page } = await world.shopper({ viewport: { width: 1280, height: 800 } });
  await page.goto(world.stack.shop);
  const boxOf = async (at: Locator) => (await at.boundingBox()) ?? assert.fail('not drawn');
  const { x, y } = await boxOf(page.getByRole('button', { name: 'Add Dawn Chorus' }));
  // By mouse: Playwright's own presses scroll.
  await page.mouse.click(x + 20, y + 5);
  const less = await boxOf(page.getByRole('button', { name: 'One less Dawn Chorus' }));
  assert.ok(less.y + less.height <= (await boxOf(page.locator('.basket'))).y);
});

test('the basket is kept while the shopper looks elsewhere, and is empty once the order is made', async () => {
  const { page } = await world.shopper();
  await page.goto(world.stack.shop);
  await page.getByRole('button', { name: 'Add Dawn Chorus' }).click();
  await page.getByRole('link', { name: 'Account' }).click();
  await page.getByRole('link', { name: 'Coffee', exact: true }).click();
  await page.getByText('1 item, €15.00').waitFor();
  await page.getByRole('button', { name: 'Check out' }).click();
  await page.waitForURL(/orders/);
  await page.getByRole('link', { name: 'Coffee', exact: true }).click();
  await page.getByText('Choose what you would like.').waitFor();
});

test('DIRECT: the shopper enters a wallet ID and confirms on the phone', async () => {
  const shopper = await world.shopper();
  const phone = await world.phone(ADA);
  await shopper.order();
  await nothingOverlaps(shopper);
  await shopper.pay('DIRECT', ADA);
  await shopper.sees('waiting');
  await shopper.isUnfulfilled();
  await hints(shopper, 'Approve it on the wallet phone.');
  const payment = shopper.page.getByRole('listitem').filter({ hasText: /^Payment$/ });
  const tick = () => payment.evaluate((item) => getComputedStyle(item, '::before').content);
  const current = shopper.page.locator('.steps [aria-current]');
  assert.doesNotMatch(await tick(), /✓/);
  assert.equal(await current.textContent(), 'Payment');
  const onward = shopper.page.getByRole('link', { name: 'Back to the coffee' });
  assert.equal(await onward.isVisible(), false, 'the ways on are for a paid order');
  await phone.approve();
  await shopper.isFulfilled();
  await shopper.page.getByRole('heading', { name: 'Thank you' }).waitFor();
  assert.match(await tick(), /✓/, 'the step that is done');
  assert.match((await current.textContent()) ?? '', /^Packing on Tuesday, \w+ \d+$/, 'without loading the page again');
  assert.match((await shopper.part('details').innerText()).replaceAll(/\s/g, ' '), /Sandbox Wallet •••• 5678/);
  await nothingOverlaps(shopper);
  for (const kept of [`Order ${shopper.orderId}`, 'Order total'])
    assert.ok(await shopper.page.getByText(kept).isVisible(), `${kept} stays beside the receipt`);
  const { y = 0, height = 0 } = (await onward.boundingBox()) ?? {};
  assert.ok(y > 0 && y + height < 800, `the way back to the coffee ends at ${y + height} px`);
  await shopper.page.setViewportSize({ width: 390, height: 844 });
  await shopper.page.getByRole('rowheader', { name: 'Dawn Chorus' }).waitFor();
  await shopper.page.emulateMedia({ media: 'print' });
  assert.equal(await onward.isVisible(), false, 'paper has the order alone');
  await shopper.page.emulateMedia({ media: null });
  await onward.click();
  await shopper.page.waitForURL(`${world.stack.shop}/`);
});

test('CHECKOUT: the shopper logs in, enters the code from the phone, pays, and returns to the shop', async () => {
  const shopper = await world.shopper();
  await shopper.order();
  const orderPage = shopper.page.url();
  const step = async (number: number) =>
    (await shopper.page.locator('.demo li').nth(number).innerText()).replaceAll(/\s+/g, ' ').trim();
  assert.equal(await step(2), 'Pay (wallet phone)');
  assert.equal(await shopper.page.getByText('Refund it at').isVisible(), false);
  await shopper.choose('CHECKOUT');
  await hints(shopper, 'Demo: Log in as Ada on the wallet’s website.');
  await shopper.pay('CHECKOUT');
  await shopper.page.waitForURL(`${world.stack.sandbox}/pay?token=*`);
  await shopper.page.goto(orderPage);
  // No hint: it may be paid there.
  await shopper.page.locator('.trial[data-way=none]').waitFor({ state: 'hidden' });
  await shopper.page.goBack();
  await shopper.logInAtCheckout(BRUNO);
  await shopper.page.getByRole('button', { name: 'Pay €30.00' }).click();
  await shopper.page.waitForURL(orderPage);
  await shopper.isFulfilled();
  assert.equal(await step(2), 'Paid', 'by another wallet');
  const desk = shopper.page.locator('.demo').getByRole('link', { name: 'the desk' });
  assert.equal(await desk.getAttribute('href'), `/desk?find=${shopper.orderId}`);
  for (const width of [320, 390]) {
    await shopper.page.setViewportSize({ width, height: 844 });
    const { height = 0 } = (await shopper.page.locator('.demo').boundingBox()) ?? {};
    assert.ok(height > 0 && height < 50, `the next step is on the line of the last one: ${height}`);
  }
});

for (const [method, device] of [
  ['JETGO', {}],
  ['QR', { viewport: { width: 320, height: 1200 } }],
] as const) {
  test(`${method}: the shopper scans the drawn code, sees the time left, and approves`, async () => {
    const shopper = await world.shopper(device);
    const phone = await world.phone(ADA);
    await shopper.order();
    await choosesInPlace(shopper, method);
    await hints(shopper, 'Demo: After Pay, open the wallet phone.');
    await shopper.pay(method);
    const code = await shopper.scannedCode();
    const [mark, tile] = [await middleOf(shopper.page.locator('[slot=mark]')), await middleOf(shopper.part('code'))];
    assert.ok(Math.hypot(mark.x - tile.x, mark.y - tile.y) < 1, 'the wallet’s mark is in the middle of the code');
    await hints(shopper, 'Demo: Open the wallet phone with this code.', `${code}&as=${ADA}`);
    await phone.scan(code);
    assert.match((await shopper.part('countdown').textContent()) ?? '', /1[45]:\d\d left/);
    await shopper.part('bar').waitFor();
    await shopper.isUnfulfilled();
    await phone.approve();
    await shopper.isFulfilled();
  });
}

test('a top-up: the shopper chooses the amount, within the bounds of the order', async () => {
  // Where it is another day than in UTC.
  const timezoneId = new Date().getUTCHours() < 11 ? 'Pacific/Pago_Pago' : 'Pacific/Kiritimati';
  const shopper = await world.shopper({ timezoneId });
  const phone = await world.phone(ADA);
  await shopper.page.goto(`${world.stack.shop}/account`);
  await shopper.page.getByRole('button', { name: 'Top up your balance' }).click();
  await shopper.choose('QR');
  await shopper.page.getByRole('button', { name: 'Top up', exact: true }).waitFor();
  assert.equal(await shopper.page.getByText('Add a coffee').isVisible(), false, 'a step that a top-up has not');
  await shopper.part('amount').fill('4.99');
  await shopper.page.keyboard.press('Tab');
  await shopper.part('error').waitFor();
  const isFocused = () => shopper.part('amount').evaluate((field) => field.matches(':focus'));
  assert.equal(await isFocused(), false, 'an error that is said as the field is left holds nobody there');
  await shopper.part('pay').click();
  assert.equal(await isFocused(), true, 'the press leads back to it');
  assert.deepEqual(await world.atGateway(shopper.orderId), []);
  await shopper.part('amount').fill('25.50');
  await shopper.page.getByRole('button', { name: 'Top up €25.50' }).click();
  await phone.scan(await shopper.scannedCode());
  await phone.approve();
  await shopper.isFulfilled(/^Your coffee card is topped up\.$/);
  await shopper.page.getByRole('heading', { name: 'Thank you' }).waitFor();
  await shopper.page.goto(`${world.stack.shop}/account`);
  await shopper.page.getByText('Balance €25.50').waitFor();
  const time = shopper.page.locator('time');
  const at = new Date((await time.getAttribute('datetime')) ?? '');
  const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: timezoneId }).format(at);
  assert.equal((await time.textContent())?.replaceAll('\u00a0', ' '), day, 'the day of the customer');
});

test('a lost second bundle: the press says so once, and the next one pays', async () => {
  const shopper = await world.shopper();
  const { page } = shopper;
  shopper.visitor.allowed = /flow-/;
  const lost = /\/flow-/;
  await page.route(lost, (route) => route.abort());
  await shopper.order();
  await shopper.choose('QR');
  for (let presses = 0; presses < 2; presses += 1) {
    // The text is there since the first press.
    await Promise.all([page.waitForEvent('requestfailed'), shopper.part('pay').click()]);
    assert.match((await shopper.part('error').textContent()) ?? '', /cannot reach the payment service/);
  }
  await page.unroute(lost);
  await shopper.part('pay').click();
  assert.match(await shopper.scannedCode(), /^http/);
  assert.equal((await world.atGateway(shopper.orderId)).length, 1);
});

test('the field of an open amount, lost at first, is there once the shopper presses the button', async () => {
  const shopper = await world.shopper();
  const { page } = shopper;
  shopper.visitor.allowed = /amount-/;
  const lost = /\/amount-/;
  await page.route(lost, (route) => route.abort());
  const isSaid = Promise.withResolvers<void>();
  await page.route('**/order/events', async (route) => {
    await isSaid.promise;
    await route.continue();
  });
  await page.goto(`${world.stack.shop}/account`);
  await page.getByRole('button', { name: 'Top up your balance' }).click();
  const isLost = async () =>
    assert.match((await shopper.part('error').textContent()) ?? '', /cannot reach the payment service/);
  await isLost();
  const ready = await page.locator('payment-widget').evaluateHandle((element) => ({
    event: new Promise((done) => element.addEventListener('payment-ready', done, { once: true })),
  }));
  isSaid.resolve();
  await ready.evaluate(async ({ event }) => void (await event));
  // That the proxy answers does not end what is said of the bundle.
  await isLost();
  await shopper.choose('QR');
  await Promise.all([page.waitForEvent('requestfailed'), shopper.part('pay').click()]);
  await shopper.part('error').waitFor();
  assert.deepEqual(await world.atGateway(shopper.orderId), []);
  await page.unroute(lost);
  await shopper.part('pay').click();
  await shopper.part('amount').fill('25.50');
  await shopper.part('pay').click();
  assert.match(await shopper.scannedCode(), /^http/);
});

test('what the shopper types and presses before the second bundle arrives is done in that order', async () => {
  for (let tries = 0; tries < 3; tries += 1) {
    const shopper = await world.shopper();
    const pressed = Promise.withResolvers<void>();
    await shopper.page.route('**/flow-*.js', async (route) => {
      await pressed.promise;
      await route.continue();
    });
    await shopper.order();
    await shopper.choose('QR');
    await shopper.choose('DIRECT');
    await shopper.part('wallet').fill(ADA);
    await shopper.part('pay').click();
    pressed.resolve();
    await shopper.sees('waiting');
  }
});

test('on a phone the press that pays opens the wallet app by its https link; the panel is there on the way back', async () => {
  const shopper = await world.shopper(PHONE_SIZE);
  const { page } = shopper;
  const app = 'https://wallet.example/pay';
  await page.route(`${app}**`, (route) => route.fulfill({ contentType: 'text/html', body: '<title>Wallet</title>' }));
  // The gateway of the demo has no address on the web. The stream cannot be rewritten, so the widget polls.
  shopper.visitor.allowed = /order\/events|network/;
  await page.route('**/order/events', (route) => route.abort());
  await page.route(/\/order(\/payments)?$/, async (route) => {
    if (route.request().method() === 'OPTIONS') return route.continue();
    const response = await route.fetch();
    const view = (await response.json()) as { payment: { appUrl: string } | null };
    if (view.payment) view.payment.appUrl = app;
    return route.fulfill({ response, json: view });
  });
  await shopper.order();
  await shopper.pay('JETGO');
  await page.waitForURL(app);
  await page.goBack();
  await shopper.part('app-link').waitFor();
  await page.waitForTimeout(1_000);
  assert.ok(page.url().startsWith(world.stack.shop), 'the app is opened once');
  // The polls that are being answered end before the page does.
  await page.unrouteAll({ behavior: 'wait' });
});

test('on a phone the shopper who typed a wallet ID opens the wallet app, approves the request, and comes back', async () => {
  const shopper = await world.shopper(PHONE_SIZE);
  const { page } = shopper;
  await shopper.order();
  await shopper.choose('DIRECT');
  await page.getByRole('button', { name: 'Fill in' }).tap();
  await shopper.part('pay').tap();
  await shopper.part('app-link').waitFor();
  await hints(shopper, 'Demo: The button opens the wallet phone.');
  await shopper.part('app-link').tap();
  await page.waitForURL(`${world.stack.sandbox}/wallet`);
  await page.getByRole('button', { name: 'Ada Keller' }).tap();
  await page.getByRole('button', { name: 'Approve' }).tap();
  await page.getByRole('link', { name: /^Back to/ }).tap();
  await shopper.isFulfilled();
});

test('on a phone the shopper opens the wallet app, approves, and comes back to the shop', async () => {
  const shopper = await world.shopper(PHONE_SIZE);
  const { page } = shopper;
  await shopper.order();
  await hints(shopper, 'Demo: The button opens the wallet phone.');
  await shopper.choose('DIRECT');
  await page.getByRole('button', { name: 'Fill in' }).tap();
  assert.equal(await shopper.part('wallet').inputValue(), ADA);
  await shopper.choose('JETGO');
  const marks = page.locator('payment-widget > img[slot^=icon-]:visible');
  assert.equal(await marks.count(), 1, 'the row of the app has the wallet’s mark');
  const orderPage = page.url();
  const receipt = page.getByRole('table', { name: 'What you ordered' });
  assert.equal(await receipt.isVisible(), false, 'the order is folded, so that the payment is seen first');
  const pay = await page.getByRole('button', { name: 'Pay €30.00' }).boundingBox();
  assert.ok(pay && pay.y + pay.height <= 844, 'the button that pays is seen without scrolling');
  await page.getByText('order · €30.00').tap();
  await receipt.waitFor();
  await shopper.pay('JETGO');
  await page.waitForURL(`${world.stack.sandbox}/wallet/**`);
  await page.goto(orderPage);
  await shopper.part('app-link').waitFor();
  assert.equal(await shopper.part('code').isVisible(), false, 'a phone cannot scan its own screen');
  await hints(shopper, 'Demo: The button opens the wallet phone.');
  await page.getByText('Pay with another device').tap();
  await shopper.part('code').waitFor();
  const top = async (part: string) => (await shopper.part(part).boundingBox())?.y ?? Number.NaN;
  assert.ok((await top('app-link')) < (await top('code')), 'the way into the app comes before the code');
  await shopper.part('app-link').tap();
  await page.waitForURL(`${world.stack.sandbox}/wallet/**`);
  await page.getByRole('button', { name: 'Ada Keller' }).tap();
  await page.getByRole('button', { name: 'Approve' }).tap();
  await page.getByRole('link', { name: /^Back to/ }).tap();
  await page.waitForURL(orderPage);
  await shopper.isFulfilled();
  // The shopper comes back to the top of the page.
  await page.getByRole('heading', { name: 'Payment received' }).and(page.locator(':visible')).waitFor();
  await page.waitForFunction(() => {
    const box = document.querySelector('payment-widget')?.getBoundingClientRect();
    return box && box.bottom <= innerHeight + 1;
  });
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
});
