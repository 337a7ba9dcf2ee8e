import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ANSWERS, METHODS, REASONS, STATUSES, type PaymentView } from '../../backend-proxy/protocol/wire.ts';
import { showChoice } from '../../widget/shell/choice.ts';
import { BLANK, claimedOrder, stateFor, type SessionState, type Activity } from '../../widget/shell/state.ts';
import { canReturn } from '../../widget/flow/choice-notes.ts';
import { mayStart, show } from '../../widget/flow/view.ts';
import { useDevice } from './device.ts';
import { CHECKOUT_URL, CODE, claimsOf, paymentOf, tokenOf } from '../../widget/testing/fake-proxy.ts';

useDevice(false);
const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const claims = claimsOf();

function stateWith(payment: PaymentView | null, change: Partial<SessionState> = {}): SessionState {
  const order = { ...claimedOrder(claims), version: 1, payment, paid: payment?.status === 'SUCCESS' };
  return { ...BLANK, claims, order, ...change };
}

const trouble = { code: 'token_expired', retryable: false, requestId: 'r' };

describe('show()', () => {
  it('show() returns null, the choice, while there is no payment', () => {
    assert.equal(show(stateWith(null), NOW), null);
  });

  it('show() returns neither paid nor failed while the payment is open', () => {
    for (const status of ['INITIALIZED', 'PROCESSING'] as const) {
      for (const method of ['DIRECT', 'CHECKOUT', 'JETGO', 'QR'] as const) {
        const shown = show(stateWith(paymentOf(method, { status })), NOW);
        assert.ok(shown && !['paid', 'failed', 'trouble'].includes(shown.panel), `${method} ${status}`);
      }
    }
  });

  /** As a status check finds a payment: without anything to pay with. */
  const bare = { checkoutUrl: null, qr: null };

  for (const method of METHODS) {
    for (const status of ['INITIALIZED', 'PROCESSING'] as const) {
      it(`show() returns fetching for a ${method} ${status} whose answer is awaited, and isLong after 4 s`, () => {
        const payment = paymentOf(method, { ...bare, status, answer: 'AWAITED' });
        assert.deepEqual(show(stateWith(payment), NOW + 3_999), { panel: 'fetching', method, isLong: false });
        assert.deepEqual(show(stateWith(payment), NOW + 4_000), { panel: 'fetching', method, isLong: true });
      });

      it(`show() returns unanswered for a ${method} ${status} whose answer is lost`, () => {
        const payment = paymentOf(method, { ...bare, status, answer: 'LOST' });
        assert.deepEqual(show(stateWith(payment), NOW), { panel: 'unanswered', method });
      });
    }
  }

  it('show() returns the code or the link if there is one, whatever the state of the answer', () => {
    for (const answer of ANSWERS) {
      assert.equal(show(stateWith(paymentOf('QR', { answer })), NOW)?.panel, 'scan');
      assert.equal(show(stateWith(paymentOf('CHECKOUT', { answer })), NOW)?.panel, 'redirect');
    }
  });

  it('show() returns checking for an unknown status', () => {
    const payment = { ...paymentOf('QR'), status: 'ON_HOLD' } as unknown as PaymentView;
    assert.deepEqual(show(stateWith(payment), NOW), { panel: 'checking' });
  });

  it('show() chooses the panel by what there is to pay with, not by the method', () => {
    const createdAt = new Date(NOW - 60_000).toISOString();
    const expiresAt = new Date(NOW + 60_000).toISOString();
    const NO_LIMIT = { remainingMs: null, totalMs: null };
    assert.deepEqual(show(stateWith(paymentOf('DIRECT')), NOW), {
      panel: 'wallet',
      last4: '5678',
      appUrl: null,
      ...NO_LIMIT,
    });
    assert.deepEqual(show(stateWith(paymentOf('DIRECT', { checkoutUrl: CHECKOUT_URL, createdAt, expiresAt })), NOW), {
      panel: 'redirect',
      asked: 'DIRECT',
      url: CHECKOUT_URL,
      remainingMs: 60_000,
      totalMs: 120_000,
    });
    assert.deepEqual(show(stateWith(paymentOf('JETGO', { appUrl: 'jetgo://pay' })), NOW), {
      panel: 'scan',
      method: 'JETGO',
      code: CODE,
      appUrl: 'jetgo://pay',
      ...NO_LIMIT,
    });
    assert.deepEqual(show(stateWith(paymentOf('QR', { qr: null })), NOW), { panel: 'unanswered', method: 'QR' });
  });

  it('show() computes the remaining time by the proxy’s clock, and returns timeUp at zero', () => {
    for (const method of METHODS) {
      const payment = paymentOf(method, { expiresAt: new Date(NOW + 60_000).toISOString() });
      const at = (now: number, skewMs: number) => show(stateWith(payment, { skewMs }), now);
      const left = (now: number, skewMs: number) => {
        const shown = at(now, skewMs);
        return shown && 'remainingMs' in shown ? shown.remainingMs : undefined;
      };
      assert.equal(left(NOW - 3_600_000, 3_600_000), 60_000);
      assert.equal(left(NOW + 3_600_000 + 5_000, -3_600_000), 55_000);
      const timeUp = { panel: 'timeUp', method };
      assert.deepEqual(at(NOW + 61_000, 0), timeUp, 'only the proxy can say that the payment failed');
    }
  });

  it('mayStart() allows a start only if there is nothing to wait for', () => {
    const may = (payment: PaymentView | null) => mayStart(show(stateWith(payment), NOW));
    const expiresAt = new Date(NOW).toISOString();
    for (const method of METHODS) {
      assert.deepEqual([may(paymentOf(method)), may(paymentOf(method, { status: 'INITIALIZED' }))], [false, false]);
      assert.equal(may(paymentOf(method, { expiresAt })), true);
      assert.equal(may(paymentOf(method, { ...bare, status: 'INITIALIZED', answer: 'LOST' })), true);
      assert.equal(may(paymentOf(method, { status: 'FAILED', reason: 'EXPIRED' })), true);
      assert.equal(may(paymentOf(method, { status: 'SUCCESS' })), false);
    }
    assert.equal(may(null), true);
  });

  it('show() returns why starts are blocked, unless a payment can still be paid', () => {
    const blocked = { code: 'too_many_payments', retryable: false };
    const panel = (payment: PaymentView | null, activity: Activity) =>
      show(stateWith(payment, { blocked, activity }), NOW)?.panel;
    const expiresAt = new Date(NOW).toISOString();
    for (const at of ['following', 'choosing'] as const) {
      assert.equal(panel(null, { at }), 'trouble');
      assert.equal(panel(paymentOf('QR', { status: 'FAILED', reason: 'EXPIRED' }), { at }), 'trouble');
      assert.equal(panel(paymentOf('QR', { expiresAt }), { at }), 'trouble');
      assert.equal(panel(paymentOf('QR'), { at }), at === 'following' ? 'scan' : 'trouble');
    }
    const state = (payment: PaymentView) => stateWith(payment, { blocked, activity: { at: 'choosing' } });
    assert.equal(canReturn(state(paymentOf('QR')), NOW), true);
    assert.equal(canReturn(state(paymentOf('QR', { expiresAt })), NOW), false);
  });

  it('show() returns failed with its reason', () => {
    for (const reason of REASONS) {
      const failed = paymentOf('QR', { status: 'FAILED', reason });
      assert.deepEqual(show(stateWith(failed), NOW), { panel: 'failed', method: 'QR', reason, cause: null });
    }
  });

  const ACTIVITIES: Activity[] = [
    { at: 'following' },
    { at: 'choosing' },
    { at: 'sending', before: null, isSlow: true, retry: null },
    { at: 'sending', before: null, isSlow: false, retry: 'QR' },
    { at: 'stopped', trouble },
  ];
  const UNPAID = { paid: false, checking: true };
  for (const [panel, order, activities] of [
    ['checking', UNPAID, ACTIVITIES.slice(0, -1)],
    ['closed', { ...UNPAID, closed: true }, ACTIVITIES],
  ] as const) {
    it(`show() returns ${panel} for such an order, whatever its payment and whatever the shopper is doing`, () => {
      for (const activity of activities)
        for (const status of STATUSES) {
          const state = stateWith(paymentOf('QR', { status }), { activity, blocked: trouble });
          const shown = show({ ...state, order: { ...state.order, ...order } }, NOW);
          assert.deepEqual([shown, mayStart(shown)], [{ panel }, false], `${activity.at} ${status}`);
        }
    });
  }

  it('show() returns paid whatever the shopper is doing', () => {
    const payment = paymentOf('QR', { status: 'SUCCESS', late: true });
    for (const activity of ACTIVITIES)
      assert.deepEqual(show(stateWith(payment, { activity }), NOW), { panel: 'paid' }, activity.at);
  });

  it('show() returns no receipt while what paid the order is in doubt, and once a person has ended it', () => {
    const payment = paymentOf('QR', { status: 'SUCCESS' });
    const shown = (checking: boolean, reason: 'RESOLVED' | null) => {
      const state = stateWith({ ...payment, reason });
      return show({ ...state, order: { ...state.order, paid: true, checking } }, NOW)?.panel;
    };
    assert.deepEqual([shown(true, null), shown(false, 'RESOLVED'), shown(false, null)], ['checking', 'closed', 'paid']);
  });

  it('show() returns null, the choice, if the shopper returned to it from a payment that is open or failed', () => {
    for (const payment of [paymentOf('QR'), paymentOf('QR', { status: 'FAILED', reason: 'EXPIRED' })]) {
      assert.equal(show(stateWith(payment, { activity: { at: 'choosing' } }), NOW), null);
    }
  });

  it('show() returns checking after a reload until the first view', () => {
    const withoutView = { ...BLANK, claims, order: claimedOrder(claims) };
    assert.deepEqual(show({ ...withoutView, hasResumeHint: true }, NOW), { panel: 'checking' });
    assert.equal(show(withoutView, NOW), null);
    // An order that nobody has started has version 0.
    assert.equal(
      show({ ...stateWith(null), order: { ...withoutView.order, version: 0 }, hasResumeHint: true }, NOW),
      null,
    );
  });

  it('show() returns trouble if the token cannot be read or was refused', () => {
    assert.equal(show(BLANK, NOW)?.panel, 'trouble');
    assert.deepEqual(show(stateWith(paymentOf('QR'), { activity: { at: 'stopped', trouble } }), NOW), {
      panel: 'trouble',
      trouble,
    });
  });
});

