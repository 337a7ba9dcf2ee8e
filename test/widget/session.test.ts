import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { METHODS, type OrderView } from '../../backend-proxy/protocol/wire.ts';
import { Session } from '../../widget/flow/session.ts';
import { BLANK, stateFor, type SessionState } from '../../widget/shell/state.ts';
import { show } from '../../widget/flow/view.ts';
import { Clock, settle } from './clock.ts';
import { CHECKOUT_URL, FakeProxy, paymentOf, problemOf, tokenOf, type ClaimsChange } from './fake-proxy.ts';

/** An element as far as a session knows one. */
class Host extends EventTarget {
  isConnected = true;
  checkoutTarget = '_self' as const;
  addController(): void {}
}

interface SceneOptions {
  /** False: the stream is not there at first. */
  heard?: boolean;
  claims?: ClaimsChange;
  view?: Partial<OrderView>;
  /** Of the widget. */
  language?: string;
}

async function scene({ heard = true, claims, view, language: first = 'en' }: SceneOptions = {}) {
  let language = first;
  const clock = new Clock();
  const proxy = new FakeProxy(claims, view, clock.now);
  const element = new Host();
  const events: string[] = [];
  const windowCalls: string[] = [];
  let keys = 0;
  let state: SessionState = stateFor(proxy.token, BLANK, () => false);
  const session = new Session(
    {
      element,
      state: () => state,
      set: (change) => {
        state = { ...state, ...change };
      },
      language: () => language,
    },
    {
      fetch: proxy.fetch,
      now: clock.now,
      wait: clock.wait,
      random: () => 0.5,
      newKey: () => `key-${++keys}`,
      page: new EventTarget(),
      openCheckoutWindow: (target) => {
        windowCalls.push(`open ${target}`);
        return { navigate: (url) => windowCalls.push(`navigate ${url}`), close: () => windowCalls.push('close') };
      },
    },
  );
  for (const name of ['submit', 'redirect', 'change', 'success', 'failed', 'error'])
    element.addEventListener(`payment-${name}`, () => events.push(name));
  const panel = () => show(state, clock.now())?.panel ?? 'choose';
  const open = (token = proxy.token) => {
    state = stateFor(token, state, () => false);
    session.open(token, 'https://pay.test/');
  };
  proxy.streamProblem = heard ? undefined : problemOf('too_many_streams', { status: 503, retryable: true });
  open();
  await clock.advance(0);
  events.length = 0;
  const speak = (tag: string) => void (language = tag);
  return { clock, proxy, element, session, events, windowCalls, panel, open, speak, state: () => state };
}

const choose = (session: Session, method: 'DIRECT' | 'CHECKOUT' | 'JETGO' | 'QR') => session.edit({ method });

