// Small TypeScript pages that use the package, by file name. A line must compile, unless it follows
// `@ts-expect-error`: then it must not. They are texts because a project that installs the package compiles them.

const html = `
import { PaymentWidget, type Messages, type PaymentEventMap } from 'payment-widget';

const widget = document.querySelector('payment-widget');
if (widget) {
  widget.order = 'eyJ';
  widget.checkoutTarget = '_blank';
  widget.messages = { pay: 'Go' } satisfies Partial<Messages>;
  widget.addEventListener('payment-success', ({ detail }) => console.log(detail.orderId, detail.payment?.method));
  widget.addEventListener('payment-submit', (event) => event.detail.amount === '10.10' || event.preventDefault());
  widget.addEventListener('payment-submit', ({ detail }) => detail.waitUntil(Promise.resolve()));
  widget.addEventListener('payment-ready', ({ detail }) => console.log(detail.hidden[0]?.cause === 'page'));
  widget.total = 'hidden';
  const paid: boolean | undefined = widget.view?.paid;
  widget.pay();
  // @ts-expect-error: it takes a promise
  widget.addEventListener('payment-submit', ({ detail }) => detail.waitUntil(30));
  // @ts-expect-error: the view is read-only
  widget.view = null;
  // @ts-expect-error: there is no such target
  widget.checkoutTarget = '_parent';
  // @ts-expect-error: there is no such text
  widget.messages = { nonsense: 'Go' };
  // @ts-expect-error: an error has no order
  widget.addEventListener('payment-error', ({ detail }) => console.log(detail.orderId));
  void paid;
}
document.addEventListener('payment-error', ({ detail: { code, retryable } }) => console.log(code, retryable));
const made: PaymentWidget = document.createElement('payment-widget');
export type Success = PaymentEventMap['payment-success'];
export { made };
`;

const react = `
import { useRef } from 'react';
import type { PaymentWidget } from 'payment-widget/react';

export function Page({ order }: { order: string }) {
  const widget = useRef<PaymentWidget>(null);
  return (
    <payment-widget
      ref={widget}
      id="pay"
      className="card"
      lang="de"
      order={order}
      proxy="https://pay.shop.example"
      method="QR"
      checkoutTarget="_blank"
      messages={{ pay: 'Go' }}
      onClick={() => widget.current?.pay()}
      onpayment-success={({ detail }) => console.log(detail.orderId)}
      onpayment-error={({ detail }) => console.log(detail.code)}
    >
      <p slot="header">Almost there</p>
    </payment-widget>
  );
}

// @ts-expect-error: an order is a token
export const number = <payment-widget order={4711} />;
// @ts-expect-error: there is no such attribute
export const unknown = <payment-widget token="eyJ" />;
// @ts-expect-error: there is no such target
export const target = <payment-widget checkout-target="_parent" />;
// @ts-expect-error: a view has no code
export const detail = <payment-widget onpayment-success={({ detail }) => console.log(detail.code)} />;
`;

const vue = `
import type { GlobalComponents } from 'vue';
import type { PaymentEventMap } from 'payment-widget/vue';

type Widget = InstanceType<GlobalComponents['payment-widget']>;
type Props = Widget['$props'];

export const props: Props = { order: 'eyJ', 'checkout-target': '_blank', messages: { pay: 'Go' }, class: 'card', key: 1 };
// @ts-expect-error: an order is a token
export const number: Props = { order: 4711 };
// @ts-expect-error: there is no such property
export const unknown: Props = { token: 'eyJ' };

export function listen(widget: Widget, event: PaymentEventMap['payment-error']): void {
  widget.pay();
  widget.$emit('payment-error', event);
  // @ts-expect-error: the event has another type
  widget.$emit('payment-success', event);
}
`;

const svelte = `
import type { SvelteHTMLElements } from 'svelte/elements';
import 'payment-widget/svelte';

type Attributes = SvelteHTMLElements['payment-widget'];

export const attributes: Attributes = {
  order: 'eyJ',
  'checkout-target': '_blank',
  messages: { pay: 'Go' },
  class: 'card',
  'onpayment-success': ({ detail }) => console.log(detail.orderId),
};
// @ts-expect-error: an order is a token
export const number: Attributes = { order: 4711 };
// @ts-expect-error: a view has no code
export const detail: Attributes = { 'onpayment-success': ({ detail }) => console.log(detail.code) };
`;

export const FIXTURES = { 'html.ts': html, 'react.tsx': react, 'vue.ts': vue, 'svelte.ts': svelte };
