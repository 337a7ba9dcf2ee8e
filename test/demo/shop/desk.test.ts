// What staff send from the desk: a payout or a refund once, under an order id of the server, and the end of an order.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idIn, openDesk, payment, payout, refund, said } from './desk-fixture.ts';

const typed = { amount: '25', customer: '12345678', note: 'For the broken dripper', step: 'send' };
const valueIn = (page: string, name: string) => new RegExp(`name="${name}"\\s+value="([^"]*)"`).exec(page)?.[1];
/** Of the client, where no answer comes. */
const TRIES = 3;
const BACK = '/desk/send?order=ST-1&payment=ST-1';
const reportOf = (...all: { type: string }[]) => ({
  orderId: 'ST-1',
  payments: all.filter(({ type }) => type === 'PAY'),
  refunds: all.filter(({ type }) => type === 'REFUND'),
});

const KEPT =
  /<p>ST-1-2\u00A0· Wallet app ••••\u00A04321, paid Nov\u00A020,\u00A012:00<\/p>\s*<p class="quiet">Up to €10\.00 of the €14\.50 can be refunded to that wallet\. Once €10\.00 has arrived, €0\.50 goes on the customer’s coffee card: the gateway sends whole amounts only\.</;

test('the desk sends a payout with a whole amount and an order id from the server', async () => {
  const { shop, staff, sent, form } = await openDesk();
  shop.proxy.answers['POST /payouts'] = { status: 202, body: payout(form) };
  const { status, headers } = await staff.post('/desk/send', { id: form, ...typed });
  assert.equal(status, 303);
  assert.equal(headers.get('location'), `/desk?done=${form}`);
  assert.match(form, /^PO-/);
  assert.deepEqual(sent(), [
    { orderId: form, amount: 25, currency: 'EUR', customer: '12345678', note: 'For the broken dripper' },
  ]);
});

test('the desk sends money in a second step only, which names amount and wallet, and leads back to the first', async () => {
  const { shop, staff, sent, form } = await openDesk();
  const paid = payment('ST-1', { status: 'SUCCESS', history: [] });
  shop.proxy.answers['GET /orders/ST-1'] = { body: reportOf(paid) };
  const back = { id: 'BACK-2345678ABC', order: 'ST-1', payment: 'ST-1', amount: '4', note: '<b>' };
  for (const [path, fields, question, wallet] of [
    [
      '/desk/send',
      { id: form, ...typed },
      /Send €25\.00\?[^]*<b>1234\u00A05678<\/b>\.[^]*“For the broken dripper”[^]*cannot be called back/,
      '12345678',
    ],
    [
      '/desk/send',
      back,
      /Refund €4\.00\?[^]*<b>••••\u00A04321<\/b> that paid €25\.00 for ST-1\.[^]*“&lt;b&gt;”[^]*cannot be called back/,
      undefined,
    ],
  ] as const) {
    const review = await staff.post(path, { ...fields, step: '' });
    assert.equal(review.status, 200);
    assert.match(review.text, question);
    assert.match(review.text, /name="step" value="send">(Send|Refund) €\d+\.00<[^]*name="step" value="edit">Change/);
    const edited = await staff.post(path, { ...fields, step: 'edit' });
    assert.deepEqual([valueIn(edited.text, 'amount'), valueIn(edited.text, 'customer')], [fields.amount, wallet]);
  }
  const more = { ...paid, amount: '25.80' };
  shop.proxy.answers['GET /orders/ST-1'] = { body: reportOf(more) };
  const rest =
    /<p>Once €25\.00 has arrived, €0\.80 goes on the customer’s coffee card: the gateway sends whole amounts only\.</;
  assert.match((await staff.post('/desk/send', { ...back, amount: '25', step: '' })).text, rest);
  assert.doesNotMatch((await staff.post('/desk/send', { ...back, amount: '24', step: '' })).text, /coffee card/);
  assert.deepEqual(sent(), []);
});

test('the payout form keeps its order id after a lost answer, so that sending it again is safe', async () => {
  const { shop, staff, form } = await openDesk();
  shop.proxy.answers['POST /payouts'] = 'reset';
  const { status, text } = await staff.post('/desk/send', { id: form, ...typed });
  assert.equal(status, 422);
  assert.equal(idIn(text), form);
  assert.match(text, /value="12345678"/);
  assert.match(text, /Send it again unchanged/);
});

