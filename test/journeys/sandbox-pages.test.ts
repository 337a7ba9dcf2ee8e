// The sandbox's pages in a real browser: size, contrast and names on a small screen, the page for developers with and
// without script. test/demo/sandbox/ tests what the pages do.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, beforeEach, test } from 'node:test';
import { serve } from '@hono/node-server';
import { chromium, type BrowserContextOptions, type Page } from 'playwright-core';
import { createSandbox } from '../../demo/sandbox/sandbox.ts';
import { findBrowser, reportOpenPages } from '../browser.ts';
import { problemsInBothSchemes } from './audit.ts';
import { STEP_MS } from './visitor.ts';

const API = '/api/v3/integration/merchants/payments';
const KEY = 'the-merchants-key';
const SHOP = 'http://127.0.0.1:9/return';
/** With a word that does not fit beside anything. */
const MERCHANT = 'Landwirtschaftsgenossenschaft Stillwater';
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const DESKTOP: BrowserContextOptions = { viewport: { width: 1280, height: 860 } };

const sandbox = createSandbox({
  apiKey: KEY,
  ipnUrl: 'http://merchant.example/ipn/secret',
  merchant: MERCHANT,
  fetch: async () => new Response(null, { status: 200 }),
});
const stop = sandbox.run();
const server = serve({ fetch: sandbox.app.fetch, hostname: '127.0.0.1', port: 0 });
await once(server, 'listening');
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const browser = await chromium.launch(await findBrowser());
after(async () => {
  await reportOpenPages(browser);
  await browser.close();
  stop();
  server.close();
  if ('closeAllConnections' in server) server.closeAllConnections();
});

// A fault that a failed test left would fail the next ones.
beforeEach(() => post('/_sandbox/faults', {}));

async function visit(options: BrowserContextOptions, path: string): Promise<Page> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(STEP_MS);
  const page = await context.newPage();
  await page.goto(path.startsWith('http') ? path : base + path);
  return page;
}

async function post(path: string, body: object): Promise<Record<string, string>> {
  const headers = { 'x-api-key': KEY, 'content-type': 'application/json' };
  const response = await fetch(base + path, { method: 'POST', headers, body: JSON.stringify(body) });
  assert.ok(response.ok, `${path}: ${response.status}`);
  return response.json() as Promise<Record<string, string>>;
}

let orders = 0;
const pay = (method: string, more: object = {}) =>
  post(`${API}/pay`, {
    orderId: `order-${(orders += 1)}`,
    amount: 14.5,
    currency: 'EUR',
    method,
    returnUrl: SHOP,
    ...more,
  });

/** Axe's rules that the page breaks in light and in dark, and what is too wide or too small for a finger. */
async function problemsOf(page: Page): Promise<string[]> {
  const problems = await problemsInBothSchemes(page);
  const unfit = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const wide = scrollWidth > clientWidth ? [`${scrollWidth - clientWidth} px too wide`] : [];
    const small = [
      ...document.querySelectorAll('button, .button, a:is(.way, .movement), summary, select, label:has([type=radio])'),
    ]
      .filter((element) => element.checkVisibility() && element.getBoundingClientRect().height < 43.9)
      .map((element) => `lower than 44 px: ${element.outerHTML}`);
    return [...wide, ...small];
  });
  return [...problems, ...unfit];
}

test('axe finds no problem on the sandbox’s pages at 320 px, in light and dark', async () => {
  const { checkout = '' } = await pay('CHECKOUT');
  const { appPaymentLink = '' } = await pay('JETGO');
  await pay('DIRECT', { customer: '12345678', customerReferenceNo: 'shopper-1' });
  await post('/_sandbox/faults', { pay: { delayMs: 5_000, dropAnswer: true }, ipn: { never: true }, times: 2 });
  const page = await visit({ ...PHONE, viewport: { width: 320, height: 640 } }, '/');
  await page.evaluate(() => document.querySelectorAll('details').forEach((details) => (details.open = true)));
  assert.deepEqual(await problemsOf(page), [], 'the gateway');
  for (const width of [360, 390, 320]) {
    await page.setViewportSize({ width, height: 640 });
    const [logo, way] = await Promise.all(['.logo', '.way'].map((name) => page.locator(name).first().boundingBox()));
    assert.ok(logo && way, 'both are drawn');
    assert.ok(way.x - logo.x - logo.width >= 8 || way.y >= logo.y + logo.height, `apart at ${width} px`);
  }
  await page.goto(checkout);
  assert.equal(await page.locator('.payee .avatar').isVisible(), true, 'the shop’s picture is beside its name');
  await page.getByLabel('Wallet ID or e-mail').fill('12345678');
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('alert').waitFor();
  assert.deepEqual(await problemsOf(page), [], 'the checkout');
  await page.getByRole('button', { name: 'Ada Keller', exact: true }).click();
  await page.locator('.step').getByLabel('Six-digit code').waitFor();
  assert.equal(await page.locator('.step').getByText('Sandbox').count(), 0, 'help is outside of the step');
  assert.deepEqual(await problemsOf(page), [], 'the second step of the checkout');
  await page.goto(appPaymentLink);
  assert.deepEqual(await problemsOf(page), [], 'the choice of a customer');
  await page.getByRole('button', { name: 'Ada Keller' }).click();
  await page.getByRole('button', { name: 'Approve' }).waitFor();
  assert.deepEqual(await problemsOf(page), [], 'a payment on the phone');
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('link', { name: `Back to ${MERCHANT}` }).waitFor();
  assert.deepEqual(await problemsOf(page), [], 'a paid one');
  await page.goto(`${base}/wallet/scan?code=unknown`);
  await page.getByText('This is not a code of this wallet').waitFor();
  assert.deepEqual(await problemsOf(page), [], 'the wallet');
  await page.context().close();
});