describe('a start', () => {
  it('shows nothing of a payment before the proxy has told it', async () => {
    const { clock, proxy, session, panel, state } = await scene();
    const release = proxy.hold();
    choose(session, 'QR');
    session.pay();
    await clock.advance(0);
    assert.deepEqual([panel(), state().activity], ['choose', { at: 'sending', slow: false }]);
    release();
    await clock.advance(0);
    assert.equal(panel(), 'scan');
  });

  it('is one, however often it is asked for', async () => {
    const { clock, proxy, session } = await scene();
    choose(session, 'QR');
    session.pay();
    session.pay();
    await settle();
    session.pay();
    await clock.advance(60_000);
    session.pay();
    await clock.advance(60_000);
    assert.equal(proxy.starts.length, 1);
  });

  it('sends what is asked for, and no more', async () => {
    const { clock, proxy, session } = await scene();
    session.edit({ customer: '1234 5678', amount: '99' });
    session.pay();
    await clock.advance(0);
    assert.deepEqual(proxy.starts[0]?.body, { method: 'DIRECT', customer: '12345678', language: 'en' });
  });

  it('is not sent while a field is wrong, and says which', async () => {
    const { session, proxy, state, events } = await scene();
    session.pay();
    await settle();
    assert.deepEqual(state().activity, { at: 'choosing', errors: { customer: 'walletWrong' } });
    assert.deepEqual([proxy.starts.length, events], [0, []]);
    session.edit({ customer: '1' });
    assert.deepEqual(state().activity, { at: 'choosing' }, 'and stops saying so once it is changed');
  });

  it('is not sent where the page cancels it', async () => {
    const { session, proxy, element, events } = await scene();
    element.addEventListener('payment-submit', (event) => event.preventDefault());
    choose(session, 'QR');
    session.pay();
    await settle();
    assert.deepEqual([proxy.starts.length, events], [0, ['submit']]);
  });

  it('replaces a payment that is open, once the shopper went back to the choice', async () => {
    const { clock, proxy, session, panel } = await scene({ view: { payment: paymentOf('QR'), version: 3 } });
    session.pay();
    await settle();
    assert.equal(proxy.starts.length, 0, 'while the code is shown there is nothing to pay twice');
    session.reset();
    assert.equal(panel(), 'choose');
    choose(session, 'JETGO');
    session.pay();
    await clock.advance(0);
    assert.deepEqual([proxy.starts.length, panel()], [1, 'scan']);
  });

  it('tries the failed method again, as a new payment with a new key', async () => {
    const payment = paymentOf('QR', { status: 'FAILED', reason: 'EXPIRED' });
    const { clock, proxy, session, panel } = await scene({ view: { payment, version: 3 } });
    assert.equal(panel(), 'failed');
    session.again('QR');
    await clock.advance(0);
    assert.deepEqual([proxy.starts.map(({ key }) => key), panel()], [['key-1'], 'scan']);
  });

  it('leads to the choice where what was typed was refused', async () => {
    const { clock, proxy, session, panel } = await scene();
    session.edit({ method: 'DIRECT', customer: '12345678' });
    session.pay();
    await clock.advance(0);
    proxy.settle({ status: 'FAILED', reason: 'REJECTED' });
    await clock.advance(0);
    session.again('DIRECT');
    await clock.advance(0);
    assert.deepEqual([panel(), proxy.starts.length], ['choose', 1]);
  });

  it('asks for no wallet id where the failed method is the only one’s other name', async () => {
    const failed = paymentOf('CHECKOUT', { asked: 'DIRECT', status: 'FAILED', reason: 'EXPIRED' });
    const { clock, session, state } = await scene({
      claims: { methods: ['DIRECT'] },
      view: { methods: ['DIRECT'], payment: failed },
    });
    session.again('CHECKOUT');
    await clock.advance(0);
    assert.deepEqual(state().activity, { at: 'choosing' });
  });

  it('is not troubled by the late answer of the one before', async () => {
    const { clock, proxy, session, panel, state } = await scene();
    const answer = proxy.holdAnswers();
    choose(session, 'QR');
    session.pay();
    await clock.advance(0);
    proxy.settle({ status: 'FAILED', reason: 'DECLINED' });
    await clock.advance(0);
    assert.equal(panel(), 'failed');
    const release = proxy.hold();
    session.again('QR');
    await clock.advance(0);
    answer();
    await clock.advance(0);
    assert.equal(state().activity.at, 'sending');
    release();
    await clock.advance(0);
    assert.deepEqual([panel(), proxy.starts.map(({ key }) => key)], ['scan', ['key-1', 'key-2']]);
  });

  it('leads to the choice, and blames nobody, where the wallet id is not known here any more', async () => {
    const payment = paymentOf('DIRECT', { status: 'FAILED', reason: 'DECLINED' });
    const { state, proxy, session, panel } = await scene({ view: { payment, version: 3 } });
    session.again('DIRECT');
    await settle();
    assert.deepEqual([proxy.starts.length, panel(), state().activity], [0, 'choose', { at: 'choosing' }]);
    assert.equal(state().form.method, 'DIRECT');
  });
});

