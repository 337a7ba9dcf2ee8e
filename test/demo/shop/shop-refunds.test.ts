// Money that goes back: what the order page and the account say of it, and what goes on the coffee card.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BASKET, Browser, PAID, SEEN, deliver, mismatch, openShop, orderIdIn, unlinked } from './shop-fixture.ts';

const ON_CARD = 'The other €0.75 is on your coffee card, because refunds are in whole euros only.';
const REST = ON_CARD.replace('The', 'Once the refund has arrived, the').replace(' is ', ' goes ');
const SOON = 'If it takes more than two days, contact us.';
const WHOLE = `We will send €43.00 back. ${REST} ${SOON}`;
/** As the shop tells the proxy. */
const CREDITED = {
  settled: '0.75',
  history: [{ event: 'resolved', detail: 'SETTLED by the shop: on the coffee card' }],
};
const BY_HAND = { settled: '0.75', history: [{ event: 'resolved', detail: 'SETTLED by Ada: in cash' }] };
const LATE = 'You paid €43.75 after the order was closed.';

/** As the proxy reports it. */
async function paidOrder() {
  const shop = openShop();
  const shopper = new Browser(shop);
  const path = await shopper.order(BASKET);
  const orderId = orderIdIn(path);
  assert.equal(await deliver(shop, orderId), 204);
  const paid = { ...SEEN, orderId, gatewayOrderId: orderId, status: 'SUCCESS', surplus: false, needsReview: false };
  return { shop, shopper, path, orderId, paid };
}

