// The widget by script tag in different pages: in another component's shadow root, in a form, loaded more than once,
// several on one page; and in pages with the strictest policy of docs/element.md: only the proxy's scripts and
// connections, Trusted Types, and a hash for each script. Needs a browser, because its rules apply.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, afterEach, test } from 'node:test';
import { VERSION } from '../../backend-proxy/installation.ts';
import { until } from '../faults/fault-test.ts';
import { Host, type ShopPage } from './host.ts';

const host = await Host.open();
afterEach(() => host.leave());
after(() => host.close());

const SCRIPT = host.script;

test('a widget in another shadow root uses the language of the page, and its events reach the document', async () => {
  const { orderId, visit } = await host.shop({
    around: (widget) => `<shop-checkout lang="de"><template shadowrootmode="open">
      <style>div { all: initial; display: block }</style>
      <div>${widget}</div>
    </template></shop-checkout>`,
  });
  await visit.page.getByRole('heading', { name: 'Wie möchten Sie bezahlen?' }).waitFor();
  await visit.showsCode();
  await host.approve(orderId);
  await visit.page.getByRole('heading', { name: 'Zahlung erhalten' }).waitFor();
  const events = await visit.widgetEvents();
  assert.deepEqual([...new Set(events.map(({ target }) => target))], ['shop-checkout']);
  const sent = events.map(({ type }) => type).filter((type) => type !== 'payment-change');
  assert.deepEqual(sent, ['payment-submit', 'payment-success']);
});

test('a required widget keeps its form invalid until the order is paid, then adds the order id to it', async () => {
  host.serve('/thanks.html', '<!doctype html><title>Thanks</title>');
  const { orderId, visit } = await host.shop({
    attributes: 'name="payment" required',
    around: (widget) => `<form action="/thanks.html">
      <input name="email" value="ada@example.com">
      ${widget}
      <button>Finish</button>
    </form>`,
  });
  const { page } = visit;
  await visit.sees('choosing');
  const form = () =>
    page.evaluate(() => {
      const [element] = document.forms;
      const data = element && Object.fromEntries(new FormData(element));
      return { data, isValid: element?.checkValidity(), inForm: element?.elements.length };
    });
  assert.deepEqual(await form(), { data: { email: 'ada@example.com' }, isValid: false, inForm: 3 });
  await page.getByRole('button', { name: 'Finish' }).click();
  assert.equal(await page.locator('payment-widget:invalid').count(), 1);
  assert.equal(await visit.widget.evaluate((element) => element.shadowRoot?.activeElement?.localName), 'h2');
  await visit.showsCode();
  assert.equal(new URL(page.url()).pathname, '/page.html');

  await host.approve(orderId);
  await visit.sees('paid');
  const data = { email: 'ada@example.com', payment: orderId };
  assert.deepEqual(await form(), { data, isValid: true, inForm: 3 });
  await page.getByRole('button', { name: 'Finish' }).click();
  await page.waitForURL(`${host.origin}/thanks.html?*`);
  assert.deepEqual(Object.fromEntries(new URL(page.url()).searchParams), data);
});

test('the Enter key in a field of the widget does not submit the form around the widget', async () => {
  const { visit } = await host.shop({
    claims: { amount: undefined, minAmount: '5.00', maxAmount: '50.00' },
    attributes: 'methods="QR"',
    around: (widget) => `<form action="/thanks.html">${widget}</form>`,
  });
  await visit.widget.locator('[part~="amount"]').fill('12.50');
  await visit.widget.locator('[part~="amount"]').press('Enter');
  assert.match(await visit.scannedCode(), /^http/);
  assert.equal(new URL(visit.page.url()).pathname, '/page.html');
});

test('a page whose script tag lacks type="module" shows a code, with a warning in the console', async () => {
  const { visit } = await host.shop({ head: `<script src="${host.proxy}/widget.js"></script>` });
  await visit.showsCode();
  const warning = /^console: payment-widget: the script tag needs type="module" /;
  await visit.logs(warning);
  visit.allowed = warning;
});

test('a page that pins the script of this version by its hash, and loads the newest too, shows a code', async () => {
  const name = `widget-${VERSION}.js`;
  const hashes = (await (await fetch(`${host.proxy}/integrity.json`)).json()) as Record<string, string>;
  const pinned = `<script type="module" src="${host.proxy}/${name}" integrity="${hashes[name]}" crossorigin></script>`;
  const { visit } = await host.shop({ head: `${pinned}${SCRIPT}` });
  await visit.showsCode();
});

test('a page that loads the widget twice, and once more from another URL, defines it once and shows a code', async () => {
  const { visit } = await host.shop({ head: `${SCRIPT}${SCRIPT}${SCRIPT.replace('.js', '.js?copy')}` });
  await visit.showsCode();
  assert.equal(await visit.page.locator('payment-widget').count(), 1);
});

