// Following an order: new views and the page's events, lost connections, newer tokens, an element that is moved or
// removed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { settle } from './clock.ts';
import { paymentOf, problemOf, tokenOf } from '../../widget/testing/fake-proxy.ts';
import { scene } from './session-scene.ts';

const OPEN = { view: { payment: paymentOf('QR'), version: 3 } };

describe('a session', () => {
  it('a session shows the open payment of its order', async () => {
    const { panel } = await scene(OPEN);
    assert.equal(panel(), 'scan');
  });

  it('a session ignores an older view of the same stream and a view of another order', async () => {
    const { clock, proxy, panel, state } = await scene(OPEN);
    proxy.publish({ version: 2, payment: null });
    proxy.publish({ version: 9, payment: null, orderId: 'OTHER' });
    await clock.advance(0);
    assert.deepEqual([panel(), state().order.version], ['scan', 3]);
  });

  for (const [how, polls] of [
    ['stream', false],
    ['short request', true],
  ] as const) {
    it(`a session takes the first view of a new connection, a ${how}, from a restored database`, async () => {
      const { clock, proxy, panel, events } = await scene({ view: { payment: paymentOf('QR'), version: 50 } });
      if (polls) proxy.streamProblem = problemOf('too_many_streams', { status: 503, retryable: true });
      proxy.view = { ...proxy.view, version: 3, paid: true, payment: paymentOf('QR', { status: 'SUCCESS' }) };
      proxy.endStreams();
      await clock.advance(12_000);
      assert.deepEqual([panel(), events], ['paid', ['change', 'success']]);
    });
  }

  it('a session keeps the answer of a start that arrives before the older first view of a stream', async () => {
    const { clock, proxy, panel, state, sendBy } = await scene();
    const arrive = proxy.holdStreams();
    proxy.endStreams();
    await clock.advance(500);
    await sendBy('QR');
    arrive();
    await clock.advance(0);
    assert.deepEqual([panel(), state().order.version], ['scan', 1]);
  });

  it('a session shows a success from every panel, and sends payment-success once', async () => {
    const { clock, proxy, session, panel, events } = await scene(OPEN);
    session.reset();
    proxy.settle({ status: 'SUCCESS' });
    await clock.advance(600_000);
    assert.deepEqual([panel(), events], ['paid', ['change', 'success']]);
  });

  it('a session stays at the choice when the payment that was left fails', async () => {
    const { clock, proxy, session, panel } = await scene(OPEN);
    session.reset();
    proxy.settle({ status: 'FAILED', reason: 'EXPIRED' });
    await clock.advance(0);
    assert.equal(panel(), 'choose');
    session.showOpenPayment();
    assert.equal(panel(), 'failed');
  });

  it('a session sends an event for each view, each failure and the success, and none twice', async () => {
    const { clock, proxy, events } = await scene(OPEN);
    proxy.settle({ status: 'FAILED', reason: 'EXPIRED' });
    proxy.settle({ status: 'FAILED', reason: 'EXPIRED' });
    proxy.endStreams();
    await clock.advance(60_000);
    proxy.settle({ status: 'SUCCESS', late: true });
    await clock.advance(60_000);
    assert.deepEqual(events, ['change', 'failed', 'change', 'change', 'success']);
  });

  it('a session reports a failed payment only once it is not checked any more', async () => {
    const { clock, proxy, panel, events } = await scene(OPEN);
    proxy.publish({ checking: true, payment: paymentOf('QR', { status: 'FAILED', reason: 'REJECTED' }) });
    await clock.advance(0);
    assert.deepEqual([panel(), events], ['checking', ['change']]);
    proxy.publish({ checking: false, payment: paymentOf('QR', { status: 'FAILED', reason: 'RESOLVED' }) });
    await clock.advance(0);
    assert.deepEqual([panel(), events], ['failed', ['change', 'change', 'failed']]);
  });

  it('a session reports the success only once it is in no doubt, and not of what a person has ended', async () => {
    for (const [reason, outcome] of [
      [null, ['success']],
      ['RESOLVED', []],
    ] as const) {
      const { clock, proxy, panel, events } = await scene(OPEN);
      const payment = paymentOf('QR', { status: 'SUCCESS' });
      proxy.publish({ paid: true, checking: true, payment });
      await clock.advance(0);
      assert.deepEqual([panel(), events], ['checking', ['change']]);
      proxy.publish({ checking: false, payment: { ...payment, reason } });
      await clock.advance(0);
      assert.deepEqual([panel(), events], [reason ? 'closed' : 'paid', ['change', 'change', ...outcome]]);
    }
  });

  for (const [name, over] of [
    ['paid', { paid: true }],
    ['closed', { closed: true }],
  ] as const) {
    it(`a session follows a ${name} order while a refund is on its way, whatever ends the stream, and no longer`, async () => {
      const payment = paymentOf('QR', { status: 'SUCCESS' });
      const back = (status: 'PROCESSING' | 'SUCCESS') => ({ refunds: [{ amount: '4.00', status }] });
      const { clock, proxy, state, events } = await scene({
        view: { ...over, payment, version: 3, ...back('PROCESSING') },
      });
      proxy.endStreams();
      await clock.advance(5_000);
      assert.equal(proxy.streamCount, 1);
      proxy.publish(back('SUCCESS'));
      proxy.endStreams();
      await clock.advance(60_000);
      assert.deepEqual([state().order.refunds, proxy.streamCount], [back('SUCCESS').refunds, 0]);
      assert.equal(events.includes('error'), false);
    });
  }

  it('a session whose token expires while a refund is on its way goes on showing the paid order, and reports nothing', async () => {
    const payment = paymentOf('QR', { status: 'SUCCESS' });
    const view = { paid: true, payment, version: 3, refunds: [{ amount: '4.00', status: 'PROCESSING' as const }] };
    const { clock, proxy, panel, events } = await scene({ view });
    proxy.streamProblem = problemOf('token_expired', { status: 401 });
    proxy.endStreams();
    await clock.advance(5_000);
    assert.deepEqual([panel(), events.filter((name) => name === 'error')], ['paid', []]);
  });

  it('a session that follows a closed order neither starts a payment nor calls one that succeeds paid', async () => {
    const { session, clock, proxy, panel, events } = await scene(OPEN);
    proxy.publish({ closed: true });
    await clock.advance(0);
    session.pay('QR');
    session.reset();
    proxy.publish({ payment: paymentOf('QR', { status: 'SUCCESS' }) });
    await clock.advance(60_000);
    assert.deepEqual([panel(), proxy.starts.length, events], ['closed', 0, ['change', 'change']]);
  });

  it('a session measures how far the proxy’s clock is ahead', async () => {
    const { clock, proxy, state } = await scene();
    proxy.now = () => clock.now() + 3_600_000;
    proxy.publish({});
    await clock.advance(0);
    assert.equal(state().skewMs, 3_600_000);
  });
});

