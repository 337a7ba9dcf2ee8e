// Defines <payment-widget>, and exports what a page's code may import. The element is defined once, even if several
// copies of this module are loaded. Safe to import on a server, without a DOM.
import { PaymentWidget } from './payment-widget.ts';

export type { Method, OrderView, PaymentView, QrCode, Reason, Status } from '../backend-proxy/protocol/wire.ts';
export type { HiddenMethod, PaymentEventDetails, PaymentEventMap } from './flow/events.ts';
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
