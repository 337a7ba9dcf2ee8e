import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ANSWERS, METHODS, REASONS, type PaymentView } from '../../backend-proxy/protocol/wire.ts';
import { showChoice } from '../../widget/shell/choice.ts';
import { claimedOrder } from '../../widget/shell/order-token.ts';
import { BLANK, stateFor, type SessionState, type Activity } from '../../widget/shell/state.ts';
import { canReturn } from '../../widget/flow/panels/open-payment.ts';
import { mayStart, show } from '../../widget/flow/view.ts';
import { CHECKOUT_URL, CODE, claimsOf, paymentOf, tokenOf } from './fake-proxy.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const claims = claimsOf();

function stateWith(payment: PaymentView | null, change: Partial<SessionState> = {}): SessionState {
  const order = { ...claimedOrder(claims), version: 1, payment, paid: payment?.status === 'SUCCESS' };
  return { ...BLANK, claims, order, ...change };
}

const trouble = { code: 'token_expired', retryable: false, requestId: 'r' };

describe('what is shown', () => {
  it('is the choice while there is no payment', () => {
    assert.equal(show(stateWith(null), NOW), null);
  });

  it('is never paid, and never failed, before the ledger says so', () => {
    for (const status of ['INITIALIZED', 'PROCESSING'] as const) {
      for (const method of ['DIRECT', 'CHECKOUT', 'JETGO', 'QR'] as const) {
        const shown = show(stateWith(paymentOf(method, { status })), NOW);
        assert.ok(shown && !['paid', 'failed', 'trouble'].includes(shown.panel), `${method} ${status}`);
      }
    }
  });

  /** As a status check finds it, which brings nothing to pay with. */
  const bare = { checkoutUrl: null, qr: null };

  for (const method of METHODS) {
    for (const status of ['INITIALIZED', 'PROCESSING'] as const) {
      it(`is what is awaited while the answer to a start is, and that it takes long after 4 s: ${method} ${status}`, () => {
        const payment = paymentOf(method, { ...bare, status, answer: 'AWAITED' });
        assert.deepEqual(show(stateWith(payment), NOW + 3_999), { panel: 'fetching', method, isLong: false });
        assert.deepEqual(show(stateWith(payment), NOW + 4_000), { panel: 'fetching', method, isLong: true });
      });

      it(`is that nothing arrived once the answer is lost, and never a request in the wallet: ${method} ${status}`, () => {
        const payment = paymentOf(method, { ...bare, status, answer: 'LOST' });
        assert.deepEqual(show(stateWith(payment), NOW), { panel: 'unanswered', method });
      });
    }
  }

  it('is what there is to pay with, whatever is known of the answer', () => {
    for (const answer of ANSWERS) {
      assert.equal(show(stateWith(paymentOf('QR', { answer })), NOW)?.panel, 'scan');
      assert.equal(show(stateWith(paymentOf('CHECKOUT', { answer })), NOW)?.panel, 'redirect');
    }
  });

  it('takes a status that it does not know for one that is still open', () => {
    const payment = { ...paymentOf('QR'), status: 'ON_HOLD' } as unknown as PaymentView;
    assert.deepEqual(show(stateWith(payment), NOW), { panel: 'checking' });
  });

  it('follows the shape of the answer, not the method', () => {
    const expiresAt = new Date(NOW + 60_000).toISOString();
    assert.deepEqual(show(stateWith(paymentOf('DIRECT')), NOW), { panel: 'wallet', last4: '5678', remainingMs: null });
    assert.deepEqual(show(stateWith(paymentOf('DIRECT', { checkoutUrl: CHECKOUT_URL, expiresAt })), NOW), {
      panel: 'redirect',
      asked: 'DIRECT',
      url: CHECKOUT_URL,
      remainingMs: 60_000,
    });
    assert.deepEqual(show(stateWith(paymentOf('JETGO', { appUrl: 'jetgo://pay' })), NOW), {
      panel: 'scan',
      code: CODE,
      appUrl: 'jetgo://pay',
      remainingMs: null,
    });
    assert.deepEqual(show(stateWith(paymentOf('QR', { qr: null })), NOW), { panel: 'unanswered', method: 'QR' });
  });

  it('counts down by the proxy’s clock, however wrong ours is, and never below zero', () => {
    for (const method of METHODS) {
      const payment = paymentOf(method, { expiresAt: new Date(NOW + 60_000).toISOString() });
      const at = (now: number, skewMs: number) => show(stateWith(payment, { skewMs }), now);
      const left = (now: number, skewMs: number) => {
        const shown = at(now, skewMs);
        return shown && 'remainingMs' in shown ? shown.remainingMs : undefined;
      };
      assert.equal(left(NOW - 3_600_000, 3_600_000), 60_000);
      assert.equal(left(NOW + 3_600_000 + 5_000, -3_600_000), 55_000);
      const over = { panel: 'timeUp', method };
      assert.deepEqual(at(NOW + 61_000, 0), over, 'the time is up, but not failed: that is the proxy’s to say');
    }
  });

  it('lets the shopper start anew only where there is nothing left to wait for', () => {
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

  it('is why nothing can be started any more, except while something can still be paid', () => {
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

  for (const reason of REASONS) {
    it(`is failed, with its reason, for ${reason}`, () => {
      assert.deepEqual(show(stateWith(paymentOf('QR', { status: 'FAILED', reason })), NOW), {
        panel: 'failed',
        method: 'QR',
        reason,
      });
    });
  }

  it('is paid whatever the shopper is doing', () => {
    const stages: Activity[] = [
      { at: 'following' },
      { at: 'choosing' },
      { at: 'sending', slow: 'again' },
      { at: 'stopped', trouble },
    ];
    for (const activity of stages) {
      const payment = paymentOf('QR', { status: 'SUCCESS', late: true });
      const shown = show(stateWith(payment, { activity }), NOW);
      assert.deepEqual(shown, { panel: 'paid', payment }, activity.at);
    }
  });

  it('is the choice again when the shopper went back to it, though a payment is open or failed', () => {
    for (const payment of [paymentOf('QR'), paymentOf('QR', { status: 'FAILED', reason: 'EXPIRED' })]) {
      assert.equal(show(stateWith(payment, { activity: { at: 'choosing' } }), NOW), null);
    }
  });

  it('is "checking" after a reload, until the first view, and only then', () => {
    const unheard = { ...BLANK, claims, order: claimedOrder(claims) };
    assert.deepEqual(show({ ...unheard, hasResumeHint: true }, NOW), { panel: 'checking' });
    assert.equal(show(unheard, NOW), null);
  });

  it('is trouble where the token cannot be read or is refused', () => {
    assert.equal(show(BLANK, NOW)?.panel, 'trouble');
    assert.deepEqual(show(stateWith(paymentOf('QR'), { activity: { at: 'stopped', trouble } }), NOW), {
      panel: 'trouble',
      trouble,
    });
  });
});

describe('the choice', () => {
  it('offers what the order allows, as the page preferences, in its order', () => {
    const methods = (preferences: string[] | null) =>
      showChoice(stateWith(null, { preferences: { methods: preferences, method: null } })).methods;
    assert.deepEqual(methods(null), ['DIRECT', 'CHECKOUT', 'JETGO', 'QR']);
    assert.deepEqual(methods(['QR', 'CARD', 'DIRECT']), ['QR', 'DIRECT']);
  });

  it('chooses the shopper’s, else the page’s, else the first', () => {
    const chosen = (mine: 'QR' | null, wish: string | null) =>
      showChoice(
        stateWith(null, { form: { ...BLANK.form, method: mine }, preferences: { methods: null, method: wish } }),
      ).chosen;
    assert.equal(chosen('QR', 'JETGO'), 'QR');
    assert.equal(chosen(null, 'JETGO'), 'JETGO');
    assert.equal(chosen(null, 'CARD'), 'DIRECT');
  });

  it('asks for a wallet id for DIRECT, unless the token knows it', () => {
    assert.equal(showChoice(stateWith(null)).askWallet, true);
    const known = claimsOf({ customer: '12345678' });
    assert.equal(showChoice(stateWith(null, { claims: known })).askWallet, false);
    assert.equal(showChoice(stateWith(null, { form: { ...BLANK.form, method: 'CHECKOUT' } })).askWallet, false);
  });

  it('leads back to an open payment, and not to one that ended', () => {
    const choosing: Activity = { at: 'choosing' };
    assert.equal(canReturn(stateWith(paymentOf('QR'), { activity: choosing })), true);
    const failed = paymentOf('QR', { status: 'FAILED', reason: 'EXPIRED' });
    assert.equal(canReturn(stateWith(failed, { activity: choosing })), false);
  });
});

describe('a state for a token', () => {
  it('keeps what is known of an order when its token is renewed', () => {
    const before = stateWith(paymentOf('QR'), { activity: { at: 'stopped', trouble } });
    const after = stateFor(tokenOf(claimsOf({ exp: 1_900_000_001 })), { ...before, blocked: trouble }, () => false);
    assert.equal(after.blocked, null, 'what was refused to the older one may be taken by this one');
    assert.equal(after.order, before.order);
    assert.equal(after.activity.at, 'following');
  });

  it('forgets everything but the page’s preferences for another order', () => {
    const preferences = { methods: ['QR'], method: 'QR' };
    const before = stateWith(paymentOf('QR'), { preferences, form: { ...BLANK.form, customer: '12345678' } });
    const after = stateFor(tokenOf(claimsOf({ orderId: 'DEF-456' })), before, () => false);
    assert.equal(after.order.payment, null);
    assert.equal(after.form.customer, '');
    assert.equal(after.preferences, preferences);
  });

  it('knows from the page’s note that a payment was started', () => {
    assert.equal(stateFor(tokenOf(claims), BLANK, (orderId) => orderId === 'ABC-123').hasResumeHint, true);
    assert.equal(stateFor(tokenOf(claims), BLANK, () => false).hasResumeHint, false);
  });
});
