// What the desk shows of many transactions, in the reader's time zone and in a merchant's words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockOf } from '../../../demo/shop/desk-clock.ts';
import { addressOf, filterOf, viewOf } from '../../../demo/shop/desk-view.ts';
import {
  badgeOf,
  detailOf,
  eventName,
  explanationOf,
  methodOf,
  reviewReason,
  sourceName,
  stateOf,
} from '../../../demo/shop/desk-words.ts';
import type { Payment, Payout, Refund, Transaction } from '../../../demo/shop/proxy-client.ts';
import {
  detailOf as operatorsDetail,
  eventName as operatorsEvent,
  explanationOf as operatorsExplanation,
  kindOf,
  reviewReason as operatorsReason,
  sourceName as operatorsSource,
  statusName,
} from '../../../backend-proxy/admin/words.ts';
import { METHODS } from '../../../backend-proxy/protocol/wire.ts';
import {
  STAGES,
  reasonOf,
  type Stage,
  type Transaction as Stored,
} from '../../../backend-proxy/protocol/transaction.ts';
import { Browser, openShop } from './shop-fixture.ts';

const NOW = new Date('2026-11-22T23:30:00Z');
const common = {
  orderId: 'ST-1',
  amount: '14.50',
  currency: 'EUR',
  customer: null,
  status: 'SUCCESS',
  reason: null,
  needsReview: false,
  createdAt: '2026-11-22T12:00:00.000Z',
  updatedAt: '2026-11-22T12:00:00.000Z',
  history: [],
} as const;
const payment = (more: Partial<Payment> = {}): Payment => ({
  ...common,
  history: [],
  type: 'PAY',
  gatewayOrderId: more.orderId ?? 'ST-1',
  method: 'QR',
  payer: null,
  surplus: false,
  afterClose: false,
  ...more,
});
const payout = (more: Partial<Payout> = {}): Payout => ({
  ...common,
  history: [],
  type: 'PAYOUT',
  note: null,
  ...more,
});
const view = (all: readonly Transaction[], query: Record<string, string> = {}, zone = 'UTC') =>
  viewOf(all, filterOf(query), clockOf(zone, NOW), NOW);
const idsIn = ({ days }: ReturnType<typeof view>) => days.flatMap(({ rows }) => rows.map(({ orderId }) => orderId));

const historyOf = (events: readonly string[], sources: readonly string[] = ['check']) =>
  events.map((event, at) => ({ at: '', event, source: sources[at % sources.length] ?? '', detail: null }));

test('the desk groups transactions by the day of the reader’s time zone', () => {
  const late = payment({ createdAt: '2026-11-22T22:30:00.000Z' });
  const early = payment({ createdAt: '2026-11-22T12:00:00.000Z' });
  const names = (zone: string) => view([late, early], {}, zone).days.map(({ name }) => name);
  assert.deepEqual(names('UTC'), ['Today, 22 November']);
  assert.deepEqual(names('Europe/Helsinki'), ['Today, 23 November', 'Yesterday, 22 November']);
  assert.deepEqual(
    view([payment({ createdAt: '2026-11-20T12:00:00.000Z' })]).days.map(({ name }) => name),
    ['Friday, 20 November'],
  );
});

test('the desk says its time zone with the offset, and ignores an unknown one', () => {
  const { zoneName, timeOf } = clockOf('Europe/Helsinki', NOW);
  assert.equal(zoneName, 'Europe/Helsinki, GMT+2');
  assert.equal(timeOf(NOW), '01:30');
  const { zone } = clockOf(undefined, NOW);
  for (const wrong of ['', 'Mars/Olympus', '<b>']) assert.equal(clockOf(wrong, NOW).zone, zone, wrong);
});

test('the totals of a day have what was paid that day, whatever the list is narrowed to', () => {
  const all = [
    payment(),
    payment({ amount: '0.05' }),
    payment({ amount: '38.00', needsReview: true }),
    payment({ amount: '52.50', surplus: true }),
    payment({ status: 'FAILED', reason: 'EXPIRED', amount: '99.00' }),
    payment({ amount: '7.00', currency: 'USD' }),
    payout({ amount: '25.00' }),
    payout({ amount: '300.00', status: 'PROCESSING' }),
    payment({ createdAt: '2026-11-21T12:00:00.000Z' }),
  ];
  for (const query of [{}, { state: 'unpaid' }, { find: 'nothing' }] as Record<string, string>[]) {
    assert.deepEqual(view(all, query).today, {
      paidIn: { amount: '14.55', count: 2 },
      paidOut: { amount: '25.00', count: 1 },
    });
  }
  assert.deepEqual(view(all, { show: 'payments', state: 'unpaid' }).days[0]?.paidOut, { amount: '25.00', count: 1 });
});