test('the desk refuses an invalid amount, wallet id or order id without a request to the proxy', async () => {
  const { sent, staff, form } = await openDesk();
  for (const wrong of [{ amount: '10.50' }, { amount: '0' }, { amount: '1e3' }, { customer: '12x' }]) {
    assert.equal((await staff.post('/desk/send', { id: form, ...typed, ...wrong })).status, 422);
  }
  assert.match((await staff.post('/desk/send', { ...typed, id: '' })).text, /<h1 id="title">Send a payout</);
  const { text } = await staff.post('/desk/send', { id: form, ...typed, amount: '10000000' });
  assert.match(text, /A whole number of euros, at most €9,999,999\.</);
  const { text: both } = await staff.post('/desk/send', { id: form, ...typed, amount: '', customer: '12x' });
  assert.match(
    both,
    /"amount-problem" role="alert">A whole number of euros[^]*"customer-problem" role="alert">The 4 to 20 digits/,
  );
  assert.deepEqual(sent(), []);
});

test('the refund link of a paid payment offers what is left, names the wallet that paid, and sends nothing', async () => {
  const { shop, staff, sent } = await openDesk();
  const transactions = [
    payment('ST-1', { gatewayOrderId: 'ST-1-2', amount: '14.50', status: 'SUCCESS' }),
    payment('ST-1', { status: 'FAILED', reason: 'REPLACED' }),
    refund('ST-1-2', { amount: '1.00' }),
    refund('ST-1-2', { amount: '3.00' }),
    refund('ST-1-2', { amount: '9.00', status: 'FAILED' }),
  ];
  shop.proxy.answers['GET /transactions'] = { body: { transactions, nextCursor: null } };
  const { text: desk } = await staff.get('/desk');
  const links = [...desk.matchAll(/href="(\/desk\/send\?[^"]*)"/g)].map(([, link]) => link ?? '');
  assert.deepEqual(links, [BACK.replace('&', '&amp;').concat('-2')]);
  shop.proxy.answers['GET /orders/ST-1'] = { body: reportOf(...transactions.toReversed()) };
  const { text } = await staff.get(`${BACK}-2`);
  assert.equal(valueIn(text, 'amount'), '10');
  assert.equal(valueIn(text, 'customer'), undefined, 'the wallet cannot be chosen');
  assert.match(text, KEPT);
  assert.deepEqual([valueIn(text, 'order'), valueIn(text, 'payment')], ['ST-1', 'ST-1-2']);
  assert.match(idIn(text), /^BACK-/);
  assert.deepEqual(sent(), []);
});

test('the desk sends a refund under the key of its form, also if it is sent twice or the answer is lost', async () => {
  const { shop, staff, sent } = await openDesk();
  const paid = payment('ST-1', { status: 'SUCCESS', amount: '14.50' });
  shop.proxy.answers['GET /orders/ST-1'] = { body: reportOf(paid) };
  const key = idIn((await staff.get(BACK)).text);
  const form = { id: key, order: 'ST-1', payment: 'ST-1', amount: '4', note: 'Sorry', step: 'send' };
  shop.proxy.answers['POST /orders/ST-1/refunds'] = 'reset';
  const lost = await staff.post('/desk/send', form);
  assert.deepEqual([lost.status, idIn(lost.text)], [422, key]);
  assert.match(lost.text, /Send it again unchanged/);
  shop.proxy.answers['POST /orders/ST-1/refunds'] = { status: 202, body: refund('ST-1') };
  shop.proxy.answers['GET /orders/ST-1'] = { body: reportOf(paid, refund('ST-1', { amount: '14.00' })) };
  assert.equal((await staff.post('/desk/send', form)).status, 303, 'also if it was all that was left');
  const asked = { gatewayOrderId: 'ST-1', amount: 4, note: 'Sorry' };
  assert.deepEqual(
    sent(),
    Array.from({ length: TRIES + 1 }, () => asked),
  );
  const keys = shop.proxy.asked.filter(({ method }) => method === 'POST').map((each) => each.key);
  assert.deepEqual(new Set(keys), new Set([key]));
});

