// The shop for a customer, for another visitor and for the proxy, over its real routes and with a fake merchant API.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import {
  Browser,
  PROXY_URL,
  SHOP_URL,
  WEBHOOK_SECRET,
  claimsIn,
  openShop,
  paidReport,
  type Shop,
} from './shop-fixture.ts';

/** The fixture's day is a Friday. */
const PAID = 'We will send your order on Wednesday, Nov 25.';
const BASKET = { 'dawn-chorus': '2', 'night-harbor': '1' };
const SEEN = { type: 'PAY', amount: '42.75', currency: 'EUR', history: [] };
const LATER = { ...SEEN, status: 'FAILED', needsReview: false };
/** The way to the contact page as text alone. */
const unlinked = (html: string) => html.replaceAll(/<a href="\/contact">(contact us)<\/a>/gi, '$1');
const REST = 'We still owe you €0.75: refunds are in whole euros only. Contact us, and we will send it another way.';
const WHOLE = 'We will send back €42.00 of it: refunds are in whole euros only. Contact us for the last €0.75.';
const ON_CARD = 'The other €0.75 is on your coffee card, because refunds are in whole euros only.';
const LATE = 'You paid €42.75 after the order was closed.';
const orderIdIn = (path: string) => path.replace('/orders/', '');

interface WebhookSettings {
  id?: string;
  type?: string;
  amount?: string;
  at?: Date;
  secret?: string;
}

async function deliver(shop: Shop, orderId: string, settings: WebhookSettings = {}): Promise<number> {
  const {
    id = 'msg_1',
    type = 'payment.succeeded',
    amount = '42.75',
    at = new Date(),
    secret = WEBHOOK_SECRET,
  } = settings;
  const body = JSON.stringify({ type, timestamp: at.toISOString(), data: { orderId, amount, currency: 'EUR' } });
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  };
  return (await shop.app.request(`${SHOP_URL}/webhooks`, { method: 'POST', headers, body })).status;
}

test('the amount of an order comes from the catalog, whatever the form says', async () => {
  const shopper = new Browser(openShop());
  const path = await shopper.order({ ...BASKET, amount: '0.01', 'dawn-chorus-price': '1' });
  const claims = claimsIn((await shopper.get(path)).text);
  assert.equal(claims['amount'], '42.75');
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

test('an order page answers 404 to anyone but its owner', async () => {
  const shop = openShop();
  const path = await new Browser(shop).order(BASKET);
  const stranger = new Browser(shop);
  const elsewhere = await stranger.get(path);
  assert.equal(elsewhere.status, 404);
  assert.match(elsewhere.text, /only in the browser in which you made it\./);
  assert.equal((await stranger.get(`${path}/state`)).status, 404);
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
      /Demo<span> of payment-widget<\/span><\/b> · no real money\..*href="https:\/\/wallet\.example\/wallet\?as=12345678"/s,
      path,
    );
  }
});

test('the widget shows the mark of the demo’s wallet where it names it, and in the code', async () => {
  const shopper = new Browser(openShop());
  const { text } = await shopper.get(await shopper.order(BASKET));
  const shown = [...text.matchAll(/<img slot="([\w-]+)" src="([^"]+)" alt="" \/>/g)].map(([, ...found]) => found);
  const mark = '/assets/wallet.svg';
  assert.deepEqual(shown, [
    ['icon-DIRECT', mark],
    ['icon-CHECKOUT', mark],
    ['mark', mark],
  ]);
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
  shop.proxy.answers[`GET ${path}`] = { body: paidReport(orderIdIn(path), '42.75') };
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
  shop.proxy.answers[`GET ${path}`] = { body: paidReport(orderIdIn(path), '42.75') };
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
  const report = (needsReview: boolean) => ({
    body: { orderId, paid: false, payments: [{ ...SEEN, orderId, status: 'PROCESSING', needsReview }, LATER] },
  });
  shop.proxy.answers[`GET ${path}`] = report(true);
  assert.equal(await deliver(shop, orderId, { type: 'payment.needs_review' }), 204);
  const account = (await shopper.get('/account')).text;
  assert.match(
    account,
    /ST-\w+ · <time [^>]+>Nov\s20,\s2026<\/time><\/small>\s*<span class="chip warn">Being looked into/,
  );
  assert.doesNotMatch(account, /Pay now|Continue/);
  assert.match((await shopper.get(`${path}/state`)).text, /"state":"checking"/);
  const shown = (await shopper.get(path)).text;
  assert.match(shown, /We are looking into your payment\. We start packing once it is confirmed\./);
  assert.doesNotMatch(shown, /once it is paid/);
  shop.proxy.answers[`GET ${path}`] = report(false);
  assert.equal(await deliver(shop, orderId, { id: 'msg_2', type: 'payment.failed' }), 204);
  assert.match((await shopper.get('/account')).text, new RegExp(`<a class="button" href="${path}"[^>]*>Continue<`));
});

