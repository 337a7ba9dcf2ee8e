// Decides what to show: (session, now) → one member of `Shown`, a member a panel. Pure, without Lit, network or clock.
// It is not optimistic: waiting and paid come from the order view alone, which is what the ledger committed. The session only
// adds what the shopper is doing here (choosing, sending) and whether the proxy can be heard.
import type { Method, PaymentView, QrCode, Reason } from '../backend-proxy/protocol/wire.ts';
import type { Choice } from './choice.ts';
import type { SessionState, Trouble } from './state.ts';

export type Shown = Choice | Outcome;

export type Outcome =
  | { panel: 'checking' }
  | { panel: 'redirect'; asked: Method; url: string; remainingMs: number | null }
  | { panel: 'scan'; code: QrCode | null; appUrl: string | null }
  | { panel: 'wallet'; last4: string | null }
  | { panel: 'paid'; payment: PaymentView | null }
  | { panel: 'failed'; method: Method; reason: Reason | null }
  | { panel: 'trouble'; trouble: Trouble };

/** Null where it is the choice (choice.ts) that is to be shown. `now`: ours, ms. */
export function show(state: SessionState, now: number): Outcome | null {
  const { claims, order, stage, resuming } = state;
  if (order.paid) return { panel: 'paid', payment: order.payment };
  if (stage.at === 'stopped') return { panel: 'trouble', trouble: stage.trouble };
  if (!claims) return { panel: 'trouble', trouble: { code: 'invalid_token', retryable: false } };
  if (stage.at === 'following') {
    if (order.payment) return showPayment(order.payment, now + state.skewMs);
    if (resuming && order.version < 0) return { panel: 'checking' };
  }
  return null;
}

function showPayment(payment: PaymentView, proxyTime: number): Outcome {
  const { method, reason } = payment;
  switch (payment.status) {
    case 'INITIALIZED':
      return { panel: 'checking' };
    case 'PROCESSING':
      return showWaiting(payment, proxyTime);
    case 'SUCCESS':
      return { panel: 'paid', payment };
    case 'FAILED':
      return { panel: 'failed', method, reason };
    default:
      // A status that came later than this file is not an outcome: the gateway's own rule for statuses it does not know.
      return { panel: 'checking' };
  }
}

/** By the shape of waiting, not by the method's name: the gateway may answer with another method than the one asked for. */
function showWaiting(payment: PaymentView, proxyTime: number): Outcome {
  const { asked, checkoutUrl, qr, appUrl, walletLast4, expiresAt } = payment;
  if (checkoutUrl) {
    const remainingMs = expiresAt ? Math.max(0, Date.parse(expiresAt) - proxyTime) : null;
    return { panel: 'redirect', asked, url: checkoutUrl, remainingMs };
  }
  return qr || appUrl ? { panel: 'scan', code: qr, appUrl } : { panel: 'wallet', last4: walletLast4 };
}