describe('a lost answer', () => {
  it('is asked for again with the same key, and says that it takes longer', async () => {
    const { clock, proxy, session, panel, state, events } = await scene();
    proxy.nextStarts.push('unreached', 'unreached');
    choose(session, 'QR');
    session.pay();
    await clock.advance(500);
    assert.deepEqual([state().activity, panel()], [{ at: 'sending', slow: 'again' }, 'choose']);
    await clock.advance(10_000);
    assert.deepEqual(
      proxy.starts.map(({ key }) => key),
      ['key-1', 'key-1', 'key-1'],
    );
    assert.deepEqual([panel(), events.includes('error'), events.includes('failed')], ['scan', false, false]);
  });

  it('needs no second send where the stream has shown the payment', async () => {
    const { clock, proxy, session, panel } = await scene();
    proxy.nextStarts.push('lost');
    choose(session, 'QR');
    session.pay();
    await clock.advance(60_000);
    assert.deepEqual([panel(), proxy.starts.length], ['scan', 1]);
  });

  it('is given up after five sends, as no failed payment; the next try has the same key', async () => {
    const { clock, proxy, session, panel, state, events } = await scene();
    proxy.isDown = true;
    proxy.breakStreams();
    choose(session, 'QR');
    session.pay();
    await clock.advance(120_000);
    assert.equal(proxy.starts.length, 5);
    assert.equal(panel(), 'choose');
    const { activity } = state();
    assert.equal(activity.at === 'choosing' && activity.trouble?.code, 'network');
    assert.ok(events.includes('error') && !events.includes('failed'));
    proxy.isDown = false;
    session.pay();
    await clock.advance(30_000);
    assert.deepEqual([new Set(proxy.starts.map(({ key }) => key)).size, panel()], [1, 'scan']);
  });

  it('keeps its key where the next send is refused for a while', async () => {
    const { clock, proxy, session, panel, state } = await scene();
    proxy.breakStreams();
    proxy.streamProblem = proxy.orderProblem = problemOf('unavailable', { status: 503, retryable: true });
    proxy.nextStarts.push('lost', problemOf('too_many_requests', { status: 429, retryable: true }));
    choose(session, 'QR');
    session.pay();
    await clock.advance(5_000);
    assert.equal(state().activity.at, 'choosing');
    session.pay();
    await clock.advance(1_000);
    assert.deepEqual([new Set(proxy.starts.map(({ key }) => key)).size, panel()], [1, 'scan']);
  });

  it('has a new key when the shopper asks for something else', async () => {
    const { clock, proxy, session } = await scene();
    proxy.isDown = true;
    choose(session, 'QR');
    session.pay();
    await clock.advance(120_000);
    proxy.isDown = false;
    choose(session, 'JETGO');
    session.pay();
    await clock.advance(0);
    assert.equal(proxy.starts.at(-1)?.key, 'key-2');
  });

  it('shows the payment when the line is back, though the sends were given up', async () => {
    const { clock, proxy, session, panel } = await scene();
    proxy.nextStarts.push('lost');
    choose(session, 'QR');
    session.pay();
    proxy.breakStreams();
    proxy.isDown = true;
    await clock.advance(120_000);
    assert.equal(panel(), 'choose');
    proxy.isDown = false;
    proxy.publish({ payment: paymentOf('QR', { createdAt: '2026-11-20T12:00:01.000Z' }) });
    await clock.advance(20_000);
    assert.equal(panel(), 'scan');
  });

  it('is a 503 of the proxy as well', async () => {
    const { clock, proxy, session, panel } = await scene();
    proxy.nextStarts.push(problemOf('unavailable', { status: 503, retryable: true }));
    choose(session, 'QR');
    session.pay();
    await clock.advance(3_000);
    assert.deepEqual([proxy.starts.map(({ key }) => key), panel()], [['key-1', 'key-1'], 'scan']);
  });
});

/** As a status check finds a payment whose answer is still to come. */
const FOUND = { status: 'PROCESSING', answer: 'AWAITED', checkoutUrl: null, qr: null, walletLast4: null } as const;
/** As it is once the call is over without an answer. */
const LOST = { ...FOUND, answer: 'LOST' } as const;