test('a refund stays one while the proxy cannot be asked about its order, and is sent under its key once it can', async () => {
  const { shop, staff, sent } = await openDesk();
  shop.proxy.answers['GET /orders/ST-1'] = 'reset';
  const opened = await staff.get(BACK);
  const form = { id: 'BACK-2345678ABC', order: 'ST-1', payment: 'ST-1', amount: '4', note: 'Sorry', step: 'send' };
  const failed = await staff.post('/desk/send', form);
  for (const { status, text } of [opened, failed]) {
    assert.equal(status, 422);
    assert.match(text, /<h1 id="title">Refund<[^]*role="alert">[^<]* Try again\.<[^]*<p>ST-1<\/p>(?![^]*Wallet ID)/);
    assert.deepEqual([valueIn(text, 'order'), valueIn(text, 'payment')], ['ST-1', 'ST-1']);
  }
  assert.deepEqual([idIn(failed.text), valueIn(failed.text, 'amount')], [form.id, '4']);
  assert.deepEqual(sent(), []);
  shop.proxy.answers['GET /orders/ST-1'] = { body: reportOf(payment('ST-1', { status: 'SUCCESS' })) };
  shop.proxy.answers['POST /orders/ST-1/refunds'] = { status: 202, body: refund('ST-1') };
  assert.match((await staff.post('/desk/send', { ...form, step: '' })).text, />Refund €4\.00<\/button>/);
  assert.equal((await staff.post('/desk/send', form)).status, 303);
});

test('a refund that the proxy refuses shows why, with what can be refunded', async () => {
  const { shop, staff, sent } = await openDesk();
  const paid = payment('ST-1', { status: 'SUCCESS' });
  shop.proxy.answers['GET /orders/ST-1'] = { body: reportOf(paid) };
  const errors = [{ field: 'amount', detail: 'an amount above 0 and at most 6.00 EUR' }];
  const refused = { status: 422, body: { code: 'invalid_request', detail: 'Refused.', retryable: false, errors } };
  shop.proxy.answers['POST /orders/ST-1/refunds'] = refused;
  const form = { id: 'BACK-2345678ABC', order: 'ST-1', payment: 'ST-1', amount: '7', step: 'send' };
  const { status, text } = await staff.post('/desk/send', form);
  assert.equal(status, 422);
  assert.match(text, /at most 6\.00 EUR/);
  const tooMuch = await staff.post('/desk/send', { ...form, amount: '26', step: '' });
  assert.match(tooMuch.text, /A whole number of euros, at most €25\./);
  assert.equal((await staff.post('/desk/send', { ...form, payment: 'ST-2' })).status, 303, 'no such payment');
  for (const wrong of [{ amount: '1.5' }, { order: '' }]) {
    assert.equal((await staff.post('/desk/send', { ...form, ...wrong })).status, 422);
  }
  assert.match((await staff.post('/desk/send', { ...form, id: '' })).text, /<button class="button">Continue</);
  assert.equal(sent().length, 1, 'nothing more is sent');
});

test('the desk offers no refund that cannot be made, and leads from an old link to the list', async () => {
  const { shop, staff } = await openDesk();
  const transactions = [
    payment('ST-PENDING'),
    payment('ST-NOPAYER', { status: 'SUCCESS', payer: null }),
    payment('ST-CENTS', { status: 'SUCCESS', amount: '0.99' }),
    payment('ST-DOLLARS', { status: 'SUCCESS', currency: 'USD' }),
    payment('ST-DOUBT', { status: 'SUCCESS', needsReview: true }),
    payment('ST-DENIED', { status: 'SUCCESS', history: [said('resolved', 'FAILED by Ada: not on the statement')] }),
    payout('PO-1', { status: 'SUCCESS' }),
  ];
  shop.proxy.answers['GET /transactions'] = { body: { transactions, nextCursor: null } };
  assert.doesNotMatch((await staff.get('/desk')).text, />Refund</);
  for (const { orderId, ...each } of transactions) {
    shop.proxy.answers[`GET /orders/${orderId}`] = { body: reportOf(each) };
    const { status, headers } = await staff.get(`/desk/send?order=${orderId}&payment=${orderId}`);
    assert.deepEqual(
      [status, headers.get('location')],
      [303, `/desk?done=${orderId}`],
      'not a payout, which would pay again',
    );
  }
  const old = { id: 'BACK-2345678ABC', order: 'ST-CENTS', payment: 'ST-CENTS', amount: '1', step: '' };
  const { status, headers } = await staff.post('/desk/send', old);
  assert.deepEqual([status, headers.get('location')], [303, '/desk?done=ST-CENTS'], 'nor does an old form');
});