test('on a phone of any width, Approve is after Decline, or above it, and the help of the test below both', async () => {
  // The balance of the second one is too low.
  for (const customer of ['12345678', '34567890']) {
    await pay('DIRECT', { customer, customerReferenceNo: `any-width-${customer}`, amount: 1234.56 });
    for (const width of [320, 390, 1280]) {
      const page = await visit({ ...PHONE, viewport: { width, height: 844 } }, `/wallet?as=${customer}`);
      const [no, yes, help] = await page
        .locator('.asks button')
        .evaluateAll((all) => all.map((each) => each.getBoundingClientRect()));
      assert.ok(no && yes && (yes.bottom <= no.top || no.right <= yes.left), `at ${width} px`);
      assert.equal(help === undefined, customer === '12345678');
      if (help) assert.ok(help.top >= Math.max(no.bottom, yes.bottom), `at ${width} px`);
      await page.context().close();
    }
  }
});

test('on a low wide screen, the drawn phone has the buttons of a payment and of its result in sight', async () => {
  const { paymentId } = await pay('DIRECT', { customer: '12345678', customerReferenceNo: 'any-width' });
  const timeZone = 'Asia/Kolkata';
  const page = await visit({ viewport: { width: 1280, height: 720 }, timezoneId: timeZone }, '/wallet?as=12345678');
  await page.goto(`${base}/wallet/payments/${paymentId}`);
  const areInSight = async () => {
    const buttons = await page.locator('.answer').boundingBox();
    assert.ok(buttons && buttons.y + buttons.height <= 720);
  };
  await areInSight();
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('link', { name: 'Done' }).waitFor();
  await page.waitForLoadState();
  await areInSight();
  const paidAt = page.locator('dd time');
  const local = new Date((await paidAt.getAttribute('datetime')) ?? '').toLocaleTimeString('en', {
    timeZone,
    timeStyle: 'short',
  });
  assert.match(await paidAt.innerText(), new RegExp(`${local}$`), 'in the time zone of the phone');
  await page.context().close();
});

test('an open checkout says by itself that time is up, in place of what was typed', async () => {
  const { checkout = '' } = await pay('CHECKOUT');
  const page = await visit(PHONE, checkout);
  await page.getByLabel('Wallet ID or e-mail').fill('1234');
  await post(`/_sandbox/transactions/order-${orders}/expire`, {});
  await page.getByRole('heading', { name: 'Time is up' }).waitFor();
  assert.equal(await page.getByRole('link', { name: `Back to ${MERCHANT}` }).getAttribute('href'), SHOP);
  await page.context().close();
});

test('on the narrowest phone, the time of a payment ends where its amount does', async () => {
  const orderId = 'INVOICE-2026-000000001';
  await pay('QR', { orderId });
  await post(`/_sandbox/transactions/${orderId}/approve`, { customer: '12345678' });
  const page = await visit({ ...PHONE, viewport: { width: 320, height: 640 } }, '/wallet?as=12345678');
  const ends = await page
    .locator('.movement', { hasText: orderId })
    .locator('.row > :last-child')
    .evaluateAll((parts) => parts.map((part) => Math.round(part.getBoundingClientRect().right)));
  const [amount = 0, time] = ends;
  assert.equal(time, amount);
  assert.ok(amount > 280 && amount <= 300, `at ${amount} px`);
  await page.context().close();
});