describe('an answer of the gateway that is late', () => {
  for (const method of METHODS) {
    it(`never shows what is not there: ${method}`, async () => {
      const { clock, proxy, session, panel } = await scene({ claims: { customer: '12345678' } });
      proxy.onStart = () => ({ ...FOUND, status: 'INITIALIZED', createdAt: new Date(clock.now()).toISOString() });
      const answer = proxy.holdAnswers();
      choose(session, method);
      session.pay();
      await clock.advance(2_000);
      proxy.settle(FOUND);
      await clock.advance(1_900);
      assert.equal(panel(), 'choose', 'most are there by now');
      await clock.advance(200);
      assert.equal(panel(), 'fetching');
      await clock.advance(8_000);
      assert.equal(panel(), 'fetching');
      proxy.settle(paymentOf(method, { createdAt: proxy.view.payment?.createdAt ?? '' }));
      answer();
      await clock.advance(0);
      assert.equal(panel(), { DIRECT: 'wallet', CHECKOUT: 'redirect', JETGO: 'scan', QR: 'scan' }[method]);
      assert.equal(proxy.starts.length, 1);
    });
  }

  it('leads to the checkout by itself all the same, though a status check was faster', async () => {
    const { clock, proxy, session, windowCalls, events } = await scene();
    proxy.onStart = () => ({ ...FOUND, status: 'INITIALIZED' });
    const answer = proxy.holdAnswers();
    choose(session, 'CHECKOUT');
    session.pay();
    await clock.advance(2_000);
    proxy.settle(FOUND);
    await clock.advance(10_000);
    assert.deepEqual(windowCalls, ['open _self']);
    proxy.settle({ checkoutUrl: CHECKOUT_URL });
    answer();
    await clock.advance(0);
    assert.deepEqual(windowCalls, ['open _self', `navigate ${CHECKOUT_URL}`]);
    assert.equal(events.filter((name) => name === 'redirect').length, 1);
  });

  it('is said to take long after 4 s, also where nothing was heard of the payment', async () => {
    const { clock, proxy, session, state } = await scene();
    proxy.hold();
    choose(session, 'QR');
    session.pay();
    await clock.advance(3_900);
    assert.deepEqual(state().activity, { at: 'sending', slow: false });
    await clock.advance(200);
    assert.deepEqual(state().activity, { at: 'sending', slow: 'long' });
  });
});

describe('an answer of the gateway that is lost', () => {
  for (const method of METHODS) {
    it(`is told, and a new try is a new payment, while the old one can still turn out paid: ${method}`, async () => {
      const { clock, proxy, session, panel, windowCalls } = await scene({ claims: { customer: '12345678' } });
      proxy.onStart = () => LOST;
      choose(session, method);
      session.pay();
      await clock.advance(60_000);
      assert.deepEqual([panel(), proxy.starts.length], ['unanswered', 1]);
      if (method === 'CHECKOUT') assert.deepEqual(windowCalls, ['open _self', 'close'], 'there is nowhere to go');
      const release = proxy.hold();
      session.again(method);
      await clock.advance(0);
      assert.equal(panel(), 'fetching', 'in its place, not by way of the choice');
      assert.deepEqual(new Set(proxy.starts.map(({ key }) => key)).size, 2);
      proxy.settle({ status: 'SUCCESS' });
      release();
      await clock.advance(0);
      assert.equal(panel(), 'paid');
    });
  }

  it('lets the page start anew by pay(), too', async () => {
    const { clock, proxy, session, panel } = await scene({ view: { payment: paymentOf('QR', LOST), version: 3 } });
    choose(session, 'QR');
    session.pay();
    await clock.advance(0);
    assert.deepEqual([proxy.starts.length, panel()], [1, 'scan']);
  });
});

describe('a code whose time is over', () => {
  it('gives way to a new one at the shopper’s press alone, by a new payment', async () => {
    const { clock, proxy, session, panel } = await scene();
    proxy.onStart = () => ({ expiresAt: new Date(clock.now() + 60_000).toISOString() });
    choose(session, 'QR');
    session.pay();
    await clock.advance(59_000);
    assert.equal(panel(), 'scan');
    session.pay();
    await clock.advance(2_000);
    assert.deepEqual([panel(), proxy.starts.length], ['timeUp', 1]);
    await clock.advance(600_000);
    assert.equal(proxy.starts.length, 1);
    session.again('QR');
    await clock.advance(0);
    assert.deepEqual([proxy.starts.map(({ key }) => key), panel()], [['key-1', 'key-2'], 'scan']);
  });
});

describe('the language of a start', () => {
  for (const [language, sent] of [
    ['en', 'en'],
    ['pt-BR', 'pt'],
    ['sr-Latn', 'sr'],
    ['zh-Hant-HK', 'zh'],
    ['DE-at', 'de'],
    ['', 'en'],
  ] as const) {
    it(`is the widget’s own in two letters: ${sent} for "${language}"`, async () => {
      const { clock, proxy, session } = await scene({ language });
      choose(session, 'QR');
      session.pay();
      await clock.advance(0);
      assert.deepEqual(proxy.starts[0]?.body, { method: 'QR', language: sent });
    });
  }
});