describe('a lost connection', () => {
  it('a lost connection is reported to the page once each time, even if the shopper waits for nothing', async () => {
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

  it('a lost connection is not an error once the order is paid', async () => {
    const payment = paymentOf('QR', { status: 'SUCCESS' });
    const view = { payment, paid: true, otherOpen: true, version: 3 };
    const { clock, proxy, session, events, state } = await scene({ view });
    proxy.isDown = true;
    session.reconnect();
    await clock.advance(60_000);
    assert.deepEqual([state().disconnected, events.filter((name) => name === 'error')], [true, []]);
  });
});

describe('a newer token of the same order', () => {
  it('a newer token keeps the typed text and the key of a start, even before the first view', async () => {
    const { clock, proxy, session, state, open, keysSent } = await scene({ isConnected: false });
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
    assert.equal(new Set(keysSent()).size, 1);
  });
});

describe('an element', () => {
  it('an element that is moved keeps its stream and its start', async () => {
    const { clock, proxy, element, session, panel, sendBy } = await scene();
    const release = proxy.hold();
    await sendBy('QR');
    element.isConnected = false;
    session.hostDisconnected();
    element.isConnected = true;
    session.hostConnected();
    release();
    await clock.advance(0);
    assert.deepEqual([panel(), proxy.seen.length, proxy.streamCount], ['scan', 2, 1]);
  });

  it('an element that is removed ends its stream and its start, and follows the order again once it is back', async () => {
    const { clock, proxy, element, session, panel, events, sendBy } = await scene();
    const release = proxy.hold();
    await sendBy('QR');
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
