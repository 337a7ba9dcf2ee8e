// Pages of many makes, by script tag: inside a component's shadow root, in a form, loaded twice, several on one page.
// The browser's own rules about forms, shadow trees and modules hold here, not the widget's.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Host } from './host.ts';
import { until } from './visit.ts';

const host = await Host.open();
after(() => host.close());

const SCRIPT = `<script type="module" src="${host.proxy}/widget.js"></script>`;

test('inside another shadow root it finds the language outside, and the document hears its events', async () => {
  const { orderId, token } = await host.order();
  const visit = await host.visit({
    head: SCRIPT,
    body: `<shop-checkout lang="de"><template shadowrootmode="open">
      <style>div { all: initial; display: block }</style>
      <div><payment-widget order="${token}"></payment-widget></div>
    </template></shop-checkout>`,
  });
  await visit.page.getByRole('heading', { name: 'Wie möchten Sie bezahlen?' }).waitFor();
  await visit.pay();
  assert.match(await visit.scannedCode(), /^http/);
  await host.approve(orderId);
  await visit.page.getByRole('heading', { name: 'Zahlung erhalten' }).waitFor();
  const heard = await visit.heard();
  assert.deepEqual([...new Set(heard.map(({ target }) => target))], ['shop-checkout']);
  assert.deepEqual(
    heard.map(({ type }) => type).filter((type) => type !== 'payment-change'),
    ['payment-submit', 'payment-success'],
  );
  await visit.leave();
});

