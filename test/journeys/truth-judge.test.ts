// The truth test's own judgement: each claim can hold and can fail, each sentence is known again on the screen, and a planted lie
// is found however short it was to be seen. Without browsers and processes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import QRCode from 'qrcode';
import { qrPath } from '../../widget/flow/qr-code.ts';
import { en, type MessageKey } from '../../widget/locales/en.ts';
import { enFlow } from '../../widget/locales/en-flow.ts';
import { CLAIMS, type Claim, type ClaimName } from './truth/claims.ts';
import { readDrawing } from './truth/code.ts';
import { findLies, type Screen } from './truth/judge.ts';
import { momentAt, type Ask, type Memory, type Payment, type Start } from './truth/moment.ts';
import { isWordless, sentencesIn } from './truth/reading.ts';

const AT = 1_000_000;
const NOTHING: Memory = { payments: [], starts: [], asks: [], lines: [], closedAt: null };
const HOUR_MS = 3_600_000;

const payment = (change: Partial<Payment> & { ends?: 'SUCCESS' | 'FAILED'; message?: string } = {}): Payment => {
  const { ends, message = '', ...rest } = change;
  const created = { at: 1_000, status: 'INITIALIZED', message: '' } as const;
  const history = ends ? [created, { at: AT, status: ends, message }] : [created];
  return { id: 'a', asked: 'QR', method: 'QR', code: null, token: null, expiresAt: null, history, ...rest };
};
const start = (change: Partial<Start> = {}): Start => ({
  id: 'a',
  at: 900,
  heardAt: 1_100,
  answer: 'accepted',
  ...change,
});
const ask = (change: Partial<Ask> = {}): Ask => ({
  at: AT - HOUR_MS,
  isStart: false,
  key: null,
  answeredAt: AT - HOUR_MS,
  endedAt: AT - HOUR_MS,
  status: 200,
  problem: null,
  ...change,
});
const paying = (...payments: Payment[]): Memory => ({ ...NOTHING, payments, starts: [start()] });
const asking = (...asks: Ask[]): Memory => ({ ...NOTHING, asks });

const CHECKOUT = { method: 'CHECKOUT', token: 'T', expiresAt: AT + 60_000 } as const;
const LISTENING = ask({ endedAt: null });
const SAID = {
  key: 'timeLeft' as MessageKey,
  values: { time: '1:00' },
  codes: ['http://wallet.example/scan?code=C'],
  links: ['http://wallet.example/pay?token=T'],
};