test('of a paid order whose payment is in review, or denied by a person, nothing is promised until that is over', async () => {
  const shop = openShop();
  const shopper = new Browser(shop);
  const goods = await shopper.order(BASKET);
  const topUp = (await shopper.post('/account/top-ups', {})).headers.get('location') ?? '';
  const resolved = (detail: string) => ({ history: [{ event: 'resolved', detail }] });
  for (const [path, sentence] of [
    [goods, 'We start packing once it is confirmed.'],
    [topUp, 'Your card is topped up once it is confirmed.'],
  ] as const) {
    const paid = { ...SEEN, status: 'SUCCESS', needsReview: false };
    const report = (more: object) => ({ body: { paid: true, payments: [{ ...paid, ...more }], refunds: [] } });
    for (const [doubt, said, chip] of [
      [{ needsReview: true }, `We are looking into your payment. ${sentence}`, 'Being looked into'],
      [
        resolved('FAILED by Mia: not at the gateway'),
        'We could not confirm your payment. Contact us.',
        'Not confirmed',
      ],
    ] as const) {
      shop.proxy.answers[`GET ${path}`] = report(doubt);
      const { text } = await shopper.get(path);
      assert.ok(unlinked(text).includes(`>${said}<`), said);
      assert.doesNotMatch(text, /Thank you|<title>Paid|<li aria-current="step"><b>Packing/);
      const account = (await shopper.get('/account')).text;
      assert.match(account, new RegExp(`${orderIdIn(path)} ·[^]*?<span class="chip warn">${chip}<`));
      assert.match(account, /data-balance>€0\.00</);
    }
    shop.proxy.answers[`GET ${path}`] = report(resolved('SUCCESS by Mia: seen at the gateway'));
    await shop.sweep();
    assert.doesNotMatch((await shopper.get('/account')).text, /Being looked into|Not confirmed/);
    assert.match((await shopper.get(path)).text, /Thank you<\/h1>/);
    shop.proxy.answers = {};
    if (path === topUp) assert.match((await shopper.get('/account')).text, /data-balance>€42\.75</);
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
    [[LATER, { ...LATER, reason: 'RESOLVED' }], '<br />Last payment ended'],
    [[LATER, open], '<br />Started, not paid yet'],
  ] as const) {
    for (const [path, heading, said, amount] of [
      [goods, 'Your order', 'We pack your order once it is paid.', '€42.75'],
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

/** As the proxy reports it. */
async function paidOrder() {
  const shop = openShop();
  const shopper = new Browser(shop);
  const path = await shopper.order(BASKET);
  const orderId = orderIdIn(path);
  assert.equal(await deliver(shop, orderId), 204);
  const paid = { ...SEEN, orderId, gatewayOrderId: orderId, status: 'SUCCESS', surplus: false };
  return { shop, shopper, path, orderId, paid };
}

test('the account asks the proxy, so that it shows a refund of which no webhook has come yet', async () => {
  const { shop, shopper, path, orderId, paid } = await paidOrder();
  for (const [amount, status, label] of [
    ['5.00', 'SUCCESS', 'Partly refunded'],
    ['42.00', 'PROCESSING', 'Refund on its way'],
  ]) {
    const back = { ...paid, amount, type: 'REFUND', refundOf: orderId, status };
    shop.proxy.answers[`GET ${path}`] = { body: { orderId, paid: true, payments: [paid], refunds: [back] } };
    assert.match((await shopper.get('/account')).text, new RegExp(`>${label}<`));
  }
});

test('the heading of an order says how much of it is on its way back, without what was sent back before', async () => {
  const { shop, shopper, path, orderId, paid } = await paidOrder();
  const back = { ...paid, amount: '15.00', type: 'REFUND', refundOf: orderId, status: 'SUCCESS' };
  const refunds = [back, { ...back, amount: '7.00', status: 'PROCESSING' }];
  shop.proxy.answers[`GET ${path}`] = { body: { orderId, paid: true, payments: [paid], refunds } };
  assert.match((await shopper.get(path)).text, /Refund on its way: €7\.00 of €42\.75<\/h1>/);
  refunds.pop();
  assert.match((await shopper.get(path)).text, /Refunded: €15\.00 of €42\.75<\/h1>/);
});

test('an order that was paid twice says what is sent back, and when it is', async () => {
  const { shop, shopper, path, orderId, paid } = await paidOrder();
  const extra = { ...paid, gatewayOrderId: `${orderId}-2`, surplus: true, settled: '0.00' };
  const back = { ...extra, amount: '42.00', type: 'REFUND', refundOf: extra.gatewayOrderId };
  for (const [type, refunds, text, settled = '0.00'] of [
    ['payment.surplus', [], WHOLE],
    ['refund.failed', [{ ...back, status: 'FAILED' }], WHOLE],
    [
      'refund.succeeded',
      [{ ...back, amount: '5.00' }],
      `We have sent back €5.00. ${WHOLE.replace('42.00 of it', '37.00 of the other €37.75')}`,
    ],
    ['refund.needs_review', [{ ...back, status: 'PROCESSING' }], `€42.00 is on its way back. ${REST}`],
    ['refund.succeeded', [back], `We have sent back €42.00. ${REST}`],
    ['refund.succeeded', [back], 'We have sent back €42.00. €0.75 was settled another way.', '0.75'],
  ] as const) {
    const payments = [paid, { ...extra, settled }];
    shop.proxy.answers[`GET ${path}`] = { body: { orderId, paid: true, payments, refunds } };
    assert.equal(await deliver(shop, orderId, { type }), 204);
    const sentence = `>${PAID}\n\nYou paid €42.75 too much. ${text}`;
    assert.ok(unlinked((await shopper.get(path)).text).includes(sentence), `${type}: ${text}`);
    const account = (await shopper.get('/account')).text.replaceAll('\u00A0', ' ');
    const owed = text.includes(REST) ? '0\\.75' : text === WHOLE ? '42\\.75' : '37\\.75';
    const label = settled === '0.75' ? 'good">Paid' : `warn">Paid · we owe you €${owed}`;
    const note = settled === '0.75' ? ' · €42\\.00 sent back · €0\\.75 settled another way<' : '';
    // While all of it is owed, the chip alone says so.
    assert.equal(account.includes('<br />€42.75 too much'), text !== WHOLE);
    assert.match(account, new RegExp(`${note}.*<span class="chip ${label}<`, 's'));
  }
});

test('an order whose money went back is refunded: nothing is sent, and its cents are on the card', async () => {
  const shop = openShop();
  const shopper = new Browser(shop);
  const topUp = (await shopper.post('/account/top-ups', {})).headers.get('location') ?? '';
  for (const [path, status, texts, whole] of [
    [
      await shopper.order(BASKET),
      'SUCCESS',
      ['Refunded: €42.00 of €42.75', `We will not send this order. ${ON_CARD}`],
      'We will not send this order.',
    ],
    [topUp, 'PROCESSING', ['Refund on its way: €42.00 of €42.75', ON_CARD, '€0.75'], ''],
  ] as const) {
    const paid = { ...SEEN, gatewayOrderId: 'paid', status: 'SUCCESS', surplus: false };
    const back = { ...paid, amount: '42.00', type: 'REFUND', refundOf: 'paid', status: status as string };
    const report = (amount: string) => ({ body: { paid: true, payments: [paid], refunds: [{ ...back, amount }] } });
    const isComing = status === 'PROCESSING';
    shop.proxy.answers[`GET ${path}`] = report('41.00');
    assert.match(
      (await shopper.get(`${path}/state`)).text,
      /"state":"paid","heading":"(Refunded|Refund on its way): €41\.00 of €42\.75",/,
    );
    const sum = status === 'SUCCESS' ? '41.00 sent back' : '41.00 on its way back';
    assert.ok((await shopper.get('/account')).text.replaceAll('\u00A0', ' ').includes(`<br />€${sum}</small>`), sum);
    shop.proxy.answers[`GET ${path}`] = report('42.00');
    const { text } = await shopper.get(path);
    for (const each of texts) assert.ok(unlinked(text).includes(`>${each}<`), each);
    assert.match(text, /<title>Order [^]*data-state="refunded"/);
    const note = isComing ? '€42.00 on its way back · €0.75 on your card' : '€42.00 sent back · €0.75 on your card';
    assert.ok((await shopper.get('/account')).text.replaceAll('\u00A0', ' ').includes(`<br />${note}</small>`), note);
    const chip = (label: string) => new RegExp(`<span class="chip ">${isComing ? 'Refund on its way' : label}<`);
    const account = (await shopper.get('/account')).text.replaceAll('\u00A0', ' ');
    assert.match(account, chip('Refunded'));
    assert.match(account, /data-balance>€0\.75</);
    shop.proxy.answers[`GET ${path}`] = report('42.75');
    const heading = isComing ? 'Refund on its way' : 'Order refunded';
    assert.match((await shopper.get(path)).text, new RegExp(`${heading}</h1>[^]*>${whole}<`));
    assert.match((await shopper.get('/account')).text, chip('Refunded'));
    back.status = 'SUCCESS';
    shop.proxy.answers[`GET ${path}`] = report('42.75');
    assert.match((await shopper.get(path)).text, path === topUp ? /Top-up refunded<\/h1>/ : /Order refunded<\/h1>/);
  }
});

test('a refund is on its way once the gateway has it and until it reports it failed; its cents go on the card after it', async () => {
  const shop = openShop();
  const shopper = new Browser(shop);
  const path = await shopper.order(BASKET);
  const paid = { ...SEEN, gatewayOrderId: 'paid', status: 'SUCCESS', surplus: false };
  const seen = async (status: string, reportedFailedAt: string | null = null) => {
    const refund = { ...paid, amount: '42.00', type: 'REFUND', refundOf: 'paid', status, reportedFailedAt };
    shop.proxy.answers[`GET ${path}`] = { body: { paid: true, payments: [paid], refunds: [refund] } };
    const { text } = await shopper.get(path);
    return [unlinked(text).includes('is on its way back') || text.includes('Refund on its way'), text] as const;
  };
  assert.equal((await seen('INITIALIZED'))[0], false);
  assert.equal((await seen('PROCESSING', '2026-11-20T12:00:00.000Z'))[0], false);
  const [isComing, text] = await seen('PROCESSING');
  assert.ok(isComing);
  assert.match(unlinked(text), /The other €0\.75 goes on your coffee card/);
  assert.match((await shopper.get('/account')).text, /data-balance>€0\.00</);
  await seen('SUCCESS');
  assert.match((await shopper.get('/account')).text, /data-balance>€0\.75</);
});

test('an order that was paid twice says so when its own payment went back', async () => {
  const shop = openShop();
  const shopper = new Browser(shop);
  const path = await shopper.order(BASKET);
  const paid = { ...SEEN, gatewayOrderId: 'paid', status: 'SUCCESS', surplus: false };
  // Each can go back in whole amounts, not their sum.
  const extra = ['2', '3'].map((gatewayOrderId) => ({ ...paid, gatewayOrderId, surplus: true, settled: '0.00' }));
  const back = { ...paid, amount: '42.00', type: 'REFUND', refundOf: 'paid' };
  shop.proxy.answers[`GET ${path}`] = { body: { paid: true, payments: [paid, ...extra], refunds: [back] } };
  const { text } = await shopper.get(path);
  const end = `You paid €85.50 too much. ${WHOLE.replace('42', '84').replace('0.75', '1.50')}`;
  assert.ok(unlinked(text).includes(`${ON_CARD}\n\n${end}<`));
});

test('of a top-up that was paid twice, the payment counts that paid it', async () => {
  const shop = openShop();
  const shopper = new Browser(shop);
  const path = (await shopper.post('/account/top-ups', {})).headers.get('location') ?? '';
  const paid = { ...SEEN, amount: '25.00', status: 'SUCCESS', surplus: false };
  const extra = { ...paid, amount: '50.00', surplus: true, settled: '0.00' };
  shop.proxy.answers[`GET ${path}`] = { body: { paid: true, payments: [extra, paid], refunds: [] } };
  const { text } = await shopper.get(path);
  assert.match(
    unlinked(text),
    /topped up\.\n\nYou paid €50\.00 too much\. We will send it back\. If it takes more than two days, contact us\..*Balance.*€25\.00/s,
  );
});

test('a closed order says what is sent back, and asks for no money', async () => {
  const shop = openShop();
  const shopper = new Browser(shop);
  const path = await shopper.order(BASKET);
  const orderId = orderIdIn(path);
  const seen = { ...SEEN, gatewayOrderId: orderId, needsReview: false, settled: '0.00' };
  const late = { ...seen, status: 'SUCCESS', afterClose: true };
  const back = { refundOf: orderId, amount: '42.00', currency: 'EUR', status: 'SUCCESS' };
  for (const [payments, refunds, text] of [
    // The widget says that it is closed and not to be paid.
    [[], [], ''],
    [[{ ...late, status: 'PROCESSING', afterClose: false }], [], ''],
    [
      [{ ...late, status: 'PROCESSING', needsReview: true }],
      [],
      'We are looking into your payment. If you have questions, contact us.',
    ],
    [
      [{ ...late, amount: '42.00' }],
      [],
      `${LATE.replace('.75', '.00')} We will send it back. If it takes more than two days, contact us.`,
    ],
    [[late], [], `${LATE} ${WHOLE}`],
    [[late], [{ ...back, status: 'PROCESSING' }], `${LATE} €42.00 is on its way back. ${REST}`],
    [[{ ...late, settled: '0.75' }], [back], `${LATE} We have sent back €42.00. €0.75 was settled another way.`],
    [[late], [back], `${LATE} We have sent back €42.00. ${REST}`],
  ] as const) {
    shop.proxy.answers[`GET ${path}`] = { body: { orderId, paid: false, closed: true, payments, refunds } };
    const shown = (await shopper.get(path)).text;
    assert.ok(unlinked(shown).includes(`data-state="closed">${text}<`), text);
    assert.doesNotMatch(shown, /once it is paid/);
    assert.match((await shopper.get(`${path}/state`)).text, /"state":"closed","heading":"Order closed"/);
  }
  const account = (await shopper.get('/account')).text.replaceAll('\u00A0', ' ');
  assert.match(
    account,
    /<br \/>Paid after closing · €42\.00 sent back<\/small>\s*<span class="chip warn">Closed · we owe you €0\.75</,
  );
});

test('a webhook after which the proxy cannot be asked is delivered again', async () => {
  const shop = openShop();
  const shopper = new Browser(shop);
  const path = await shopper.order(BASKET);
  const orderId = orderIdIn(path);
  shop.proxy.answers[`GET ${path}`] = 'connection refused';
  assert.equal(await deliver(shop, orderId, { type: 'payment.needs_review' }), 503);
  const payments = [{ ...SEEN, orderId, status: 'PROCESSING', needsReview: true }];
  shop.proxy.answers[`GET ${path}`] = { body: { orderId, paid: false, payments } };
  assert.equal(await deliver(shop, orderId, { type: 'payment.needs_review' }), 204);
  assert.match((await shopper.get('/account')).text, /Being looked into/);
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
