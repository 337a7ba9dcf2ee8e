// In a frame: the checkout forbids being framed, so it takes the place of the top page; where the frame may not lead that away, it
// opens a tab; where that is not allowed either, the widget's link stays. By the browser's own rules, with frames of the page's
// origin, of another one, and in sandboxes.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { FrameLocator, Page } from 'playwright-core';
import { Host } from './host.ts';
import { until, type Visit } from './visit.ts';

const host = await Host.open();
after(() => host.close());

/** The same server by another name: another origin, and another site, to a browser. */
const ELSEWHERE = host.origin.replace('localhost', '127.0.0.1');
const CHECKOUT = /\/pay\?token=/;
const SANDBOX = 'allow-scripts allow-same-origin allow-forms';
const TABS = 'allow-popups allow-popups-to-escape-sandbox';

interface Framed {
  /** Of the page around the frame. */
  origin?: string;
  sandbox?: string | undefined;
  /** Attributes of the widget. */
  attributes?: string;
  /** Runs in each document before its own scripts. */
  init?: () => void;
}

interface Scene {
  visit: Visit;
  page: Page;
  frame: FrameLocator;
  /** The tabs that were opened. */
  tabs: Page[];
}

async function open({ origin = ELSEWHERE, sandbox, attributes = '', init }: Framed = {}): Promise<Scene> {
  const { token } = await host.order();
  const widget = `<payment-widget method="CHECKOUT" ${attributes} order="${token}"></payment-widget>`;
  const script = `<script type="module" src="${host.proxy}/widget.js"></script>`;
  const html = (body: string) => `<!doctype html><html lang="en"><title>Shop</title><body>${body}</body></html>`;
  host.serve('/frame.html', html(script + widget));
  const fence = sandbox === undefined ? '' : ` sandbox="${sandbox}"`;
  host.serve('/outer.html', html(`<iframe src="${host.origin}/frame.html" height="700"${fence}></iframe>`));
  const visit = await host.visit({ body: '' });
  const { page } = visit;
  if (init) await page.addInitScript(init);
  await page.goto(`${origin}/outer.html`);
  const tabs: Page[] = [];
  page.context().on('page', (tab) => tabs.push(tab));
  return { visit, page, frame: page.frameLocator('iframe'), tabs };
}

const pay = (frame: FrameLocator) => frame.locator('[part~="pay"]').click();

/** The browser says what a sandbox refused; nothing else may be complained of. */
async function leaveFenced(visit: Visit): Promise<void> {
  await visit.leave(/sandbox/);
}

/** The page around the frame, and the frame, are where they were. */
function staysPut(page: Page, origin = ELSEWHERE): void {
  assert.deepEqual(
    page.frames().map((each) => each.url()),
    [`${origin}/outer.html`, `${host.origin}/frame.html`],
  );
}

for (const [name, origin] of [
  ['of the page’s own origin', host.origin],
  ['of another origin', ELSEWHERE],
] as const) {
  for (const target of ['', 'checkout-target="_top"', 'checkout-target="_self"']) {
    test(`from a frame ${name} the checkout takes the place of the page: ${target || 'by default'}`, async () => {
      const { visit, page, frame, tabs } = await open({ origin, attributes: target });
      await pay(frame);
      await page.waitForURL(CHECKOUT);
      assert.equal(tabs.length, 0);
      await visit.leave();
    });
  }
}

test('from a frame it opens in a tab where the page wishes that', async () => {
  const { visit, page, frame, tabs } = await open({ attributes: 'checkout-target="_blank"' });
  await pay(frame);
  await until(() => CHECKOUT.test(tabs[0]?.url() ?? ''), 'the checkout in a tab');
  staysPut(page);
  await visit.leave();
});

test('from a sandbox that lets the top go within a click, it does', async () => {
  const { visit, page, frame, tabs } = await open({ sandbox: `${SANDBOX} allow-top-navigation-by-user-activation` });
  await pay(frame);
  await page.waitForURL(CHECKOUT);
  assert.equal(tabs.length, 0);
  await visit.leave();
});

for (const [name, origin] of [
  ['its own', host.origin],
  ['another', ELSEWHERE],
] as const) {
  test(`from a sandbox that does not let the top go it opens one tab, in a page of ${name} origin`, async () => {
    const { visit, page, frame, tabs } = await open({ origin, sandbox: `${SANDBOX} ${TABS}` });
    await pay(frame);
    await until(() => CHECKOUT.test(tabs[0]?.url() ?? ''), 'the checkout in a tab');
    await frame.getByText('Waiting for your payment').first().waitFor();
    staysPut(page, origin);
    const link = frame.locator('[part~="checkout"]');
    assert.equal(await link.getAttribute('target'), '_blank', 'the link leads where there is a way');
    await link.click();
    await until(() => CHECKOUT.test(tabs[1]?.url() ?? ''), 'a second tab, by the link');
    assert.equal(await tabs[1]?.evaluate(() => opener), null);
    staysPut(page, origin);
    await leaveFenced(visit);
  });
}

test('from a sandbox without tabs the link stays, and the frame is not led into what forbids frames', async () => {
  const { visit, page, frame, tabs } = await open({ sandbox: SANDBOX });
  await pay(frame);
  const link = frame.locator('[part~="checkout"]');
  await link.waitFor();
  assert.match((await link.getAttribute('href')) ?? '', CHECKOUT);
  assert.equal(await link.getAttribute('target'), '_blank');
  staysPut(page);
  assert.equal(tabs.length, 0);
  await leaveFenced(visit);
});

/** As it is once the click is too long ago. */
function clickWasLongAgo(): void {
  Object.defineProperty(navigator, 'userActivation', { value: { isActive: false, hasBeenActive: true } });
}

test('of another origin, once the click is too long ago, it opens a tab and leaves the page alone', async () => {
  const { visit, page, frame, tabs } = await open({ init: clickWasLongAgo });
  await pay(frame);
  await until(() => CHECKOUT.test(tabs[0]?.url() ?? ''), 'the checkout in a tab');
  staysPut(page);
  await visit.leave();
});

test('of its own origin a frame leads the page away, however long ago the click is', async () => {
  const { visit, page, frame, tabs } = await open({ origin: host.origin, init: clickWasLongAgo });
  await pay(frame);
  await page.waitForURL(CHECKOUT);
  assert.equal(tabs.length, 0);
  await visit.leave();
});

for (const [sandbox, leads] of [
  [undefined, 'the page away'],
  [`${SANDBOX} ${TABS}`, 'to a tab'],
] as const) {
  test(`the link in a frame leads ${leads}, ${sandbox ? 'in a sandbox' : 'of another origin'}`, async () => {
    const init = () => document.addEventListener('payment-redirect', (event) => event.preventDefault(), { once: true });
    const { visit, page, frame, tabs } = await open({ sandbox, init });
    await pay(frame);
    const link = frame.locator('[part~="checkout"]');
    await link.waitFor();
    assert.equal(await link.getAttribute('target'), '_top');
    await link.click();
    if (sandbox) {
      await until(() => CHECKOUT.test(tabs[0]?.url() ?? ''), 'the checkout in a tab');
      staysPut(page);
    } else {
      await page.waitForURL(CHECKOUT);
      assert.equal(tabs.length, 0);
    }
    await leaveFenced(visit);
  });
}
