// What a session tells the page before a start, and how the page delays or refuses one.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PaymentEventDetails } from '../../widget/flow/events.ts';
import { PAGE_LIMIT_MS } from '../../widget/flow/start-payment.ts';
import { settle } from './clock.ts';
import { paymentOf, problemOf, type ClaimsChange } from '../../widget/testing/fake-proxy.ts';
import { scene } from './session-scene.ts';

type Submit = CustomEvent<PaymentEventDetails['payment-submit']>;

describe('payment-ready', () => {
  /** What the events of a session say whose proxy answers only after they are listened to. */
  async function readyOf(claims: ClaimsChange, methods: string[] | null): Promise<unknown[]> {
    const { clock, proxy, element, ask } = await scene({ isConnected: false, claims });
    const details: unknown[] = [];
    element.addEventListener('payment-ready', (event) => details.push((event as CustomEvent).detail));
    ask(methods);
    assert.deepEqual(details, []);
    proxy.streamProblem = undefined;
    await clock.advance(60_000);
    proxy.settle({ status: 'FAILED', reason: 'DECLINED' });
    await clock.advance(60_000);
    return details;
  }

  it('payment-ready comes once, with all methods, if neither the order nor the page leaves one out', async () => {
    assert.deepEqual(await readyOf({}, null), [{ shown: ['DIRECT', 'CHECKOUT', 'JETGO', 'QR'], hidden: [] }]);
  });

  it('payment-ready says why each other method is not offered', async () => {
    const claims: ClaimsChange = { methods: ['QR', 'DIRECT', 'JETGO'], customerReferenceNo: undefined };
    const hidden = [
      { method: 'DIRECT', cause: 'reference' },
      { method: 'CHECKOUT', cause: 'order' },
      { method: 'JETGO', cause: 'page' },
    ];
    assert.deepEqual(await readyOf(claims, ['QR', 'CHECKOUT']), [{ shown: ['QR'], hidden }]);
  });
});

describe('payment-select', () => {
  it('payment-select names each other method that the shopper chooses, and not the same one again', async () => {
    const { element, session, sendBy } = await scene();
    const chosen: unknown[] = [];
    element.addEventListener('payment-select', (event) => chosen.push((event as CustomEvent).detail));
    session.edit({ method: 'DIRECT' });
    session.edit({ customer: '12345678' });
    session.edit({ method: 'QR' });
    session.edit({ method: 'QR' });
    await sendBy('QR');
    assert.deepEqual(chosen, [{ method: 'QR' }]);
  });
});

describe('waitUntil()', () => {
  /** A scene whose page waits for this promise before each start. */
  async function waitingFor(promise: Promise<unknown>, options: Parameters<typeof scene>[0] = {}) {
    const found = await scene(options);
    found.element.addEventListener('payment-submit', (event) => (event as Submit).detail.waitUntil(promise));
    return found;
  }

  it('waitUntil() delays the start until every promise is fulfilled', async () => {
    const page = Promise.withResolvers<void>();
    const { clock, proxy, element, state, panel, session, sendBy } = await waitingFor(page.promise);
    element.addEventListener('payment-submit', (event) => (event as Submit).detail.waitUntil(Promise.resolve()));
    await sendBy('QR');
    session.pay();
    await settle();
    assert.deepEqual(
      [proxy.starts.length, state().activity],
      [0, { at: 'sending', before: null, isSlow: false, retry: null }],
    );
    await clock.advance(4_000);
    assert.deepEqual(state().activity, { at: 'sending', before: null, isSlow: true, retry: null });
    page.resolve();
    await clock.advance(0);
    assert.deepEqual([proxy.starts.length, panel()], [1, 'scan']);
  });

  for (const [name, reason, message] of [
    ['an error', new Error('Sold out.'), 'Sold out.'],
    ['a text', 'Sold out.', 'Sold out.'],
    ['nothing', undefined, ''],
    ['another object', { code: 7 }, ''],
  ] as const) {
    it(`waitUntil() with a promise rejected by ${name} sends nothing and keeps the choice`, async () => {
      const page = Promise.withResolvers<void>();
      const { clock, proxy, events, state, sendBy } = await waitingFor(page.promise);
      await sendBy('QR');
      page.reject(reason);
      await clock.advance(0);
      const trouble = { code: 'invalid_request', retryable: false, message };
      assert.deepEqual(state().activity, { at: 'choosing', trouble });
      await clock.advance(60_000);
      assert.deepEqual([proxy.starts.length, events, state().form.method], [0, ['submit'], 'QR']);
    });
  }

  it('waitUntil() gives up after its limit, and reports an error', async () => {
    const { clock, proxy, events, state, sendBy } = await waitingFor(new Promise(() => {}));
    await sendBy('QR');
    await clock.advance(PAGE_LIMIT_MS - 1);
    assert.equal(state().activity.at, 'sending');
    await clock.advance(1);
    assert.equal(state().activity.at, 'choosing');
    assert.deepEqual([proxy.starts.length, events], [0, ['submit', 'error']]);
  });

  it('waitUntil() sends nothing for a shopper who has gone back to the choice', async () => {
    const page = Promise.withResolvers<void>();
    const { clock, proxy, state, session, sendBy } = await waitingFor(page.promise);
    await sendBy('QR');
    session.reset();
    page.resolve();
    await clock.advance(0);
    assert.deepEqual([proxy.starts.length, state().activity], [0, { at: 'choosing' }]);
  });

  it('waitUntil() of another attempt shows no panel of a start before there is one', async () => {
    const payment = paymentOf('QR', { status: 'FAILED', reason: 'EXPIRED' });
    const page = Promise.withResolvers<void>();
    const { clock, proxy, panel, session } = await waitingFor(page.promise, { view: { payment, version: 3 } });
    session.again('QR');
    await clock.advance(0);
    assert.deepEqual([proxy.starts.length, panel()], [0, 'choose']);
    page.resolve();
    await clock.advance(0);
    assert.deepEqual([proxy.starts.length, panel()], [1, 'scan']);
  });

  it('waitUntil() sends nothing if the order is paid or closed meanwhile', async () => {
    for (const view of [{ paid: true }, { closed: true }, { checking: true }]) {
      const page = Promise.withResolvers<void>();
      const { clock, proxy, events, windowCalls, panel, sendBy } = await waitingFor(page.promise);
      await sendBy('CHECKOUT');
      proxy.publish(view);
      await clock.advance(0);
      const shown = panel();
      page.resolve();
      await clock.advance(0);
      assert.deepEqual([proxy.starts.length, panel(), events.includes('error')], [0, shown, false]);
      assert.deepEqual(windowCalls, ['open _self', 'close']);
    }
  });

  it('waitUntil() sends nothing once an earlier start is known to have begun a payment', async () => {
    const page = Promise.withResolvers<void>();
    const { clock, proxy, element, panel, sendBy } = await scene();
    proxy.nextStarts.push(problemOf('too_many_requests', { status: 429, retryable: true }));
    await sendBy('QR');
    const { length } = proxy.starts;
    assert.equal(panel(), 'choose');
    element.addEventListener('payment-submit', (event) => (event as Submit).detail.waitUntil(page.promise));
    await sendBy('JETGO');
    proxy.publish({ payment: paymentOf('QR') });
    await clock.advance(0);
    page.resolve();
    await clock.advance(0);
    assert.deepEqual([proxy.starts.length, panel()], [length, 'scan']);
  });
});