test('the desk narrows by kind, state and part of an order id, and counts each state', () => {
  const all = [
    payment({ orderId: 'ST-OPEN', status: 'PROCESSING' }),
    payment({ orderId: 'ST-PAID', gatewayOrderId: 'ST-PAID-2' }),
    payment({ orderId: 'ST-GONE', status: 'FAILED', reason: 'EXPIRED' }),
    payout({ orderId: 'PO-ASK', status: 'INITIALIZED', needsReview: true }),
  ];
  assert.deepEqual(idsIn(view(all, { state: 'waiting' })), ['ST-OPEN']);
  assert.deepEqual(idsIn(view(all, { state: 'paid' })), ['ST-PAID']);
  assert.deepEqual(idsIn(view(all, { state: 'unpaid' })), ['ST-GONE']);
  assert.deepEqual(idsIn(view(all, { state: 'review' })), ['PO-ASK']);
  assert.deepEqual(idsIn(view(all, { show: 'payouts' })), ['PO-ASK']);
  assert.deepEqual(idsIn(view(all, { find: ' paid-2 ' })), ['ST-PAID']);
  assert.deepEqual(idsIn(view(all, { show: 'payouts', find: 'ST' })), []);
  assert.deepEqual(view(all, { state: 'paid', show: 'payments' }).counts, {
    all: 3,
    waiting: 1,
    paid: 1,
    unpaid: 1,
    review: 0,
  });
  assert.equal(idsIn(view(all, { show: 'toString', state: 'constructor', page: '0' })).length, 4);
});

test('the desk shows 25 rows a page, the last page for any later one, and totals of whole days', () => {
  const all = Array.from({ length: 60 }, (_, at) => payment({ orderId: `ST-${at}` }));
  const second = view(all, { page: '2' });
  assert.deepEqual([second.first, second.last, second.matching], [26, 50, 60]);
  assert.deepEqual(idsIn(second).at(0), 'ST-25');
  assert.equal(second.days[0]?.paidIn.count, 60);
  const beyond = view(all, { page: '99' });
  assert.deepEqual([beyond.first, beyond.last, beyond.filter.page], [51, 60, 3]);
  assert.deepEqual([view([]).first, view([]).last], [0, 0]);
});

test('the address of a filter is read as that filter', () => {
  const filter = { show: 'payouts', state: 'review', find: 'ST-1&page=9', page: 3 } as const;
  const query = Object.fromEntries(new URL(addressOf(filter), 'http://shop').searchParams);
  assert.deepEqual(filterOf(query), filter);
  assert.equal(addressOf(filterOf({})), '/desk');
});

test('a second payment of an order needs a person until its money is on its way back', () => {
  const twice = payment({ surplus: true, payer: '12345678' });
  const back = (status: Refund['status']): Refund[] => [
    {
      ...payout({ status }),
      type: 'REFUND',
      gatewayOrderId: 'ST-1-r1',
      refundOf: twice.gatewayOrderId,
      amount: twice.amount,
    },
  ];
  assert.equal(stateOf(twice, []), 'review');
  assert.equal(stateOf(twice, back('FAILED')), 'review');
  assert.equal(stateOf(twice, back('PROCESSING')), 'paid');
  assert.equal(stateOf(payment({ surplus: true, needsReview: true }), back('SUCCESS')), 'review');
});

test('a payment of a closed order is not called paid, and is to be sent back', () => {
  const late = payment({ afterClose: true });
  const state = stateOf(late, []);
  assert.deepEqual([state, badgeOf(late, state).label], ['review', 'Paid after closing']);
  assert.equal(explanationOf(late, state), 'The order was closed before. Send this money back to the customer.');
});

