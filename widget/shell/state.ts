// The one mutable state of a widget, as data, and what the tab remembers of a started payment.
// The state has the proxy's latest view, what the shopper is doing, and what the page prefers. Its initial value is
// what the order token claims, so that the first paint needs no answer from the network; flow/session.ts decides how it
// changes. The token's signature is not verified here: only the proxy can do that, and it decides everything that
// matters.
import {
  methodsOf,
  type Method,
  type OrderClaims,
  type OrderView,
  type PaymentView,
} from '../../backend-proxy/protocol/wire.ts';

/** What is wrong, as far as the shopper needs to know. `code` is a problem's code, `network` or `page_timeout`. */
export interface Trouble {
  code: string;
  retryable: boolean;
  requestId?: string | undefined;
  /** The proxy's explanation, in English, for developers. */
  detail?: string | undefined;
  /** The page's own words for the shopper. */
  message?: string;
}

/** Why a field that the shopper filled in is not accepted. */
export interface FieldErrors {
  amount?: 'amountEmpty' | 'amountWrong' | 'amountDecimals' | 'below' | 'above';
  /** An amount that would be accepted, as the shopper would type it. */
  example?: string;
  /** The least amount, if the token names none. */
  min?: string;
  customer?: 'walletEmpty' | 'walletWrong' | 'notDirect';
}

/** What the shopper is doing in this page. Everything else about the payment is in the order view. */
export type Activity =
  /** Following whatever the order view says. `isBack`: of the open payment, if the latest has failed. */
  | { at: 'following'; isBack?: boolean }
  /** Choosing, either again while a payment is open, or with an error of the last start to show. */
  | { at: 'choosing'; trouble?: Trouble; errors?: FieldErrors }
  /**
   * Waiting for the answer to a start. `before`: the payment at the press, so that the stream's news of the new one is
   * not taken for another. `isSlow`: after a few seconds, or once it had to be sent again. `retry`: the method of a
   * start that replaces a payment which ended or cannot be paid, and whose progress is shown in that payment's place.
   */
  | { at: 'sending'; before: PaymentView | null; isSlow: boolean; retry: Method | null }
  /** Nothing more can be done with this token. */
  | { at: 'stopped'; trouble: Trouble };

/** Never changed in place: each change makes a new object. */
export interface SessionState {
  /** Null if the token cannot be read. */
  claims: OrderClaims | null;
  /** The latest view. At version -1 it is what the token claims, because no view has arrived yet. */
  order: OrderView;
  activity: Activity;
  /** Why the proxy accepts no further payment with this token, or null. The open one can still be paid. */
  blocked: Trouble | null;
  /** Methods that the gateway refused as not available since the shopper came to the choice. */
  unavailable: readonly Method[];
  /** This tab started a payment for this order before a reload, and no view has arrived since. */
  hasResumeHint: boolean;
  /** Neither the stream nor polling reaches the proxy. */
  disconnected: boolean;
  /** The text that the shopper has just copied. */
  copied: string | null;
  /** The link to the wallet app that the shopper has opened. */
  openedAppLink: string | null;
  /**
   * When the payments of this tab were started that the gateway answered with its website in place of a request, until
   * the shopper opens one: who mistyped a wallet ID never chose it, so it is no other payment to be warned of.
   */
  unopened: readonly string[];
  /** What the shopper chose and typed, as typed. */
  form: { method: Method | null; amount: string | null; customer: string };
  /** What the page asks for: which methods, in which order, and the one chosen at first. */
  preferences: { methods: string[] | null; method: string | null };
  /** The proxy's clock minus ours, in ms, measured when the latest view arrived. */
  skewMs: number;
}

export const FOLLOWING: Activity = { at: 'following' };

export const BLANK: SessionState = {
  claims: null,
  order: /* @__PURE__ */ claimedOrder({}),
  activity: FOLLOWING,
  blocked: null,
  unavailable: [],
  hasResumeHint: false,
  disconnected: false,
  copied: null,
  openedAppLink: null,
  unopened: [],
  form: { method: null, amount: null, customer: '' },
  preferences: { methods: null, method: null },
  skewMs: 0,
};

/** The state for a token. A newer token of the same order keeps everything known about that order. */
export function stateFor(
  token: string,
  before: SessionState,
  hintOf: (orderId: string) => string | null,
): SessionState {
  const claims = readClaims(token);
  const { preferences, order } = before;
  const isSame = claims?.orderId === order.orderId;
  const kept = isSame ? before : BLANK;
  const hint = hintOf(claims?.orderId ?? '');
  return {
    ...kept,
    preferences,
    claims,
    order: isSame && order.version >= 0 ? order : claimedOrder(claims ?? {}),
    activity: FOLLOWING,
    blocked: null,
    unavailable: [],
    hasResumeHint: hint !== null,
    unopened: hint?.split(',') ?? kept.unopened,
  };
}

/** The claims, or null if the text is not an order token. */
export function readClaims(token: string): OrderClaims | null {
  try {
    const base64 = token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? '';
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const claims = JSON.parse(new TextDecoder().decode(bytes)) as OrderClaims;
    return typeof claims.orderId === 'string' && /^[A-Z]{3}$/.test(claims.currency) ? claims : null;
  } catch {
    return null;
  }
}

/** The order as its token describes it, at a version below any that the proxy has. */
export function claimedOrder(claims: Partial<OrderClaims>): OrderView {
  return {
    orderId: claims.orderId ?? '',
    amount: claims.amount ?? null,
    currency: claims.currency ?? '',
    description: claims.description ?? null,
    methods: methodsOf(claims),
    paid: false,
    version: -1,
    payment: null,
    // The other fields are read only from the proxy's views.
  } as OrderView;
}

// Remembers in sessionStorage that this tab started a payment for an order, and which it has not opened. After a reload
// the widget then shows "checking" instead of the choice until the first view arrives. It is only a hint: a page without
// storage loses nothing but that, and warns of one payment too many.

const keyOf = (orderId: string): string => `payment-widget ${orderId}`;

export function resumeHint(orderId: string): string | null {
  try {
    return sessionStorage.getItem(keyOf(orderId));
  } catch {
    // A sandboxed frame has no storage.
    return null;
  }
}

export function leaveResumeHint(orderId: string, unopened: readonly string[]): void {
  try {
    sessionStorage.setItem(keyOf(orderId), String(unopened));
  } catch {
    // A sandboxed frame has no storage, and a full storage accepts nothing.
  }
}
