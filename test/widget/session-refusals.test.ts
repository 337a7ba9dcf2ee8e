// Errors of the proxy: refused starts, refused tokens, and mistakes in the page's attributes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { settle } from './clock.ts';
import { paymentOf, problemOf, tokenOf } from '../../widget/testing/fake-proxy.ts';
import { useDevice } from './device.ts';
import { scene } from './session-scene.ts';

const OPEN = { view: { payment: paymentOf('QR'), version: 3 } };

describe('a refused start', () => {
  it('a refused start is sent once, and its problem is shown at the choice with its reference', async () => {
    const { clock, proxy, payBy, state, events } = await scene();
    proxy.nextStarts.push(problemOf('method_unavailable'));
    payBy('QR');
    await clock.advance(60_000);
    assert.deepEqual(state().activity, {
      at: 'choosing',
      trouble: { code: 'method_unavailable', retryable: false, requestId: 'req-7f3a', detail: '' },
      errors: {},
    });
    assert.deepEqual([proxy.starts.length, events], [1, ['submit', 'error']]);
  });

  it('a start refused for a field is explained beside that field', async () => {
    const { clock, proxy, session, state } = await scene();
    const errors = [{ field: 'customer', detail: '4 to 20 digits' }];
    proxy.nextStarts.push(problemOf('invalid_request', { status: 400, errors }));
    session.edit({ customer: '12345678' });
    session.pay();
    await clock.advance(0);
    const { activity } = state();
    assert.deepEqual(activity.at === 'choosing' && activity.errors, { customer: 'walletWrong' });
  });

  it('a start refused because the order is paid shows the paid order', async () => {
    const { proxy, panel, sendBy } = await scene();
    proxy.breakStreams();
    proxy.view = { ...proxy.view, version: 9, paid: true, payment: paymentOf('QR', { status: 'SUCCESS' }) };
    proxy.nextStarts.push(problemOf('already_paid', { status: 409 }));
    await sendBy('QR');
    assert.equal(panel(), 'paid');
  });

  for (const code of ['order_changed', 'already_paid', 'too_many_payments', 'forbidden_origin', 'a_newer_code']) {
    it(`a start refused for good (${code}) blocks the choice, but the open payment is still followed`, async () => {
      const { clock, proxy, session, payBy, panel, state } = await scene(OPEN);
      session.reset();
      proxy.nextStarts.push(problemOf(code, { status: 409 }));
      payBy('JETGO');
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
      assert.equal(panel(), 'trouble', 'the reason again, not the choice');
      proxy.settle({ status: 'SUCCESS' });
      await clock.advance(0);
      assert.equal(panel(), 'paid');
    });
  }

  it('a refused method is the one that was sent, also if the page has asked for another one meanwhile', async () => {
    const { clock, proxy, session, state, prefer } = await scene({ claims: { methods: ['QR', 'JETGO'] } });
    const answer = proxy.hold();
    proxy.nextStarts.push(problemOf('method_unavailable'));
    session.pay();
    prefer('JETGO');
    answer();
    await clock.advance(0);
    assert.deepEqual(state().unavailable, ['QR']);
  });

  it('a code that is refused on a phone is every code, because one row stands for them', async () => {
    useDevice(true);
    const { clock, proxy, session, state } = await scene();
    proxy.nextStarts.push(problemOf('method_unavailable'));
    session.pay();
    await clock.advance(0);
    assert.deepEqual([state().unavailable, proxy.starts[0]?.body?.method], [['JETGO', 'QR'], 'JETGO']);
    useDevice(false);
  });

  it('a refused method is tried again by the button of its own open payment, and no other method instead', async () => {
    const { clock, proxy, session, panel, sendBy } = await scene(OPEN);
    session.reset();
    proxy.nextStarts.push(problemOf('method_unavailable'));
    await sendBy('QR');
    session.showOpenPayment();
    proxy.settle({ status: 'FAILED', reason: 'EXPIRED' });
    await clock.advance(0);
    assert.equal(panel(), 'failed');
    session.again('QR');
    await clock.advance(0);
    assert.deepEqual(
      proxy.starts.map(({ body }) => body?.method),
      ['QR', 'QR'],
    );
  });

  it('a refused method blocks the choice only if there is no other method', async () => {
    for (const [methods, blocked] of [
      [['QR', 'JETGO'], null],
      [['QR'], 'method_unavailable'],
    ] as const) {
      const { clock, proxy, session, state } = await scene({ claims: { methods: [...methods] } });
      proxy.nextStarts.push(problemOf('method_unavailable'));
      session.pay();
      await clock.advance(0);
      assert.equal(state().blocked?.code ?? null, blocked);
    }
  });

  it('a start refused because the order is closed shows so at once', async () => {
    const { proxy, panel, state, sendBy } = await scene();
    proxy.orderProblem = problemOf('unavailable', { status: 503, retryable: true });
    proxy.streamProblem = proxy.orderProblem;
    proxy.nextStarts.push(problemOf('order_closed', { status: 409 }));
    await sendBy('QR');
    assert.deepEqual([panel(), state().blocked], ['closed', null]);
  });

  it('a start refused because a payment is under review shows that it is checked, until a person has ended it', async () => {
    const { clock, proxy, panel, state, sendBy, session } = await scene();
    proxy.orderProblem = problemOf('unavailable', { status: 503, retryable: true });
    proxy.streamProblem = proxy.orderProblem;
    proxy.nextStarts.push(problemOf('payment_under_review', { status: 409 }));
    await sendBy('QR');
    assert.deepEqual([panel(), state().blocked], ['checking', null]);
    session.reset();
    await sendBy('QR');
    assert.deepEqual([panel(), proxy.starts.length], ['checking', 1], 'nothing more is sent');
    proxy.orderProblem = proxy.streamProblem = undefined;
    await clock.advance(10_000);
    assert.equal(panel(), 'choose');
  });

  it('a newer token unblocks the choice', async () => {
    const { proxy, panel, open, sendBy } = await scene();
    proxy.nextStarts.push(problemOf('order_changed', { status: 409 }));
    await sendBy('QR');
    assert.equal(panel(), 'trouble');
    open(tokenOf({ ...proxy.claims, exp: proxy.claims.exp + 1 }));
    assert.equal(panel(), 'choose');
  });
});

