// Puts a widget with a proxy of its own into the page of a browser test; the page's `fetch` leads each to its own.
import { fixture, html, waitUntil } from '@open-wc/testing';
import '../../widget/index.ts';
import type { PaymentWidget } from '../../widget/payment-widget.ts';
import { FakeProxy } from './fake-proxy.ts';

// The files share a tab, and orders their ids: what the one before noted is no reload of this one's.
sessionStorage.clear();

const proxies = new Map<string, FakeProxy>();
const pageFetch = globalThis.fetch;

globalThis.fetch = (input, init) => {
  const url = input instanceof Request ? input.url : String(input);
  const proxy = proxies.get(new URL(url, location.href).hostname);
  return proxy ? proxy.fetch(input, init) : pageFetch(input, init);
};

/** The address at which a proxy is reached from now on. */
export function addressOf(proxy: FakeProxy): string {
  const host = `p${proxies.size}.test`;
  proxies.set(host, proxy);
  return `https://${host}/`;
}

/** Below the limit of a test, so that what is on the screen gets into its failure. */
const LIMIT_MS = 30_000;

/** In the page, and with its first view unless the proxy has none to give. */
export async function mount(
  proxy: FakeProxy = new FakeProxy(),
  attributes: Record<string, string> = {},
  parent?: Element,
): Promise<PaymentWidget> {
  const widget = document.createElement('payment-widget');
  for (const [name, value] of Object.entries({ lang: 'en', ...attributes })) widget.setAttribute(name, value);
  widget.proxy = addressOf(proxy);
  widget.order = proxy.token;
  const container = parent ?? (await fixture<HTMLElement>(html`<div></div>`));
  container.append(widget);
  const isHeard = () => (widget.view ?? proxy.streamProblem ?? proxy.isDown) && part(widget, 'heading');
  await waitUntil(isHeard, 'no first view', { timeout: LIMIT_MS });
  await widget.updateComplete;
  return widget;
}

export function part(widget: Element, name: string): HTMLElement | null {
  return widget.shadowRoot?.querySelector<HTMLElement>(`[part~=${name}]`) ?? null;
}

/** A part that must be there. */
export function thePart(widget: Element, name: string): HTMLElement {
  const found = part(widget, name);
  if (!found) throw new Error(`No part ${name} in: ${textOf(widget)}`);
  return found;
}

/** All that can be read, in one line. */
export function textOf(widget: Element): string {
  return widget.shadowRoot?.querySelector('.sheet')?.textContent?.replaceAll(/\s+/g, ' ').trim() ?? '';
}

/** The field of that part. */
export function field(widget: Element, name: string): HTMLInputElement {
  return thePart(widget, name) as HTMLInputElement;
}

/** The link of that part. */
export function link(widget: Element, name: string): HTMLAnchorElement {
  return thePart(widget, name) as HTMLAnchorElement;
}

export function radio(widget: Element, method: string): HTMLInputElement {
  const input = widget.shadowRoot?.querySelector<HTMLInputElement>(`input[value=${method}]`);
  if (!input) throw new Error(`No method ${method}`);
  return input;
}

export async function until(isTrue: () => unknown, what: string): Promise<void> {
  await waitUntil(() => !!isTrue(), what, { timeout: LIMIT_MS });
}

/** Until the panel's heading reads so. */
export async function heading(widget: Element, text: string): Promise<void> {
  await until(() => part(widget, 'heading')?.textContent === text, `heading "${text}" in: ${textOf(widget)}`);
}
