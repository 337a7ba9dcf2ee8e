// The window of the hosted checkout: when it opens, where it goes, when it is closed. The same of the wallet app.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CHECKOUT_URL, paymentOf, problemOf } from '../../widget/testing/fake-proxy.ts';
import { scene } from './session-scene.ts';

const NAVIGATED = ['open _self', `navigate ${CHECKOUT_URL}`];
const CLOSED = ['open _self', 'close'];

describe('the checkout window', () => {
  it('the checkout window is navigated once, after payment-redirect', async () => {
    const { clock, proxy, panel, events, windowCalls, sendBy } = await scene();
    await sendBy('CHECKOUT');
    proxy.publish({});
    await clock.advance(0);
    assert.deepEqual(windowCalls, NAVIGATED);
    assert.deepEqual(events, ['submit', 'change', 'redirect', 'change']);
    assert.equal(panel(), 'redirect', 'the link stays for a shopper who comes back');
  });

  for (const [what, prepare, calls] of [
    [
      'is navigated by the stream if the answer to the start is lost',
      ({ proxy }) => proxy.nextStarts.push('lost'),
      NAVIGATED,
    ],
    [
      'is closed if the start is refused',
      ({ proxy }) => proxy.nextStarts.push(problemOf('method_unavailable')),
      CLOSED,
    ],
    [
      'is closed if the page cancels payment-redirect',
      ({ element }) => element.addEventListener('payment-redirect', (event) => event.preventDefault()),
      CLOSED,
    ],
    [
      'is closed instead of going to http',
      ({ proxy }) => (proxy.onStart = () => ({ checkoutUrl: 'http://a.example/' })),
      CLOSED,
    ],
    [
      'is closed instead of running a script',
      ({ proxy }) => (proxy.onStart = () => ({ checkoutUrl: 'javascript:alert(1)' })),
      CLOSED,
    ],
  ] as const satisfies [string, (of: Awaited<ReturnType<typeof scene>>) => unknown, string[]][]) {
    it(`the checkout window ${what}`, async () => {
      const opened = await scene();
      prepare(opened);
      await opened.sendBy('CHECKOUT');
      assert.deepEqual(opened.windowCalls, calls);
    });
  }

  it('the checkout window waits while views do not contain the payment', async () => {
    const { clock, proxy, windowCalls, sendBy } = await scene();
    const release = proxy.hold();
    await sendBy('CHECKOUT');
    proxy.publish({});
    await clock.advance(0);
    assert.equal(windowCalls.length, 1);
    release();
    await clock.advance(0);
    assert.deepEqual(windowCalls, NAVIGATED);
  });

  it('the checkout window waits until the gateway has answered', async () => {
    const { clock, proxy, panel, windowCalls, sendBy } = await scene();
    proxy.onStart = () => ({ status: 'INITIALIZED', checkoutUrl: null });
    await sendBy('CHECKOUT');
    assert.deepEqual([panel(), windowCalls.length], ['fetching', 1]);
    proxy.settle({ status: 'PROCESSING', checkoutUrl: CHECKOUT_URL });
    await clock.advance(0);
    assert.deepEqual(windowCalls, NAVIGATED);
  });

  it('the checkout window does not open if the gateway answers another method with a checkout', async () => {
    const { clock, proxy, session, windowCalls, panel } = await scene();
    proxy.onStart = () => ({ method: 'CHECKOUT', checkoutUrl: CHECKOUT_URL });
    session.edit({ customer: '12345678' });
    session.pay();
    await clock.advance(0);
    assert.deepEqual([panel(), windowCalls], ['redirect', []]);
  });

  it('the checkout window does not open for a payment that this page did not start', async () => {
    const { windowCalls, panel } = await scene({ view: { payment: paymentOf('CHECKOUT'), version: 3 } });
    assert.deepEqual([panel(), windowCalls], ['redirect', []]);
  });

  it('the checkout window is closed if the shopper returns to the choice', async () => {
    const { clock, proxy, session, windowCalls, panel, sendBy } = await scene();
    const release = proxy.hold();
    await sendBy('CHECKOUT');
    session.reset();
    release();
    await clock.advance(60_000);
    assert.deepEqual([windowCalls, panel()], [CLOSED, 'choose']);
  });
});

describe('app-open', () => {
  const LINK = 'https://wallet.example/pay?id=1';

  it('app-open: the press that pays opens the app by its web link, once, and the panel stays', async () => {
    for (const [method, link] of [
      ['JETGO', LINK],
      ['QR', 'http://localhost:8788/wallet?pay=1'],
    ] as const) {
      const { clock, proxy, panel, events, windowCalls, state, sendBy } = await scene();
      proxy.onStart = () => ({ appUrl: link });
      await sendBy(method);
      proxy.publish({});
      await clock.advance(0);
      assert.deepEqual(windowCalls, [`app ${link}`]);
      assert.deepEqual(events, ['submit', 'change', 'redirect', 'change']);
      assert.deepEqual([panel(), state().openedAppLink], ['scan', link]);
    }
  });

  it('app-open: the app is not opened by a link that is unsafe or of another scheme', async () => {
    const links = [
      null,
      'jetgo://pay',
      'http://wallet.example/',
      'https://shop.example@wallet.example/',
      'javascript:alert(1)',
      'https:',
    ];
    for (const appUrl of links) {
      const { proxy, panel, events, windowCalls, sendBy } = await scene();
      proxy.onStart = () => ({ appUrl });
      await sendBy('QR');
      assert.deepEqual([windowCalls, panel()], [[], 'scan'], String(appUrl));
      assert.ok(!events.includes('redirect'));
    }
  });

  it('app-open: the app is opened by a second press if the page asks for it, or cancels payment-redirect', async () => {
    const asking = await scene();
    asking.element.appOpen = 'ask';
    const canceling = await scene();
    canceling.element.addEventListener('payment-redirect', (event) => event.preventDefault());
    for (const { proxy, windowCalls, sendBy, state } of [asking, canceling]) {
      proxy.onStart = () => ({ appUrl: LINK });
      await sendBy('QR');
      assert.deepEqual([windowCalls, state().openedAppLink], [[], null]);
    }
  });

  it('app-open: the app is not opened once the press counts no more, or the start is slow', async () => {
    const late = await scene();
    late.press.counts = false;
    late.proxy.onStart = () => ({ appUrl: LINK });
    await late.sendBy('QR');
    late.press.counts = true;
    late.proxy.publish({});
    await late.clock.advance(0);
    assert.deepEqual(late.windowCalls, []);
    const slow = await scene();
    slow.proxy.onStart = () => ({ appUrl: LINK });
    const release = slow.proxy.hold();
    await slow.sendBy('QR');
    await slow.clock.advance(5_000);
    release();
    await slow.clock.advance(0);
    assert.deepEqual([slow.windowCalls, slow.panel()], [[], 'scan']);
  });

  it('app-open: the app is not opened once the shopper has returned to the choice', async () => {
    const { clock, proxy, session, windowCalls, sendBy } = await scene();
    proxy.onStart = () => ({ appUrl: LINK });
    const release = proxy.hold();
    await sendBy('QR');
    session.reset();
    release();
    await clock.advance(1_000);
    assert.deepEqual(windowCalls, []);
  });
});
