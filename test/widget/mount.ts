// Adds widgets to the page of a browser test, each with its own fake proxy at an address of its own.
import { fixture, html, waitUntil } from '@open-wc/testing';
import '../../widget/index.ts';
import type { PaymentWidget } from '../../widget/payment-widget.ts';
import { FakeProxy } from '../../widget/testing/fake-proxy.ts';

// Test files share a tab and use the same order ids, so resume hints of an earlier file must not count.
sessionStorage.clear();

let count = 0;

/** The URL of the proxy, which answers there from now on. */
export function addressOf(proxy: FakeProxy): string {
  const url = `https://p${count}.test/`;
  count += 1;
  proxy.install(url);
  return url;
}

/** Below the limit of a test, so that what is on the screen gets into its failure. */
const LIMIT_MS = 30_000;
/** Most of what the tests wait for has come by the first or second time. */
const POLL_MS = 5;

/** Adds a widget and waits for its first view, unless the proxy sends none. */
export async function mount(
  proxy: FakeProxy = new FakeProxy(),
  attributes: Record<string, string> = {},
  parent?: Element,
  tag = 'payment-widget',
): Promise<PaymentWidget> {
  const widget = document.createElement(tag) as PaymentWidget;
  for (const [name, value] of Object.entries({ lang: 'en', ...attributes })) widget.setAttribute(name, value);
  widget.proxy = addressOf(proxy);
  widget.order = proxy.token;
  const container = parent ?? (await fixture<HTMLElement>(html`<div></div>`));
  container.append(widget);
  const isReady = () => (widget.view ?? proxy.streamProblem ?? proxy.isDown) && part(widget, 'heading');
  await until(isReady, 'no first view');
  await widget.updateComplete;
  return widget;
}

export function part(widget: Element, name: string): HTMLElement | null {
  return widget.shadowRoot?.querySelector<HTMLElement>(`[part~=${name}]`) ?? null;
}

/** Throws if there is no such part. */
export function thePart(widget: Element, name: string): HTMLElement {
  const found = part(widget, name);
  if (!found) throw new Error(`No part ${name} in: ${textOf(widget)}`);
  return found;
}

/** The visible text of the widget, in one line. */
export function textOf(widget: Element): string {
  return widget.shadowRoot?.querySelector('.sheet')?.textContent?.replaceAll(/\s+/g, ' ').trim() ?? '';
}

/** How far from the left this text of the element is on the screen. */
export function leftOf(element: Element, text: string): number {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const start = node.nodeValue?.indexOf(text) ?? -1;
    const range = new Range();
    if (start < 0) continue;
    range.setStart(node, start);
    range.setEnd(node, start + text.length);
    return range.getBoundingClientRect().left;
  }
  throw new Error(`No "${text}" in: ${element.textContent}`);
}

/** The input with this part. */
export function field(widget: Element, name: string): HTMLInputElement {
  return thePart(widget, name) as HTMLInputElement;
}

/** The link with this part. */
export function link(widget: Element, name: string): HTMLAnchorElement {
  return thePart(widget, name) as HTMLAnchorElement;
}

export function texts(widget: Element, selector: string): (string | undefined)[] {
  return [...(widget.shadowRoot?.querySelectorAll(selector) ?? [])].map((each) => each.textContent?.trim());
}

/** The methods that the choice offers. */
export function methodsOf(widget: Element): string[] {
  const icons = widget.shadowRoot?.querySelectorAll<HTMLSlotElement>('[part=method] slot') ?? [];
  return [...icons].map(({ name }) => name.replace('icon-', ''));
}

/** What a screen reader announces. */
export function announced(widget: Element): string {
  return texts(widget, '[role=status] p').join(' | ');
}

export function type(widget: Element, name: string, value: string): void {
  const input = field(widget, name);
  input.value = value;
  input.dispatchEvent(new Event('input', { bubbles: true }));
}

/** Warnings on the console while `act` runs, each as one text. */
export async function warningsDuring(act: () => Promise<unknown>): Promise<string[]> {
  const warnings: string[] = [];
  const { warn } = console;
  console.warn = (...words) => void warnings.push(words.join(' '));
  try {
    await act();
  } finally {
    console.warn = warn;
  }
  return warnings;
}

/** What the button with the part `copy` writes to the clipboard, once it says so. */
export async function copiedFrom(widget: Element): Promise<string[]> {
  const written: string[] = [];
  const { clipboard } = navigator;
  const write = clipboard.writeText.bind(clipboard);
  clipboard.writeText = async (text) => void written.push(text);
  thePart(widget, 'copy').closest('details')?.toggleAttribute('open', true);
  thePart(widget, 'copy').click();
  await until(() => thePart(widget, 'copy').innerText.trim() === 'Copied', 'the confirmation');
  clipboard.writeText = write;
  return written;
}

export function radio(widget: Element, method: string): HTMLInputElement {
  const input = widget.shadowRoot?.querySelector<HTMLInputElement>(`input[value=${method}]`);
  if (!input) throw new Error(`No method ${method}`);
  return input;
}

export async function until(isTrue: () => unknown, what: string): Promise<void> {
  await waitUntil(() => !!isTrue(), what, { timeout: LIMIT_MS, interval: POLL_MS });
}

/** Waits until the panel has this heading. */
export async function heading(widget: Element, text: string): Promise<void> {
  await until(() => part(widget, 'heading')?.textContent === text, `heading "${text}" in: ${textOf(widget)}`);
}

/** Ends what ends by itself: axe would judge a panel that still fades in by the colors of that moment. */
export function endAnimations(widget: Element): void {
  for (const animation of widget.shadowRoot?.getAnimations() ?? []) {
    if (animation.effect?.getComputedTiming().endTime !== Infinity) animation.finish();
  }
}
