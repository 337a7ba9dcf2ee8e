// The payment page of the proxy, as an invoice's reader meets it: a link, and nothing else.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { PaymentProxy, signOrder, type NewOrder } from '../../backend-proxy/client.ts';
import { ADA, BRUNO, World } from './shopper.ts';

const world = await World.open();
afterEach(() => world.leave());
after(() => world.close());

const { proxy: url, secrets } = world.stack;
const client = new PaymentProxy({ url, key: secrets.merchantApiKey });
const order = (orderId: string, more: Partial<NewOrder> = {}): NewOrder => ({
  orderId,
  amount: '29.00',
  currency: 'EUR',
  returnUrl: `${url}/pay`,
  merchant: 'Stillwater Coffee',
  description: `Invoice ${orderId}`,
  ...more,
});

test('a link from POST /orders is paid by scanning, and says so again when it is opened later', async () => {
  const { url: link } = await client.createOrder(order('INV-1', { supportUrl: 'https://stillwater.example/help' }));
  const shopper = await world.shopper();
  const phone = await world.phone(ADA);
  const held = Promise.withResolvers<void>();
  await shopper.page.route(`${url}/order**`, (route) => held.promise.then(() => route.continue()));
  await shopper.page.goto(link ?? '');
  await shopper.part('pay').waitFor({ state: 'attached' });
  const hiding = () => shopper.widget.evaluate((widget) => getComputedStyle(widget).animationName);
  assert.equal(await hiding(), 'hidden', 'nothing to pay before the payee is known');
  held.resolve();
  await shopper.page.getByRole('heading', { level: 1, name: 'Stillwater Coffee' }).waitFor();
  assert.equal(await hiding(), 'none');
  const address = shopper.page.getByRole('banner').getByRole('link', { name: 'stillwater.example' });
  const help = shopper.page.getByRole('contentinfo').getByRole('link', { name: 'Contact the shop' });
  for (const way of [address, help]) {
    const { href, target, height } = await way.evaluate((each: HTMLAnchorElement) => ({
      href: each.href,
      target: each.target,
      height: each.getBoundingClientRect().height,
    }));
    assert.deepEqual([href, target], ['https://stillwater.example/help', '_blank'], 'the payment stays open');
    assert.ok(height >= 24, `${height} px`);
  }
  assert.equal(await shopper.page.getByText('Stillwater Coffee', { exact: true }).filter({ visible: true }).count(), 1);
  assert.equal(await shopper.page.locator('header i').innerText(), 'S');
  assert.equal(await shopper.page.title(), 'How would you like to pay? · Stillwater Coffee');
  assert.equal(await client.order('INV-1'), null, 'opening it starts nothing');
  await shopper.pay('QR');
  await phone.scan(await shopper.scannedCode());
  await phone.approve();
  await shopper.sees('paid');
  await shopper.page.waitForFunction(() => document.title === 'Payment received · Stillwater Coffee');
  await shopper.page.reload();
  await shopper.sees('paid');
  assert.equal((await client.order('INV-1'))?.paid, true);
});

test("the shopper comes back from the gateway's checkout to the same payment", async () => {
  const { url: link } = await client.createOrder({ ...order('INV-2'), merchant: undefined });
  const shopper = await world.shopper();
  await shopper.page.goto(link ?? '');
  await shopper.page.getByRole('heading', { level: 1, name: 'Order INV-2', exact: true }).waitFor();
  assert.ok(await shopper.page.locator('header svg').isVisible());
  assert.equal(await shopper.page.getByRole('contentinfo').getByRole('link').count(), 0);
  await shopper.pay('CHECKOUT');
  await shopper.page.waitForURL(`${world.stack.sandbox}/pay?token=*`);
  await shopper.logInAtCheckout(BRUNO);
  await shopper.page.getByRole('button', { name: 'Pay €29.00' }).click();
  await shopper.page.waitForURL(`${url}/pay`);
  await shopper.sees('paid');
});

