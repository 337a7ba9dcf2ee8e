// The operator's journey: from the first page to what needs a person, without a script; and a forged form.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chromium, type Browser, type Page } from 'playwright-core';
import { DEFAULT_PROFILE } from '../../backend-proxy/gateway/profile.ts';
import { FREE_PORTS, startStack, type Stack } from '../../demo/stack.ts';
import { buildWidgetIfStale } from '../../demo/widget-build.ts';
import { findBrowser } from '../browser.ts';
import { audit } from './audit.ts';
import { STEP_MS, Visitor } from './visitor.ts';
import { serveOnLoopback } from '../loopback.ts';

let stack: Stack;
let browser: Browser;
let admin = '';
/** What the merchant's server answers to webhooks. 410 makes one be given up at once. */
let answer = 410;

const shop = await serveOnLoopback((request, response) => {
  request.resume().on('end', () => response.writeHead(answer).end());
});

before(async () => {
  await buildWidgetIfStale();
  const proxy = { WEBHOOK_URL: shop.url };
  [stack, browser] = await Promise.all([
    startStack({ ports: FREE_PORTS, readyWithinMs: STEP_MS, env: { proxy } }),
    findBrowser().then((found) => chromium.launch(found)),
  ]);
  admin = stack.operator;
});
after(async () => {
  await Promise.all([browser?.close(), stack?.stop()]);
  shop.close();
});