test('on the narrowest phone, the gateway’s page keeps an id, also of a refund, on one line', async () => {
  await pay('QR', { orderId: 'ST-294PVPN7C4', amount: 130.5 });
  await post('/_sandbox/transactions/ST-294PVPN7C4/approve', { customer: '12345678' });
  const body = { orderId: 'ST-294PVPN7C4-r1', amount: 130, currency: 'EUR', customer: '12345678', type: 'JETGO' };
  await post(`${API}/payout`, body);
  const page = await visit({ ...PHONE, viewport: { width: 320, height: 640 } }, '/');
  for (const orderId of ['ST-294PVPN7C4', body.orderId]) {
    const lines = await page
      .getByText(orderId, { exact: true })
      .first()
      .evaluate((id) => {
        const range = document.createRange();
        range.selectNodeContents(id);
        return range.getClientRects().length;
      });
    assert.equal(lines, 1, orderId);
  }
  await page.context().close();
});

test('with text at 200 %, no page of the sandbox is wider than a phone, and no amount is cut off', async () => {
  const orderId = 'ST-LARGE00001';
  await pay('QR', { orderId, amount: 1234.5 });
  await post(`/_sandbox/transactions/${orderId}/approve`, { customer: '12345678' });
  await pay('DIRECT', { customer: '34567890', customerReferenceNo: 'large', amount: 1130.5 });
  const { checkout = '' } = await pay('CHECKOUT', { language: 'de' });
  const page = await visit({ ...PHONE, viewport: { width: 390, height: 844 } }, checkout);
  const widthOf = () =>
    page.evaluate(() => {
      document.documentElement.style.fontSize = '200%';
      return document.documentElement.scrollWidth;
    });
  await page.getByRole('button', { name: 'Chiyo Mori' }).click();
  await page.locator('#code').waitFor();
  await page.waitForLoadState();
  assert.equal(await widthOf(), 390, 'the checkout');
  await page.goto(`${base}/wallet?as=34567890`);
  assert.equal(await widthOf(), 390, 'the wallet');
  await page.goto(base);
  assert.equal(await widthOf(), 390, 'the gateway');
  const edges = async (name: string) => {
    const all = page.locator(name).filter({ visible: true });
    return all.evaluateAll((each) =>
      each.map((one) => one.getBoundingClientRect()).flatMap(({ x, right }) => [x, right]),
    );
  };
  const [ended, amounts] = [await edges('.ended'), await edges('.ended .amount')];
  assert.ok(Math.max(...amounts) < Math.max(...ended), 'the amounts');
  const [waiting, buttons] = [await edges('.waiting'), await edges('.waiting button')];
  assert.ok(Math.min(...buttons) > Math.min(...waiting), 'the buttons');
  await page.context().close();
});

test('on a phone and on a wide screen, the gateway’s controls are read where they are seen, after what waits', async () => {
  const page = await visit(DESKTOP, '/');
  const controls = page.locator('#controls');
  assert.equal(await page.locator('#waiting ~ #controls').count(), 1, 'the order of the markup');
  for (const [width, side] of [
    [1280, 'x'],
    [390, 'y'],
  ] as const) {
    await page.setViewportSize({ width, height: 844 });
    const [first, then] = await Promise.all([page.locator('#waiting').boundingBox(), controls.boundingBox()]);
    assert.ok(first && then && first[side] < then[side], `at ${width} px`);
  }
  await page.context().close();
});

test('active faults do not cover the test controls, and an open row is approved by one button', async () => {
  await pay('QR');
  await post('/_sandbox/faults', { pay: { delayMs: 5_000, dropAnswer: true }, ipn: { never: true } });
  const page = await visit(DESKTOP, '/');
  for (const width of [320, 600]) {
    await page.setViewportSize({ width, height: 640 });
    await page.goto(`${base}/?controls#controls`);
    assert.equal(
      await page.evaluate(() => {
        const { x, y } = document.querySelector('#controls summary')!.getBoundingClientRect();
        return document.elementFromPoint(x + 20, y + 20)?.closest('#controls') !== null;
      }),
      true,
      `at ${width} px`,
    );
  }
  await page.setViewportSize({ width: 1280, height: 860 });
  const row = page.locator('.waiting .transaction').first();
  const approve = row.getByRole('button', { name: /^Approve/ });
  assert.match((await approve.getAttribute('aria-label')) ?? '', /^Approve as Ada/);
  await row.locator('summary').click();
  assert.equal(await approve.innerText(), 'Approve as', 'beside the choice of a customer');
  const [whole, inside] = await Promise.all([row.boundingBox(), row.locator('.inside').boundingBox()]);
  assert.equal(inside?.width, whole?.width);
  await page.context().close();
});

