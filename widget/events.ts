// The element's events, by name and detail. All bubble and are composed, so a page may listen anywhere above the widget.
import type { Method, OrderView } from '../backend-proxy/protocol/wire.ts';

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
  /** Something did not work that is no outcome of a payment; `code` is the problem's, or `network`. */
  'payment-error': { code: string; retryable: boolean; requestId: string | undefined };
}

export type PaymentEventMap = { [Name in keyof PaymentEventDetails]: CustomEvent<PaymentEventDetails[Name]> };

declare global {
  interface GlobalEventHandlersEventMap extends PaymentEventMap {}
}
