// The element's events, by name and detail, and how they are sent. All bubble and are composed, so a page may listen anywhere
// above the widget. What happened is read off the views: from the one before to the one now.
import type { Method, OrderView } from '../../backend-proxy/protocol/wire.ts';

export interface PaymentEventDetails {
  /** Before a payment is started. Cancelable: then nothing is sent. `amount` is null only where the shopper's is not known. */
  'payment-submit': { method: Method; amount: string | null };
  /** Before the page, or the new tab, goes to the checkout. Cancelable: then the page takes the shopper there itself. */
  'payment-redirect': { url: string };
  /** Each new view of the order. */
  'payment-change': OrderView;
  /** The order is paid. Also once after a reload of a paid order's page: fulfil on the server, not here. */
  'payment-success': OrderView;
  /** The payment failed; the shopper may try again, and a late success still counts. */
  'payment-failed': OrderView;
  /**
   * Something did not work that is no outcome of a payment; `code` is the problem's, or `network`. `detail` is what the proxy said
   * of it, in English, for developers.
   */
  'payment-error': { code: string; retryable: boolean; requestId?: string | undefined; detail?: string | undefined };
}

export type PaymentEventMap = { [Name in keyof PaymentEventDetails]: CustomEvent<PaymentEventDetails[Name]> };

/** Tells the page; false where a listener canceled. */
export function emit<Name extends keyof PaymentEventDetails>(
  element: EventTarget,
  name: Name,
  detail: PaymentEventDetails[Name],
): boolean {
  const cancelable = name === 'payment-submit' || name === 'payment-redirect';
  return element.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable }));
}

/** Tells the page of a newer view, and of the outcome that it brings; of each outcome once. */
export function emitChange(element: EventTarget, before: OrderView, view: OrderView): void {
  const { payment, paid } = view;
  const isFailed = payment?.status === 'FAILED';
  const wasFailed = before.payment?.status === 'FAILED' && before.payment.createdAt === payment?.createdAt;
  emit(element, 'payment-change', view);
  if (paid && !before.paid) emit(element, 'payment-success', view);
  else if (!paid && isFailed && !wasFailed) emit(element, 'payment-failed', view);
}

declare global {
  interface GlobalEventHandlersEventMap extends PaymentEventMap {}
}