describe('another language', () => {
  it('makes no other start of the same one, whose answer was lost', async () => {
    const { clock, proxy, session, panel, speak } = await scene();
    proxy.isDown = true;
    choose(session, 'QR');
    session.pay();
    await clock.advance(120_000);
    proxy.isDown = false;
    speak('de');
    session.pay();
    await clock.advance(1_000);
    assert.deepEqual([new Set(proxy.starts.map(({ key }) => key)).size, panel()], [1, 'scan']);
    assert.equal(proxy.starts.at(-1)?.body?.language, 'de');
  });
});

describe('a refusal for good', () => {
  const OPEN = { view: { payment: paymentOf('QR'), version: 3 } };
  const CODES = ['order_changed', 'already_paid', 'too_many_payments', 'forbidden_origin', 'a_newer_code'];

  for (const code of CODES) {
    it(`leaves nothing to press, and the open payment is followed and can be returned to: ${code}`, async () => {
      const { clock, proxy, session, panel, state } = await scene(OPEN);
      session.reset();
      proxy.nextStarts.push(problemOf(code, { status: 409 }));
      choose(session, 'JETGO');
      session.pay();
      await clock.advance(1_000);
      assert.deepEqual([panel(), state().blocked?.code, proxy.streamCount], ['trouble', code, 1]);
      session.pay();
      session.reset();
      session.pay();
      await clock.advance(1_000);
      assert.deepEqual([panel(), proxy.starts.length], ['trouble', 1]);
      session.showOpenPayment();
      assert.equal(panel(), 'scan');
      session.reset();
      assert.equal(panel(), 'trouble', 'the way back leads to the reason, not to the choice');
      proxy.settle({ status: 'SUCCESS' });
      await clock.advance(0);
      assert.equal(panel(), 'paid');
    });
  }

  it('of a method leaves the others, unless there is no other', async () => {
    for (const [methods, closed] of [
      [['QR', 'JETGO'], null],
      [['QR'], 'method_unavailable'],
    ] as const) {
      const { clock, proxy, session, state } = await scene({ claims: { methods: [...methods] } });
      proxy.nextStarts.push(problemOf('method_unavailable'));
      session.pay();
      await clock.advance(0);
      assert.equal(state().blocked?.code ?? null, closed);
    }
  });

  it('is over with a newer token', async () => {
    const { clock, proxy, session, panel, open } = await scene();
    proxy.nextStarts.push(problemOf('order_changed', { status: 409 }));
    choose(session, 'QR');
    session.pay();
    await clock.advance(0);
    assert.equal(panel(), 'trouble');
    open(tokenOf({ ...proxy.claims, exp: proxy.claims.exp + 1 }));
    assert.equal(panel(), 'choose');
  });
});

describe('a refusal', () => {
  it('is said at the choice, with its reference, and sent once', async () => {
    const { clock, proxy, session, state, events } = await scene();
    proxy.nextStarts.push(problemOf('method_unavailable'));
    choose(session, 'QR');
    session.pay();
    await clock.advance(60_000);
    assert.deepEqual(state().activity, {
      at: 'choosing',
      trouble: { code: 'method_unavailable', retryable: false, requestId: 'req-7f3a', detail: '' },
      errors: {},
    });
    assert.deepEqual([proxy.starts.length, events], [1, ['submit', 'error']]);
  });

  it('of a field is said beside it', async () => {
    const { clock, proxy, session, state } = await scene();
    const errors = [{ field: 'customer', detail: '4 to 20 digits' }];
    proxy.nextStarts.push(problemOf('invalid_request', { status: 400, errors }));
    session.edit({ customer: '12345678' });
    session.pay();
    await clock.advance(0);
    const { activity } = state();
    assert.deepEqual(activity.at === 'choosing' && activity.errors, { customer: 'walletWrong' });
  });

  it('as already paid leads to the truth', async () => {
    const { clock, proxy, session, panel } = await scene();
    proxy.breakStreams();
    proxy.view = { ...proxy.view, version: 9, paid: true, payment: paymentOf('QR', { status: 'SUCCESS' }) };
    proxy.nextStarts.push(problemOf('already_paid', { status: 409 }));
    choose(session, 'QR');
    session.pay();
    await clock.advance(0);
    assert.equal(panel(), 'paid');
  });

  it('of the token ends the session with a clear word, and a newer token begins it again', async () => {
    const { clock, proxy, session, panel, open } = await scene({ view: { payment: paymentOf('QR'), version: 3 } });
    proxy.streamProblem = problemOf('token_expired', { status: 401 });
    proxy.endStreams();
    await clock.advance(10_000);
    assert.equal(panel(), 'trouble');
    session.pay();
    session.reset();
    assert.deepEqual([panel(), proxy.starts.length], ['trouble', 0]);
    proxy.streamProblem = undefined;
    open(tokenOf({ ...proxy.claims, exp: 1_900_000_001 }));
    assert.equal(panel(), 'scan', 'what is known stays');
    proxy.settle({ status: 'SUCCESS' });
    await clock.advance(0);
    assert.equal(panel(), 'paid');
  });
});