test('at the checkout, a code is sent by Continue alone, and Pay is not where Continue was', async () => {
  const { checkout = '' } = await pay('CHECKOUT');
  for (const width of [320, 390, 1280]) {
    const page = await visit({ ...DESKTOP, viewport: { width, height: 844 } }, checkout);
    await page.getByRole('button', { name: 'Ada Keller', exact: true }).click();
    const phone = await visit(DESKTOP, '/wallet?as=12345678');
    const right = await phone.locator('output').innerText();
    await phone.context().close();
    const code = page.locator('#code');
    const next = page.getByRole('button', { name: 'Continue' });
    await code.pressSequentially('12 3456');
    assert.equal(await code.inputValue(), '123456', 'each digit in its place');
    await next.click();
    await page.getByText('This code is wrong. You can try 4 more times.').waitFor();
    await page.locator('#code:focus').waitFor();
    // The alert is seen before the page has its styles, and so is the next page.
    await page.waitForLoadState();
    const old = await next.boundingBox();
    await code.fill(right);
    await next.click();
    await page.getByRole('button', { name: /^Pay/ }).waitFor();
    await page.waitForLoadState();
    const { y } = (await page.getByRole('button', { name: /^Pay/ }).boundingBox()) ?? { y: 0 };
    assert.ok(old && y >= old.y + old.height, `at ${width} px`);
    assert.equal(await page.locator('.facts .total').innerText(), 'This payment\n€14.50');
    await page.context().close();
  }
});

test('on a wide screen, an error at the login leaves the amount where it is', async () => {
  const { checkout = '' } = await pay('CHECKOUT');
  const page = await visit(DESKTOP, checkout);
  const top = async () => (await page.locator('.bill .amount').boundingBox())?.y;
  const before = await top();
  await page.getByLabel('Wallet ID or e-mail').fill('12345678');
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('alert').waitFor();
  // The alert is seen before the page has its styles.
  await page.waitForLoadState();
  assert.equal(await top(), before);
  const gaps = await page.locator('label').evaluateAll((labels) =>
    labels.map((label) => {
      const above = label.closest('form')?.querySelector('#wallet ~ label') === label ? '#wallet' : '.problem';
      return label.getBoundingClientRect().top - document.querySelector(above)!.getBoundingClientRect().bottom;
    }),
  );
  assert.ok(gaps[0]! <= gaps[1]!, `the alert is as near to its fields as they are to each other: ${gaps.join(', ')}`);
  await page.context().close();
});

test('a row of the gateway’s page says that no shopper has its page or code, if the answer was lost', async () => {
  const ADA = { customer: '12345678', customerReferenceNo: 'ada' };
  const said = 'A fault lost the answer: the shopper has no';
  await pay('CHECKOUT', { orderId: 'answered' });
  await post('/_sandbox/faults', { pay: { dropAnswer: true } });
  for (const method of ['CHECKOUT', 'QR', 'DIRECT'])
    await assert.rejects(pay(method, { orderId: `lost-${method}`, ...(method === 'DIRECT' && ADA) }), /fetch failed/);
  const page = await visit(DESKTOP, '/');
  const row = (orderId: string) => page.locator('.transaction', { hasText: orderId });
  await row('lost-CHECKOUT').getByText(`${said} page, and reads that the payment was not started.`).waitFor();
  await row('lost-QR').getByText(`${said} code,`).waitFor();
  assert.equal(await row('answered').locator('.main').count(), 2);
  assert.equal(await row('lost-CHECKOUT').locator('.main').count(), 0, 'nor in its details');
  for (const orderId of ['answered', 'lost-DIRECT']) assert.equal(await row(orderId).getByText(said).count(), 0);
  await row('lost-QR').getByRole('button', { name: 'Decline' }).click();
  await page.locator('.ended', { hasText: 'lost-QR' }).waitFor();
  assert.equal(await row('lost-QR').getByText(said).count(), 0);
  await page.context().close();
});

test('without script, a fault is switched on by a button, shown as active, and ended by End all faults', async () => {
  const page = await visit({ ...DESKTOP, javaScriptEnabled: false }, '/');
  await page.getByText('Once', { exact: true }).click();
  const button = page.getByRole('button', { name: 'Send no notifications' });
  const place = await button.boundingBox();
  await button.click();
  await page.getByRole('heading', { name: 'The gateway misbehaves' }).waitFor();
  await page.getByRole('listitem').getByText('Send no notifications').waitFor();
  await page.getByText('1 more time', { exact: true }).waitFor();
  assert.equal(await button.getAttribute('aria-pressed'), 'true');
  await page.waitForLoadState();
  assert.deepEqual(await button.boundingBox(), place, 'the pressed button stays where it is');
  await page.getByRole('button', { name: 'End all faults' }).click();
  await page.getByRole('heading', { name: 'No fault is active' }).waitFor();
  await page.context().close();
});