test('two widgets with one order show the same code, and both show that it is paid', async () => {
  const { orderId, token } = await host.order();
  const visit = await host.visit({
    head: SCRIPT,
    body: `<payment-widget id="main" order="${token}"></payment-widget><payment-widget id="side" order="${token}"></payment-widget>`,
  });
  await visit.pay(visit.page.locator('#main'));
  assert.equal(
    await visit.scannedCode(visit.page.locator('#side')),
    await visit.scannedCode(visit.page.locator('#main')),
  );
  await host.approve(orderId);
  await visit.sees('paid', '#main');
  await visit.sees('paid', '#side');
});

test('a widget that is removed before its scripts are loaded does not start the payment that was clicked', async () => {
  const { visit } = await host.shop({ head: '' });
  const { promise: isRemoved, resolve: release } = Promise.withResolvers<void>();
  await visit.page.route(/\/flow-/, async (route) => {
    await isRemoved;
    await route.continue();
  });
  const starts: string[] = [];
  visit.page.on('request', (request) => {
    // Not the browser's check of a start, which asks for nothing.
    if (request.url().endsWith('/order/payments') && request.method() !== 'OPTIONS') starts.push(request.method());
  });
  const rest = visit.page.waitForResponse(/\/flow-/);
  await visit.page.evaluate((src) => import(src), `${host.proxy}/widget.js`);
  await visit.pay();
  await visit.widget.evaluate((element) => element.remove());
  release();
  // Resolves after the widget's own import of the same file, because that import is earlier.
  await visit.page.evaluate((src) => import(src), (await rest).url());
  assert.deepEqual(starts, []);
});

test('the widget shows the methods first, then the amount without a change of its height', async () => {
  const { token } = await host.order();
  const visit = await host.visit({ head: SCRIPT, body: '<main></main>' });
  const [first, second] = await visit.page.evaluate(async (order) => {
    await customElements.whenDefined('payment-widget');
    const widget = document.createElement('payment-widget');
    widget.order = order;
    document.querySelector('main')?.append(widget);
    await widget.updateComplete;
    const rendered = () => ({
      methods: widget.shadowRoot?.querySelectorAll('input[type=radio]').length,
      total: widget.shadowRoot?.querySelector('[part=total]')?.textContent?.trim(),
      pay: widget.shadowRoot?.querySelector('[part=pay]')?.textContent?.trim(),
      height: widget.offsetHeight,
    });
    const before = rendered();
    while (!rendered().total) await new Promise(requestAnimationFrame);
    return [before, rendered()];
  }, token);
  assert.deepEqual(first, { ...second, total: '', pay: 'Pay' });
  assert.deepEqual([second?.total, second?.pay], ['€10.10', 'Pay €10.10']);
});

test('the widget sends the CORS preflight of the payment start before the click, and no other after it', async () => {
  const { token } = await host.order();
  const visit = await host.visit({ body: '<p>Nothing yet</p>' });
  const devTools = await visit.page.context().newCDPSession(visit.page);
  await devTools.send('Network.enable');
  const preflights: (string | undefined)[] = [];
  devTools.on('Network.requestWillBeSent', ({ type, request }) => {
    if (type === 'Other' && request.url.endsWith('/order/payments'))
      preflights.push(request.headers['Access-Control-Request-Method']);
  });
  const asked = visit.page.waitForResponse(
    (response) => response.url().endsWith('/order/payments') && response.request().method() === 'OPTIONS',
  );
  await visit.page.evaluate(
    async ([src, order]) => {
      await import(`${src}/widget.js`);
      document.body.innerHTML = `<payment-widget order="${order}"></payment-widget>`;
    },
    [host.proxy, token],
  );
  assert.equal((await asked).status(), 204);
  await visit.pay();
  await visit.scannedCode();
  assert.deepEqual(preflights, ['OPTIONS']);
});

test('the widget on a phone is no wider than its container in each kind of layout', async () => {
  const orders = await Promise.all(Array.from({ length: 5 }, () => host.order()));
  const [fieldset, grid, column, flex, cell] = orders.map(
    ({ token }) => `<payment-widget order="${token}"></payment-widget>`,
  );
  const visit = await host.visit({
    head: `<meta name="viewport" content="width=device-width">${SCRIPT}`,
    body: `<fieldset>${fieldset}</fieldset>
      <div style="display: grid">${grid}</div>
      <div style="display: grid; grid-template-columns: 1fr"><div>${column}</div></div>
      <div style="display: flex">${flex}</div>
      <table><tr><td>${cell}</table>`,
  });
  const { page } = visit;
  await page.setViewportSize({ width: 390, height: 844 });
  await visit.sees('choosing', 'fieldset payment-widget');
  const widths = () =>
    page.locator('payment-widget').evaluateAll((all) => all.map((each) => each.getBoundingClientRect().width));
  await until('each widget fits its container', async () =>
    (await widths()).every((width) => width > 250 && width <= 374),
  );
  assert.ok(
    (await page.evaluate(() => document.documentElement.scrollWidth)) <= 390,
    'the page does not scroll sideways',
  );
});