describe('a token that expires while a start is under way', () => {
  it('ends that too: nothing is shown that nobody would follow', async () => {
    const { clock, proxy, session, panel } = await scene();
    const answer = proxy.holdAnswers();
    choose(session, 'QR');
    session.pay();
    await clock.advance(0);
    proxy.streamProblem = problemOf('token_expired', { status: 401 });
    proxy.endStreams();
    await clock.advance(5_000);
    assert.equal(panel(), 'trouble');
    answer();
    await clock.advance(1_000);
    assert.equal(panel(), 'trouble');
  });
});

describe('a newer token of the same order', () => {
  it('keeps what was typed, and the key of a start under way, though nothing was heard yet', async () => {
    const { clock, proxy, session, state, open } = await scene({ heard: false });
    proxy.orderProblem = proxy.streamProblem;
    session.edit({ method: 'DIRECT', customer: '12345678' });
    const release = proxy.hold();
    session.pay();
    await clock.advance(0);
    open(tokenOf({ ...proxy.claims, exp: proxy.claims.exp + 1 }));
    assert.deepEqual(state().form, { method: 'DIRECT', amount: null, customer: '12345678' });
    release();
    session.pay();
    await clock.advance(1_000);
    assert.equal(new Set(proxy.starts.map(({ key }) => key)).size, 1);
  });
});

describe('a proxy that is no URL', () => {
  it('is trouble, and nothing is sent by the order before', async () => {
    const { clock, proxy, session, panel, events } = await scene();
    session.open(proxy.token, 'https://pay.test:99999/');
    assert.deepEqual([panel(), events], ['trouble', ['error']]);
    choose(session, 'QR');
    session.pay();
    await clock.advance(1_000);
    assert.deepEqual([panel(), proxy.starts.length], ['trouble', 0]);
  });
});

describe('a token that cannot be read', () => {
  it('is trouble, told to the page, and asks the proxy nothing', async () => {
    const { proxy, panel, events, open } = await scene();
    const before = proxy.seen.length;
    open('nonsense');
    await settle();
    assert.deepEqual([panel(), events, proxy.seen.length], ['trouble', ['error'], before]);
  });
});

describe('following', () => {
  it('resumes with whatever is true', async () => {
    const { panel } = await scene({ view: { payment: paymentOf('QR'), version: 3 } });
    assert.equal(panel(), 'scan');
  });

  it('ignores a view that is older, and one of another order', async () => {
    const { clock, proxy, panel, state } = await scene({ view: { payment: paymentOf('QR'), version: 3 } });
    proxy.publish({ version: 2, payment: null });
    proxy.publish({ version: 9, payment: null, orderId: 'OTHER' });
    await clock.advance(0);
    assert.deepEqual([panel(), state().order.version], ['scan', 3]);
  });

  it('turns to paid whatever is shown, and tells the page once', async () => {
    const { clock, proxy, session, panel, events } = await scene({ view: { payment: paymentOf('QR'), version: 3 } });
    session.reset();
    proxy.settle({ status: 'SUCCESS' });
    await clock.advance(600_000);
    assert.deepEqual([panel(), events], ['paid', ['change', 'success']]);
  });

  it('stays at the choice while the payment that was left fails or goes on', async () => {
    const { clock, proxy, session, panel } = await scene({ view: { payment: paymentOf('QR'), version: 3 } });
    session.reset();
    proxy.settle({ status: 'FAILED', reason: 'EXPIRED' });
    await clock.advance(0);
    assert.equal(panel(), 'choose');
    session.showOpenPayment();
    assert.equal(panel(), 'failed');
  });

  it('tells the page of each view, each failure and the end, and of none twice', async () => {
    const { clock, proxy, events } = await scene({ view: { payment: paymentOf('QR'), version: 3 } });
    proxy.settle({ status: 'FAILED', reason: 'EXPIRED' });
    proxy.settle({ status: 'FAILED', reason: 'EXPIRED' });
    proxy.endStreams();
    await clock.advance(60_000);
    proxy.settle({ status: 'SUCCESS', late: true });
    await clock.advance(60_000);
    assert.deepEqual(events, ['change', 'failed', 'change', 'change', 'success']);
  });

  it('of a paid order that is lost is no error: all that matters is known', async () => {
    const payment = paymentOf('QR', { status: 'SUCCESS' });
    const view = { payment, paid: true, otherOpen: true, version: 3 };
    const { clock, proxy, session, events, state } = await scene({ view });
    proxy.isDown = true;
    session.reconnect();
    await clock.advance(60_000);
    assert.deepEqual([state().disconnected, events.filter((name) => name === 'error')], [true, []]);
  });

  it('measures the proxy’s clock against ours', async () => {
    const { clock, proxy, state } = await scene();
    proxy.now = () => clock.now() + 3_600_000;
    proxy.publish({});
    await clock.advance(0);
    assert.equal(state().skewMs, 3_600_000);
  });
});

