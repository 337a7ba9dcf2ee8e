// The shop for a customer, for another visitor and for the proxy, over its real routes and with a fake merchant API.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { PRODUCTS } from '../../../demo/shop/catalog.ts';
import {
  BASKET,
  Browser,
  PAID,
  PROXY_URL,
  SEEN,
  SHOP_URL,
  claimsIn,
  deliver,
  mismatch,
  openShop,
  orderIdIn,
  paidReport,
  unlinked,
} from './shop-fixture.ts';

const LATER = { ...SEEN, status: 'FAILED', needsReview: false };

test('the amount of an order comes from the catalog, whatever the form says', async () => {
  const shopper = new Browser(openShop());
  const path = await shopper.order({ ...BASKET, amount: '0.01', 'dawn-chorus-price': '1' });
  const claims = claimsIn((await shopper.get(path)).text);
  assert.equal(claims['amount'], '43.75');
  assert.match(String(claims['description']), /\d\u00a0×\u00a0Dawn Chorus/, 'no line ends before the ×');
  const many = await shopper.order({ ...BASKET, 'stone-dripper': '1' });
  assert.match(String(claimsIn((await shopper.get(many)).text)['description']), /Dawn Chorus and 2 more$/);
  assert.equal(claims['currency'], 'EUR');
  assert.equal(claims['returnUrl'], `${SHOP_URL}${path}`);
  assert.equal(claims['payWithin'], 900, 'a code shows how long it can be paid');
  assert.match(
    (await shopper.get(path)).text,
    /<small><span>Order<\/span> ST-\w+ <span>· <time datetime="2026-11-20T12:00:00.000Z">Nov\u00a020,\u00a02026<\/time>/,
  );
});

test('one product alone costs cents, so that all of a first refund can be sent', () => {
  const withCents = PRODUCTS.filter(({ cents }) => cents % 100 !== 0);
  assert.deepEqual(
    withCents.map(({ id }) => id),
    ['night-harbor'],
  );
});

test('an order page answers 404 to anyone but its owner', async () => {
  const shop = openShop();
  const path = await new Browser(shop).order(BASKET);
  const stranger = new Browser(shop);
  const elsewhere = await stranger.get(path);
  assert.equal(elsewhere.status, 404);
  assert.match(elsewhere.text, /Did you pay on your phone\? Your order is in the browser in which you made it\./);
  assert.equal((await stranger.get(`${path}/state`)).status, 404);
});

test('order, account and contact page say that orders are kept by the browser, and each visit prolongs that', async () => {
  const shopper = new Browser(openShop());
  const kept = /in this browser until 30 days after your last visit\./;
  assert.match((await shopper.get('/account')).text, kept);
  const path = await shopper.order(BASKET);
  assert.match((await shopper.get(path)).text, kept);
  const { text, headers } = await shopper.get('/account');
  assert.match(text, kept);
  assert.match(headers.get('set-cookie') ?? '', /^stillwater=[\w-]{43}; Max-Age=2592000;/);
  assert.match((await shopper.get('/contact')).text, /, in the browser in which you made it\./);
});

test('a top-up token has no amount, but a minimum and a maximum', async () => {
  const shopper = new Browser(openShop());
  const { headers } = await shopper.post('/account/top-ups', {});
  const { amount, minAmount, maxAmount } = claimsIn((await shopper.get(headers.get('location') ?? '')).text);
  assert.deepEqual({ amount, minAmount, maxAmount }, { amount: undefined, minAmount: '5.00', maxAmount: '200.00' });
});

test('in the demo each page says that it demonstrates a payment widget, and leads to the wallet phone', async () => {
  const walletUrl = 'https://wallet.example/wallet';
  const shopper = new Browser(openShop(undefined, undefined, { walletUrl }));
  for (const path of ['/', '/account', await shopper.order(BASKET), '/contact', '/orders/none', '/none']) {
    const { text } = await shopper.get(path);
    assert.match(
      text,
      /Demo<span> of payment-widget<\/span><\/b> · no real money\..*href="https:\/\/wallet\.example\/wallet\?as=12345678".*<footer.*href="\/themes"/s,
      path,
    );
  }
});

test('the demo’s last step leads from an order to its row at the desk, if the shop has one', async () => {
  const walletUrl = 'https://wallet.example/wallet';
  for (const publicUrl of ['http://127.0.0.1:8080', SHOP_URL]) {
    const shopper = new Browser(openShop(undefined, undefined, { walletUrl, publicUrl }));
    const path = await shopper.order(BASKET);
    const link = `Refund it at <a href="/desk?find=${orderIdIn(path)}"`;
    assert.equal((await shopper.get(path)).text.includes(link), publicUrl !== SHOP_URL);
    assert.ok(!(await shopper.get('/')).text.includes('Refund it at'));
  }
});

