// A start: what it sends, when it is refused here, and trying again.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { settle } from './clock.ts';
import { useDevice } from './device.ts';
import { paymentOf } from '../../widget/testing/fake-proxy.ts';
import { scene } from './session-scene.ts';

describe('pay()', () => {
  it('pay() starts one payment however often it is called', async () => {
    const { clock, proxy, session, payBy } = await scene();
    payBy('QR');
    session.pay();
    await settle();
    session.pay();
    await clock.advance(60_000);
    session.pay();
    await clock.advance(60_000);
    assert.equal(proxy.starts.length, 1);
  });

  it('pay() sends only the fields that the method and the token ask for', async () => {
    const { clock, proxy, session } = await scene();
    session.edit({ customer: '1234 5678', amount: '99' });
    session.pay();
    await clock.advance(0);
    assert.deepEqual(proxy.starts[0]?.body, { method: 'DIRECT', customer: '12345678', language: 'en' });
  });

  it('pay() sends nothing while a field is wrong, and marks the field until it changes', async () => {
    const { session, proxy, state, events } = await scene();
    session.pay();
    await settle();
    assert.deepEqual(state().activity, { at: 'choosing', errors: { customer: 'walletEmpty' } });
    assert.deepEqual([proxy.starts.length, events], [0, []]);
    session.edit({ customer: '1' });
    assert.deepEqual(state().activity, { at: 'choosing' });
  });

  it('pay() sends nothing if the page cancels payment-submit', async () => {
    const { proxy, element, events, sendBy } = await scene();
    element.addEventListener('payment-submit', (event) => event.preventDefault());
    await sendBy('QR');
    assert.deepEqual([proxy.starts.length, events], [0, ['submit']]);
  });

  it('pay() replaces an open payment, but only from the choice', async () => {
    const { proxy, session, panel, sendBy } = await scene({ view: { payment: paymentOf('QR'), version: 3 } });
    session.pay();
    await settle();
    assert.equal(proxy.starts.length, 0, 'the code is shown, so a second start could be paid as well');
    session.reset();
    assert.equal(panel(), 'choose');
    await sendBy('JETGO');
    assert.deepEqual([proxy.starts.length, panel()], [1, 'scan']);
  });

  for (const [language, sent] of [
    ['en', 'en'],
    ['pt-BR', 'pt'],
    ['sr-Latn', 'sr'],
    ['zh-Hant-HK', 'zh'],
    ['DE-at', 'de'],
    ['', 'en'],
  ] as const) {
    it(`pay() sends the widget’s language in two letters: "${language}" as ${sent}`, async () => {
      const { proxy, sendBy } = await scene({ language });
      await sendBy('QR');
      assert.deepEqual(proxy.starts[0]?.body, { method: 'QR', language: sent });
    });
  }

  it('pay() in another language repeats a start whose answer was lost, with its key', async () => {
    const { clock, proxy, session, payBy, panel, keysSent, setLanguage } = await scene();
    proxy.isDown = true;
    payBy('QR');
    await clock.advance(120_000);
    proxy.isDown = false;
    setLanguage('de');
    session.pay();
    await clock.advance(1_000);
    assert.deepEqual([new Set(keysSent()).size, panel()], [1, 'scan']);
    assert.equal(proxy.starts.at(-1)?.body?.language, 'de');
  });
});

describe('again()', () => {
  it('again() starts the failed method as a new payment with a new key', async () => {
    const payment = paymentOf('QR', { status: 'FAILED', reason: 'EXPIRED' });
    const { clock, session, panel, keysSent } = await scene({ view: { payment, version: 3 } });
    assert.equal(panel(), 'failed');
    session.again('QR');
    await clock.advance(0);
    assert.deepEqual([keysSent(), panel()], [['key-1'], 'scan']);
  });

  it('again() returns to the choice if the typed input was rejected', async () => {
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

  it('payAnotherWay() chooses another method, on a phone not another code, which opens the same app', async () => {
    const methodAfter = async (isPhone: boolean) => {
      useDevice(isPhone);
      const { session, state } = await scene({ view: { payment: paymentOf('JETGO'), version: 3 } });
      session.payAnotherWay();
      return state().form.method;
    };
    assert.deepEqual([await methodAfter(false), await methodAfter(true)], ['DIRECT', 'DIRECT']);
    useDevice(false);
  });

  it('again() returns to the choice without an error if the wallet id is no longer known', async () => {
    const payment = paymentOf('DIRECT', { status: 'FAILED', reason: 'DECLINED' });
    const { state, proxy, session, panel } = await scene({ view: { payment, version: 3 } });
    session.again('DIRECT');
    await settle();
    assert.deepEqual([proxy.starts.length, panel(), state().activity], [0, 'choose', { at: 'choosing' }]);
    assert.equal(state().form.method, 'DIRECT');
  });

  it('again() returns to the choice without an error if the gateway had answered the only method with another', async () => {
    const failed = paymentOf('CHECKOUT', { asked: 'DIRECT', status: 'FAILED', reason: 'EXPIRED' });
    const { clock, session, state } = await scene({
      claims: { methods: ['DIRECT'] },
      view: { methods: ['DIRECT'], payment: failed },
    });
    session.again('CHECKOUT');
    await clock.advance(0);
    assert.deepEqual(state().activity, { at: 'choosing' });
  });

  it('again() ignores a late answer to the start before it', async () => {
    const { clock, proxy, session, panel, state, keysSent, sendBy } = await scene();
    const answer = proxy.holdAnswers();
    await sendBy('QR');
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
    assert.deepEqual([panel(), keysSent()], ['scan', ['key-1', 'key-2']]);
  });

  it('again() replaces a code whose time is up, and no call of pay() before that does', async () => {
    const { clock, proxy, session, payBy, panel, keysSent } = await scene();
    proxy.onStart = () => ({ expiresAt: new Date(clock.now() + 60_000).toISOString() });
    payBy('QR');
    await clock.advance(59_000);
    assert.equal(panel(), 'scan');
    session.pay();
    await clock.advance(2_000);
    assert.deepEqual([panel(), proxy.starts.length], ['timeUp', 1]);
    await clock.advance(600_000);
    assert.equal(proxy.starts.length, 1);
    session.again('QR');
    await clock.advance(0);
    assert.deepEqual([keysSent(), panel()], [['key-1', 'key-2'], 'scan']);
  });
});