test('the desk and the operator’s page have the same words for methods, statuses, events and reasons', () => {
  const flags = { needsReview: false, surplus: false, afterClose: false };
  for (const [type, of] of Object.entries({ PAY: payment, PAYOUT: payout }) as ['PAY', typeof payment][]) {
    for (const stage of Object.keys(STAGES) as Stage[]) {
      const stored = { ...flags, type, stage, endedBy: null, history: [] as Stored['history'] } as Stored;
      const shown = { status: STAGES[stage].status, reason: reasonOf(stored), history: historyOf([stage]) };
      assert.equal(badgeOf(of(shown), 'waiting').label, statusName(stored), stage);
      assert.equal(explanationOf(of(shown), 'waiting') ?? '', operatorsExplanation(stored), stage);
    }
  }
  for (const endedBy of ['EXPIRED', 'RESOLVED'] as const) {
    const stored = { ...flags, type: 'PAY', stage: 'declined', endedBy, history: [] as Stored['history'] } as Stored;
    assert.equal(badgeOf(payment({ status: 'FAILED', reason: endedBy }), 'unpaid').label, statusName(stored));
  }
  for (const surplus of [true, false]) {
    const stored = { ...flags, type: 'PAY', stage: 'succeeded', surplus, afterClose: !surplus } as Stored;
    assert.equal(badgeOf(payment({ surplus, afterClose: !surplus }), 'paid').label, statusName(stored));
  }
  for (const method of METHODS)
    assert.equal(`Payment · ${methodOf(payment({ method }))}`, kindOf({ type: 'PAY', method } as Stored));
  const events = [...Object.keys(STAGES), 'created', 'surplus', 'after_close', 'mismatch', 'conflict', 'needs_review', 'resolved', 'erased']; // prettier-ignore
  const sources = ['shopper', 'merchant', 'merchant:shop', 'answer', 'check', 'clock', 'restart', 'person'];
  for (const [at, entry] of historyOf(events, sources).entries()) {
    assert.equal(eventName(entry), operatorsEvent(entry as unknown as Stored['history'][number]), events[at]);
    assert.match(eventName(entry), /^[A-Z]/);
  }
  for (const source of sources)
    for (const detail of [
      null,
      'mismatch',
      'SUCCESS by Ada: line 4',
      'FAILED',
      'amount: asked 10.10 EUR, reported 0.07 EUR',
    ])
      for (const event of ['created', 'sending', 'succeeded', 'resolved', 'mismatch', 'declined']) {
        const entry = { at: '', event, source, detail };
        const stored = { ...entry, at: 0 } as Stored['history'][number];
        const words = [eventName(entry), sourceName(entry), detailOf(entry)];
        assert.deepEqual(words, [operatorsEvent(stored), operatorsSource(stored), operatorsDetail(stored)]);
      }
});

test('a canceled payment and too little money are told apart, by the desk as by the operator’s page', () => {
  for (const [detail, label, said] of [
    ['USER_CANCELLED', 'Canceled', 'The customer canceled it. No money moved.'],
    [
      'INSUFFICIENT_BALANCE',
      'Too little money',
      /^The wallet had too little money, so no money moved\. .* pay again\.$/,
    ],
    ['DECLINED', 'Declined', 'The gateway says that it failed. No money moved.'],
  ] as const) {
    const history = [{ at: '', event: 'declined', source: 'check', detail }];
    for (const [type, of] of Object.entries({ PAY: payment, PAYOUT: payout }) as ['PAY', typeof payment][]) {
      const entry = of({ status: 'FAILED', reason: 'DECLINED', history });
      const explanation = explanationOf(entry, 'unpaid') ?? '';
      const isPay = type === 'PAY';
      assert.equal(badgeOf(entry, 'unpaid').label, isPay ? label : 'Declined', 'only a customer’s wallet is meant');
      if (isPay) assert.match(explanation, typeof said === 'string' ? RegExp(`^${RegExp.escape(said)}$`) : said);
      const stored = { type, stage: 'declined', endedBy: null, history } as unknown as Stored;
      assert.deepEqual(
        [statusName(stored), operatorsExplanation(stored)],
        [badgeOf(entry, 'unpaid').label, explanation],
      );
    }
  }
});

test('the history says what a code of the gateway or of the network means, and names the code', () => {
  for (const [event, detail, said] of [
    ['uncertain', 'HTTP 409 DUPLICATE_ORDER', 'the gateway has this id already (HTTP 409 DUPLICATE_ORDER)'],
    ['uncertain', 'HTTP 400 ORDER_ALREADY_EXISTS', 'the gateway has this id already (HTTP 400 ORDER_ALREADY_EXISTS)'],
    ['rejected', 'HTTP 401 INVALID_API_KEY', 'the gateway refused the proxy’s key (HTTP 401 INVALID_API_KEY)'],
    ['rejected', 'HTTP 422 INVALID_REQUEST', 'the gateway refused the request (HTTP 422 INVALID_REQUEST)'],
    ['uncertain', 'HTTP 503', 'the gateway had a problem (HTTP 503)'],
    ['not_created', 'ECONNREFUSED', 'the gateway could not be reached (ECONNREFUSED)'],
    ['uncertain', 'UND_ERR_SOCKET', 'the gateway’s answer did not come (UND_ERR_SOCKET)'],
    ['uncertain', 'TimeoutError', 'the gateway’s answer did not come (TimeoutError)'],
    ['declined', 'USER_CANCELLED', 'the customer canceled (USER_CANCELLED)'],
    ['declined', 'INSUFFICIENT_BALANCE', 'too little money (INSUFFICIENT_BALANCE)'],
    ['declined', 'TOKEN_EXPIRED', 'the time to pay was over (TOKEN_EXPIRED)'],
    ['declined', 'DECLINED', ''],
    ['declined', 'SOME_OTHER_CODE', 'SOME_OTHER_CODE'],
    ['uncertain', 'the process restarted during the call', 'the process restarted during the call'],
  ] as const) {
    const entry = { at: '', event, source: 'answer', detail };
    assert.equal(detailOf(entry), said);
    assert.equal(operatorsDetail({ ...entry, at: 0 } as Stored['history'][number]), said);
  }
});