test('once a refund is started, the demo’s steps say so, and lead on to the faults of the gateway', async () => {
  const walletUrl = 'https://wallet.example/wallet';
  const shop = openShop(undefined, undefined, { walletUrl, publicUrl: 'http://127.0.0.1:8080' });
  const shopper = new Browser(shop);
  const path = await shopper.order(BASKET);
  const paid = { ...SEEN, gatewayOrderId: 'paid', status: 'SUCCESS', surplus: false };
  for (const amount of ['4.00', '43.00']) {
    for (const [status, step] of [
      ['FAILED', null],
      ['INITIALIZED', 'Refund started'],
      ['PROCESSING', 'Refund started'],
      ['SUCCESS', 'Refunded'],
    ]) {
      const refund = { ...paid, amount, type: 'REFUND', refundOf: 'paid', status };
      shop.proxy.answers[`GET ${path}`] = { body: { paid: true, payments: [paid], refunds: [refund] } };
      const { text } = await shopper.get(path);
      const [, done = null] = /<li class="done">(.*?)<\/li>/.exec(text) ?? [];
      const next = text.includes('<a href="https://wallet.example/?controls#controls"');
      assert.deepEqual([done, next, text.includes('Refund it at')], [step, step !== null, step === null]);
    }
  }
});

test('the widget shows the mark of the demo’s wallet in the code', async () => {
  const shopper = new Browser(openShop());
  const { text } = await shopper.get(await shopper.order(BASKET));
  const shown = [...text.matchAll(/<img slot="([\w-]+)" src="([^"]+)" alt="" \/>/g)].map(([, ...found]) => found);
  const mark = '/assets/wallet.svg';
  assert.deepEqual(shown, [['mark', mark]]);
  assert.equal((await shopper.get(mark)).text, readFileSync('demo/sandbox/public/icon.svg', 'utf8'));
});

test('no page has anything inline, and the policy allows only scripts and connections of shop and proxy', async () => {
  const shopper = new Browser(openShop());
  for (const path of ['/', '/account', await shopper.order(BASKET)]) {
    const { text, headers } = await shopper.get(path);
    assert.doesNotMatch(text, /<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, new RegExp(`script-src 'self' ${PROXY_URL};`));
    assert.match(policy, new RegExp(`connect-src 'self' ${PROXY_URL};`));
    assert.match(policy, /require-trusted-types-for 'script'/);
  }
});

test('an order whose webhook is late is paid when its page is shown', async () => {
  const shop = openShop();
  const shopper = new Browser(shop);
  const path = await shopper.order(BASKET);
  const unpaid = (await shopper.get(path)).text;
  assert.match(unpaid, /Your order<\/h1>/);
  assert.match(unpaid, /<li aria-current="step"><b>Payment<\/b><\/li>\s*<li ><b>Packing<\/b> on Tuesday, Nov 24</);
  shop.proxy.answers[`GET ${path}`] = { body: paidReport(orderIdIn(path), '43.75') };
  const { text } = await shopper.get(path);
  assert.match(text, new RegExp(PAID));
  assert.match(text, /Thank you<\/h1>/);
  assert.match(text, /<li ><b>Payment<\/b><\/li>\s*<li aria-current="step"><b>Packing/);
  assert.equal(shop.proxy.asked.at(-1)?.authorization, 'Bearer a merchant key of more than 32 characters');
});

test('the sweep marks an order as paid if its page is not opened again', async () => {
  const shop = openShop();
  const shopper = new Browser(shop);
  const path = await shopper.order(BASKET);
  shop.proxy.answers[`GET ${path}`] = { body: paidReport(orderIdIn(path), '43.75') };
  await shop.sweep();
  shop.proxy.answers = {};
  assert.match((await shopper.get(path)).text, new RegExp(PAID));
});

test('a signed webhook marks the order as paid without a request to the proxy', async () => {
  const shop = openShop();
  const shopper = new Browser(shop);
  const path = await shopper.order(BASKET);
  assert.equal(await deliver(shop, orderIdIn(path)), 204);
  assert.equal(await deliver(shop, orderIdIn(path)), 204);
  assert.deepEqual(shop.proxy.asked, []);
  assert.match((await shopper.get(path)).text, new RegExp(PAID));
});

