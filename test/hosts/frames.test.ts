// The widget in a frame. The checkout forbids frames, so it replaces the top page. If the frame may not navigate that,
// it opens in a new tab; if tabs are not allowed either, the widget's link stays. Needs a browser, because these are
// the browser's rules: for frames of the page's origin, of another origin, and in sandboxes.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import type { FrameLocator, Page } from 'playwright-core';
import { until } from '../faults/fault-test.ts';
import { Host } from './host.ts';
import type { Visit } from './visit.ts';

const host = await Host.open();
afterEach(() => host.leave());
after(() => host.close());

/** The same server by another name, which is another origin and another site to a browser. */
const OTHER_ORIGIN = host.origin.replace('localhost', '127.0.0.1');
const CHECKOUT = /\/pay\?token=/;
/** Without `allow-forms`, so the browser submits no form. */
const SANDBOX = 'allow-scripts allow-same-origin';
const TABS = 'allow-popups allow-popups-to-escape-sandbox';

interface Framed {
  /** Origin of the page around the frame. */
  origin?: string;
  sandbox?: string | undefined;
  /** Attributes of the widget. */
  attributes?: string;
  /** Runs in each document before the document's scripts. */
  init?: () => void;
}

interface Scene {
  visit: Visit;
  page: Page;
  frame: FrameLocator;
  /** Tabs that the page has opened. */
  tabs: Page[];
}

async function open({ origin = OTHER_ORIGIN, sandbox, attributes = '', init }: Framed = {}): Promise<Scene> {
  const { token } = await host.order();
  const widget = `<payment-widget method="CHECKOUT" ${attributes} order="${token}"></payment-widget>`;
  const html = (body: string) => `<!doctype html><html lang="en"><title>Shop</title><body>${body}</body></html>`;
  host.serve('/frame.html', html(host.script + widget));
  const attribute = sandbox === undefined ? '' : ` sandbox="${sandbox}"`;
  host.serve('/outer.html', html(`<iframe src="${host.origin}/frame.html" height="700"${attribute}></iframe>`));
  const visit = await host.visit({ body: '' });
  const { page } = visit;
  if (init) await page.addInitScript(init);
  await page.goto(`${origin}/outer.html`);
  const tabs: Page[] = [];
  page.context().on('page', (tab) => tabs.push(tab));
  return { visit, page, frame: page.frameLocator('iframe'), tabs };
}

const pay = (frame: FrameLocator) => frame.locator('[part~="pay"]').click();

/** The browser logs what a sandbox refused; it may log nothing else. */
const REFUSED = /sandbox/;

/** Neither the frame nor the page around it has navigated. */
function assertNotNavigated(page: Page, origin = OTHER_ORIGIN): void {
  const urls = page.frames().map((each) => each.url());
  assert.deepEqual(urls, [`${origin}/outer.html`, `${host.origin}/frame.html`]);
}

for (const [name, origin] of [
  ['same-origin', host.origin],
  ['cross-origin', OTHER_ORIGIN],
] as const) {
  for (const target of ['', 'checkout-target="_top"', 'checkout-target="_self"']) {
    test(`a ${name} frame opens the checkout in the top page with ${target || 'the default target'}`, async () => {
      const { page, frame, tabs } = await open({ origin, attributes: target });
      await pay(frame);
      await page.waitForURL(CHECKOUT);
      assert.equal(tabs.length, 0);
    });
  }
}

test('a frame with checkout-target="_blank" opens the checkout in a tab', async () => {
  const { page, frame, tabs } = await open({ attributes: 'checkout-target="_blank"' });
  await pay(frame);
  await until('the checkout in a tab', () => CHECKOUT.test(tabs[0]?.url() ?? ''));
  assertNotNavigated(page);
});

test('a sandboxed frame that may navigate the top page after a click opens the checkout there', async () => {
  const { page, frame, tabs } = await open({ sandbox: `${SANDBOX} allow-top-navigation-by-user-activation` });
  await pay(frame);
  await page.waitForURL(CHECKOUT);
  assert.equal(tabs.length, 0);
});

