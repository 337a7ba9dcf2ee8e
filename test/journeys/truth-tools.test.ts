// Tests the tools of truth.test.ts: each claim can hold and fail, each sentence is recognized on the screen, and a
// false claim is found however briefly it was shown. Needs no browser and no processes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import QRCode from 'qrcode';
import { H } from '../backend-proxy/time.ts';
import { qrPath } from '../../widget/flow/qr-code.ts';
import type { MessageKey } from '../../widget/locales/en.ts';
import { en, enFlow } from '../english.ts';
import { CLAIMS, type Claim, type ClaimName } from './truth/claims.ts';
import { readDrawing } from './truth/read-qr-code.ts';
import { findFalseClaims, type Screen } from './truth/false-claims.ts';
import { factsAt, type PageRequest, type OrderRecords, type Payment, type Start, type Terms } from './truth/facts.ts';
import { isWordless, sentencesIn } from './truth/dictionary-sentences.ts';

const AT = 1_000_000;
const NOTHING: OrderRecords = {
  terms: [{ at: 0, amount: 4, merchant: 'Stillwater', purpose: 'payment' }],
  payments: [],
  refunds: [],
  starts: [],
  requests: [],
  connections: [],
  streams: [],
  doubtedAt: null,
  decidedAt: null,
  closedAt: null,
  orderClosedAt: null,
};

const payment = (change: Partial<Payment> & { ends?: 'SUCCESS' | 'FAILED'; message?: string } = {}): Payment => {
  const { ends, message = '', ...rest } = change;
  const created = { at: 1_000, status: 'INITIALIZED', message: '' } as const;
  const history = ends ? [created, { at: AT, status: ends, message }] : [created];
  return {
    id: 'a',
    asked: 'QR',
    method: 'QR',
    code: null,
    token: null,
    expiresAt: null,
    amount: 4,
    customer: null,
    confirmedAt: null,
    history,
    ...rest,
  };
};
/** Of the amount that SAID has, by default to the wallet that paid. */
const refunding = (status: 'PROCESSING' | 'SUCCESS' | 'FAILED', customer = '12345678'): OrderRecords => ({
  ...paying(payment({ ends: 'SUCCESS', customer: '12345678' })),
  refunds: [{ id: 'a-r1', amount: 4, customer, history: [{ at: AT - 60_000, status, message: '' }] }],
});
const start = (change: Partial<Start> = {}): Start => ({
  id: 'a',
  asked: 'QR',
  at: 900,
  answeredAt: 1_100,
  answer: 'accepted',
  ...change,
});
const request = (change: Partial<PageRequest> = {}): PageRequest => ({
  at: AT - H,
  isStart: false,
  key: null,
  answeredAt: AT - H,
  endedAt: AT - H,
  status: 200,
  problem: null,
  ...change,
});
const paying = (...payments: Payment[]): OrderRecords => ({ ...NOTHING, payments, starts: [start()] });
const signed = (change: Partial<Terms>): OrderRecords => ({
  ...NOTHING,
  terms: NOTHING.terms.map((terms) => ({ ...terms, ...change })),
});
const requesting = (...requests: PageRequest[]): OrderRecords => ({ ...NOTHING, requests });

const CHECKOUT = { method: 'CHECKOUT', token: 'T', expiresAt: AT + 60_000 } as const;
const LISTENING = request({ endedAt: null });
const SAID = {
  key: 'pay' as MessageKey,
  values: { time: '1:00', amount: '€4.00', merchant: '\u2068Stillwater\u2069' },
  codes: ['http://wallet.example/scan?code=C'],
  links: ['http://wallet.example/pay?token=T'],
};

