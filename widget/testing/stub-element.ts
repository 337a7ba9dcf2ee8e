// A stand-in for the element in DOMs that cannot run it, such as jsdom and happy-dom, which have no `attachInternals` or
// only a part of it. It has the element's attributes, properties, methods and events, asks no proxy and draws nothing:
// the test says by become() what the proxy would. test/widget/fake.browser.ts compares it with the element and
// its manifest.
import type { Method, OrderClaims, OrderView } from '../../backend-proxy/protocol/wire.ts';
import { FakeProxy, type StateName } from './fake-proxy.ts';

/** By attribute: the property that mirrors it, and the property's value without it. */
export const ATTRIBUTES: Record<string, [property: string, usual: string | boolean | null]> = {
  order: ['order', ''],
  proxy: ['proxy', ''],
  methods: ['methods', null],
  method: ['method', null],
  lang: ['lang', ''],
  'checkout-target': ['checkoutTarget', '_self'],
  'app-open': ['appOpen', 'auto'],
  total: ['total', null],
  'wallet-name': ['walletName', ''],
  required: ['required', false],
};

export interface StubElement extends HTMLElement {
  method: Method | null;
  required: boolean;
  messages: object | null;
  readonly view: OrderView | null;
  readonly value: string | null;
  readonly form: HTMLFormElement | null;
  readonly validity: Pick<ValidityState, 'valid' | 'valueMissing'>;
  /** Shows the state as the element would: sets `view` and sends `payment-change` and the outcome. */
  become(state: StateName, change?: Partial<OrderView>): void;
  /** Sends `payment-submit`, and shows that a payment starts unless it is canceled or its `waitUntil` is rejected. */
  pay(): Promise<void>;
  reset(): void;
}

/** Defines `<payment-widget>` if nothing has. `name`: another tag name. */
export function stubElement(name = 'payment-widget'): void {
  if (customElements.get(name)) return;
  class Stub extends HTMLElement {
    messages: object | null = null;
    #proxy: FakeProxy | undefined;
    #given = new Map<string, unknown>();

    get view(): OrderView | null {
      return this.#proxy?.view ?? null;
    }

    get value(): string | null {
      return this.view?.paid ? this.view.orderId : null;
    }

    get form(): HTMLFormElement | null {
      return this.closest('form');
    }

    get validity(): Pick<ValidityState, 'valid' | 'valueMissing'> {
      const valueMissing = this.hasAttribute('required') && !this.view?.paid;
      return { valid: !valueMissing, valueMissing };
    }

    become(state: StateName, change: Partial<OrderView> = {}): void {
      const before = this.view;
      this.#proxy ??= new FakeProxy(claimsIn(this.#given.get('order') ?? this.getAttribute('order')));
      this.#proxy.become(state, change);
      const { view } = this.#proxy;
      if (!before) this.#send('payment-ready', { shown: view.methods, hidden: [] });
      this.#send('payment-change', view);
      if (view.paid && !before?.paid) this.#send('payment-success', view);
      if (isFailed(view) && !(before && isFailed(before))) this.#send('payment-failed', view);
    }

    async pay(): Promise<void> {
      const promises: Promise<unknown>[] = [];
      const waitUntil = (promise: Promise<unknown>) => void promises.push(promise);
      const method = this.getAttribute('method') ?? this.view?.methods[0] ?? 'QR';
      const amount = this.view?.amount ?? null;
      if (!this.#send('payment-submit', { method, amount, waitUntil })) return;
      const results = await Promise.allSettled(promises);
      if (results.every(({ status }) => status === 'fulfilled')) this.become('starting');
    }

    reset(): void {
      this.become('choosing');
    }

    #send(type: string, detail: object): boolean {
      const cancelable = type === 'payment-submit';
      return this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true, cancelable }));
    }

    static {
      for (const [attribute, [property, usual]] of Object.entries(ATTRIBUTES)) {
        Object.defineProperty(this.prototype, property, {
          get(this: Stub) {
            if (typeof usual === 'boolean') return this.hasAttribute(attribute);
            return this.#given.get(property) ?? this.getAttribute(attribute) ?? usual;
          },
          set(this: Stub, value: unknown) {
            if (typeof usual === 'boolean') this.toggleAttribute(attribute, Boolean(value));
            else this.#given.set(property, value);
          },
        });
      }
    }
  }
  customElements.define(name, Stub);
}

/** While a person has to confirm a payment, none has failed; of a closed order, none may be tried again. */
const isFailed = ({ checking, closed, payment }: OrderView): boolean =>
  !checking && !closed && payment?.status === 'FAILED';

/** What the order token says; nothing where it cannot be read, as a token made up in a test. */
function claimsIn(token: unknown): Partial<OrderClaims> {
  try {
    const [, payload = ''] = String(token).split('.');
    const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (byte) =>
      byte.charCodeAt(0),
    );
    return JSON.parse(new TextDecoder().decode(bytes)) as Partial<OrderClaims>;
  } catch {
    return {};
  }
}
