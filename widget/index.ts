// Defines <payment-widget>, once, however often and from however many copies this is loaded. Safe to import where there is no DOM.
// The only barrel: what a page's own code may import, listed by hand.
import { PaymentWidget } from './payment-widget.ts';

export type { Method, OrderView, PaymentView, QrCode, Reason, Status } from '../backend-proxy/protocol/wire.ts';
export type { PaymentEventDetails, PaymentEventMap } from './flow/events.ts';
export type { Messages, MessageKey } from './locales/en.ts';
export { PaymentWidget };

declare global {
  interface HTMLElementTagNameMap {
    'payment-widget': PaymentWidget;
  }
}

if (globalThis.customElements && !customElements.get('payment-widget')) {
  customElements.define('payment-widget', PaymentWidget);
}
