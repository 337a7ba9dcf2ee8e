// The element's events: their names, details, and how they are sent. All bubble and are composed, so a page may
// listen on any ancestor of the widget. An outcome is detected by comparing the previous view with the new one. Also
// what the page's developer is told on the console, because the widget itself does not show it.
import { PAYS_BY, type Method, type OrderView } from '../../backend-proxy/protocol/wire.ts';
import type { SessionState, Trouble } from '../shell/state.ts';
import { offeredMethods } from './provided.ts';
import { isReceived } from './view.ts';

export interface PaymentEventDetails {
  /** Once for each order: the proxy has answered, and these are the methods that the choice offers. */
  'payment-ready': { shown: Method[]; hidden: HiddenMethod[] };
  /** The shopper has chosen another method. */
  'payment-select': { method: Method };
  /**
   * Before a payment starts. Canceling it sends nothing. `amount` is null only if it is not known. `waitUntil` delays
   * the start until the promise is fulfilled; if it is rejected, nothing is sent and its message is shown.
   */
  'payment-submit': { method: Method; amount: string | null; waitUntil(promise: Promise<unknown>): void };
  /**
   * Before the page or the new tab goes to the checkout, or the page to the wallet app by itself. If canceled, the page
   * takes the shopper there.
   */
  'payment-redirect': { url: string };
  /** Each new view of the order. */
  'payment-change': OrderView;
  /** The order is paid. Also sent once after a reload, so deliver the goods on the server and not here. */
  'payment-success': OrderView;
  /** The payment failed. The shopper may try again, and a late success still counts. */
  'payment-failed': OrderView;
  /**
   * Something went wrong that is not the result of a payment. `code` is the problem's code, `network` or
   * `page_timeout`. `detail` is an explanation, in English, for developers.
   */
  'payment-error': { code: string; retryable: boolean; requestId?: string | undefined; detail?: string | undefined };
}

/**
 * A method that the choice does not offer. `cause`: the order's `methods` lacks it, its token lacks the
 * `customerReferenceNo` that the method needs, or the page's attribute `methods` lacks it.
 */
export interface HiddenMethod {
  method: Method;
  cause: 'order' | 'reference' | 'page';
}

export type PaymentEventMap = { [Name in keyof PaymentEventDetails]: CustomEvent<PaymentEventDetails[Name]> };

/** False if a listener canceled the event. */
export function emit<Name extends keyof PaymentEventDetails>(
  element: EventTarget,
  name: Name,
  detail: PaymentEventDetails[Name],
): boolean {
  const cancelable = name === 'payment-submit' || name === 'payment-redirect';
  return element.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable }));
}

/** Reports which methods the choice offers, and why not the others. */
export function emitReady(element: EventTarget, state: SessionState): void {
  const { claims, order } = state;
  const shown = offeredMethods(state);
  const causeOf = (method: Method): HiddenMethod['cause'] => {
    if (order.methods.includes(method)) return 'page';
    return claims?.methods?.includes(method) === false ? 'order' : 'reference';
  };
  // Not METHODS, which nothing else in this bundle needs.
  const hidden = (Object.keys(PAYS_BY) as Method[]).filter((method) => !shown.includes(method));
  emit(element, 'payment-ready', { shown, hidden: hidden.map((method) => ({ method, cause: causeOf(method) })) });
}

/** Reports a newer view and, once each, the outcome that it brings. */
export function emitChange(element: EventTarget, before: OrderView, view: OrderView): void {
  const { payment, paid } = view;
  const wasFailed = isFailed(before) && before.payment?.createdAt === payment?.createdAt;
  emit(element, 'payment-change', view);
  if (isReceived(view) && !isReceived(before)) emit(element, 'payment-success', view);
  else if (!paid && isFailed(view) && !wasFailed) emit(element, 'payment-failed', view);
}

/** While a person has to confirm a payment, none has failed; of a closed order, none may be tried again. */
const isFailed = ({ checking, closed, payment }: OrderView): boolean =>
  !checking && !closed && payment?.status === 'FAILED';

/** Also logged on the console, because developers look there first. */
export function emitError(element: EventTarget, error: PaymentEventDetails['payment-error']): void {
  console.warn('<payment-widget>', error.code, error.detail);
  emit(element, 'payment-error', error);
}

export const INVALID_TOKEN: Trouble = {
  code: 'invalid_token',
  retryable: false,
  detail: 'The order attribute is not a valid order token.',
};

export const INVALID_PROXY = { detail: 'The proxy attribute is not a valid URL.', retryable: false };

export function warnAboutMissingOrder(): void {
  console.warn('<payment-widget> needs the attribute `order`.');
}

export function warnAboutMethods({ order, preferences: { methods } }: SessionState): void {
  if (methods && !order.methods.some((method) => methods.includes(method)))
    console.warn('<payment-widget> methods', methods, 'but the order has only', order.methods);
}

declare global {
  interface GlobalEventHandlersEventMap extends PaymentEventMap {}
}
