// Decides what to show: (session, now) → one member of `Shown`, a member a panel. Pure, without Lit, network or clock.
// It is not optimistic: waiting and paid come from the order view alone, which is what the ledger committed. The session only
// adds what the shopper is doing here (choosing, sending) and whether the proxy can be heard.
import { ANSWER } from '../../backend-proxy/protocol/methods.ts';
import type { Method, PaymentView, QrCode, Reason } from '../../backend-proxy/protocol/wire.ts';
import type { Choice } from '../shell/choice.ts';
import type { SessionState, Trouble } from '../shell/state.ts';

/** How long a start may take before the screen says so: most are answered by then, and go straight to their panel. */
export const PATIENCE_MS = 4_000;

export type Shown = Choice | Outcome;

export type Outcome =
  | { panel: 'checking' }
  /** The proxy's or the gateway's answer is awaited. `isLong`: for longer than most. */
  | { panel: 'fetching'; method: Method; isLong: boolean }
  /** The gateway's answer is lost: there is nothing to pay with here. */
  | { panel: 'missed'; method: Method }
  | { panel: 'redirect'; asked: Method; url: string; remainingMs: number | null }
  | { panel: 'scan'; code: QrCode | null; appUrl: string | null; remainingMs: number | null }
  | { panel: 'wallet'; last4: string | null; remainingMs: number | null }
  /** Its time is over, and the proxy has not said yet how it ended. */
  | { panel: 'over'; method: Method }
  | { panel: 'paid'; payment: PaymentView | null }
  | { panel: 'failed'; method: Method; reason: Reason | null }
  | { panel: 'trouble'; trouble: Trouble };

/** Null where it is the choice (choice.ts) that is to be shown. `now`: ours, ms. */
export function show(state: SessionState, now: number): Outcome | null {
  const { claims, order, stage, closed, resuming } = state;
  const { paid, payment } = order;
  if (paid) return { panel: 'paid', payment };
  if (stage.at === 'stopped') return { panel: 'trouble', trouble: stage.trouble };
  if (!claims) return { panel: 'trouble', trouble: { code: 'invalid_token', retryable: false } };
  if (stage.at === 'sending' && stage.anew) return { panel: 'fetching', method: stage.anew, isLong: !!stage.slow };
  if (stage.at === 'following') {
    const shown = payment && showPayment(payment, now + state.skewMs);
    // Where nothing can be started any more, it is not said that one may try again.
    if (shown && !(closed && mayStart(shown))) return shown;
    if (resuming && order.version < 0) return { panel: 'checking' };
  }
  return closed && { panel: 'trouble', trouble: closed };
}

/** Whether a start is the shopper's to make: at the choice, and where there is nothing left to wait for. */
export function mayStart(shown: Outcome | null): boolean {
  return !shown || shown.panel === 'failed' || shown.panel === 'missed' || shown.panel === 'over';
}

function showPayment(payment: PaymentView, proxyTime: number): Outcome {
  const { method, reason } = payment;
  switch (payment.status) {
    case 'INITIALIZED':
      return showUnanswered(payment, proxyTime);
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
  const { method, asked, checkoutUrl, qr, appUrl, walletLast4, answer } = payment;
  const isInWallet = ANSWER[method] === 'prompt' && answer === 'ARRIVED';
  // Found by a status check, which brings neither code nor page.
  if (!checkoutUrl && !qr && !appUrl && !isInWallet) return showUnanswered(payment, proxyTime);
  const remainingMs = payment.expiresAt ? Math.max(0, Date.parse(payment.expiresAt) - proxyTime) : null;
  if (remainingMs === 0) return { panel: 'over', method };
  if (checkoutUrl) return { panel: 'redirect', asked, url: checkoutUrl, remainingMs };
  return isInWallet
    ? { panel: 'wallet', last4: walletLast4, remainingMs }
    : { panel: 'scan', code: qr, appUrl, remainingMs };
}

function showUnanswered({ method, answer, createdAt }: PaymentView, proxyTime: number): Outcome {
  return answer === 'AWAITED'
    ? { panel: 'fetching', method, isLong: proxyTime - Date.parse(createdAt) >= PATIENCE_MS }
    : { panel: 'missed', method };
}