/** Records for which each claim holds, and similar ones for which it fails. */
const EXAMPLES: Record<ClaimName, { holds: OrderRecords; fails: OrderRecords }> = {
  purposeOfToken: { holds: NOTHING, fails: signed({ purpose: 'order' }) },
  amountOfOrder: { holds: NOTHING, fails: signed({ amount: 5 }) },
  merchantOfOrder: { holds: NOTHING, fails: signed({ merchant: 'Another' }) },
  onlyByShopper: {
    holds: paying(payment({ ends: 'SUCCESS', confirmedAt: AT - 1 })),
    fails: paying(payment({ ends: 'SUCCESS' })),
  },
  requestAtWallet: {
    holds: paying(payment({ method: 'DIRECT' })),
    fails: paying(payment({ method: 'DIRECT', amount: 5 })),
  },
  codeIsGood: { holds: paying(payment({ code: 'C' })), fails: paying(payment({ code: 'D' })) },
  pageIsGood: { holds: paying(payment(CHECKOUT)), fails: paying(payment({ ...CHECKOUT, ends: 'FAILED' })) },
  notDirect: { holds: paying(payment({ asked: 'DIRECT', method: 'CHECKOUT' })), fails: paying(payment()) },
  starting: {
    holds: { ...NOTHING, starts: [start({ answeredAt: null, answer: null })] },
    fails: { ...NOTHING, starts: [start()] },
  },
  outcomeUnknown: {
    holds: { ...paying(payment()), starts: [start({ answer: 'broken' })], requests: [request()] },
    fails: { ...paying(payment()), requests: [request()] },
  },
  closable: { holds: { ...NOTHING, doubtedAt: AT }, fails: { ...NOTHING, doubtedAt: AT + 1 } },
  startingLong: {
    holds: { ...NOTHING, starts: [start({ answeredAt: null, answer: null })] },
    fails: { ...NOTHING, starts: [start({ at: AT - 1_000, answeredAt: null, answer: null })] },
  },
  safeToRepeat: {
    holds: { ...paying(payment()), starts: [start({ answer: 'broken' })] },
    fails: { ...paying(payment({ method: 'DIRECT' })), starts: [start({ answer: 'broken' })] },
  },
  noneStarted: {
    holds: requesting(request({ isStart: true, problem: 'order_changed' })),
    fails: { ...requesting(request({ isStart: true, problem: 'order_changed' })), starts: [start({ at: AT - 1 })] },
  },
  orderClosed: { holds: { ...NOTHING, orderClosedAt: AT }, fails: { ...NOTHING, orderClosedAt: AT + 1 } },
  closedByShop: { holds: { ...NOTHING, closedAt: AT }, fails: { ...NOTHING, closedAt: AT + 1 } },
  answerLost: {
    holds: { ...NOTHING, starts: [start({ answer: 'broken' })] },
    fails: { ...NOTHING, starts: [start()] },
  },
  open: { holds: paying(payment()), fails: paying(payment({ ends: 'FAILED' })) },
  otherOpen: {
    holds: paying(payment(), payment({ ends: 'SUCCESS' })),
    fails: paying(payment({ ends: 'FAILED' }), payment({ ends: 'SUCCESS' })),
  },
  paid: { holds: paying(payment({ ends: 'SUCCESS' })), fails: paying(payment()) },
  paidTwice: {
    holds: paying(payment({ ends: 'SUCCESS' }), payment({ ends: 'SUCCESS' })),
    fails: paying(payment(), payment({ ends: 'SUCCESS' })),
  },
  onItsWayBack: { holds: refunding('PROCESSING'), fails: refunding('FAILED') },
  sentBack: { holds: refunding('SUCCESS'), fails: refunding('SUCCESS', '23456789') },
  notPaid: { holds: paying(payment()), fails: paying(payment({ ends: 'SUCCESS' })) },
  noMoneyTaken: { holds: paying(payment({ ends: 'FAILED' })), fails: paying(payment()) },
  onceOnly: {
    holds: {
      ...paying(payment()),
      requests: [request({ isStart: true, key: 'k' }), request({ isStart: true, key: 'k' })],
    },
    fails: { ...paying(payment(), payment()), requests: [request({ isStart: true, key: 'k' })] },
  },
  declined: {
    holds: paying(payment({ ends: 'FAILED', message: 'DECLINED' })),
    fails: paying(payment({ ends: 'FAILED', message: 'TOKEN_EXPIRED' })),
  },
  cancelled: {
    holds: paying(payment({ ends: 'FAILED', message: 'USER_CANCELLED' })),
    fails: paying(payment({ ends: 'FAILED', message: 'DECLINED' })),
  },
  lowBalance: {
    holds: paying(payment({ ends: 'FAILED', message: 'INSUFFICIENT_BALANCE' })),
    fails: paying(payment({ ends: 'FAILED', message: 'DECLINED' })),
  },
  expired: {
    holds: paying(payment({ ends: 'FAILED', message: 'TOKEN_EXPIRED' })),
    fails: paying(payment({ ends: 'FAILED', message: 'DECLINED' })),
  },
  timeIsUp: { holds: paying(payment({ expiresAt: AT - 1 })), fails: paying(payment(CHECKOUT)) },
  timeLeft: { holds: paying(payment(CHECKOUT)), fails: paying(payment({ expiresAt: AT + 50_000 })) },
  replaced: { holds: { ...NOTHING, starts: [start(), start()] }, fails: { ...NOTHING, starts: [start()] } },
  rejected: {
    holds: { ...NOTHING, starts: [start({ answer: 'refused' })] },
    fails: { ...NOTHING, starts: [start({ answer: 'broken' })] },
  },
  notCreated: { holds: { ...NOTHING, starts: [start()] }, fails: paying(payment()) },
  noConnection: { holds: { ...NOTHING, connections: [{ at: 0, is: 'cut' }] }, fails: NOTHING },
  unreached: {
    holds: requesting(request({ isStart: true, answeredAt: null, status: null })),
    fails: requesting(request({ isStart: true, status: 409, problem: 'already_paid' })),
  },
  tries: { holds: requesting(LISTENING), fails: requesting(request()) },
  follows: {
    holds: requesting(LISTENING),
    fails: { ...requesting(LISTENING), connections: [{ at: AT - 60_000, is: 'frozen' }] },
  },
  methodRefused: {
    holds: requesting(request({ problem: 'method_unavailable' })),
    fails: requesting(request({ problem: 'another' })),
  },
  sentByProxy: {
    holds: requesting(request({ problem: 'pay' })),
    fails: requesting(request({ problem: 'another' })),
  },
  refused: { holds: requesting(request({ problem: 'another' })), fails: requesting(request()) },
};