/** Where each holds, and where it does not though something of the kind is there. */
const EXAMPLES: Record<ClaimName, { holds: Memory; fails: Memory }> = {
  requestAtWallet: { holds: paying(payment({ method: 'DIRECT' })), fails: paying(payment()) },
  codeIsGood: { holds: paying(payment({ code: 'C' })), fails: paying(payment({ code: 'D' })) },
  pageIsGood: { holds: paying(payment(CHECKOUT)), fails: paying(payment({ ...CHECKOUT, ends: 'FAILED' })) },
  notDirect: { holds: paying(payment({ asked: 'DIRECT', method: 'CHECKOUT' })), fails: paying(payment()) },
  starting: {
    holds: { ...NOTHING, starts: [start({ heardAt: null, answer: null })] },
    fails: { ...NOTHING, starts: [start()] },
  },
  outcomeUnknown: {
    holds: { ...paying(payment()), starts: [start({ answer: 'broken' })], asks: [ask()] },
    fails: { ...paying(payment()), asks: [ask()] },
  },
  startingLong: {
    holds: { ...NOTHING, starts: [start({ heardAt: null, answer: null })] },
    fails: { ...NOTHING, starts: [start({ at: AT - 1_000, heardAt: null, answer: null })] },
  },
  safeToRepeat: {
    holds: { ...paying(payment()), starts: [start({ answer: 'broken' })] },
    fails: { ...paying(payment({ method: 'DIRECT' })), starts: [start({ answer: 'broken' })] },
  },
  noneStarted: {
    holds: asking(ask({ isStart: true, problem: 'order_changed' })),
    fails: { ...asking(ask({ isStart: true, problem: 'order_changed' })), starts: [start({ at: AT - 1 })] },
  },
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
  notPaid: { holds: paying(payment()), fails: paying(payment({ ends: 'SUCCESS' })) },
  noMoneyTaken: { holds: paying(payment({ ends: 'FAILED' })), fails: paying(payment()) },
  onceOnly: {
    holds: { ...paying(payment()), asks: [ask({ isStart: true, key: 'k' }), ask({ isStart: true, key: 'k' })] },
    fails: { ...paying(payment(), payment()), asks: [ask({ isStart: true, key: 'k' })] },
  },
  declined: {
    holds: paying(payment({ ends: 'FAILED', message: 'DECLINED' })),
    fails: paying(payment({ ends: 'FAILED', message: 'TOKEN_EXPIRED' })),
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
  noConnection: { holds: { ...NOTHING, lines: [{ at: 0, is: 'cut' }] }, fails: NOTHING },
  unreached: {
    holds: asking(ask({ isStart: true, answeredAt: null, status: null })),
    fails: asking(ask({ isStart: true, status: 409, problem: 'already_paid' })),
  },
  tries: { holds: asking(LISTENING), fails: asking(ask()) },
  follows: {
    holds: asking(LISTENING),
    fails: { ...asking(LISTENING), lines: [{ at: AT - 60_000, is: 'frozen' }] },
  },
  told: { holds: asking(ask({ problem: 'timeLeft' })), fails: asking(ask({ problem: 'another' })) },
  refused: { holds: asking(ask({ problem: 'another' })), fails: asking(ask()) },
};

describe('claims', () => {
  for (const [name, { holds, fails }] of Object.entries(EXAMPLES) as [ClaimName, { holds: Memory; fails: Memory }][]) {
    it(`${name} holds where it is so, and not where it only looks like it`, () => {
      const claim: Claim = CLAIMS[name];
      assert.equal(claim.holds(momentAt(holds, AT), SAID), true);
      assert.equal(claim.holds(momentAt(fails, AT), SAID), false);
    });
  }
});

describe('reading', () => {
  const ENGLISH: Record<MessageKey, string> = { ...en, ...enFlow };
  const VALUES: Record<string, string> = {
    min: '€5.00',
    max: '€200.00',
    amount: '€29.00',
    time: '14:59',
    id: 'r-1',
    example: '9.50',
  };

  it('knows every sentence of the dictionary again, with what stands in its placeholders', () => {
    for (const [key, words] of Object.entries(ENGLISH)) {
      const text = words.replaceAll(/\{(\w+)\}/g, (_, name: string) => VALUES[name] ?? 'x');
      const place = /^(DIRECT|CHECKOUT|JETGO|QR)_help$/.test(key) ? 'method' : 'panel';
      assert.ok(
        sentencesIn({ text, place }).some((sentence) => sentence.key === key),
        `${key}: ${text}`,
      );
    }
    assert.deepEqual(sentencesIn({ text: 'Time left: 0:59', place: 'panel' }), [
      { key: 'timeLeft', values: { time: '0:59' } },
    ]);
  });

  it('takes what a method’s description says for no claim about this payment, and the same words as a heading for one', () => {
    const keys = (place: 'method' | 'panel') => sentencesIn({ text: en.DIRECT_help, place }).map(({ key }) => key);
    assert.deepEqual(keys('method'), ['DIRECT_help']);
    assert.deepEqual(keys('panel'), ['direct']);
  });

  it('takes a button with an amount for that button only, and knows a foreign text for none', () => {
    assert.deepEqual(
      sentencesIn({ text: 'Pay in your wallet app', place: 'panel' }).map(({ key }) => key),
      ['app'],
    );
    assert.deepEqual(sentencesIn({ text: 'You have won', place: 'panel' }), []);
    assert.equal(isWordless('€29.00 …5678:'), true);
    assert.equal(isWordless('5678 a'), false);
  });

  it('reads a code as the widget draws it', async () => {
    const text = 'http://127.0.0.1:8788/wallet/scan?code=abc';
    const { size, data } = QRCode.create(text).modules;
    const bytes = new Uint8Array(Math.ceil((size * size) / 8));
    data.forEach((bit, index) => (bytes[index >> 3]! |= bit << (7 - (index & 7))));
    const path = qrPath({ size, modules: Buffer.from(bytes).toString('base64url') });
    assert.equal(await readDrawing(path ?? ''), text);
    assert.equal(await readDrawing('M4 4h1v1H4z'), '');
  });
});

describe('judging', () => {
  const screen = (at: number, ...texts: string[]): Screen => ({
    at,
    texts: texts.map((text) => ({ text, place: 'panel' })),
    codes: [],
    links: [],
  });
  const judge = (screens: Screen[], memory: Memory, until = AT + 60_000) =>
    findLies(screens, until, { ...memory, asks: [...memory.asks, LISTENING] }, /^Coffee$/);

  it('finds a request said to be at the wallet where there is none', () => {
    assert.deepEqual(judge([screen(AT, enFlow.direct_help)], paying(payment())), [
      `0.0 s: ${JSON.stringify(enFlow.direct_help)} claims requestAtWallet`,
    ]);
    assert.deepEqual(judge([screen(AT, enFlow.direct_help)], paying(payment({ method: 'DIRECT' }))), []);
  });

  it('finds a lie that was to be seen for a millisecond between two true screens', () => {
    const screens = [screen(AT - 100, enFlow.waiting), screen(AT - 50, enFlow.paid), screen(AT - 49, enFlow.waiting)];
    assert.deepEqual(judge(screens, paying(payment()), AT), ['0.1 s: "Payment received" claims paid']);
  });

  it('finds "paid" a millisecond before it is, and not from then on', () => {
    const paid = paying(payment({ ends: 'SUCCESS' }));
    assert.equal(judge([screen(AT - 1, enFlow.paid)], paid).length, 1);
    assert.deepEqual(judge([screen(AT, enFlow.paid)], paid), []);
  });

  it('lets "waiting" stay a moment after the approval, and finds it after that', () => {
    const paid = paying(payment({ ends: 'SUCCESS' }));
    assert.deepEqual(judge([screen(AT - 1_000, enFlow.waiting), screen(AT + 4_900)], paid), []);
    assert.equal(judge([screen(AT - 1_000, enFlow.waiting), screen(AT + 5_100)], paid).length, 1);
  });

  it('lets what time made true stay a moment after the change that ended it', () => {
    const slow = { ...NOTHING, starts: [start({ at: AT - 6_000, heardAt: AT, answer: 'accepted' })] };
    const until = AT + 2_000;
    assert.deepEqual(judge([screen(AT - 1_000, enFlow.long)], slow, until), []);
    assert.equal(judge([screen(AT - 5_000, enFlow.long)], slow, until).length, 1);
  });

  it('finds what ceases to be true in the middle of a screen that stays', () => {
    const late = payment({ history: [{ at: AT + 5_000, status: 'INITIALIZED', message: '' }] });
    assert.equal(judge([screen(AT, enFlow.DECLINED_help)], paying(late)).length, 1);
  });

  it('finds a page that says it updates by itself where it has long stopped asking', () => {
    const stopped = { ...paying(payment({ method: 'DIRECT' })), asks: [ask({ at: AT, endedAt: AT })] };
    const lies = findLies([screen(AT, enFlow.direct_help)], AT + 60_000, stopped, /^$/);
    assert.deepEqual(
      lies.map((lie) => lie.split(' ').at(-1)),
      ['follows'],
    );
  });

  it('holds a page that says it has no connection to what was true when the line broke', () => {
    const memory: Memory = {
      ...paying(payment({ method: 'DIRECT', ends: 'SUCCESS' })),
      lines: [{ at: AT - 10, is: 'cut' }],
    };
    assert.deepEqual(judge([screen(AT - 5, enFlow.lost, enFlow.direct)], memory), []);
    assert.equal(judge([screen(AT - 5, enFlow.direct)], memory).length, 1);
  });

  it('finds a text that is neither a sentence nor data', () => {
    assert.deepEqual(judge([screen(AT, 'Coffee', '€29.00', 'You have won')], NOTHING), [
      '0.0 s: "You have won" is no sentence of the dictionary',
    ]);
  });
});