test('a payout that failed can be sent again as a new one, until one that is the same is sent', async () => {
  const { shop, staff } = await openDesk();
  const failed = payout('PO-1', { status: 'FAILED', note: 'Thanks' });
  const again = />Send again</;
  for (const [more, isOffered] of [
    [[], true],
    [[payout('PO-2', { amount: '26.00' }), payment('ST-1')], true],
    [[payout('PO-2')], false],
  ] as const) {
    shop.proxy.answers['GET /transactions'] = { body: { transactions: [...more, failed], nextCursor: null } };
    assert.equal(again.test((await staff.get('/desk/list')).text), isOffered);
  }
  for (const [found, ...values] of [
    [failed, '25', '12345678', 'Thanks'],
    [{ ...failed, status: 'PROCESSING' }, '', '', ''],
    [payment('PO-1', { status: 'FAILED' }), '', '', ''],
  ] as const) {
    shop.proxy.answers['GET /transactions/PO-1'] = { body: found };
    const { text } = await staff.get('/desk/send?payout=PO-1');
    assert.deepEqual(
      ['amount', 'customer', 'note'].map((name) => valueIn(text, name)),
      values,
    );
    assert.match(idIn(text), /^PO-(?!1$)/);
  }
});

test('the desk closes the order of a waiting payment in a second step, and says why if the proxy does not', async () => {
  const { shop, staff, sent } = await openDesk();
  const waiting = payment('ST-1', { payer: null });
  const paid = payment('ST-1', { status: 'SUCCESS', gatewayOrderId: 'ST-1-2' });
  shop.proxy.answers['GET /transactions'] = { body: { transactions: [waiting, paid] } };
  assert.doesNotMatch((await staff.get('/desk/list')).text, /desk\/close/, 'a paid order cannot be closed');
  shop.proxy.answers['GET /transactions'] = { body: { transactions: [waiting], nextCursor: null } };
  assert.match(
    (await staff.get('/desk/list')).text,
    /href="\/desk\/close\?order=ST-1&amp;payment=ST-1" aria-label="Close order ST-1"/,
  );
  shop.proxy.answers['GET /orders/ST-1'] = { body: { ...reportOf(), closed: false, payments: [waiting] } };
  assert.match(
    (await staff.get('/desk/close?order=ST-1&payment=ST-1')).text,
    /Close the order\?[^]*<p>ST-1\u00A0· €25\.00\u00A0· Wallet app, asked ••••\u00A05678<[^]*cannot be reopened[^]*Close the order</,
  );
  assert.deepEqual(sent(), []);

  shop.proxy.answers['POST /orders/ST-1/close'] = {
    status: 409,
    body: { code: 'already_paid', detail: 'The order is paid.', retryable: false },
  };
  const refused = await staff.post('/desk/close', { order: 'ST-1' });
  assert.equal(refused.status, 422);
  assert.match(refused.text, /role="alert">The order is paid\.</);

  shop.proxy.answers['POST /orders/ST-1/close'] = { body: { orderId: 'ST-1', closed: true } };
  const closed = await staff.post('/desk/close', { order: 'ST-1', payment: 'ST-1' });
  assert.equal(closed.headers.get('location'), '/desk?done=ST-1');
  shop.proxy.answers['GET /orders/ST-1'] = { body: { ...reportOf(), closed: true } };
  const { text: after } = await staff.get('/desk?done=ST-1');
  assert.match(after, /class="message over" role="status">\s*Order ST-1: closed\.[^]* Closed<[^]*>may still be paid</);
  assert.doesNotMatch(after, /desk\/close| Waiting</);
});

test('a form with a file in place of a text sends nothing', async () => {
  const { shop, sent, form } = await openDesk();
  const body = new FormData();
  for (const [name, value] of Object.entries({ id: form, amount: '5', step: 'send' })) body.set(name, value);
  body.set('customer', new File(['12345678'], 'wallet.txt'));
  const headers = { origin: shop.url };
  const { status } = await shop.app.request(`${shop.url}/desk/send`, { method: 'POST', headers, body });
  assert.deepEqual([status, sent()], [200, []]);
});
