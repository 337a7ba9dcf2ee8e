// The desk's list: the proxy's transactions as they are, what each asks for, and the sums of each day.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOf, statusName } from '../../../backend-proxy/admin/words.ts';
import { textOf } from '../../backend-proxy/admin/admin-kit.ts';
import { M } from '../../backend-proxy/time.ts';
import { createWorld } from '../../backend-proxy/world.ts';
import { openDesk, payment, payout, refund, said } from './desk-fixture.ts';
import { Browser, openShop } from './shop-fixture.ts';

const REASONS = [
  [
    'SUCCESS for an order id that the gateway reported as a duplicate, and amount differs (asked 10.10 EUR, reported 0.01 EUR)',
    'The gateway says paid, but it had refused this order as a duplicate',
  ],
  ['SUCCESS after FAILED', 'The gateway says paid, but it had said failed'],
  [
    'SUCCESS, but nobody was shown anything to pay with',
    'The gateway says paid, but nobody was shown anything to pay with',
  ],
  ['paymentId', 'The gateway reported a different payment id than was asked for'],
] as const;

/** No later than the start, so that the order of a list is that of the answer. */
const AT_ONCE = '2026-11-20T12:00:00.000Z';

test('the desk lists payments and payouts, and says why one needs review, with a link to its decision', async () => {
  const { shop, staff } = await openDesk();
  const transactions = [
    payment('ST-1', { status: 'FAILED', reason: 'EXPIRED' }),
    payment('ST-0', { status: 'FAILED', reason: 'REPLACED' }),
    ...['USER_CANCELLED', 'INSUFFICIENT_BALANCE', null].map((code, at) =>
      payment(`ST-1${at}`, { status: 'FAILED', reason: 'DECLINED', history: [said('declined', code, AT_ONCE)] }),
    ),
    payout('PO-3', {
      status: 'FAILED',
      reason: 'DECLINED',
      history: [said('declined', 'INSUFFICIENT_BALANCE', AT_ONCE)],
    }),
    payout('PO-4', {
      status: 'FAILED',
      reason: 'REJECTED',
      history: [said('rejected', 'HTTP 400 WALLET_NOT_FOUND', AT_ONCE)],
    }),
    payout('PO-1', { needsReview: true, history: [said('mismatch', 'amount: asked 25.00 EUR, reported 0.07 EUR'), said('needs_review', 'mismatch'), said('declined', null)] }), // prettier-ignore
    payout('PO-2', { needsReview: true, history: [said('needs_review', null)] }),
    payout('PO-5', { status: 'SUCCESS', needsReview: true, history: [said('conflict', 'FAILED after SUCCESS'), said('needs_review', 'conflict')] }), // prettier-ignore
    payment('ST-2', { status: 'SUCCESS', surplus: true }),
    payment('ST-3', { status: 'SUCCESS', needsReview: true, history: [said('mismatch', 'amount: asked 25.00 EUR, reported 0.07 EUR'), said('needs_review', 'mismatch'), said('succeeded', null)] }), // prettier-ignore
    payment('ST-5', { needsReview: true, amount: '14.50', history: [said('mismatch', 'amount: asked 14.50 EUR, reported 0.01 EUR as pending'), said('needs_review', 'mismatch')] }), // prettier-ignore
    payment('ST-4', { needsReview: true, history: [said('rejected', 'a duplicate (asked 25.00 EUR, reported 0.07 EUR as failed)'), said('needs_review', 'SUCCESS for an order id that the gateway reported as a duplicate')] }), // prettier-ignore
    ...REASONS.map(([detail], at) =>
      payment(`ST-R${at}`, { needsReview: true, history: [said('needs_review', detail)] }),
    ),
  ];
  shop.proxy.answers['GET /transactions'] = { body: { transactions, nextCursor: null } };
  const { text } = await staff.get('/desk/list');
  const link = 'href="http://127\\.0\\.0\\.1:8789/admin/transactions/PO-1"';
  assert.match(text, new RegExp(`<li id="PO-1"\\s+class="warn"[^]*?Needs review[^]*?<p>The gateway reported €0\\.07 instead of €25\\.00, and it failed\\. Ask the gateway’s support before you send it again\\.<[^]*?${link}`)); // prettier-ignore
  assert.match(
    text,
    /<h2>To review<small>Once you know how it ended, record it on the operator’s page\.<(?:(?!<h2)[^])*<li id="PO-1"(?:(?!<h2)[^])*<time [^>]* title="Today, Nov 20, [^>]*>started\u00A0\d\d:\d\d<(?:(?!<h2)[^])*<h2>To refund<(?:(?!<h2)[^])*<li id="ST-2"(?:(?!<h2)[^])*<h2>Today, Nov 20, \S+<[^]*<li id="ST-1"/,
  );
  const toReview = [...(text.split('<h2>')[1] ?? '').matchAll(/<li id="(.*?)"/g)].map(([, id]) => id);
  assert.deepEqual(
    toReview,
    ['ST-R3', 'ST-R2', 'ST-R1', 'ST-R0', 'ST-4', 'ST-5', 'ST-3', 'PO-5', 'PO-2', 'PO-1'],
    'the oldest first',
  );
  assert.match(text, /aria-label="Review PO-1">Review</);
  assert.match(text, /id="PO-3"[^]*?<p>Balance too low\. No money moved\.</);
  assert.match(text, /id="PO-4"[^]*? Failed<[^]*?<p>No such customer\. No money moved\.</);
  assert.match(
    text,
    /PO-2"[^]*?<p>The gateway has not said in time how it ended\. Ask the gateway’s support before you send it again\.</,
  );
  assert.match(text, /PO-5"[^]*?<p>The gateway says failed, but it had said sent\. It counts as sent\. Ask the gateway’s support before anything else\.</); // prettier-ignore
  assert.match(
    text,
    /ST-3"[^]*? Paid, needs review<[^]*?<p>The gateway reported €0\.07 instead of €25\.00, and the right one later\. It counts as paid\. Not shipped yet\? Ask the gateway’s support first\.</,
  );
  assert.match(text, /ST-5"[^]*? Waiting, needs review<[^]*?<p>Nobody has paid yet\. The gateway named €0\.01 for a request of €14\.50\. Wait until it is paid or ends\. <a class="act" href="\/desk\/close\?order=ST-5&amp;payment=ST-5" aria-label="Close order ST-5">Close order<\/a><\/p>\s*<a [^>]*>Review</); // prettier-ignore
  assert.match(text, /<small>1 waiting<\/small><\/dt>\s*<dd>€14\.50</, 'it is in the sum of what waits too');
  assert.match(text, /ST-4"[^]*?<p>The gateway says paid, but it had refused this order as a duplicate\. Ask the gateway’s support what was paid\.</); // prettier-ignore
  for (const [, words] of REASONS)
    assert.ok(text.includes(`<p>${words}. Ask the gateway’s support what was paid.</p>`), words);
  assert.match(text, /<li id="ST-2"\s+class="warn"[^]*?Paid twice/);
  const badges = [
    ...text.matchAll(
      /<li id=[^>]*>\s*<b>(?:<a[^>]*>)?(.*?)<\/[^]*?chip (\w+)">.*?<\/span> (.*)<\/span>\s*<span class="about">\s*<span[^>]*>([^<]*)/g,
    ),
  ];
  assert.deepEqual(
    badges.slice(-7).map(([, order, tone, label, kind = '']) => [kind, order, tone, label]),
    [
      ['Wallet app ••••\u00A04321', 'ST-1', 'over', 'Expired'],
      ['Wallet app ••••\u00A04321', 'ST-0', 'over', 'Replaced'],
      ['Wallet app ••••\u00A04321', 'ST-10', 'over', 'Canceled'],
      ['Wallet app ••••\u00A04321', 'ST-11', 'over', 'Balance too low'],
      ['Wallet app ••••\u00A04321', 'ST-12', 'over', 'Declined'],
      ['Payout ••••\u00A05678', 'PO-3', 'bad', 'Failed'],
      ['Payout ••••\u00A05678', 'PO-4', 'bad', 'Failed'],
    ],
  );
});

test('the desk sums up all that came in or waits, also twice or under review, but nothing that is denied', async () => {
  const { shop, staff } = await openDesk();
  const paid = { status: 'SUCCESS', amount: '14.50' };
  const twice = payment('ST-1', { ...paid, gatewayOrderId: 'ST-1-2', surplus: true });
  const all = [
    payment('ST-1', paid),
    twice,
    payment('ST-2', { ...paid, needsReview: true }),
    payment('ST-2', { ...paid, needsReview: true, gatewayOrderId: 'ST-2-2' }),
    payment('ST-2', { ...paid, gatewayOrderId: 'ST-2-3', history: [said('resolved', 'FAILED by Ada: not paid')] }),
    payment('ST-3', { amount: '20.00' }),
    payment('ST-4', { amount: '30.00', needsReview: true }),
    payment('ST-5', { ...paid, createdAt: '2026-11-18T12:00:00.000Z' }),
    payout('PO-1', { status: 'SUCCESS' }),
    payout('PO-2', { needsReview: true }),
    refund('ST-9', { status: 'SUCCESS', amount: '5.00' }),
  ];
  const totals = async (...transactions: object[]) => {
    shop.proxy.answers['GET /transactions'] = { body: { transactions, nextCursor: null } };
    const { text } = await staff.get('/desk/list');
    return [...text.matchAll(/<h2>(.*?)<|<dt><small>(.*)<\/small><\/dt>\s*<dd>(?:<b>)?([^\s<]+)</g)].map((total) =>
      total.slice(1).filter(Boolean).join(' '),
    );
  };
  assert.deepEqual(await totals(...all), [
    'To review',
    'To refund',
    'Today, Nov 20, UTC',
    '4 received, 1\u00A0denied €58.00',
    '2 sent €30.00',
    '2 waiting €50.00',
    'Nov 18, UTC',
    '1 received €14.50',
  ]);
  assert.match((await staff.get('/desk/list')).text, /ST-4"[^]*? Waiting, needs review<[^]*?<p>The gateway has not said in time how it ended\. Ask the gateway’s support what was paid\. /); // prettier-ignore
  assert.match(
    (await staff.get('/desk/list')).text,
    /<p>The order was already paid\. Refund €14\.00 of €14\.50: the gateway sends whole amounts only\./,
  );
  const back = refund('ST-1-2', { amount: '14.00' });
  assert.equal((await totals(twice, back)).at(-1), '1 on its way €14.00');
  assert.doesNotMatch((await staff.get('/desk/list')).text, /<h2>To refund</, 'it is on its way back');
  for (const [more, figure, named] of [
    [{ reportedFailedAt: '2026-11-20T12:00:00.000Z' }, '1 being checked €14.00'],
    [{ status: 'INITIALIZED', history: [said('uncertain', 'ECONNRESET')] }, '1 being checked €14.00'],
    [{ status: 'INITIALIZED', history: [] }, '1 being sent €14.00'],
    [{ needsReview: true, history: [] }, '1 received €14.50', 'needs review'],
  ] as const) {
    assert.equal((await totals(twice, { ...back, ...more })).at(-1), figure);
    const chip = (named ?? figure.replace(/^1 |, .*| €.*/g, '')).replace('being checked', '[\\w ]+, being checked');
    assert.match((await staff.get('/desk/list')).text, new RegExp(`<p class="refund">\\s*−€14\\.00\\s+<b[^>]*>. ${chip}<`, 'i')); // prettier-ignore
  }
  const inReview = ['PO-1', 'PO-2'].map((id) => payout(id, { needsReview: true }));
  assert.deepEqual(await totals(...inReview), ['To review', 'Today, Nov 20, UTC', '0 received €0.00']);
  assert.deepEqual(await totals(twice, { ...back, status: 'SUCCESS' }), ['Today, Nov 20, UTC', '1 received €14.50', '1 sent €14.00']); // prettier-ignore
  assert.equal((await totals({ ...twice, amount: '14.00' }, { ...back, status: 'SUCCESS' })).at(-1), '1 sent €14.00');
  assert.match((await staff.get('/desk/list')).text, /chip over">[^]*? Paid twice, refunded</);
  const first = refund('ST-1', { status: 'SUCCESS', amount: '9.00' });
  const last = { ...first, amount: '5.00' };
  const card =
    /−€9\.00\s[^]*? Refunded<[^]*? · €0\.50 is on the customer’s coffee card\s[^]*?−€5\.00(?![^]*coffee card)/;
  await totals(payment('ST-1', paid), first, last);
  assert.match((await staff.get('/desk/list')).text, /chip over">[^]*?<\/span> Refunded</);
  assert.match((await staff.get('/desk/list')).text, card);
  for (const more of [{ status: 'FAILED' }, { status: 'PROCESSING' }, { needsReview: true }]) {
    await totals(payment('ST-1', paid), first, { ...last, ...more });
    assert.doesNotMatch((await staff.get('/desk/list')).text, /coffee card/);
  }
  await totals(payment('ST-1', paid), refund('ST-1', { status: 'SUCCESS', amount: '4.00' }));
  assert.match((await staff.get('/desk/list')).text, /chip part">[^]*?◐<\/span> Partly refunded<(?![^]*coffee card)/);
  await totals(payment('ST-1', { ...paid, amount: '14.00' }), refund('ST-1', { status: 'SUCCESS', amount: '14.00' }));
  assert.match((await staff.get('/desk/list')).text, /chip over">[^]*?<\/span> Refunded</);
});

test('the desk of a shop without payments leads to an order, and one of many keeps what is to review in sight', async () => {
  const { shop, staff } = await openDesk();
  shop.proxy.answers['GET /transactions'] = { body: { transactions: [], nextCursor: null } };
  assert.match((await staff.get('/desk')).text, /No payment\. Pay for an <a href="\/">order in the shop</);
  const review = payout('PO-1', { needsReview: true, history: [said('needs_review', null)] });
  shop.proxy.answers['GET /transactions'] = { body: { transactions: [review], nextCursor: null } };
  assert.match(
    (await staff.get('/desk')).text,
    /<li id="PO-1"[^]*These are the last 7 days\.\s+All are on the <a href="[^"]*admin">operator’s page</,
  );
  const from = new Date(shop.proxy.asked.at(-1)?.query.get('from') ?? '');
  assert.equal(from.getTime(), new Date(2026, 10, 14).getTime(), 'each day is whole');
  const many = Array.from({ length: 101 }, (_, n) => payment(`ST-${n}`, { status: 'SUCCESS' }));
  shop.proxy.answers['GET /transactions'] = { body: { transactions: [...many, review], nextCursor: null } };
  const { text } = await staff.get('/desk/list');
  assert.match(
    text,
    /<li id="PO-1"[^]*<li id="ST-0"[^]*The newest 100\. These are the last 7 days\.\s+All are on the <a href="[^"]*admin">operator’s page</,
  );
  assert.doesNotMatch(text, /<li id="ST-100"/);
});

test('a row says how and by which wallet, which was asked or led to the website, and what was bought', async () => {
  const { shop, staff } = await openDesk();
  const [goods = '', topUp = ''] = [
    await staff.order({ 'dawn-chorus': '2', 'stone-dripper': '1' }),
    (await staff.post('/account/top-ups', {})).headers.get('location') ?? '',
  ].map((path) => path.split('/').at(-1));
  const transactions = [
    payment(goods, { status: 'SUCCESS' }),
    refund('ST-1', { orderId: goods }),
    payment(topUp, { payer: null }),
    payment('ST-2', { payer: null, customer: null, method: 'QR' }),
    payment('ST-3', { payer: null, method: 'CHECKOUT' }),
    payment('ST-4', { payer: null, customer: null, method: 'NEWER' }),
    payout('PO-1', { note: 'For you' }),
  ];
  shop.proxy.answers['GET /transactions'] = { body: { transactions, nextCursor: null } };
  const { text } = await staff.get('/desk/list');
  assert.deepEqual(
    [...text.matchAll(/class="about">\s*(.*?)\s*<\/span>\s*<time/g)].map(([, about = '']) =>
      [...about.matchAll(/<span[^>]*>(.*?)</g)].map(([, part]) => part).join(' · '),
    ),
    [
      'Wallet app ••••\u00A04321 · 2\u00A0×\u00A0Dawn Chorus, Stone Dripper',
      'Refund ••••\u00A05678 · 2\u00A0×\u00A0Dawn Chorus, Stone Dripper',
      'Wallet app, asked ••••\u00A05678 · Coffee card',
      'QR code',
      'Wallet website, entered ••••\u00A05678',
      'NEWER',
      'Payout ••••\u00A05678 · For you',
    ],
  );
  const close = await staff.get(`/desk/close?order=${topUp}&payment=${topUp}`);
  assert.match(close.text, new RegExp(`<p>${topUp}\\u00A0· Coffee card</p>`));
  shop.proxy.answers[`GET /orders/${goods}`] = { body: { payments: [transactions[0]] } };
  const back = await staff.get(`/desk/send?order=${goods}&payment=${goods}`);
  assert.match(back.text, new RegExp(`<p>${goods}\\u00A0· .*\\u00A0· 2\\u00A0×\\u00A0Dawn Chorus, Stone Dripper</p>`));
});

test('a row says who decided, and why nothing can be refunded', async () => {
  const { shop, staff } = await openDesk();
  const decided = (detail: string) => [said('resolved', detail, '2026-11-21T09:30:00.000Z')];
  const transactions = [
    payment('ST-1', {
      gatewayOrderId: 'ST-1/2',
      status: 'SUCCESS',
      history: [said('uncertain', 'HTTP 409 DUPLICATE_ORDER'), ...decided('SUCCESS by Ada: on the statement')],
    }),
    payment('ST-2', { status: 'FAILED', reason: 'EXPIRED', history: [said('declined', 'TOKEN_EXPIRED', AT_ONCE)] }),
    payout('PO-1', { status: 'FAILED', reason: 'RESOLVED', history: decided('FAILED by Ada: not sent') }),
    payment('ST-3', { status: 'SUCCESS', payer: null }),
    payment('ST-4', { status: 'SUCCESS', payer: null, erasedAt: '2026-11-20T12:00:05.000Z' }),
    payment('ST-5', { status: 'SUCCESS', history: decided('FAILED') }),
    payment('ST-6', { status: 'SUCCESS', payer: null, history: decided('SUCCESS by Ada: ') }),
  ];
  shop.proxy.answers['GET /transactions'] = { body: { transactions, nextCursor: null } };
  const rows = (await staff.get('/desk/list')).text.split('<li ').slice(1);
  assert.deepEqual(
    rows.map((row) => /<p>(.*)<\/p>/.exec(row)?.[1]),
    [
      'Ada confirmed that the money moved. It cannot be refunded, because the gateway reported its id as a duplicate.',
      undefined,
      'Ada confirmed that no money moved.',
      'It cannot be refunded, because the gateway did not name the whole wallet that paid.',
      'It cannot be refunded, because the wallet that paid is erased.',
      'A person denied that the money moved. If it was shipped or counted as paid, stop the order and tell the customer.',
      'Ada confirmed that the money moved. It cannot be refunded, because a person has resolved it, so the wallet that paid is not verified.',
    ],
  );
  assert.match(rows[5] ?? '', /data-moved="">[^]*chip warn"><span aria-hidden="true">!<\/span> Paid, denied</);
  assert.doesNotMatch(rows.join(''), /desk\/send\?order/);
  const alone = new Browser(openShop(shop.proxy, undefined, { publicUrl: 'http://127.0.0.1:8080' }));
  assert.doesNotMatch((await alone.get('/desk/list')).text, /operator/);
});

test('the desk opens what waits and today, and folds the days before, whose totals stay in sight', async () => {
  const { shop, staff } = await openDesk();
  const before = { status: 'SUCCESS', createdAt: '2026-11-18T12:00:00.000Z' };
  const review = payout('PO-1', { ...before, needsReview: true, history: [said('needs_review', null)] });
  const transactions = [payment('ST-1'), payment('ST-2', before), payment('ST-3', before), review];
  shop.proxy.answers['GET /transactions'] = { body: { transactions, nextCursor: null } };
  const { text } = await staff.get('/desk/list');
  const folds = text.matchAll(
    /<section aria-label="(.*?)">[^]*?<details class="transactions" (open)?>\s*<summary>.*>(Show .*?)</g,
  );
  assert.deepEqual(
    [...folds].map((fold) => fold.slice(1).join(' ')),
    ['To review open Show it', 'Today, Nov 20, UTC open Show it', 'Nov 18, UTC  Show all 2'],
  );
  assert.match(text, /Nov 18, UTC<\/h2>[^]*2 received[^]*€50\.00[^]*1 sent[^]*<details/);
});

test('a row has the time when the money moved, the newest first, and without money when it started', async () => {
  const { shop, staff } = await openDesk();
  const transactions = [
    payment('ST-1', { status: 'SUCCESS', history: [said('succeeded', null, '2026-11-20T12:02:00.000Z')] }),
    payment('ST-2', {
      status: 'FAILED',
      reason: 'DECLINED',
      history: [said('declined', null, '2026-11-21T00:03:00.000Z')],
    }),
    payment('ST-3', { history: [said('rejected', 'a duplicate', '2026-11-20T12:04:00.000Z')] }),
    payment('ST-4', {
      status: 'SUCCESS',
      history: [
        said('mismatch', 'paymentId', '2026-11-20T12:04:00.000Z'),
        { ...said('succeeded', 'RESOLVED', '2026-11-20T12:09:00.000Z'), source: 'person' },
      ],
    }),
  ];
  shop.proxy.answers['GET /transactions'] = { body: { transactions, nextCursor: null } };
  assert.deepEqual(
    [...(await staff.get('/desk/list')).text.matchAll(/<time [^>]*>(.*)<\/time>/g)].map(([, time]) => time),
    ['12:04', '12:02', 'started\u00A012:00', 'started\u00A012:00'],
  );
});

test('nobody can pay by a code whose answer was lost: it is not started, does not wait, and cannot be paid later', async () => {
  const { shop, staff } = await openDesk();
  const history = [said('sending', null), said('uncertain', 'ECONNRESET')];
  const unpaid = { payer: null, history };
  const transactions = [
    payment('ST-1', { ...unpaid, method: 'QR', status: 'INITIALIZED' }),
    payment('ST-2', { ...unpaid, method: 'CHECKOUT' }),
    payment('ST-3', { ...unpaid, method: 'JETGO', status: 'FAILED', reason: 'REPLACED' }),
    payment('ST-4', { ...unpaid, method: 'DIRECT', status: 'FAILED', reason: 'REPLACED' }),
  ];
  shop.proxy.answers['GET /transactions'] = { body: { transactions, nextCursor: null } };
  const { text } = await staff.get('/desk/list');
  const lost = /chip over"><span aria-hidden="true">–<\/span> Not started<[^]*>the gateway’s answer was lost</;
  const [, ...rows] = text.split('<li ');
  assert.deepEqual(
    rows.map((row) => [lost.test(row), row.includes('may still be paid'), row.includes('Close order')]),
    [
      [true, false, false],
      [true, false, false],
      [false, false, false],
      [false, true, false],
    ],
  );
  assert.doesNotMatch(text, / waiting</);
});

test('of a lost answer or a reported failure, the desk says that it is being checked', async () => {
  const { shop, staff } = await openDesk();
  const sending = { status: 'INITIALIZED', history: [said('sending', null)] };
  const lost = { ...sending, history: [...sending.history, said('uncertain', 'ECONNRESET')] };
  const reported = payout('PO-2', { reportedFailedAt: '2026-11-20T12:00:00.000Z' });
  const transactions = [payment('ST-1', sending), payment('ST-2', lost), payout('PO-1', lost), reported];
  shop.proxy.answers['GET /transactions'] = { body: { transactions, nextCursor: null } };
  const { text } = await staff.get('/desk/list');
  const found = payment('ST-3', { ...lost, status: 'PROCESSING', payer: null });
  shop.proxy.answers['GET /transactions'] = { body: { transactions: [found], nextCursor: null } };
  assert.match((await staff.get('/desk/list')).text, / Waiting<[^]*>the gateway’s answer was lost</);
  const nothing = 'There is nothing to do yet\\.';
  for (const id of ['PO-1', 'PO-2']) assert.match(text, new RegExp(`<li id="${id}"(?:(?!<li)[^])*<p>${nothing}<`));
  assert.equal(text.split('nothing to do').length, 3, 'a payment may still be closed');
  const labels = text.matchAll(/chip wait"><span aria-hidden="true">…<\/span> (.*)<\/span>/g);
  assert.deepEqual(
    [...labels].map(([, label]) => label),
    [
      'Being sent',
      'No clear answer, being checked',
      'No clear answer, being checked',
      'Reported failed, being checked',
    ],
  );
});

test('what is being checked, or has failed, is called as on the operator’s page', async (t) => {
  const world = await createWorld(t);
  await world.proxy.begin();
  for (const [orderId, fault] of [
    ['P-REFUSED', { status: 422 }],
    ['P-DUPLICATE', { status: 409 }],
    ['P-LOST', { dropAnswer: true }],
    ['P-FAILING', {}],
    ['P-GOING', {}],
  ] as const) {
    await world.faults({ payout: fault });
    await world.merchant('POST', '/payouts', { orderId, amount: 5, currency: 'EUR', customer: '12345678' });
  }
  await world.faults({});
  await world.customer('decline', 'P-FAILING');
  await world.pass(0);
  const { shop, staff } = await openDesk();
  const compare = async () => {
    const { body } = await world.merchant<{ transactions: { gatewayOrderId: string }[] }>('GET', '/transactions');
    shop.proxy.answers['GET /transactions'] = { body: { transactions: body.transactions, nextCursor: null } };
    const { text } = await staff.get('/desk/list');
    const names: string[] = [];
    for (const { gatewayOrderId: id } of body.transactions) {
      const sent = (await world.ledger.transaction(id)) ?? assert.fail();
      const name = statusName(sent);
      const row = textOf(text.split(`<li id="${id}"`)[1]?.split('<li ')[0] ?? '');
      assert.ok(row.includes(` ${name} `), `${name}: ${row}`);
      assert.ok(row.includes(failureOf(sent)), `${failureOf(sent)}: ${row}`);
      assert.equal(row.includes(' tried '), name === 'Failed', row);
      names.push(`${id} ${name}`);
    }
    return names.toSorted();
  };
  assert.deepEqual(await compare(), [
    'P-DUPLICATE Refused, being checked',
    'P-FAILING Reported failed, being checked',
    'P-GOING On its way',
    'P-LOST No clear answer, being checked',
    'P-REFUSED Refused, being checked',
  ]);
  await world.pass(20 * M);
  assert.deepEqual(await compare(), [
    'P-DUPLICATE Refused, being checked',
    'P-FAILING Failed',
    'P-GOING Paid out',
    'P-LOST Paid out',
    'P-REFUSED Failed',
  ]);
});

test('the desk says what may still be paid: a payment that the proxy ended, and the gateway did not', async () => {
  const { shop, staff } = await openDesk();
  const ended = (reason: string, ...history: object[]) => payment(reason, { status: 'FAILED', reason, history });
  const transactions = [
    ended('EXPIRED', said('expired', null)),
    ended('REPLACED', said('replaced', null)),
    ended('DECLINED', said('declined', null)),
    payment('ST-1', { status: 'FAILED', reason: 'EXPIRED', history: [said('declined', 'TOKEN_EXPIRED')] }),
  ];
  shop.proxy.answers['GET /transactions'] = { body: { transactions, nextCursor: null } };
  const rows = (await staff.get('/desk/list')).text.split('<li ').slice(1);
  assert.deepEqual(
    rows.map((row) => row.includes('may still be paid')),
    [true, true, false, false],
  );
});

test('the desk escapes markup in a note', async () => {
  const { shop, staff } = await openDesk();
  const transactions = [payout('PO-1', { note: '<img src=x onerror=alert(1)>' })];
  shop.proxy.answers['GET /transactions'] = { body: { transactions, nextCursor: null } };
  assert.match((await staff.get('/desk')).text, /&lt;img src=x/);
});

test('what was just sent is named above the list, as it stands', async () => {
  const { shop, staff } = await openDesk();
  const failed = { status: 'FAILED', reason: 'DECLINED', history: [said('declined', 'UNKNOWN_CUSTOMER')] };
  for (const [tone, more, message] of [
    ['wait', {}, 'on its way.'],
    ['wait', { reportedFailedAt: AT_ONCE }, 'reported failed, being checked. There is nothing to do yet.'],
    ['good', { status: 'SUCCESS' }, 'paid out.'],
    ['warn', { status: 'FAILED', needsReview: true }, 'needs review. The gateway has not said in time'],
    ['bad', failed, 'failed. No such customer. No money moved.'],
  ] as const) {
    shop.proxy.answers['GET /transactions'] = {
      body: { transactions: [payout('PO-1', more), payout('PO-2')], nextCursor: null },
    };
    const { text } = await staff.get('/desk?done=PO-1');
    const note = /class="message (\w+)" role="status">([^]*?)<\/p>/.exec(text);
    assert.equal(note?.[1], tone);
    const words = (note?.[2] ?? '').replaceAll(/<[^>]*>/g, '').trim();
    assert.ok(words.startsWith(`€25.00 to ••••\u00A05678: ${message}`), words);
    assert.doesNotMatch((await staff.get('/desk?done=PO-9')).text, /role="status"/);
  }
  const transactions = [refund('ST-1-2'), payment('ST-1', { gatewayOrderId: 'ST-1-2', status: 'SUCCESS' })];
  shop.proxy.answers['GET /transactions'] = { body: { transactions, nextCursor: null } };
  assert.match((await staff.get('/desk?done=ST-1-2-r1')).text, / €25\.00 of ST-1-2 to ••••\u00A05678: on its way\./);
});