test('a link that was cut or has expired says so, leads to no other shop than its own, and names no payee who was not proven', async () => {
  const supportUrl = 'https://stillwater.example/help';
  const old = { ...order('INV-3', { supportUrl }), expiresIn: 60 };
  const token = await signOrder(old, secrets.orderSecret, Date.now() - 120_000);
  const gone = { ...old, supportUrl: undefined, returnUrl: `${url}/thanks`, language: 'de' };
  const other = await signOrder(gone, secrets.orderSecret, Date.now() - 120_000);
  const alone = await signOrder(
    { ...gone, returnUrl: `${url}/pay`, language: 'en' },
    secrets.orderSecret,
    Date.now() - 120_000,
  );
  const isCut = 'This payment link does not work';
  const ask = 'Ask the shop for a new link.';
  // Of a link that was valid once.
  const counts = 'If you have paid, your payment counts.';
  const frage = 'Bitten Sie den Shop um einen neuen Link.';
  for (const [fragment, says, next, way, address, total] of [
    [`#${token}`, 'This page has expired', `${ask} ${counts}`, 'Contact the shop', supportUrl, '€29.00'],
    [
      `#${other}`,
      'Diese Seite ist abgelaufen',
      `${frage} Wenn Sie bezahlt haben, zählt Ihre Zahlung.`,
      'Zurück zu \u2068Stillwater Coffee\u2069',
      `${url}/thanks`,
      '29,00 €',
    ],
    // No other page is its merchant's.
    [`#${alone}`, 'This page has expired', `${ask} ${counts}`, undefined, undefined, '€29.00'],
    [`#${token.slice(0, -20)}`, isCut, ask, undefined, undefined, undefined],
    [`#.${btoa('null')}.`, isCut, ask, undefined, undefined, undefined],
    [`#.${btoa('{"returnUrl":"https:"}')}.`, isCut, ask, undefined, undefined, undefined],
    ['', isCut, ask, undefined, undefined, undefined],
  ] as const) {
    const shopper = await world.shopper();
    shopper.visitor.allowed = /401|payment-widget/;
    await shopper.page.goto(`${url}/pay${fragment}`);
    await shopper.page.getByRole('heading', { name: says }).waitFor();
    await shopper.page.getByText(next, { exact: true }).first().waitFor();
    const link = shopper.page.getByRole('main').getByRole('link');
    await link.waitFor({ state: way === undefined ? 'detached' : 'visible' });
    if (way !== undefined) assert.equal(await link.innerText(), way);
    if (way !== undefined) assert.equal(await link.evaluate((each: HTMLAnchorElement) => each.href), address);
    assert.equal(await shopper.page.getByText('Stillwater Coffee').first().isVisible(), total !== undefined);
    assert.equal(await shopper.page.getByText(total ?? /29[.,]00/).count(), total === undefined ? 0 : 1);
    assert.equal(await shopper.page.getByRole('radio').count(), 0);
    assert.equal(await shopper.page.getByRole('button').count(), 0, 'neither to reload nor to copy a reference');
  }
});

test('on the narrowest phone, the amount is between payee and description, and the number of an invoice on one line', async () => {
  const { url: link } = await client.createOrder(order('INV-4', { amount: '12345.00', description: 'Invoice 2026-1' }));
  const { page } = await world.shopper();
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto(link ?? '');
  await page.getByRole('banner').getByText('Order INV-4', { exact: true }).waitFor();
  const tops = await page
    .locator('h1, [part=total], [part=description]')
    .evaluateAll((parts) => parts.map((part) => [part.getBoundingClientRect().top, part.textContent] as const));
  const inOrder = tops.toSorted(([one], [other]) => one - other).map(([, text]) => text?.trim());
  assert.deepEqual(inOrder, ['Stillwater Coffee', '€12,345.00', 'Invoice 2026-1']);
  // In one of these lengths the line has room for the year alone.
  const lines = await page.getByText('Invoice 2026-1', { exact: true }).evaluate(({ lastChild }) =>
    Array.from({ length: 12 }, () => {
      lastChild!.textContent += '1';
      const range = document.createRange();
      range.setStart(lastChild!, 'Invoice '.length);
      range.setEndAfter(lastChild!);
      return range.getClientRects().length;
    }),
  );
  assert.deepEqual(new Set(lines), new Set([1]));
});

test('the page may be in no frame, is not indexed, and tells no other site where the shopper came from', async () => {
  const { headers } = await fetch(`${url}/pay`);
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*frame-ancestors 'none'/);
  assert.deepEqual([headers.get('x-robots-tag'), headers.get('referrer-policy')], ['noindex', 'no-referrer']);
});