test('the account asks the proxy, so that it shows a refund of which no webhook has come yet', async () => {
  const { shop, shopper, path, orderId, paid } = await paidOrder();
  for (const [amount, status, label] of [
    ['5.00', 'SUCCESS', 'Partly refunded'],
    ['43.00', 'PROCESSING', 'Refund on its way: €43.00'],
    ['43.75', 'PROCESSING', 'Refund on its way'],
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
  assert.match((await shopper.get(path)).text, /Refund on its way: €7\.00 of €43\.75<\/h1>/);
  refunds.pop();
  assert.match((await shopper.get(path)).text, /Refunded: €15\.00 of €43\.75<\/h1>/);
});

test('an order that was paid twice says what is sent back, and when it is', async () => {
  const { shop, shopper, path, orderId, paid } = await paidOrder();
  const extra = { ...paid, gatewayOrderId: `${orderId}-2`, surplus: true, settled: '0.00' };
  const back = { ...extra, amount: '43.00', type: 'REFUND', refundOf: extra.gatewayOrderId };
  for (const [type, refunds, text, settled = {}] of [
    ['payment.surplus', [], WHOLE],
    ['refund.failed', [{ ...back, status: 'FAILED' }], WHOLE],
    ['refund.succeeded', [{ ...back, amount: '5.00' }], `We have sent back €5.00. ${WHOLE.replace('43.00', '38.00')}`],
    ['refund.needs_review', [{ ...back, status: 'PROCESSING' }], `€43.00 is on its way back. ${REST}`],
    [
      'refund.needs_review',
      [{ ...back, status: 'PROCESSING', needsReview: true }],
      `A refund of €43.00 is being checked. ${REST}`,
    ],
    ['refund.succeeded', [back], `We have sent back €43.00. ${ON_CARD}`, CREDITED],
    ['refund.succeeded', [back], 'We have sent back €43.00. €0.75 was settled another way.', BY_HAND],
  ] as const) {
    const payments = [paid, { ...extra, ...settled }];
    shop.proxy.answers[`GET ${path}`] = { body: { orderId, paid: true, payments, refunds } };
    assert.equal(await deliver(shop, orderId, { type }), 204);
    const sentence = `>${PAID}\n\nYou paid €43.75 too much. ${text}`;
    assert.ok(unlinked((await shopper.get(path)).text).includes(sentence), `${type}: ${text}`);
    const account = (await shopper.get('/account')).text.replaceAll('\u00A0', ' ');
    const owed = text === WHOLE ? '43\\.75' : '38\\.75';
    const label = text.includes(SOON) ? `warn">Paid · we owe you €${owed}` : 'good">Paid';
    const [note, balance] =
      settled === CREDITED ? ['0.75 on your card', '0.75'] : settled === BY_HAND ? ['0.75 settled another way', '0.00'] : ['', '0.00']; // prettier-ignore
    // While all of it is owed, the chip alone says so.
    assert.equal(account.includes('<br />€43.75 too much'), text !== WHOLE);
    assert.ok(account.includes(note && ` · €43.00 sent back · €${note}<`), note);
    assert.match(account, new RegExp(`<span class="chip ${label}<.*data-balance>€${balance}<`, 's'));
  }
});

test('what was paid too much or too late, and is in review, is being checked: nothing of it is promised', async () => {
  const { shop, shopper, path, orderId, paid } = await paidOrder();
  const extra = { ...paid, gatewayOrderId: `${orderId}-2`, needsReview: true, settled: '0.00', history: mismatch('pending') }; // prettier-ignore
  const back = { ...extra, amount: '43.00', type: 'REFUND', refundOf: extra.gatewayOrderId, needsReview: false };
  const seen = async (report: object) => {
    shop.proxy.answers[`GET ${path}`] = { body: { orderId, paid: true, refunds: [], ...report } };
    const text = unlinked((await shopper.get(path)).text);
    return { text, account: (await shopper.get('/account')).text.replaceAll('\u00A0', ' ') };
  };
  const twice = [paid, { ...extra, surplus: true }];
  const first = await seen({ payments: twice });
  assert.ok(first.text.includes(`${PAID}\n\nWe are checking whether you paid €43.75 too much. If so, it comes back. ${SOON}<`)); // prettier-ignore
  assert.match(first.account, /<span class="chip warn">Paid · €43\.75 being checked</);
  assert.doesNotMatch(first.account, /we owe you|too much/);
  const gone = await seen({ payments: twice, refunds: [back] });
  assert.match(gone.text, /You paid €43\.75 too much\. We have sent back €43\.00\. /);
  const late = await shopper.order(BASKET);
  shop.proxy.answers[`GET ${late}`] = {
    body: { closed: true, refunds: [], payments: [{ ...extra, afterClose: true }] },
  };
  const said = `We are checking whether you paid €43.75 after the order was closed. If so, it comes back. ${SOON}`;
  assert.ok(unlinked((await shopper.get(late)).text).includes(`>${said}<`));
});

test('cents that cannot be sent back go on the card once the rest has arrived, and the proxy settles them once', async () => {
  const { shop, shopper, path, orderId, paid } = await paidOrder();
  const late = [
    { event: 'after_close', detail: null },
    { event: 'needs_review', detail: 'SUCCESS after the order was closed' },
  ];
  const decisions = () =>
    shop.proxy.asked.filter(({ method }) => method === 'POST').map(({ path: to, body }) => ({ to, body }));
  const extra = { ...paid, gatewayOrderId: `${orderId}-2`, surplus: true, settled: '0.00' };
  const back = { ...extra, amount: '43.00', type: 'REFUND', refundOf: extra.gatewayOrderId, reportedFailedAt: null };
  const resolve = `/transactions/${extra.gatewayOrderId}/resolve`;
  shop.proxy.answers[`POST ${resolve}`] = { body: { ...extra, ...CREDITED } };
  const seen = async (refund: object, more: object = {}) => {
    const payments = [paid, { ...extra, ...more }];
    const refunds = [{ ...back, ...refund }];
    shop.proxy.answers[`GET ${path}`] = { body: { orderId, paid: true, payments, refunds } };
    assert.equal(await deliver(shop, orderId, { type: 'refund.succeeded' }), 204);
  };
  await seen({ amount: '41.00' });
  await seen({ status: 'FAILED' });
  await seen({ status: 'PROCESSING' });
  await seen({ status: 'PROCESSING', reportedFailedAt: '2026-11-20T12:00:00.000Z' });
  await seen({ status: 'INITIALIZED' });
  await seen({ needsReview: true });
  await seen({}, { needsReview: true, history: [{ event: 'conflict', detail: 'FAILED after SUCCESS' }] });
  await seen({}, { history: [{ event: 'resolved', detail: 'FAILED by Ada: not paid' }] });
  await seen({}, BY_HAND);
  assert.deepEqual(decisions(), []);
  await seen({}, { surplus: false, afterClose: true, needsReview: true, history: late });
  const settled = { to: resolve, body: { status: 'SETTLED', by: 'the shop', note: 'on the coffee card' } };
  assert.deepEqual(decisions(), [settled]);
  await seen({}, CREDITED);
  assert.deepEqual(decisions(), [settled]);
  assert.match((await shopper.get('/account')).text, /data-balance>€0\.75</);
});

test('an order whose refund failed says so until another is sent', async () => {
  const shop = openShop();
  const shopper = new Browser(shop);
  const topUp = (await shopper.post('/account/top-ups', {})).headers.get('location') ?? '';
  for (const path of [await shopper.order(BASKET), topUp]) {
    const paid = { ...SEEN, gatewayOrderId: 'paid', status: 'SUCCESS', surplus: false };
    const failed = { ...paid, amount: '43.00', type: 'REFUND', refundOf: 'paid', status: 'FAILED' };
    const report = (...refunds: object[]) => ({ body: { paid: true, payments: [paid], refunds } });
    shop.proxy.answers[`GET ${path}`] = report(failed);
    const { text } = await shopper.get(path);
    assert.match(text, /Refund failed<\/h1>[^]*data-state="unrefunded">[^<]*We will send the refund again\./);
    const account = (await shopper.get('/account')).text;
    assert.match(account, /<span class="chip warn">Refund failed: €43\.00</);
    assert.match(account, path === topUp ? /data-balance>€43\.75</ : /data-balance>€0\.00</);
    const part = { ...failed, amount: '4.00' };
    shop.proxy.answers[`GET ${path}`] = report(part);
    const kept = (await shopper.get(path)).text;
    assert.match(kept, /data-state="paid">(We will send your order on|Your coffee card is topped up)/);
    assert.match(kept, /The refund of €4\.00 did not go through\. We will send the refund again\./);
    const inPart = (await shopper.get('/account')).text.replaceAll('\u00A0', ' ');
    assert.match(inPart, /2026<\/time><\/small>\s*<span class="chip warn">Refund failed: €4\.00</);
    shop.proxy.answers[`GET ${path}`] = report({ ...part, status: 'INITIALIZED' });
    assert.match((await shopper.get(path)).text, /Refund being checked: €4\.00 of €43\.75<\/h1>/);
    const checked = (await shopper.get('/account')).text;
    assert.match(checked, /2026<\/time><\/small>\s*<span class="chip ">Refund being checked: €4\.00</);
    const extra = { ...paid, gatewayOrderId: 'extra', surplus: true, settled: '0.00' };
    shop.proxy.answers[`GET ${path}`] = { body: { paid: true, payments: [paid, extra], refunds: [part] } };
    const owed = (await shopper.get('/account')).text.replaceAll('\u00A0', ' ');
    assert.match(owed, /<span class="chip warn">Refund failed: €4\.00 · we owe you €43\.75</);
    shop.proxy.answers[`GET ${path}`] = report(failed, { ...failed, status: 'PROCESSING' });
    assert.match((await shopper.get(path)).text, /Refund on its way[^<]*<\/h1>/);
    shop.proxy.answers[`GET ${path}`] = report(part, { ...part, status: 'SUCCESS' });
    assert.match((await shopper.get(path)).text, /Refunded: €4\.00 of €43\.75<\/h1>/);
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
      ['Refunded: €43.00 of €43.75', `We will not send this order. ${ON_CARD}`],
      'We will not send this order.',
    ],
    [topUp, 'PROCESSING', ['Refund on its way: €43.00 of €43.75', ON_CARD, '€0.75'], ''],
  ] as const) {
    const paid = { ...SEEN, gatewayOrderId: 'paid', status: 'SUCCESS', surplus: false };
    const back = { ...paid, amount: '43.00', type: 'REFUND', refundOf: 'paid', status: status as string };
    const report = (amount: string) => ({ body: { paid: true, payments: [paid], refunds: [{ ...back, amount }] } });
    const isComing = status === 'PROCESSING';
    shop.proxy.answers[`GET ${path}`] = report('41.00');
    assert.match(
      (await shopper.get(`${path}/state`)).text,
      /"state":"paid","heading":"(Refunded|Refund on its way): €41\.00 of €43\.75",/,
    );
    const sum = status === 'SUCCESS' ? '41.00 sent back' : '41.00 on its way back';
    assert.ok((await shopper.get('/account')).text.replaceAll('\u00A0', ' ').includes(`<br />€${sum}</small>`), sum);
    shop.proxy.answers[`GET ${path}`] = report('43.00');
    const { text } = await shopper.get(path);
    for (const each of texts) assert.ok(unlinked(text).includes(`>${each}<`), each);
    assert.match(text, /<title>Order [^]*data-state="refunded"/);
    const note = isComing ? '€0.75 on your card' : '€43.00 sent back · €0.75 on your card';
    assert.ok((await shopper.get('/account')).text.replaceAll('\u00A0', ' ').includes(`<br />${note}</small>`), note);
    const chip = (label: string) =>
      new RegExp(`<span class="chip ">${isComing ? 'Refund on its way(: €43\\.00)?' : label}<`);
    const account = (await shopper.get('/account')).text.replaceAll('\u00A0', ' ');
    assert.match(account, chip('Refunded'));
    assert.match(account, /data-balance>€0\.75</);
    shop.proxy.answers[`GET ${path}`] = report('43.75');
    const heading = isComing ? 'Refund on its way' : 'Order refunded';
    assert.match((await shopper.get(path)).text, new RegExp(`${heading}</h1>[^]*>${whole}<`));
    assert.match((await shopper.get('/account')).text, chip('Refunded'));
    back.status = 'SUCCESS';
    shop.proxy.answers[`GET ${path}`] = report('43.75');
    assert.match((await shopper.get(path)).text, path === topUp ? /Top-up refunded<\/h1>/ : /Order refunded<\/h1>/);
  }
});