const STRICT = [
  `default-src 'none'`,
  `script-src ${host.proxy}`,
  `connect-src ${host.proxy}`,
  `require-trusted-types-for 'script'`,
  `trusted-types lit-html`,
].join('; ');

const OTHER_HASH = `sha384-${createHash('sha384').update('another script').digest('base64')}`;
const hashes = (await (await fetch(`${host.proxy}/integrity.json`)).json()) as Record<string, string>;

const pinned = (hash: string) =>
  `<script type="module" src="${host.proxy}/widget.js" integrity="${hash}" crossorigin></script>`;

test('a page that enforces Trusted Types and allows only the proxy’s scripts and connections takes a payment', async () => {
  const { orderId, visit } = await host.shop({ policy: STRICT });
  await visit.showsCode();
  await host.approve(orderId);
  await visit.sees('paid');
});

test('a page with a strict policy shows the widget in another language', async () => {
  const { visit } = await host.shop({ policy: STRICT, around: (widget) => `<div lang="de">${widget}</div>` });
  await visit.page.getByRole('heading', { name: 'Wie möchten Sie bezahlen?' }).waitFor();
  await visit.showsCode();
});

test('a page with a strict policy opens the checkout in a new tab', async () => {
  const attributes = 'method="CHECKOUT" checkout-target="_blank"';
  const { visit } = await host.shop({ policy: STRICT, attributes });
  const tab = visit.page.context().waitForEvent('page');
  await visit.widget.locator('[part~="pay"]').click();
  await (await tab).waitForURL(/\/pay\?token=/);
  await visit.sees('waiting');
});

test('a page with a strict policy and two copies of Lit shows a code if the policy has allow-duplicates', async () => {
  const head = `${host.script}${host.script.replace('.js', '.js?copy')}`;
  const { visit } = await host.shop({ policy: `${STRICT} 'allow-duplicates'`, head });
  await visit.showsCode();
});

test('the widget script runs with the integrity hash that the build wrote', async () => {
  const { visit } = await host.shop({ policy: STRICT, head: pinned(hashes['widget.js'] ?? '') });
  await visit.showsCode();
});

test('the files that the widget script loads run with the build’s hashes in an import map', async () => {
  const { visit } = await host.shop(mappedPage((file) => hashes[file] ?? ''));
  await visit.page.getByRole('heading', { name: 'Nasıl ödemek istersiniz?' }).waitFor();
  await visit.showsCode();
});

test('a widget script that does not match its integrity hash does not run', async () => {
  const { visit } = await host.shop({ policy: STRICT, head: pinned(OTHER_HASH) });
  assert.equal(await visit.page.evaluate(() => customElements.get('payment-widget')), undefined);
  await visit.logs(/integrity/);
  visit.allowed = /integrity/;
});

test('a dictionary that does not match its hash in the import map does not run', async () => {
  const isTurkish = (file: string) => file === 'locale-tr.js';
  const { visit } = await host.shop(mappedPage((file) => (isTurkish(file) ? OTHER_HASH : (hashes[file] ?? ''))));
  await visit.page.getByRole('heading', { name: 'How would you like to pay?' }).waitFor();
  await visit.logs(/integrity/);
  visit.allowed = /integrity/;
});

test('a second bundle that does not match its hash in the import map does not run, however often the shopper presses', async () => {
  const isFlow = (file: string) => file.startsWith('flow-');
  const { visit } = await host.shop(mappedPage((file) => (isFlow(file) ? OTHER_HASH : (hashes[file] ?? ''))));
  visit.allowed = /integrity/;
  const requested: string[] = [];
  visit.page.on('request', (request) => requested.push(request.url()));
  for (let presses = 0; presses < 3; presses += 1) {
    await visit.widget.locator('[part~="pay"]').click();
    await visit.widget.locator('[part~="error"]').waitFor();
  }
  await visit.logs(/integrity/);
  assert.deepEqual(
    requested.filter((url) => url.endsWith('?1')),
    [],
  );
});

/** A page whose import map has a hash for each file. It is in Turkish, so that the widget loads a dictionary. */
function mappedPage(hashOf: (file: string) => string): ShopPage {
  const integrity = Object.fromEntries(Object.keys(hashes).map((file) => [`${host.proxy}/${file}`, hashOf(file)]));
  const map = JSON.stringify({ integrity });
  const mapHash = createHash('sha256').update(map).digest('base64');
  return {
    policy: STRICT.replace('script-src', `script-src 'sha256-${mapHash}'`),
    head: `<script type="importmap">${map}</script>${host.script}`,
    around: (widget) => `<div lang="tr">${widget}</div>`,
  };
}