describe('no connection', () => {
  it('is told to the page once, each time that it is lost, also where the shopper waits for nothing', async () => {
    const { clock, proxy, events } = await scene();
    for (const times of [1, 2]) {
      proxy.isDown = true;
      proxy.breakStreams();
      await clock.advance(120_000);
      assert.equal(events.filter((name) => name === 'error').length, times);
      proxy.isDown = false;
      await clock.advance(120_000);
    }
  });
});

describe('the errand to the checkout', () => {
  it('goes once, after the page was told', async () => {
    const { clock, proxy, session, panel, events, windowCalls } = await scene();
    choose(session, 'CHECKOUT');
    session.pay();
    await clock.advance(0);
    proxy.publish({});
    await clock.advance(0);
    assert.deepEqual(windowCalls, ['open _self', `navigate ${CHECKOUT_URL}`]);
    assert.deepEqual(events, ['submit', 'change', 'redirect', 'change']);
    assert.equal(panel(), 'redirect', 'the link stays, for one who comes back');
  });

  it('is left to the page that cancels it', async () => {
    const { clock, session, element, windowCalls } = await scene();
    element.addEventListener('payment-redirect', (event) => event.preventDefault());
    choose(session, 'CHECKOUT');
    session.pay();
    await clock.advance(0);
    assert.deepEqual(windowCalls, ['open _self', 'close']);
  });

  it('waits through views that know nothing of the payment yet', async () => {
    const { clock, proxy, session, windowCalls } = await scene();
    const release = proxy.hold();
    choose(session, 'CHECKOUT');
    session.pay();
    await clock.advance(0);
    proxy.publish({});
    await clock.advance(0);
    assert.equal(windowCalls.length, 1);
    release();
    await clock.advance(0);
    assert.deepEqual(windowCalls, ['open _self', `navigate ${CHECKOUT_URL}`]);
  });

  it('goes though nothing was known of the order before, and the stream was faster than the answer', async () => {
    const { clock, proxy, session, windowCalls } = await scene({ heard: false });
    const answer = proxy.holdAnswers();
    choose(session, 'CHECKOUT');
    session.pay();
    await clock.advance(0);
    proxy.publish({});
    await clock.advance(10_000);
    assert.equal(windowCalls.length, 1);
    answer();
    await clock.advance(0);
    assert.equal(windowCalls.at(-1), `navigate ${CHECKOUT_URL}`);
  });

  it('stays at the choice while the start is under way, and says that it is looked after once that takes long', async () => {
    const { clock, proxy, session, panel } = await scene();
    proxy.onStart = () => ({ status: 'INITIALIZED' });
    const answer = proxy.holdAnswers();
    choose(session, 'QR');
    session.pay();
    await clock.advance(3_900);
    assert.equal(panel(), 'choose');
    await clock.advance(200);
    assert.equal(panel(), 'fetching');
    proxy.settle({ status: 'PROCESSING' });
    await clock.advance(0);
    assert.equal(panel(), 'scan');
    answer();
    await clock.advance(0);
    assert.equal(panel(), 'scan');
  });

  it('goes straight to what the payment waits for, where the stream is faster than the answer', async () => {
    const { clock, proxy, session, panel } = await scene();
    proxy.onStart = () => ({ status: 'INITIALIZED' });
    const answer = proxy.holdAnswers();
    choose(session, 'QR');
    session.pay();
    await clock.advance(100);
    assert.equal(panel(), 'choose');
    proxy.settle({ status: 'PROCESSING' });
    await clock.advance(0);
    assert.equal(panel(), 'scan');
    answer();
  });

  it('waits until the outcome is known', async () => {
    const { clock, proxy, session, panel, windowCalls } = await scene();
    proxy.onStart = () => ({ status: 'INITIALIZED', checkoutUrl: null });
    choose(session, 'CHECKOUT');
    session.pay();
    await clock.advance(0);
    assert.deepEqual([panel(), windowCalls.length], ['fetching', 1]);
    proxy.settle({ status: 'PROCESSING', checkoutUrl: CHECKOUT_URL });
    await clock.advance(0);
    assert.equal(windowCalls.at(-1), `navigate ${CHECKOUT_URL}`);
  });

  it('goes though the answer was lost, when the stream shows the way', async () => {
    const { clock, proxy, session, windowCalls } = await scene();
    proxy.nextStarts.push('lost');
    choose(session, 'CHECKOUT');
    session.pay();
    await clock.advance(0);
    assert.equal(windowCalls.at(-1), `navigate ${CHECKOUT_URL}`);
  });

  it('leaves it to the shopper to go where the gateway answers another method with a checkout', async () => {
    const { clock, proxy, session, windowCalls, panel } = await scene();
    proxy.onStart = () => ({ method: 'CHECKOUT', checkoutUrl: CHECKOUT_URL });
    session.edit({ customer: '12345678' });
    session.pay();
    await clock.advance(0);
    assert.deepEqual([panel(), windowCalls], ['redirect', []]);
  });

  it('never goes where it is not safe', async () => {
    for (const checkoutUrl of ['http://checkout.example/', 'javascript:alert(1)']) {
      const { clock, proxy, session, events, windowCalls } = await scene();
      proxy.onStart = () => ({ checkoutUrl });
      choose(session, 'CHECKOUT');
      session.pay();
      await clock.advance(0);
      assert.deepEqual(windowCalls, ['open _self', 'close'], checkoutUrl);
      assert.ok(!events.includes('redirect'));
    }
  });

  it('never goes for a payment that this page did not start', async () => {
    const { windowCalls, panel } = await scene({ view: { payment: paymentOf('CHECKOUT'), version: 3 } });
    assert.deepEqual([panel(), windowCalls], ['redirect', []]);
  });

  it('is given up when the start fails or the shopper turns back', async () => {
    const first = await scene();
    first.proxy.nextStarts.push(problemOf('method_unavailable'));
    choose(first.session, 'CHECKOUT');
    first.session.pay();
    await first.clock.advance(0);
    assert.deepEqual(first.windowCalls, ['open _self', 'close']);

    const second = await scene();
    const release = second.proxy.hold();
    choose(second.session, 'CHECKOUT');
    second.session.pay();
    await settle();
    second.session.reset();
    release();
    await second.clock.advance(60_000);
    assert.deepEqual([second.windowCalls, second.panel()], [['open _self', 'close'], 'choose']);
  });
});

describe('an element that comes and goes', () => {
  it('keeps its stream and its start when it is only moved', async () => {
    const { clock, proxy, element, session, panel } = await scene();
    const release = proxy.hold();
    choose(session, 'QR');
    session.pay();
    await settle();
    element.isConnected = false;
    session.hostDisconnected();
    element.isConnected = true;
    session.hostConnected();
    release();
    await clock.advance(0);
    assert.deepEqual([panel(), proxy.seen.length, proxy.streamCount], ['scan', 2, 1]);
  });

  it('ends all that is under way when it is taken out, and follows again when it is put back', async () => {
    const { clock, proxy, element, session, panel, events } = await scene();
    const release = proxy.hold();
    choose(session, 'QR');
    session.pay();
    await settle();
    element.isConnected = false;
    session.hostDisconnected();
    await settle();
    assert.equal(proxy.streamCount, 0);
    release();
    events.length = 0;
    proxy.publish({ payment: paymentOf('QR') });
    await clock.advance(60_000);
    assert.deepEqual([events, proxy.seen.length], [[], 2]);
    element.isConnected = true;
    session.hostConnected();
    await clock.advance(0);
    assert.equal(panel(), 'scan');
  });
});