test('a webhook that is forged, too old, of another type or of another amount pays nothing', async () => {
  const shop = openShop();
  const shopper = new Browser(shop);
  const path = await shopper.order(BASKET);
  const orderId = orderIdIn(path);
  const forged = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
  assert.equal(await deliver(shop, orderId, { id: 'a', secret: forged }), 400);
  assert.equal(await deliver(shop, orderId, { id: 'b', at: new Date(Date.now() - 3_600_000) }), 400);
  assert.equal(await deliver(shop, orderId, { id: 'c', type: 'payment.failed' }), 204);
  assert.equal(await deliver(shop, orderId, { id: 'd', amount: '0.01' }), 204);
  assert.doesNotMatch((await shopper.get(path)).text, new RegExp(PAID));
});

test('while a person checks a payment, order page and account say so, and neither asks for money', async () => {
  const shop = openShop();
  const shopper = new Browser(shop);
  const path = await shopper.order(BASKET);
  const orderId = orderIdIn(path);
  const report = (needsReview: boolean, status = 'PROCESSING', history: object[] = mismatch('succeeded')) => ({
    body: { orderId, paid: false, payments: [{ ...SEEN, orderId, status, needsReview, history }, LATER] },
  });
  shop.proxy.answers[`GET ${path}`] = report(true);
  assert.equal(await deliver(shop, orderId, { type: 'payment.needs_review' }), 204);
  const account = (await shopper.get('/account')).text;
  assert.match(account, /ST-\w+ · <time [^>]+>Nov\s20,\s2026<\/time><\/small>\s*<span class="chip warn">Being checked/);
  assert.doesNotMatch(account, /Pay now|Continue/);
  assert.match((await shopper.get(`${path}/state`)).text, /"state":"checking"/);
  const shown = (await shopper.get(path)).text;
  assert.match(shown, /Payment being checked<\/h1>[^]*We pack your order once your payment is confirmed\./);
  assert.doesNotMatch(shown, /once it is paid/);
  const paidLater = { event: 'needs_review', detail: 'SUCCESS, and amount differs (asked 43.75 EUR)' };
  for (const [history, state] of [
    [mismatch('pending'), 'unpaid'],
    [[{ event: 'needs_review', detail: null }], 'unpaid'],
    [[...mismatch('pending'), paidLater], 'checking'],
  ] as const) {
    shop.proxy.answers[`GET ${path}`] = report(true, 'PROCESSING', [...history]);
    assert.equal(JSON.parse((await shopper.get(`${path}/state`)).text).state, state, 'as the widget says');
  }
  shop.proxy.answers[`GET ${path}`] = report(false);
  assert.equal(await deliver(shop, orderId, { id: 'msg_2', type: 'payment.failed' }), 204);
  assert.match((await shopper.get('/account')).text, new RegExp(`<a class="button" href="${path}"[^>]*>Continue<`));
  // The widget says that no money was taken, and offers another try.
  shop.proxy.answers[`GET ${path}`] = report(true, 'FAILED');
  assert.equal(await deliver(shop, orderId, { id: 'msg_3', type: 'payment.needs_review' }), 204);
  assert.match((await shopper.get('/account')).text, new RegExp(`<a class="button" href="${path}"[^>]*>Pay now<`));
});

test('of a paid order whose payment is in review, or denied by a person, nothing is promised until that is over', async () => {
  const shop = openShop();
  const shopper = new Browser(shop);
  const goods = await shopper.order(BASKET);
  const topUp = (await shopper.post('/account/top-ups', {})).headers.get('location') ?? '';
  const resolved = (detail: string) => ({ history: [{ event: 'resolved', detail }] });
  for (const [path, sentence] of [
    [goods, 'We pack your order once your payment is confirmed.'],
    [topUp, 'Your card is topped up once your payment is confirmed.'],
  ] as const) {
    const paid = { ...SEEN, status: 'SUCCESS', needsReview: false };
    const report = (more: object) => ({ body: { paid: true, payments: [{ ...paid, ...more }], refunds: [] } });
    for (const [doubt, heading, said, chip] of [
      [{ needsReview: true }, 'Payment being checked', sentence, 'Being checked'],
      [
        resolved('FAILED by Mia: not at the gateway'),
        'Payment not confirmed',
        'We could not confirm your payment. Contact us.',
        'Not confirmed',
      ],
    ] as const) {
      shop.proxy.answers[`GET ${path}`] = report(doubt);
      const { text } = await shopper.get(path);
      for (const each of [`${heading}</h1>`, `>${said}<`]) assert.ok(unlinked(text).includes(each), each);
      assert.doesNotMatch(text, /Thank you|<title>Paid|<li aria-current="step"><b>Packing/);
      const account = (await shopper.get('/account')).text;
      assert.match(account, new RegExp(`${orderIdIn(path)} ·[^]*?<span class="chip warn">${chip}<`));
      assert.match(account, /data-balance>€0\.00</);
    }
    shop.proxy.answers[`GET ${path}`] = report(resolved('SUCCESS by Mia: seen at the gateway'));
    await shop.sweep();
    assert.doesNotMatch((await shopper.get('/account')).text, /Being checked|Not confirmed/);
    assert.match((await shopper.get(path)).text, /Thank you<\/h1>/);
    shop.proxy.answers = {};
    if (path === topUp) assert.match((await shopper.get('/account')).text, /data-balance>€43\.75</);
  }
});

