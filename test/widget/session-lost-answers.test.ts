// Answers that are late or lost: the proxy's answer to a start, and the gateway's answer to the proxy.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { METHODS } from '../../backend-proxy/protocol/wire.ts';
import { CHECKOUT_URL, paymentOf, problemOf } from '../../widget/testing/fake-proxy.ts';
import { scene } from './session-scene.ts';

describe('a lost answer of the proxy', () => {
  it('a start whose answer is lost is sent again with its key, and shown as slow', async () => {
    const { clock, proxy, payBy, panel, state, events, keysSent } = await scene();
    proxy.nextStarts.push('unreached', 'unreached');
    payBy('QR');
    await clock.advance(500);
    assert.deepEqual(
      [state().activity, panel()],
      [{ at: 'sending', before: null, isSlow: true, retry: null }, 'choose'],
    );
    await clock.advance(10_000);
    assert.deepEqual(keysSent(), ['key-1', 'key-1', 'key-1']);
    assert.deepEqual([panel(), events.includes('error'), events.includes('failed')], ['scan', false, false]);
  });

  it('a shopper who has gone back to the choice while a start was unanswered stays there when its payment is seen', async () => {
    const { clock, proxy, session, payBy, panel } = await scene();
    const answer = proxy.hold();
    payBy('QR');
    session.reset();
    answer();
    proxy.publish({ payment: paymentOf('QR') });
    await clock.advance(0);
    assert.equal(panel(), 'choose');
  });

  it('a start whose answer is lost is not sent again once the stream shows the payment', async () => {
    const { clock, proxy, payBy, panel } = await scene();
    proxy.nextStarts.push('lost');
    payBy('QR');
    await clock.advance(60_000);
    assert.deepEqual([panel(), proxy.starts.length], ['scan', 1]);
  });

  it('a start that is given up after five tries is not a failed payment, and pay() repeats it with its key', async () => {
    const { clock, proxy, session, payBy, panel, state, events, keysSent } = await scene();
    proxy.isDown = true;
    proxy.breakStreams();
    payBy('QR');
    await clock.advance(120_000);
    assert.equal(proxy.starts.length, 5);
    assert.equal(panel(), 'choose');
    const { activity } = state();
    assert.equal(activity.at === 'choosing' && activity.trouble?.code, 'network');
    assert.ok(events.includes('error') && !events.includes('failed'));
    proxy.isDown = false;
    await clock.advance(120_000);
    assert.deepEqual(state().activity, { at: 'choosing' }, 'the proxy answers again');
    session.pay();
    await clock.advance(30_000);
    assert.deepEqual([new Set(keysSent()).size, panel()], [1, 'scan']);
  });

  it('a start keeps its key if its second try is refused for a while', async () => {
    const { clock, proxy, session, payBy, panel, state, keysSent } = await scene();
    proxy.breakStreams();
    proxy.streamProblem = proxy.orderProblem = problemOf('unavailable', { status: 503, retryable: true });
    proxy.nextStarts.push('lost', problemOf('too_many_requests', { status: 429, retryable: true }));
    payBy('QR');
    await clock.advance(5_000);
    assert.equal(state().activity.at, 'choosing');
    session.pay();
    await clock.advance(1_000);
    assert.deepEqual([new Set(keysSent()).size, panel()], [1, 'scan']);
  });

  it('a start of another method after a lost answer has a new key', async () => {
    const { clock, proxy, payBy, keysSent, sendBy } = await scene();
    proxy.isDown = true;
    payBy('QR');
    await clock.advance(120_000);
    proxy.isDown = false;
    await sendBy('JETGO');
    assert.equal(keysSent().at(-1), 'key-2');
  });

  it('a start that was given up is followed once the connection is back and the stream shows it', async () => {
    const { clock, proxy, payBy, panel } = await scene();
    proxy.nextStarts.push('lost');
    payBy('QR');
    proxy.breakStreams();
    proxy.isDown = true;
    await clock.advance(120_000);
    assert.equal(panel(), 'choose');
    proxy.isDown = false;
    proxy.publish({ payment: paymentOf('QR', { createdAt: '2026-11-20T12:00:01.000Z' }) });
    await clock.advance(20_000);
    assert.equal(panel(), 'scan');
  });

  it('a 503 to a start counts as a lost answer', async () => {
    const { clock, proxy, payBy, panel, keysSent } = await scene();
    proxy.nextStarts.push(problemOf('unavailable', { status: 503, retryable: true }));
    payBy('QR');
    await clock.advance(3_000);
    assert.deepEqual([keysSent(), panel()], [['key-1', 'key-1'], 'scan']);
  });
});

/** As a status check finds a payment whose answer is still awaited. */
const FOUND = { status: 'PROCESSING', answer: 'AWAITED', checkoutUrl: null, qr: null, walletLast4: null } as const;
/** As it is after the gateway's answer was lost. */
const LOST = { ...FOUND, answer: 'LOST' } as const;

describe('a late answer of the gateway', () => {
  for (const method of METHODS) {
    it(`a ${method} start shows that its answer is awaited after 4 s, and nothing that is not there yet`, async () => {
      const { clock, proxy, payBy, panel } = await scene({ claims: { customer: '12345678' } });
      proxy.onStart = () => ({ ...FOUND, status: 'INITIALIZED', createdAt: new Date(clock.now()).toISOString() });
      const answer = proxy.holdAnswers();
      payBy(method);
      await clock.advance(2_000);
      proxy.settle(FOUND);
      await clock.advance(1_900);
      assert.equal(panel(), 'choose', 'most answers arrive within this time');
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

  it('a start is marked as slow after 4 s even if no view mentions it', async () => {
    const { clock, proxy, payBy, state } = await scene();
    proxy.hold();
    payBy('QR');
    await clock.advance(3_900);
    assert.deepEqual(state().activity, { at: 'sending', before: null, isSlow: false, retry: null });
    await clock.advance(200);
    assert.deepEqual(state().activity, { at: 'sending', before: null, isSlow: true, retry: null });
  });

  it('a checkout opens by itself even if a status check found the payment before the answer', async () => {
    const { clock, proxy, payBy, windowCalls, events } = await scene();
    proxy.onStart = () => ({ ...FOUND, status: 'INITIALIZED' });
    const answer = proxy.holdAnswers();
    payBy('CHECKOUT');
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
});

describe('a lost answer of the gateway', () => {
  for (const method of METHODS) {
    it(`a ${method} start whose answer is lost says so, can be replaced, and can still turn out paid`, async () => {
      const { clock, proxy, session, payBy, panel, windowCalls, keysSent } = await scene({
        claims: { customer: '12345678' },
      });
      proxy.onStart = () => LOST;
      payBy(method);
      await clock.advance(60_000);
      assert.deepEqual([panel(), proxy.starts.length], ['unanswered', 1]);
      if (method === 'CHECKOUT') assert.deepEqual(windowCalls, ['open _self', 'close'], 'there is no URL');
      const release = proxy.hold();
      session.again(method);
      await clock.advance(0);
      assert.equal(panel(), 'fetching', 'its progress is shown here, not at the choice');
      assert.deepEqual(new Set(keysSent()).size, 2);
      proxy.settle({ status: 'SUCCESS' });
      release();
      await clock.advance(0);
      assert.equal(panel(), 'paid');
    });
  }
});