for (const [name, origin] of [
  ['same-origin', host.origin],
  ['cross-origin', OTHER_ORIGIN],
] as const) {
  test(`a sandboxed ${name} frame that may not navigate the top page opens the checkout in one tab`, async () => {
    const { visit, page, frame, tabs } = await open({ origin, sandbox: `${SANDBOX} ${TABS}` });
    await pay(frame);
    await until('the checkout in a tab', () => CHECKOUT.test(tabs[0]?.url() ?? ''));
    await frame.getByText('Waiting for payment').first().waitFor();
    assertNotNavigated(page, origin);
    const link = frame.locator('[part~="checkout"]');
    assert.equal(await link.getAttribute('target'), '_blank', 'the link opens a tab');
    await link.click();
    await until('the checkout in a second tab', () => CHECKOUT.test(tabs[1]?.url() ?? ''));
    assert.equal(await tabs[1]?.evaluate(() => opener), null);
    assertNotNavigated(page, origin);
    visit.allowed = REFUSED;
  });
}

test('a sandboxed frame that may not open tabs keeps the link and does not navigate itself to the checkout', async () => {
  const { visit, page, frame, tabs } = await open({ sandbox: SANDBOX });
  await pay(frame);
  const link = frame.locator('[part~="checkout"]');
  await link.waitFor();
  assert.match((await link.getAttribute('href')) ?? '', CHECKOUT);
  assert.equal(await link.getAttribute('target'), '_blank');
  assertNotNavigated(page);
  assert.equal(tabs.length, 0);
  visit.allowed = REFUSED;
});

test('Enter starts a payment in a sandboxed frame', async () => {
  const { visit, page, frame } = await open({ sandbox: SANDBOX, attributes: 'methods="QR CHECKOUT"' });
  await frame.getByRole('radio', { name: 'Scan a QR code' }).check();
  await page.keyboard.press('Enter');
  await frame.getByRole('heading', { name: 'Scan a QR code' }).waitFor();
  visit.allowed = REFUSED;
});

/** Simulates a browser whose user activation has expired. */
function clickWasLongAgo(): void {
  Object.defineProperty(navigator, 'userActivation', { value: { isActive: false, hasBeenActive: true } });
}

test('a cross-origin frame opens the checkout in a tab if the click is too long ago', async () => {
  const { page, frame, tabs } = await open({ init: clickWasLongAgo });
  await pay(frame);
  await until('the checkout in a tab', () => CHECKOUT.test(tabs[0]?.url() ?? ''));
  assertNotNavigated(page);
});

test('a same-origin frame opens the checkout in the top page even if the click is too long ago', async () => {
  const { page, frame, tabs } = await open({ origin: host.origin, init: clickWasLongAgo });
  await pay(frame);
  await page.waitForURL(CHECKOUT);
  assert.equal(tabs.length, 0);
});

for (const [sandbox, place] of [
  [undefined, 'in the top page'],
  [`${SANDBOX} ${TABS}`, 'in a tab'],
] as const) {
  test(`the link in a ${sandbox ? 'sandboxed' : 'cross-origin'} frame opens the checkout ${place}`, async () => {
    const init = () => document.addEventListener('payment-redirect', (event) => event.preventDefault(), { once: true });
    const { visit, page, frame, tabs } = await open({ sandbox, init });
    await pay(frame);
    const link = frame.locator('[part~="checkout"]');
    await link.waitFor();
    assert.equal(await link.getAttribute('target'), '_top');
    await link.click();
    if (sandbox) {
      await until('the checkout in a tab', () => CHECKOUT.test(tabs[0]?.url() ?? ''));
      assertNotNavigated(page);
    } else {
      await page.waitForURL(CHECKOUT);
      assert.equal(tabs.length, 0);
    }
    visit.allowed = REFUSED;
  });
}
