// Decides what to show: a pure function of (session state, now) that returns one member of `Shown`, a member for each
// panel. It is not optimistic: waiting and paid come only from the order view, which is what the ledger committed.
// The session adds what the shopper is doing in this page (choosing, sending).
import {
  PAYS_BY,
  type Cause,
  type Method,
  type OrderView,
  type PaymentView,
  type QrCode,
  type Reason,
} from '../../backend-proxy/protocol/wire.ts';
import type { Choice } from '../shell/choice.ts';
import type { Activity, SessionState, Trouble } from '../shell/state.ts';

/** A start that takes longer is shown as slow. Most are faster and go straight to their panel. */
export const SLOW_START_MS = 4_000;

export type Shown = Choice | Outcome;

export type Outcome =
  /** A person has to confirm a payment, the view has a status that this file does not know, or none is here yet. */
  | { panel: 'checking' }
  /** The answer of the proxy or the gateway has not arrived yet. `isLong`: it takes longer than usual. */
  | { panel: 'fetching'; method: Method; isLong: boolean }
  /** The gateway's answer is lost, so there is nothing to pay with. */
  | { panel: 'unanswered'; method: Method }
  | ({ panel: 'redirect'; asked: Method; url: string } & Limit)
  | ({ panel: 'scan'; method: Method; code: QrCode | null; appUrl: string | null } & Limit)
  | ({ panel: 'wallet'; last4: string | null; appUrl: string | null } & Limit)
  /** The payment's time is up, but the proxy has not said yet how it ended. */
  | { panel: 'timeUp'; method: Method }
  | { panel: 'paid' }
  /** The shop has closed the order, whatever becomes of its payments. */
  | { panel: 'closed' }
  | { panel: 'failed'; method: Method; reason: Reason | null; cause: Cause | null }
  | { panel: 'trouble'; trouble: Trouble };

/** How long the payment can still be paid, and how long it could be at first, in ms; null without a limit. */
export interface Limit {
  remainingMs: number | null;
  totalMs: number | null;
}

/** Without a doubt: of what a person of the shop has ended, the view has a reason. */
export const isReceived = ({ paid, checking, payment }: OrderView): boolean => paid && !checking && !payment?.reason;

export const BACK: Activity = { at: 'following', isBack: true };

/** What the panels are drawn from: where the shopper went back to an open payment, it is the one that is shown. */
export function seen(state: SessionState): SessionState {
  const { order, activity } = state;
  const { openPayment: payment } = order;
  return activity.at === 'following' && activity.isBack && payment
    ? { ...state, order: { ...order, payment, otherPayments: [] } }
    : state;
}

/** Null means the choice (shell/choice.ts). `now`: our clock, in ms. */
export function show(state: SessionState, now: number): Outcome | null {
  const { claims, order, activity, blocked, hasResumeHint } = seen(state);
  const { paid, closed, checking, payment } = order;
  if (isReceived(order)) return { panel: 'paid' };
  if (closed || (paid && !checking)) return { panel: 'closed' };
  if (activity.at === 'stopped') return { panel: 'trouble', trouble: activity.trouble };
  if (!claims) return { panel: 'trouble', trouble: { code: 'invalid_token', retryable: false } };
  if (checking) return { panel: 'checking' };
  if (activity.at === 'sending' && activity.retry)
    return { panel: 'fetching', method: activity.retry, isLong: activity.isSlow };
  if (activity.at === 'following') {
    const shown = payment && showPayment(payment, now + state.skewMs);
    // If the proxy accepts no further payment, its reason replaces a panel that would offer one.
    if (shown && !(blocked && mayStart(shown))) return shown;
    if (hasResumeHint && order.version < 0) return { panel: 'checking' };
  }
  return blocked && { panel: 'trouble', trouble: blocked };
}

/** Whether the shopper may start a payment: at the choice, or if there is nothing left to wait for. */
export function mayStart(shown: Outcome | null): boolean {
  return !shown || shown.panel === 'failed' || shown.panel === 'unanswered' || shown.panel === 'timeUp';
}

function showPayment(payment: PaymentView, proxyTime: number): Outcome {
  const { method, reason, cause } = payment;
  switch (payment.status) {
    case 'INITIALIZED':
      return showUnanswered(payment, proxyTime);
    case 'PROCESSING':
      return showWaiting(payment, proxyTime);
    case 'SUCCESS':
      return { panel: 'paid' };
    case 'FAILED':
      return { panel: 'failed', method, reason, cause };
    default:
      // A status newer than this file is not final; the gateway requires the same of statuses that we do not know.
      return { panel: 'checking' };
  }
}

/** By what there is to pay with: the gateway may answer with another method than the one asked for. */
function showWaiting(payment: PaymentView, proxyTime: number): Outcome {
  const { method, asked, checkoutUrl, qr, appUrl, walletLast4, answer } = payment;
  const isInWallet = PAYS_BY[method] === 'prompt' && answer === 'ARRIVED';
  // A status check found the payment; a status check brings no code, link or page.
  if (!checkoutUrl && !qr && !appUrl && !isInWallet) return showUnanswered(payment, proxyTime);
  const end = payment.expiresAt && Date.parse(payment.expiresAt);
  const limit = {
    remainingMs: end ? Math.max(0, end - proxyTime) : null,
    totalMs: end ? end - Date.parse(payment.createdAt) : null,
  };
  if (limit.remainingMs === 0) return { panel: 'timeUp', method };
  if (checkoutUrl) return { panel: 'redirect', asked, url: checkoutUrl, ...limit };
  return isInWallet
    ? { panel: 'wallet', last4: walletLast4, appUrl, ...limit }
    : { panel: 'scan', method, code: qr, appUrl, ...limit };
}

function showUnanswered({ method, answer, createdAt }: PaymentView, proxyTime: number): Outcome {
  if (answer === 'AWAITED')
    return { panel: 'fetching', method, isLong: proxyTime - Date.parse(createdAt) >= SLOW_START_MS };
  // Of a method newer than this file nobody knows whether another try is safe.
  return Object.hasOwn(PAYS_BY, method) ? { panel: 'unanswered', method } : { panel: 'checking' };
}
