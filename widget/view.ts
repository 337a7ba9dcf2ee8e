// Decides what to show: (session, now) → one member of `Shown`, a member a panel. Pure, without Lit, network or clock.
// It is not optimistic: waiting and paid come from the order view alone, which is what the ledger committed. The session only
// adds what the shopper is doing here (choosing, sending) and whether the proxy can be heard.
import type { Method, OrderClaims, OrderView, PaymentView, QrCode, Reason } from '../backend-proxy/protocol/wire.ts';
import { appLink, checkoutLink } from './links.ts';

/** What is wrong, as the shopper must know it. `code` is a problem's code, or `network`. */
export interface Trouble {
  code: string;
  retryable: boolean;
  requestId: string | undefined;
}

/** Fields that the shopper fills in, and why each is not accepted. */
export interface FieldErrors {
  amount?: 'amountWrong' | 'atLeast' | 'atMost';
  customer?: 'walletWrong';
}

/** What the shopper is doing here. Everything else about the payment is in the order view. */
export type Stage =
  /** Looking at whatever the order view says. */
  | { at: 'following' }
  /** Back at the choice although there is a payment; or something about the last try is to be said there. */
  | { at: 'choosing'; trouble?: Trouble; errors?: FieldErrors }
  /** A start was sent and has no answer yet; `slow` once it had to be sent again. */
  | { at: 'sending'; slow: boolean }
  /** Nothing can be done with this token. */
  | { at: 'stopped'; trouble: Trouble };

/** The one mutable state of a widget; `controllers/session.ts` replaces it whole. */
export interface SessionState {
  /** Null where the token cannot be read. */
  claims: OrderClaims | null;
  /** Latest view; at version -1 it is what the token claims, and nothing was heard yet. */
  order: OrderView | null;
  stage: Stage;
  /** This page started a payment before it was loaded anew. */
  resuming: boolean;
  /** Neither the stream nor a poll gets through. */
  lost: boolean;
  /** What the shopper chose and typed, as typed. */
  draft: { method: Method | null; amount: string; customer: string };
  /** The page's wishes: which methods, in which order, and the one chosen at first. */
  wishes: { methods: string[] | null; method: string | null };
  /** The proxy's clock minus ours, measured at the latest view. */
  skewMs: number;
}

export type Shown =
  | {
      panel: 'choose';
      methods: Method[];
      chosen: Method | null;
      askAmount: boolean;
      askWallet: boolean;
      busy: false | 'sending' | 'slow';
      /** There is a payment that the shopper can go back to. */
      canReturn: boolean;
      trouble: Trouble | null;
      errors: FieldErrors;
    }
  | { panel: 'checking' }
  | { panel: 'redirect'; url: string | null; remainingMs: number | null }
  | { panel: 'scan'; code: QrCode | null; appUrl: string | null }
  | { panel: 'wallet' }
  | { panel: 'paid'; method: Method | null; late: boolean }
  | { panel: 'failed'; method: Method; reason: Reason | null }
  | { panel: 'trouble'; trouble: Trouble };

export function show(state: SessionState, now: number): Shown {
  const { order, stage, resuming } = state;
  if (order?.paid) return { panel: 'paid', method: order.payment?.method ?? null, late: order.payment?.late ?? false };
  if (stage.at === 'stopped') return { panel: 'trouble', trouble: stage.trouble };
  if (!order) return { panel: 'trouble', trouble: { code: 'invalid_token', retryable: false, requestId: undefined } };
  if (stage.at === 'following') {
    if (order.payment) return showPayment(order.payment, now + state.skewMs);
    if (resuming && order.version < 0) return { panel: 'checking' };
  }
  return showChoice(state, order);
}

function showPayment(payment: PaymentView, proxyTime: number): Shown {
  const { method, reason, late } = payment;
  switch (payment.status) {
    case 'INITIALIZED':
      return { panel: 'checking' };
    case 'PROCESSING':
      return showWaiting(payment, proxyTime);
    case 'SUCCESS':
      return { panel: 'paid', method, late };
    case 'FAILED':
      return { panel: 'failed', method, reason };
    default:
      // A status that came later than this file is not an outcome: the gateway's own rule for statuses it does not know.
      return { panel: 'checking' };
  }
}

/** By the shape of waiting, not by the method's name: the gateway may answer with another method than the one asked for. */
function showWaiting({ checkoutUrl, qr, appUrl, expiresAt }: PaymentView, proxyTime: number): Shown {
  if (checkoutUrl) {
    const remainingMs = expiresAt ? Math.max(0, Date.parse(expiresAt) - proxyTime) : null;
    return { panel: 'redirect', url: checkoutLink(checkoutUrl), remainingMs };
  }
  return qr || appUrl ? { panel: 'scan', code: qr, appUrl: appLink(appUrl) } : { panel: 'wallet' };
}

function showChoice(state: SessionState, order: OrderView): Shown {
  const { stage, claims } = state;
  const chosen = chosenMethod(state);
  const choosing = stage.at === 'choosing' ? stage : null;
  return {
    panel: 'choose',
    methods: offeredMethods(state),
    chosen,
    askAmount: claims?.amount === undefined,
    askWallet: chosen === 'DIRECT' && !claims?.customer,
    busy: stage.at === 'sending' && (stage.slow ? 'slow' : 'sending'),
    canReturn: choosing !== null && order.payment?.status === 'PROCESSING',
    trouble: choosing?.trouble ?? null,
    errors: choosing?.errors ?? {},
  };
}

/** The order's methods as the page wishes to show them. */
export function offeredMethods({ order, wishes }: SessionState): Method[] {
  const methods = order?.methods ?? [];
  return wishes.methods?.flatMap((wish) => methods.find((method) => method === wish) ?? []) ?? methods;
}

/** The shopper's choice, else the page's, else the first one: paying takes one click. */
export function chosenMethod(state: SessionState): Method | null {
  const methods = offeredMethods(state);
  const among = (wish: string | null) => methods.find((method) => method === wish);
  return among(state.draft.method) ?? among(state.wishes.method) ?? methods[0] ?? null;
}
