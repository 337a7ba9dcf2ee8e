import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PaymentView, Reason } from '../../backend-proxy/protocol/wire.ts';
import { showChoice } from '../../widget/choice.ts';
import { claimedOrder } from '../../widget/order-token.ts';
import { BLANK, stateFor, type SessionState, type Stage } from '../../widget/state.ts';
import { canReturn } from '../../widget/panels/returning.ts';
import { show } from '../../widget/view.ts';
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

  it('is "checking" while a start is being sent or its outcome is not known', () => {
    assert.deepEqual(show(stateWith(paymentOf('QR', { status: 'INITIALIZED' })), NOW), { panel: 'checking' });
  });

  it('takes a status that it does not know for one that is still open', () => {
    const payment = { ...paymentOf('QR'), status: 'ON_HOLD' } as unknown as PaymentView;
    assert.deepEqual(show(stateWith(payment), NOW), { panel: 'checking' });
  });

  it('follows the shape of the answer, not the method', () => {
    const expiresAt = new Date(NOW + 60_000).toISOString();
    assert.deepEqual(show(stateWith(paymentOf('DIRECT')), NOW), { panel: 'wallet', last4: '5678' });
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
    });
    assert.deepEqual(show(stateWith(paymentOf('QR', { qr: null })), NOW), { panel: 'wallet', last4: null });
  });

  it('counts down by the proxy’s clock, however wrong ours is, and never below zero', () => {
    const payment = paymentOf('CHECKOUT', { expiresAt: new Date(NOW + 60_000).toISOString() });
    const left = (now: number, skewMs: number) => {
      const shown = show(stateWith(payment, { skewMs }), now);
      return shown?.panel === 'redirect' ? shown.remainingMs : undefined;
    };
    assert.equal(left(NOW - 3_600_000, 3_600_000), 60_000);
    assert.equal(left(NOW + 3_600_000 + 5_000, -3_600_000), 55_000);
    assert.equal(left(NOW + 61_000, 0), 0, 'the time is up, but not failed: that is the proxy’s to say');
  });

  for (const reason of ['DECLINED', 'EXPIRED', 'REPLACED', 'REJECTED', 'NOT_CREATED'] as Reason[]) {
    it(`is failed, with its reason, for ${reason}`, () => {
      assert.deepEqual(show(stateWith(paymentOf('QR', { status: 'FAILED', reason })), NOW), {
        panel: 'failed',
        method: 'QR',
        reason,
      });
    });
  }

  it('is paid whatever the shopper is doing', () => {
    const stages: Stage[] = [
      { at: 'following' },
      { at: 'choosing' },
      { at: 'sending', slow: true },
      { at: 'stopped', trouble },
    ];
    for (const stage of stages) {
      const payment = paymentOf('QR', { status: 'SUCCESS', late: true });
      const shown = show(stateWith(payment, { stage }), NOW);
      assert.deepEqual(shown, { panel: 'paid', payment }, stage.at);
    }
  });

  it('is the choice again when the shopper went back to it, though a payment is open or failed', () => {
    for (const payment of [paymentOf('QR'), paymentOf('QR', { status: 'FAILED', reason: 'EXPIRED' })]) {
      assert.equal(show(stateWith(payment, { stage: { at: 'choosing' } }), NOW), null);
    }
  });

  it('is "checking" after a reload, until the first view, and only then', () => {
    const unheard = { ...BLANK, claims, order: claimedOrder(claims) };
    assert.deepEqual(show({ ...unheard, resuming: true }, NOW), { panel: 'checking' });
    assert.equal(show(unheard, NOW), null);
  });

  it('is trouble where the token cannot be read or is refused', () => {
    assert.equal(show(BLANK, NOW)?.panel, 'trouble');
    assert.deepEqual(show(stateWith(paymentOf('QR'), { stage: { at: 'stopped', trouble } }), NOW), {
      panel: 'trouble',
      trouble,
    });
  });
});

describe('the choice', () => {
  it('offers what the order allows, as the page wishes, in its order', () => {
    const methods = (wishes: string[] | null) =>
      showChoice(stateWith(null, { wishes: { methods: wishes, method: null } })).methods;
    assert.deepEqual(methods(null), ['DIRECT', 'CHECKOUT', 'JETGO', 'QR']);
    assert.deepEqual(methods(['QR', 'CARD', 'DIRECT']), ['QR', 'DIRECT']);
  });

  it('chooses the shopper’s, else the page’s, else the first', () => {
    const chosen = (mine: 'QR' | null, wish: string | null) =>
      showChoice(stateWith(null, { draft: { ...BLANK.draft, method: mine }, wishes: { methods: null, method: wish } }))
        .chosen;
    assert.equal(chosen('QR', 'JETGO'), 'QR');
    assert.equal(chosen(null, 'JETGO'), 'JETGO');
    assert.equal(chosen(null, 'CARD'), 'DIRECT');
  });

  it('asks for a wallet id for DIRECT, unless the token knows it', () => {
    assert.equal(showChoice(stateWith(null)).askWallet, true);
    const known = claimsOf({ customer: '12345678' });
    assert.equal(showChoice(stateWith(null, { claims: known })).askWallet, false);
    assert.equal(showChoice(stateWith(null, { draft: { ...BLANK.draft, method: 'CHECKOUT' } })).askWallet, false);
  });

  it('leads back to an open payment, and not to one that ended', () => {
    const choosing: Stage = { at: 'choosing' };
    assert.equal(canReturn(stateWith(paymentOf('QR'), { stage: choosing })), true);
    const failed = paymentOf('QR', { status: 'FAILED', reason: 'EXPIRED' });
    assert.equal(canReturn(stateWith(failed, { stage: choosing })), false);
  });
});

describe('a state for a token', () => {
  it('keeps what is known of an order when its token is renewed', () => {
    const before = stateWith(paymentOf('QR'), { stage: { at: 'stopped', trouble } });
    const after = stateFor(tokenOf(claimsOf({ exp: 1_900_000_001 })), before, () => false);
    assert.equal(after.order, before.order);
    assert.equal(after.stage.at, 'following');
  });

  it('forgets everything but the page’s wishes for another order', () => {
    const wishes = { methods: ['QR'], method: 'QR' };
    const before = stateWith(paymentOf('QR'), { wishes, draft: { ...BLANK.draft, customer: '12345678' } });
    const after = stateFor(tokenOf(claimsOf({ orderId: 'DEF-456' })), before, () => false);
    assert.equal(after.order.payment, null);
    assert.equal(after.draft.customer, '');
    assert.equal(after.wishes, wishes);
  });

  it('knows from the page’s note that a payment was started', () => {
    assert.equal(stateFor(tokenOf(claims), BLANK, (orderId) => orderId === 'ABC-123').resuming, true);
    assert.equal(stateFor(tokenOf(claims), BLANK, () => false).resuming, false);
  });
});