test('the account says that an order’s tries all failed, and no longer once it is tried again', async () => {
  const shop = openShop();
  const shopper = new Browser(shop);
  const goods = await shopper.order(BASKET);
  const topUp = (await shopper.post('/account/top-ups', {})).headers.get('location') ?? '';
  const open = { ...LATER, status: 'INITIALIZED' };
  const lost = { ...open, history: [{ event: 'uncertain' }] };
  for (const [payments, note] of [
    [[], ''],
    // The widget says that it was not started.
    [[{ ...lost, method: 'QR' }], '<br />Last payment did not go through'],
    [[{ ...lost, method: 'CHECKOUT', customer: '12345678' }], '<br />Last payment did not go through'],
    [[{ ...lost, method: 'DIRECT' }], '<br />Started, not paid yet'],
    [[LATER, LATER], '<br />Last payment did not go through'],
    // The widget says of these that a payment may still come, or may have been made.
    [[LATER, { ...LATER, reason: 'EXPIRED' }], '<br />Time ran out for your last payment'],
    [[LATER, { ...LATER, reason: 'RESOLVED' }], '<br />Last payment not confirmed'],
    [[LATER, open], '<br />Started, not paid yet'],
  ] as const) {
    for (const [path, heading, said, amount] of [
      [goods, 'Your order', 'We pack your order once it is paid.', '€43.75'],
      [topUp, 'Top up your coffee card', 'Your card is topped up once it is paid.', ''],
    ] as const) {
      shop.proxy.answers[`GET ${path}`] = { body: { paid: false, payments, refunds: [] } };
      const { text } = await shopper.get(path);
      assert.ok(text.includes(`>${said}<`), `${path}: ${note}`);
      assert.ok(text.includes(`>${/last/i.test(note) ? 'Not paid yet' : heading}</h1>`));
      const account = (await shopper.get('/account')).text.replaceAll('\u00A0', ' ');
      const day = '<time datetime="2026-11-20T12:00:00.000Z">Nov 20, 2026</time>';
      const row = `<span>${amount}</span>\\s*<small>${orderIdIn(path)} · ${day}${note}</small>`;
      const way = note.includes('Started') ? 'Continue' : 'Pay now';
      // A top-up of which nothing was started is not listed.
      if (path === topUp && note === '') assert.ok(!account.includes(orderIdIn(path)));
      else assert.match(account, new RegExp(`${row}\\s*<a class="button" href="${path}"[^>]*>${way}</a>`));
    }
  }
});

test('a webhook after which the proxy cannot be asked is delivered again', async () => {
  const shop = openShop();
  const shopper = new Browser(shop);
  const path = await shopper.order(BASKET);
  const orderId = orderIdIn(path);
  shop.proxy.answers[`GET ${path}`] = 'connection refused';
  assert.equal(await deliver(shop, orderId, { type: 'payment.needs_review' }), 503);
  const history = mismatch('succeeded');
  const payments = [{ ...SEEN, orderId, status: 'PROCESSING', needsReview: true, history }];
  shop.proxy.answers[`GET ${path}`] = { body: { orderId, paid: false, payments } };
  assert.equal(await deliver(shop, orderId, { type: 'payment.needs_review' }), 204);
  assert.match((await shopper.get('/account')).text, /Being checked/);
});

test('a form that another site sends is refused', async () => {
  const shopper = new Browser(openShop());
  assert.equal((await shopper.post('/checkout', BASKET, 'https://evil.example')).status, 403);
  assert.equal((await shopper.post('/desk/send', {}, 'https://evil.example')).status, 403);
});

test('the shop redirects from another host name, and refuses forms there', async () => {
  const { app } = openShop();
  const shown = await app.request('http://localhost:8080/account?x=1');
  assert.equal(shown.headers.get('location'), `${SHOP_URL}/account?x=1`);
  assert.equal((await app.request('http://localhost:8080/checkout', { method: 'POST' })).status, 421);
});