test('the desk says what to do while it is not clear whether the gateway has a payment', () => {
  const unclear = (detail: string) =>
    explanationOf(payment({ status: 'INITIALIZED', history: [{ at: '', event: 'uncertain', source: 'answer', detail }] }), 'waiting'); // prettier-ignore
  assert.match(unclear('HTTP 503') ?? '', /Status checks find out, so there is nothing to do yet\.$/);
  assert.match(
    unclear('HTTP 409 DUPLICATE_ORDER') ?? '',
    /had this id before.* Ask the operator before you ship or send/,
  );
});

test('why a payment is in review is said from its history, by the desk as by the operator’s page', () => {
  const figures = 'amount: asked 48.00 EUR, reported 0.01 EUR';
  const differs = [['mismatch', figures], ['needs_review', 'mismatch']] as const; // prettier-ignore
  for (const [steps, said] of [
    [differs, 'The gateway reported another amount than was requested: asked €48.00, reported €0.01.'],
    [
      [...differs, ['succeeded', null]],
      /reported €0\.01, and confirmed the payment later\. Compare with the gateway’s statement\.$/,
    ],
    [[['succeeded', null], ...differs], /reported €0\.01\.$/],
    [
      [
        ['conflict', 'FAILED after SUCCESS'],
        ['needs_review', 'conflict'],
      ],
      'The gateway reports a failure after a success.',
    ],
    [[['needs_review', 'the database was restored']], 'The database was restored.'],
    [[['needs_review', null]], 'The gateway has not reported an outcome in time.'],
  ] as const) {
    const history = steps.map(([event, detail]) => ({ at: '', event, source: 'check', detail }));
    const reason = reviewReason({ history });
    if (typeof said === 'string') assert.equal(reason, said);
    else assert.match(reason, said);
    const stored = { history, mismatch: false, conflict: false } as unknown as Stored;
    assert.equal(operatorsReason(stored), reason);
    assert.equal(explanationOf(payment({ needsReview: true, history }), 'review')?.startsWith(reason), true);
  }
});

test('the desk shows a wallet id by its end, and all of it in the opened row', async () => {
  const shop = openShop(undefined, () => NOW, { publicUrl: 'http://127.0.0.1:8080' });
  shop.proxy.answers['GET /transactions'] = {
    body: { transactions: [payment({ payer: '98765432' })], nextCursor: null },
  };
  const { text } = await new Browser(shop).get('/desk/tables');
  const [row = '', opened = ''] = text.split('</summary>');
  assert.match(row, /••••\u00A05432/);
  assert.doesNotMatch(row, /98765432/);
  assert.match(opened, /98765432/);
});

test('the desk shows times in the zone of the browser’s cookie', async () => {
  const shop = openShop(undefined, () => NOW, { publicUrl: 'http://127.0.0.1:8080' });
  shop.proxy.answers['GET /transactions'] = { body: { transactions: [payment()], nextCursor: null } };
  const { text } = await new Browser(shop, { cookie: 'zone=Asia/Tokyo' }).get('/desk/tables');
  assert.match(text, /21:00<\/time>/);
  assert.match(text, /data-zone="Asia\/Tokyo"[\s\S]*Asia\/Tokyo, GMT\+9/);
});

test('the desk says what to do first while it has nothing to list', async () => {
  const shop = openShop(undefined, () => NOW, { publicUrl: 'http://127.0.0.1:8080' });
  shop.proxy.answers['GET /transactions'] = { body: { transactions: [], nextCursor: null } };
  const staff = new Browser(shop);
  assert.match((await staff.get('/desk')).text, /Order something in the shop[\s\S]*href="\/">Open the shop/);
  shop.proxy.answers['GET /transactions'] = { body: { transactions: [payment()], nextCursor: null } };
  assert.match((await staff.get('/desk?find=none')).text, /with “none”[\s\S]*href="\/desk">Show all/);
});