test('until the refund of an order is certain, its page and the account say one thing: it is not being sent', async () => {
  const { shop, shopper, path, paid } = await paidOrder();
  const seen = async (more: object) => {
    const refund = { ...paid, amount: '43.00', type: 'REFUND', refundOf: paid.gatewayOrderId };
    Object.assign(refund, { needsReview: false }, more);
    shop.proxy.answers[`GET ${path}`] = { body: { paid: true, payments: [paid], refunds: [refund] } };
    const { state, heading, text } = JSON.parse((await shopper.get(`${path}/state`)).text);
    const account = (await shopper.get('/account')).text;
    const [, chip] = /<span class="chip \w*">(.*)<\/span>/.exec(account) ?? [];
    const [, note] = /<br \/>(.*)<\/small>/.exec(account.replaceAll('\u00A0', ' ')) ?? [];
    const [, balance] = /data-balance>(.*?)</.exec(account) ?? [];
    return { state, heading, text, chip, note, balance };
  };
  const coming = {
    state: 'refunded',
    heading: 'Refund on its way: €43.00 of €43.75',
    text: `We are not sending this order. ${REST}`,
    chip: 'Refund on its way: €43.00',
    note: undefined,
    balance: '€0.00',
  };
  const inDoubt = {
    ...coming,
    heading: coming.heading.replace('on its way', 'being checked'),
    text: `${coming.text} If the refund takes more than two days, contact us.`,
    chip: 'Refund being checked: €43.00',
  };
  const reportedFailedAt = '2026-11-20T12:00:00.000Z';
  assert.deepEqual(await seen({ status: 'PROCESSING' }), coming);
  assert.deepEqual(await seen({ status: 'INITIALIZED' }), inDoubt);
  assert.deepEqual(await seen({ status: 'PROCESSING', reportedFailedAt }), inDoubt);
  for (const status of ['INITIALIZED', 'PROCESSING', 'FAILED', 'SUCCESS'])
    assert.deepEqual(await seen({ status, needsReview: true }), inDoubt, status);
  const { heading, text, balance } = await seen({ status: 'SUCCESS' });
  assert.deepEqual(
    [heading, text, balance],
    ['Refunded: €43.00 of €43.75', `We will not send this order. ${ON_CARD}`, '€0.75'],
  );
  assert.equal((await seen({ status: 'FAILED', reportedFailedAt })).state, 'unrefunded', 'it has failed for certain');
  paid.needsReview = true;
  assert.equal((await seen({ status: 'FAILED' })).state, 'checking', 'its payment is in doubt too');
});