async function merchant(path: string, body: object): Promise<Record<string, string>> {
  const headers = { Authorization: `Bearer ${stack.secrets.merchantApiKey}`, 'Content-Type': 'application/json' };
  const response = await fetch(`${stack.proxy}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  assert.ok(response.ok, await response.clone().text());
  return (await response.json()) as Record<string, string>;
}

async function pay(orderId: string, key = orderId): Promise<void> {
  const returnUrl = `${stack.shop}/thanks`;
  const { token } = await merchant('/orders', { orderId, amount: '10.10', currency: 'EUR', returnUrl });
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Idempotency-Key': key };
  const body = JSON.stringify({ method: 'QR' });
  await fetch(`${stack.proxy}/order/payments`, { method: 'POST', headers, body });
}

const faults = (body: object) => fetch(`${stack.sandbox}/_sandbox/faults`, { method: 'POST', body: JSON.stringify(body) }); // prettier-ignore
const approve = (id: string) => fetch(`${stack.sandbox}/_sandbox/transactions/${id}/approve`, { method: 'POST', body: '{}' }); // prettier-ignore

/** A payment whose id another shop has used at the gateway before, and which was paid there. */
async function createReview(orderId: string): Promise<void> {
  const headers = { 'X-API-KEY': stack.secrets.gatewayApiKey, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ orderId, amount: 10.1, currency: 'EUR', method: 'QR', returnUrl: `${stack.shop}/x` });
  await fetch(`${stack.sandbox}${DEFAULT_PROFILE.paths.pay}`, { method: 'POST', headers, body });
  await pay(orderId);
  await approve(orderId);
}

/** Opens a page until it shows this, because checks and deliveries take their time. */
async function openUntil(page: Page, url: string, text: string | RegExp): Promise<void> {
  const deadline = Date.now() + STEP_MS;
  do {
    await page.goto(url);
    if (await page.getByText(text).first().isVisible()) return;
    await page.waitForTimeout(200);
  } while (Date.now() < deadline);
  assert.fail(`${url} does not show ${text}:\n${await page.locator('body').ariaSnapshot()}`);
}

async function signIn(page: Page): Promise<void> {
  await page.goto(admin);
  await page.getByLabel('Operator’s token').fill(stack.secrets.adminToken);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

test('the operator finds what needs a person, resolves it, and sends a webhook again, without a script', async () => {
  await pay('A-1');
  await approve('A-1');
  await createReview('A-2');
  const visitor = await Visitor.enter(await browser.newContext({ javaScriptEnabled: false }), () => undefined);
  const { page } = visitor;
  await signIn(page);
  await openUntil(page, admin, '1 payment to review');

  await page.getByRole('link', { name: 'Review A-2' }).click();
  await page.getByLabel('No money was received').check();
  await page.getByRole('region', { name: 'Needs review' }).getByLabel('Your name').fill('Ada');
  await page.getByLabel('How you know').fill('it was paid to the other shop');
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByText('Your server gets payment.failed').waitFor();
  await page.getByRole('button', { name: 'Record as not received' }).click();
  await page.getByText('Recorded. The history below has your name and note.').waitFor();
  await page.getByText('No money moved, says Ada · it was paid to the other shop').waitFor();

  await pay('A-6');
  await pay('A-6', 'again');
  for (const id of ['A-6', 'A-6-2']) await approve(id);
  await openUntil(page, admin, '1 payment to refund');
  await page.getByRole('link', { name: 'Refund A-6' }).click();
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByRole('button', { name: 'Refund €10.00' }).click();
  await openUntil(page, admin, '1 payment to settle');
  await page.getByRole('link', { name: 'Settle A-6' }).click();
  await page.getByRole('heading', { name: 'Still owed €0.10' }).waitFor();
  await page.getByLabel('How it was settled').fill('in cash');
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByRole('heading', { name: 'Record €0.10 as settled?' }).waitFor();
  await page.getByRole('button', { name: 'Record as settled' }).click();
  await page.getByText('Settled another way, says Ada · in cash').waitFor();
  await page.goto(admin);
  assert.equal(await page.getByRole('link', { name: 'Settle' }).count(), 0);

  answer = 200;
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('button', { name: 'Send again: payment.succeeded of A-1' }).click();
  await openUntil(page, page.url().replace(/\?.*/, ''), 'Delivered');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Operator’s token').waitFor();
  await page.goto(`${admin}/transactions`);
  await page.getByLabel('Operator’s token').waitFor();
  await visitor.leave();
});

test('a page that says of when it is follows by itself, unless it is paused, typed in, read or signed out of', async () => {
  answer = 200;
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.clock.install();
  await signIn(page);
  const row = (name: string) => page.getByRole('row', { name }).first();
  /** Ten seconds, in which it asks or not. */
  const wait = async (asks: boolean) => {
    const asked = asks ? page.waitForResponse(admin) : undefined;
    await page.clock.runFor(10_000);
    await asked;
  };
  await pay('F-1');
  await wait(true);
  await row('F-1').waitFor();
  const pause = page.getByRole('button', { name: 'Pause' });
  await pause.click();
  await page.getByRole('button', { name: 'Resume' }).click();
  await pay('F-2');
  await wait(true);
  await row('F-2').waitFor();
  assert.equal(await pause.evaluate((button) => button === document.activeElement), true, 'it keeps the focus');

  // What is found later was not asked for before.
  await page.getByRole('link', { name: 'F-2' }).focus();
  await pay('F-3');
  await wait(false);
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.getByRole('heading', { level: 1 }).selectText();
  await wait(false);
  assert.equal(await row('F-3').count(), 0);
  await page.evaluate(() => getSelection()?.empty());
  await wait(true);
  await row('F-3').waitFor();
  await page.getByRole('searchbox').pressSequentially('F');
  await page.getByRole('button', { name: 'Resume' }).waitFor();

  await page.goto(`${admin}/transactions/F-3`);
  await pause.waitFor();
  await approve('F-3');
  await openUntil(await context.newPage(), `${admin}/transactions/F-3`, 'Delivered');
  await page.clock.runFor(10_000);
  await page.getByText('confirmed by the gateway').waitFor();
  await pause.waitFor({ state: 'detached' });

  await page.goto(admin);
  await pause.waitFor();
  await context.clearCookies();
  await page.clock.runFor(10_000);
  await page.getByText('No longer updated').waitFor();
  await context.close();
});

test('a form that another page of the same machine sends to the operator’s page is refused', async (t) => {
  await createReview('A-3');
  const context = await browser.newContext();
  const page = await context.newPage();
  await signIn(page);
  await openUntil(page, `${admin}/transactions/A-3`, 'Ask the gateway’s support');
  // Of the same site, so that even a strict cookie is sent.
  const forger = await serveOnLoopback((_, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(`<form method="post" action="${admin}/transactions/A-3/resolve"><input name="status" value="SUCCESS">
      <input name="by" value="x"><input name="note" value="x"><input name="confirmed" value="yes"></form>`);
  });
  t.after(forger.close);
  await page.goto(forger.url);
  const refused = page.waitForResponse((response) => response.url().endsWith('/resolve'));
  await page.evaluate(() => document.forms[0]?.submit());
  assert.equal((await refused).status(), 403);
  await page.waitForURL('**/resolve');
  await page.goto(`${admin}/transactions/A-3`);
  await page.getByRole('button', { name: 'Continue', exact: true }).waitFor();
  await context.close();
});

test('the operator’s pages pass axe in light and dark, fit 320 px, and the public port has none of them', async () => {
  await pay('A-4');
  await pay('A-5');
  await approve('A-5');
  const context = await browser.newContext({ bypassCSP: true });
  const page = await context.newPage();
  const inBothLooks = async (check: (look: string) => Promise<void>) => {
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [320, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      await check(`${page.url()} ${width} ${colorScheme}`);
    }
  };
  const look = () =>
    inBothLooks(async (name) => {
      const { violations, contrasts } = await audit(page);
      const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
      assert.deepEqual([...violations, ...(isTooWide ? ['wider than the window'] : [])], [], name);
      assert.ok(contrasts > 0, name);
    });
  await page.goto(admin);
  await look();
  await signIn(page);
  for (const path of ['', '/transactions', '/transactions/A-3', '/webhooks?state=delivered', '/ipns', '/health']) {
    await page.goto(`${admin}${path}`);
    await look();
  }
  await page.goto(`${admin}/transactions?orderId=A-5`);
  await inBothLooks(async (name) => {
    const { height } = (await page.getByRole('row', { name: 'A-5' }).boundingBox()) ?? assert.fail();
    assert.ok(height < 80, `${name}: ${height} px are more than two lines`);
    const { height: shown } =
      (await page.getByRole('columnheader', { name: /^Created, \w/ }).boundingBox()) ?? assert.fail();
    assert.ok(shown > 10, 'the zone of the times is said above them');
    assert.match(await page.getByRole('row', { name: 'A-5' }).innerText(), /, \d\d:\d\d(:\d\d)?$/, 'and not again');
  });
  // The longest button, which is a red one.
  await faults({ status: { tamper: { amount: 0.01 } } });
  await pay('A-7');
  await approve('A-7');
  await openUntil(page, `${admin}/transactions/A-7`, 'Ask the gateway’s support');
  await faults({});
  await openUntil(page, `${admin}/transactions/A-7`, 'and the right one later');
  await page.getByLabel('No money was received').check();
  await page.getByRole('region', { name: 'Needs review' }).getByLabel('Your name').fill('Ada');
  await page.getByLabel('How you know').fill('support said so');
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.getByRole('button', { name: 'Note that no money was received' }).waitFor();
  await look();
  await page.goto(`${admin}/webhooks?state=delivered`);
  await page.getByRole('rowheader').getByRole('link').first().click();
  await page.waitForURL('**/webhooks/msg_*');
  await look();
  await openUntil(page, `${admin}/transactions/A-5`, 'can be refunded to the wallet that paid');
  await look();
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.getByRole('button').or(page.getByRole('textbox')).count(), 0, 'paper has no forms');
  await page.emulateMedia({ media: null });
  await page.getByText('Refund…').click();
  await page.getByRole('region', { name: 'Refunds' }).getByLabel('Your name').fill('Ada');
  // A stylesheet that comes late is waited for.
  await page.route('**/style.css', (route) => setTimeout(() => void route.continue(), 300), { times: 1 });
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: /^Refund €10\.00 to/ }).waitFor();
  await look();
  await page.goto(`${admin}/transactions/A-4`);
  await page.getByRole('link', { name: 'Close the order…' }).click();
  await page.getByText('The gateway cannot cancel: A-4 may still be paid').waitFor();
  await look();
  await context.close();
  assert.equal((await fetch(`${stack.proxy}/admin`)).status, 404);
});