describe('claims', () => {
  for (const [name, { holds, fails }] of Object.entries(EXAMPLES) as [
    ClaimName,
    { holds: OrderRecords; fails: OrderRecords },
  ][]) {
    it(`the claim ${name} holds for matching records and fails for similar ones`, () => {
      const claim: Claim = CLAIMS[name];
      assert.equal(claim.holds(factsAt(holds, AT), SAID), true);
      assert.equal(claim.holds(factsAt(fails, AT), SAID), false);
    });
  }
});

describe('sentencesIn()', () => {
  const ENGLISH: Record<MessageKey, string> = { ...en, ...enFlow };
  const VALUES: Record<string, string> = {
    min: '€5.00',
    max: '€200.00',
    amount: '€29.00',
    time: '14:59',
    id: 'r-1',
    example: '9.50',
  };

  it('sentencesIn() recognizes every sentence of the dictionary and its placeholders', () => {
    for (const [key, words] of Object.entries(ENGLISH)) {
      const text = words.replaceAll(/\{(\w+)\}/g, (_, name: string) => VALUES[name] ?? 'x');
      const isOfMethods = /^(DIRECT|CHECKOUT|JETGO|QR)_help$|^(direct|appOpen|unavailable)$/.test(key);
      const place = isOfMethods ? 'method' : 'panel';
      assert.ok(
        sentencesIn({ text, place }).some((sentence) => sentence.key === key),
        `${key}: ${text}`,
      );
    }
    assert.deepEqual(sentencesIn({ text: '0:59 left', place: 'panel' }), [
      { key: 'timeLeft', values: { time: '0:59' } },
    ]);
  });

  it('sentencesIn() finds one sentence in a text that names the amount, the merchant or the wallet', () => {
    for (const [text, key] of [
      ['Open the app and approve €4.00 to Ada & Co. The request is there even without a notification.', 'direct_help'],
      ['Open Jeton, scan the code and confirm.', 'scan_help'],
      ['Open Jeton', 'appOpen'],
      ['Back to Ada & Co.', 'toMerchant'],
      ['Pay in Jeton', 'app'],
    ] as const)
      assert.deepEqual(
        sentencesIn({ text, place: 'panel' }).map((sentence) => sentence.key),
        [key],
      );
  });

  it('sentencesIn() knows a method’s description only among the methods', () => {
    const keys = (place: 'method' | 'panel') => sentencesIn({ text: en.DIRECT_help, place }).map(({ key }) => key);
    assert.deepEqual(keys('method'), ['DIRECT_help']);
    assert.deepEqual(keys('panel'), []);
  });

  it('sentencesIn() tells the app link from the pay button, and finds no sentence in other text', () => {
    assert.deepEqual(
      sentencesIn({ text: 'Pay in your wallet app', place: 'panel' }).map(({ key }) => key),
      ['app'],
    );
    assert.deepEqual(sentencesIn({ text: 'You have won', place: 'panel' }), []);
    assert.equal(isWordless('€29.00 …5678:'), true);
    assert.equal(isWordless('5678 a'), false);
  });

  it('readDrawing() reads a code as the widget draws it', async () => {
    const text = 'http://127.0.0.1:8788/wallet/scan?code=abc';
    const { size, data } = QRCode.create(text).modules;
    const bytes = new Uint8Array(Math.ceil((size * size) / 8));
    data.forEach((bit, index) => (bytes[index >> 3]! |= bit << (7 - (index & 7))));
    const path = qrPath({ size, modules: Buffer.from(bytes).toString('base64url') });
    assert.equal(await readDrawing(path ?? ''), text);
    assert.equal(await readDrawing('M4 4h1v1H4z'), '');
  });
});