test('an order that was paid twice says so when its own payment went back', async () => {
  const shop = openShop();
  const shopper = new Browser(shop);
  const path = await shopper.order(BASKET);
  const paid = { ...SEEN, gatewayOrderId: 'paid', status: 'SUCCESS', surplus: false };
  // Each can go back in whole amounts, not their sum.
  const extra = ['2', '3'].map((gatewayOrderId) => ({ ...paid, gatewayOrderId, surplus: true, settled: '0.00' }));
  const back = { ...paid, amount: '43.00', type: 'REFUND', refundOf: 'paid' };
  shop.proxy.answers[`GET ${path}`] = { body: { paid: true, payments: [paid, ...extra], refunds: [back] } };
  const { text } = await shopper.get(path);
  const end = `You paid €87.50 too much. ${WHOLE.replace('43', '86').replace('0.75', '1.50')}`;
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
  const back = { refundOf: orderId, amount: '43.00', currency: 'EUR', status: 'SUCCESS' };
  for (const [payments, refunds, text] of [
    // The widget says that it is closed and not to be paid.
    [[], [], ''],
    [[{ ...late, status: 'PROCESSING', afterClose: false }], [], ''],
    [[{ ...late, status: 'PROCESSING', needsReview: true, history: mismatch('pending') }], [], ''],
    [
      [{ ...late, status: 'PROCESSING', needsReview: true, history: mismatch('succeeded') }],
      [],
      'We are checking your payment. If you have questions, contact us.',
    ],
    [[{ ...late, amount: '43.00' }], [], `${LATE.replace('.75', '.00')} We will send it back. ${SOON}`],
    [[late], [], `${LATE} ${WHOLE}`],
    [[late], [{ ...back, status: 'PROCESSING' }], `${LATE} €43.00 is on its way back. ${REST}`],
    [[{ ...late, ...BY_HAND }], [back], `${LATE} We have sent back €43.00. €0.75 was settled another way.`],
    [[{ ...late, ...CREDITED }], [back], `${LATE} We have sent back €43.00. ${ON_CARD}`],
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
    /<br \/>Paid after closing · €43\.00 sent back · €0\.75 on your card<\/small>\s*<span class="chip ">Closed</,
  );
});