describe('showChoice()', () => {
  it('showChoice() offers the order’s methods that the page asks for, in the page’s order', () => {
    const methods = (names: string[] | null) =>
      showChoice(stateWith(null, { preferences: { methods: names, method: null } })).methods;
    assert.deepEqual(methods(null), ['DIRECT', 'CHECKOUT', 'JETGO', 'QR']);
    assert.deepEqual(methods(['QR', 'CARD', 'DIRECT']), ['QR', 'DIRECT']);
  });

  it('showChoice() begins with the app on a phone, unless the merchant or the page has given the methods an order', () => {
    const methods = ['DIRECT', 'QR'] as const;
    const shown = (change: Partial<SessionState>) => showChoice(stateWith(null, change));
    useDevice(true);
    const { methods: offered, chosen } = shown({});
    assert.deepEqual([offered, chosen], [['JETGO', 'QR', 'DIRECT', 'CHECKOUT'], 'JETGO']);
    const ordered = { ...claims, methods: [...methods] };
    assert.deepEqual(shown({ claims: ordered, order: claimedOrder(ordered) }).methods, methods);
    assert.deepEqual(shown({ preferences: { methods: [...methods], method: null } }).methods, methods);
    useDevice(false);
  });

  it('showChoice() chooses the shopper’s method, else the page’s, else the first', () => {
    const chosen = (mine: 'QR' | null, name: string | null) =>
      showChoice(
        stateWith(null, { form: { ...BLANK.form, method: mine }, preferences: { methods: null, method: name } }),
      ).chosen;
    assert.equal(chosen('QR', 'JETGO'), 'QR');
    assert.equal(chosen(null, 'JETGO'), 'JETGO');
    assert.equal(chosen(null, 'CARD'), 'DIRECT');
  });

  it('canReturn() is true for an open payment, and false for one that ended', () => {
    const choosing: Activity = { at: 'choosing' };
    assert.equal(canReturn(stateWith(paymentOf('QR'), { activity: choosing })), true);
    const failed = paymentOf('QR', { status: 'FAILED', reason: 'EXPIRED' });
    assert.equal(canReturn(stateWith(failed, { activity: choosing })), false);
  });
});

it('stateFor() a newer token keeps the order’s view, and removes what blocked the older token', () => {
  const before = stateWith(paymentOf('QR'), { activity: { at: 'stopped', trouble } });
  const after = stateFor(tokenOf(claimsOf({ exp: 1_900_000_001 })), { ...before, blocked: trouble }, () => null);
  assert.equal(after.blocked, null);
  assert.equal(after.order, before.order);
  assert.equal(after.activity.at, 'following');
});

it('stateFor() another order keeps only the page’s preferences', () => {
  const preferences = { methods: ['QR'], method: 'QR' };
  const before = stateWith(paymentOf('QR'), { preferences, form: { ...BLANK.form, customer: '12345678' } });
  const after = stateFor(tokenOf(claimsOf({ orderId: 'DEF-456' })), before, () => null);
  assert.equal(after.order.payment, null);
  assert.equal(after.form.customer, '');
  assert.equal(after.preferences, preferences);
});

it('stateFor() asks for the resume hint of its order', () => {
  assert.equal(stateFor(tokenOf(claims), BLANK, (orderId) => (orderId === 'ABC-123' ? '' : null)).hasResumeHint, true);
  assert.equal(stateFor(tokenOf(claims), BLANK, () => null).hasResumeHint, false);
});