describe('findFalseClaims()', () => {
  const screen = (at: number, ...texts: string[]): Screen => ({
    at,
    texts: texts.map((text) => ({ text, place: 'panel' })),
    codes: [],
    links: [],
  });
  const judge = (screens: Screen[], records: OrderRecords, until = AT + 60_000) =>
    findFalseClaims(screens, until, { ...records, requests: [...records.requests, LISTENING] }, /^Coffee$/);

  it('findFalseClaims() finds a claimed wallet request if there is none', () => {
    assert.deepEqual(judge([screen(AT, enFlow.direct_help)], paying(payment())), [
      `0.0 s: ${JSON.stringify(enFlow.direct_help)} claims requestAtWallet`,
    ]);
    assert.deepEqual(judge([screen(AT, enFlow.direct_help)], paying(payment({ method: 'DIRECT' }))), []);
  });

  it('findFalseClaims() finds a false claim shown for a millisecond between two true screens', () => {
    const screens = [screen(AT - 100, enFlow.waiting), screen(AT - 50, enFlow.paid), screen(AT - 49, enFlow.waiting)];
    assert.deepEqual(judge(screens, paying(payment()), AT), ['0.1 s: "Payment received" claims paid']);
  });

  it('findFalseClaims() finds "paid" a millisecond too early, and accepts it from then on', () => {
    const paid = paying(payment({ ends: 'SUCCESS' }));
    assert.equal(judge([screen(AT - 1, enFlow.paid)], paid).length, 1);
    assert.deepEqual(judge([screen(AT, enFlow.paid)], paid), []);
  });

  it('findFalseClaims() accepts "waiting" for a moment after the approval, and finds it later', () => {
    const paid = paying(payment({ ends: 'SUCCESS' }));
    assert.deepEqual(judge([screen(AT - 1_000, enFlow.waiting), screen(AT + 4_900)], paid), []);
    assert.equal(judge([screen(AT - 1_000, enFlow.waiting), screen(AT + 5_100)], paid).length, 1);
  });

  it('findFalseClaims() accepts a claim about time for a moment after it ends', () => {
    const slow = { ...NOTHING, starts: [start({ at: AT - 6_000, answeredAt: AT, answer: 'accepted' })] };
    const until = AT + 2_000;
    assert.deepEqual(judge([screen(AT - 1_000, enFlow.long)], slow, until), []);
    assert.equal(judge([screen(AT - 5_000, enFlow.long)], slow, until).length, 1);
  });

  it('findFalseClaims() finds a claim that becomes false while the screen stays', () => {
    const late = payment({ history: [{ at: AT + 5_000, status: 'INITIALIZED', message: '' }] });
    assert.equal(judge([screen(AT, enFlow.DECLINED_help)], paying(late)).length, 1);
  });

  it('findFalseClaims() finds a page that says it will show the result but has stopped its requests', () => {
    const stopped = { ...paying(payment({ method: 'DIRECT' })), requests: [request({ at: AT, endedAt: AT })] };
    const falseClaims = findFalseClaims([screen(AT, enFlow.EXPIRED_help)], AT + 60_000, stopped, /^$/);
    assert.deepEqual(
      falseClaims.map((falseClaim) => falseClaim.split(' ').at(-1)),
      ['follows'],
    );
  });

  it('findFalseClaims() measures a page that shows a lost connection by what was true when it broke', () => {
    const records: OrderRecords = {
      ...paying(payment({ method: 'DIRECT', ends: 'SUCCESS' })),
      requests: [request({ at: 900, isStart: true, key: 'k', endedAt: 1_100 }), LISTENING],
      connections: [{ at: AT - 10, is: 'cut' }],
    };
    assert.deepEqual(judge([screen(AT - 5, enFlow.lost, en.direct)], records), []);
    assert.equal(judge([screen(AT - 5, en.direct)], records).length, 1);
  });

  it('findFalseClaims() finds a success that a person has to decide on, and a screen that does not say so', () => {
    const doubted = { ...paying(payment({ ends: 'SUCCESS' })), doubtedAt: AT, decidedAt: AT + 20_000 };
    const says = screen(AT + 1_000, enFlow.checking, enFlow.checking_help);
    assert.deepEqual(judge([screen(AT), says, screen(AT + 21_000, enFlow.paid)], doubted), []);
    const silent = judge([screen(AT, enFlow.method), screen(AT + 21_000, enFlow.paid)], doubted);
    assert.match(silent.join(), /^0.0 s: no sentence says checking$/);
    const offers = judge([{ ...says, texts: [...says.texts, { text: enFlow.other, place: 'panel' }] }], doubted);
    assert.match(offers.join(), /other is offered instead of checking/);
  });

  it('findFalseClaims() finds a screen that does not say that the order is closed, and one that says paid then', () => {
    const closed = { ...paying(payment({ ends: 'SUCCESS' })), orderClosedAt: AT - 20_000 };
    assert.deepEqual(judge([screen(AT, enFlow.closed, enFlow.closed_help)], closed), []);
    const paid = judge([screen(AT, enFlow.paid)], closed);
    assert.match(paid.join(), /no sentence says closed.*claims paid/);
  });

  it('findFalseClaims() finds a lost request that is given up although the status check may lag', () => {
    const lost = { ...NOTHING, starts: [start({ asked: 'DIRECT', answer: 'broken' })] };
    const given = (at: number) => judge([screen(at, enFlow.NOT_CREATED, enFlow.NOT_CREATED_help)], lost, at + 1);
    assert.deepEqual(
      given(500_000).map((falseClaim) => falseClaim.split(' ').at(-1)),
      ['notCreated', 'noMoneyTaken'],
    );
    assert.deepEqual(given(700_000), []);
  });

  it('findFalseClaims() finds a stream that goes back', () => {
    const streams = [
      [3, 3, 4],
      [1, 2, 1],
    ];
    assert.deepEqual(judge([screen(AT)], { ...NOTHING, streams }), ['60.0 s: a stream goes back: 1,2,1']);
  });

  it('findFalseClaims() finds a text that is neither a sentence nor data', () => {
    assert.deepEqual(judge([screen(AT, 'Coffee', '€29.00', 'You have won')], NOTHING), [
      '0.0 s: "You have won" is no sentence of the dictionary',
    ]);
  });
});