test('in a form it holds the form back until the order is paid, and then gives it the order id', async () => {
  const { orderId, token } = await host.order();
  host.serve('/thanks.html', '<!doctype html><title>Thanks</title>');
  const visit = await host.visit({
    head: SCRIPT,
    body: `<form action="/thanks.html">
      <input name="email" value="ada@example.com">
      <payment-widget name="payment" required order="${token}"></payment-widget>
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
  await visit.pay();
  assert.match(await visit.scannedCode(), /^http/);
  assert.equal(new URL(page.url()).pathname, '/page.html');

  await host.approve(orderId);
  await visit.sees('paid');
  const data = { email: 'ada@example.com', payment: orderId };
  assert.deepEqual(await form(), { data, isValid: true, inForm: 3 });
  await page.getByRole('button', { name: 'Finish' }).click();
  await page.waitForURL(`${host.origin}/thanks.html?*`);
  assert.deepEqual(Object.fromEntries(new URL(page.url()).searchParams), data);
  await visit.leave();
});

test('without `required` it lets the form go before the order is paid', async () => {
  const { token } = await host.order();
  const visit = await host.visit({
    head: SCRIPT,
    body: `<form><payment-widget name="payment" order="${token}"></payment-widget></form>`,
  });
  await visit.sees('choosing');
  assert.equal(await visit.page.evaluate(() => document.forms[0]?.checkValidity()), true);
  await visit.leave();
});

test('Enter in its own fields does not submit the form around it', async () => {
  const { token } = await host.order({ amount: undefined, minAmount: '5.00', maxAmount: '50.00' });
  const visit = await host.visit({
    head: SCRIPT,
    body: `<form action="/thanks.html"><payment-widget methods="QR" order="${token}"></payment-widget></form>`,
  });
  await visit.widget.locator('[part~="amount"]').fill('12.50');
  await visit.widget.locator('[part~="amount"]').press('Enter');
  assert.match(await visit.scannedCode(), /^http/);
  assert.equal(new URL(visit.page.url()).pathname, '/page.html');
  await visit.leave();
});

test('loaded twice, and once more from elsewhere, it is defined once and works', async () => {
  const { token } = await host.order();
  const visit = await host.visit({
    head: `${SCRIPT}${SCRIPT}<script type="module" src="${host.proxy}/widget.js?copy"></script>`,
    body: `<payment-widget order="${token}"></payment-widget>`,
  });
  await visit.pay();
  assert.match(await visit.scannedCode(), /^http/);
  assert.equal(await visit.page.locator('payment-widget').count(), 1);
  await visit.leave();
});

test('two widgets with two orders do not mind each other', async () => {
  const orders = [await host.order(), await host.order({ currency: 'TRY' })] as const;
  const visit = await host.visit({
    head: SCRIPT,
    body: orders
      .map(({ orderId, token }) => `<payment-widget id="${orderId}" order="${token}"></payment-widget>`)
      .join(''),
  });
  const [first, second] = orders.map(({ orderId }) => visit.page.locator(`#${orderId}`));
  assert.ok(first && second);
  await second.locator('input[value="JETGO"]').check();
  await visit.pay(first);
  const code = await visit.scannedCode(first);
  assert.ok(await second.locator('input[value="JETGO"]').isChecked());
  await second.locator('[part~="pay"]').click();
  assert.notEqual(await visit.scannedCode(second), code);
  await host.approve(orders[1].orderId);
  await visit.sees('paid', `#${orders[1].orderId}`);
  await visit.sees('waiting', `#${orders[0].orderId}`);
  await visit.leave();
});

test('two widgets with one order both follow it', async () => {
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
  await visit.leave();
});

test('taken out of the page it leaves no open connection, and put back it goes on', async () => {
  const { orderId, token } = await host.order();
  const visit = await host.visit({ head: SCRIPT, body: `<payment-widget order="${token}"></payment-widget>` });
  await visit.pay();
  await visit.sees('waiting');
  await until(() => visit.openStreams === 1, 'the stream is open');
  const widget = await visit.widget.elementHandle();
  await widget?.evaluate((element) => element.remove());
  await until(() => visit.openStreams === 0, 'the stream is closed');
  await host.approve(orderId);
  await widget?.evaluate((element) => document.body.append(element));
  await visit.sees('paid');
  await visit.leave();
});

test('taken out of the page before all of it is loaded, it starts nothing that was asked of it', async () => {
  const { token } = await host.order();
  const visit = await host.visit({ body: `<payment-widget order="${token}"></payment-widget>` });
  const { promise: isGone, resolve: go } = Promise.withResolvers<void>();
  await visit.page.route(/\/flow-/, async (route) => {
    await isGone;
    await route.continue();
  });
  const starts: string[] = [];
  visit.page.on('request', (request) => request.url().endsWith('/order/payments') && starts.push(request.method()));
  const rest = visit.page.waitForResponse(/\/flow-/);
  await visit.page.evaluate((src) => import(src), `${host.proxy}/widget.js`);
  await visit.pay();
  await visit.widget.evaluate((element) => element.remove());
  go();
  // Resolves after the widget's own import of the same file, which was first.
  await visit.page.evaluate((src) => import(src), (await rest).url());
  assert.deepEqual(starts, []);
  await visit.leave();
});

test('given no order any more, it shows nothing and hears nothing of the one before', async () => {
  const { token } = await host.order();
  const visit = await host.visit({ head: SCRIPT, body: `<payment-widget order="${token}"></payment-widget>` });
  await visit.pay();
  await visit.sees('waiting');
  await visit.widget.evaluate((element) => element.removeAttribute('order'));
  await until(() => visit.openStreams === 0, 'the stream is closed');
  assert.equal(await visit.page.locator('payment-widget:state(waiting)').count(), 0);
  await visit.leave();
});

test('the methods are painted first, and the amount into the place that was kept for it', async () => {
  const { token } = await host.order();
  const visit = await host.visit({ head: SCRIPT, body: '<main></main>' });
  const [first, second] = await visit.page.evaluate(async (order) => {
    await customElements.whenDefined('payment-widget');
    const widget = document.createElement('payment-widget');
    widget.order = order;
    document.querySelector('main')?.append(widget);
    await widget.updateComplete;
    const look = () => ({
      methods: widget.shadowRoot?.querySelectorAll('input[type=radio]').length,
      total: widget.shadowRoot?.querySelector('[part=total]')?.textContent?.trim(),
      pay: widget.shadowRoot?.querySelector('[part=pay]')?.textContent?.trim(),
      height: widget.offsetHeight,
    });
    const before = look();
    while (!look().total) await new Promise(requestAnimationFrame);
    return [before, look()];
  }, token);
  assert.deepEqual(first, { ...second, total: '', pay: 'Pay' });
  assert.deepEqual([second?.total, second?.pay], ['€10.10', 'Pay €10.10']);
  await visit.leave();
});

test('another origin is asked before the click whether it may be asked to start', async () => {
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
  await visit.leave();
});

test('on a phone it is no wider than its place, in every kind of layout', async () => {
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
  await until(async () => (await widths()).every((width) => width > 250 && width <= 374), 'each has its place');
  assert.ok(
    (await page.evaluate(() => document.documentElement.scrollWidth)) <= 390,
    'nothing is to be scrolled sideways',
  );
  await visit.leave();
});

test('a click beside its fields moves the focus nowhere', async () => {
  const { token } = await host.order();
  const visit = await host.visit({ head: SCRIPT, body: `<payment-widget order="${token}"></payment-widget>` });
  await visit.sees('choosing');
  await visit.widget.click({ position: { x: 5, y: 5 } });
  assert.equal(await visit.page.evaluate(() => document.activeElement?.localName), 'body');
  await visit.leave();
});

test('before all of it is loaded a second click pays by the method that is chosen then', async () => {
  const { orderId, token } = await host.order();
  const visit = await host.visit({ head: '', body: `<payment-widget order="${token}"></payment-widget>` });
  const { page, widget } = visit;
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/flow-*.js', async (route) => held.then(() => route.continue()));
  await page.addScriptTag({ type: 'module', url: `${host.proxy}/widget.js` });
  await widget.locator('input[value="JETGO"]').check();
  await widget.locator('[part~="pay"]').click();
  await widget.locator('input[value="QR"]').check();
  await widget.locator('[part~="pay"]').click();
  release();
  assert.match(await visit.scannedCode(), /^http/);
  assert.equal((await host.payments(orderId)).length, 1);
  await visit.leave();
});

test('a language that does not come is English until it does', async () => {
  const { token } = await host.order();
  const visit = await host.visit({ head: '', body: `<payment-widget lang="de" order="${token}"></payment-widget>` });
  const { page } = visit;
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/locale-de.js', async (route) => held.then(() => route.continue()));
  await page.addScriptTag({ type: 'module', url: `${host.proxy}/widget.js` });
  await page.getByRole('heading', { name: 'How would you like to pay?' }).waitFor();
  release();
  await page.getByRole('heading', { name: 'Wie möchten Sie bezahlen?' }).waitFor();
  await visit.leave();
});