describe('a refused token', () => {
  it('a refused token stops the session until a newer token resumes it', async () => {
    const { clock, proxy, session, panel, open } = await scene(OPEN);
    proxy.streamProblem = problemOf('token_expired', { status: 401 });
    proxy.endStreams();
    await clock.advance(10_000);
    assert.equal(panel(), 'trouble');
    session.pay();
    session.reset();
    assert.deepEqual([panel(), proxy.starts.length], ['trouble', 0]);
    proxy.streamProblem = undefined;
    open(tokenOf({ ...proxy.claims, exp: 1_900_000_001 }));
    assert.equal(panel(), 'scan', 'the known payment is shown at once');
    proxy.settle({ status: 'SUCCESS' });
    await clock.advance(0);
    assert.equal(panel(), 'paid');
  });

  it('a token that expires during a start ends the start, because nobody would follow its payment', async () => {
    const { clock, proxy, panel, sendBy } = await scene();
    const answer = proxy.holdAnswers();
    await sendBy('QR');
    proxy.streamProblem = problemOf('token_expired', { status: 401 });
    proxy.endStreams();
    await clock.advance(5_000);
    assert.equal(panel(), 'trouble');
    answer();
    await clock.advance(1_000);
    assert.equal(panel(), 'trouble');
  });
});

describe('open()', () => {
  it('open() reports a proxy attribute that is not a URL, and sends nothing for the previous order', async () => {
    const { clock, proxy, session, payBy, panel, events } = await scene();
    session.open(proxy.token, 'https://pay.test:99999/');
    assert.deepEqual([panel(), events], ['trouble', ['error']]);
    payBy('QR');
    await clock.advance(1_000);
    assert.deepEqual([panel(), proxy.starts.length], ['trouble', 0]);
  });

  it('open() reports a token that cannot be read, and sends nothing', async () => {
    const { proxy, panel, events, open } = await scene();
    const before = proxy.seen.length;
    open('nonsense');
    await settle();
    assert.deepEqual([panel(), events, proxy.seen.length], ['trouble', ['error'], before]);
  });
});
