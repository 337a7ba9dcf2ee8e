// A shopper who uses nothing but the keyboard and listens to a screen reader. Each stop of the focus is checked: it is
// shown, in the window, not covered, and below or beside the stop before. Announcements are recorded: the name and the
// description of what takes the focus, and each text that enters a live region.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { STEP_MS } from './visitor.ts';

/** More stops than any page of the journeys has. */
const MAX_STOPS = 40;

interface Stop {
  name: string;
  faults: string[];
}

export class Keyboard {
  readonly #page: Page;
  #heard: string[] = [];

  private constructor(page: Page) {
    this.#page = page;
  }

  /** Call before the page is opened. */
  static async of(page: Page): Promise<Keyboard> {
    const keyboard = new Keyboard(page);
    await page.exposeFunction('hearsNow', (text: string) => void keyboard.#heard.push(text));
    await page.addInitScript(listen);
    return keyboard;
  }

  async press(key: string): Promise<void> {
    await this.#page.keyboard.press(key);
  }

  async type(text: string): Promise<void> {
    await this.#page.keyboard.type(text);
  }

  /** Tab until the focus is on what has this name. Returns the names of all stops on the way. */
  async tabTo(name: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<string[]> {
    const stops: Stop[] = [];
    await this.#page.evaluate(placesNow);
    while (stops.at(-1)?.name !== name) {
      assert.ok(stops.length < MAX_STOPS, `${name} is not reached: ${stops.map((stop) => stop.name).join(', ')}`);
      await this.press(key);
      stops.push(await this.stop());
    }
    const inWidget = await this.#page.evaluate(placesNow);
    const isForward = key === 'Tab';
    for (const [at, next] of inWidget.slice(1).entries()) {
      const [first, second] = isForward ? [inWidget[at]!, next] : [next, inWidget[at]!];
      const isAfter = second.top >= first.bottom - 1 || (second.top >= first.top - 1 && second.left > first.left);
      assert.ok(isAfter, `the focus jumps back: ${stops.map((stop) => stop.name).join(', ')}`);
    }
    await this.heard();
    return stops.map((stop) => stop.name);
  }

  /** The focused element. Fails if its focus cannot be seen. */
  async stop(): Promise<Stop> {
    const stop = await this.#page.evaluate(stopNow);
    assert.deepEqual(stop.faults, [], stop.name);
    return stop;
  }

  /** All announcements since the last call; waits for the last one. Fails if one was made twice. */
  async heard(last?: string): Promise<string[]> {
    for (const end = Date.now() + STEP_MS; ;) {
      await this.#page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
      if (last === undefined || this.#heard.includes(last)) break;
      assert.ok(Date.now() < end, `"${last}" is not heard, but: ${this.#heard.join(' | ')}`);
    }
    const heard = this.#heard;
    this.#heard = [];
    assert.deepEqual(
      heard.filter((piece, at) => heard.indexOf(piece) !== at),
      [],
      'heard twice',
    );
    return heard;
  }
}

/** Runs in each page before its scripts. */
function listen(): void {
  const { hearsNow } = globalThis as unknown as { hearsNow(text: string): void };
  const hear = (text: string | null | undefined) => {
    const piece = text?.replaceAll(/\s+/g, ' ').trim();
    if (piece) hearsNow(piece);
  };
  const textsOf = (root: Node, ids: string | null) =>
    (ids ?? '').split(' ').map((id) => (id ? (root as Document).getElementById(id)?.textContent : ''));

  function hearFocus(element: HTMLElement): void {
    const root = element.getRootNode();
    const named = textsOf(root, element.getAttribute('aria-labelledby')).join(' ').trim();
    const labels = [...((element as HTMLInputElement).labels ?? [])].map((label) => label.textContent).join(' ');
    hear(named || element.getAttribute('aria-label') || labels || element.innerText);
    textsOf(root, element.getAttribute('aria-describedby')).forEach(hear);
  }

  /** A change anywhere in a live region is read with all of the region, once. */
  function hearChanges(changes: MutationRecord[]): void {
    // What comes with the page is not a change.
    if (document.readyState === 'loading') return;
    const regions = changes.map(({ target }) =>
      (target instanceof Element ? target : target.parentElement)?.closest(
        ':is([role=status], [role=alert], output, [aria-live=polite], [aria-live=assertive]):not([aria-live=off])',
      ),
    );
    for (const region of new Set(regions)) {
      const parts = region?.children.length ? [...region.children] : [region];
      parts.forEach((part) => hear(part?.textContent));
    }
  }

  function attend(root: Document | ShadowRoot): void {
    root.addEventListener('focusin', (event) => {
      const target = event.composedPath()[0] as HTMLElement;
      if (target.getRootNode() === root) hearFocus(target);
    });
    new MutationObserver(hearChanges).observe(root, { childList: true, characterData: true, subtree: true });
  }

  attend(document);
  const attachShadow = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function attach(options) {
    const root = attachShadow.call(this, options);
    attend(root);
    return root;
  };
}

/** Runs in the page. */
function stopNow(): Stop {
  let focused = document.activeElement;
  const isInWidget = !!focused?.shadowRoot;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  const faults: string[] = [];
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) faults.push(`the page is ${scrollWidth} px wide`);
  if (!(focused instanceof HTMLElement) || focused === document.body) return { name: '', faults };

  const labels = (focused as HTMLInputElement).labels ?? [];
  const text = focused.ariaLabel ?? focused.ariaLabelledByElements?.[0]?.textContent ?? labels[0]?.textContent;
  const name = (text ?? focused.innerText).replaceAll(/\s+/g, ' ').trim();

  // A radio input shows its focus on its row.
  const isShown = [focused, focused.closest('.method')].some((each) => {
    if (!each) return false;
    const { outlineStyle, outlineWidth } = getComputedStyle(each);
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 1;
  });
  if (!isShown) faults.push('shows no focus');

  const { top, bottom, left, right } = focused.getBoundingClientRect();
  const middle = { x: (left + right) / 2, y: (Math.max(top, 0) + Math.min(bottom, innerHeight)) / 2 };
  const root = focused.getRootNode() as Document | ShadowRoot;
  const hit = root.elementFromPoint(middle.x, middle.y);
  if (bottom <= 0 || top >= innerHeight) faults.push('is outside the window');
  else if (!hit || !(focused.contains(hit) || (hit as HTMLLabelElement).control === focused))
    faults.push(`is covered by ${hit?.outerHTML.slice(0, 80)}`);
  if (isInWidget) ((globalThis as { inWidget?: Element[] }).inWidget ??= []).push(focused);
  return { name, faults };
}

/** Runs in the page. All at one moment, because a text that changes meanwhile moves what is below it. */
function placesNow(): { top: number; bottom: number; left: number }[] {
  const page = globalThis as { inWidget?: Element[] };
  const places = (page.inWidget ?? []).filter((each) => each.isConnected).map((each) => each.getBoundingClientRect());
  delete page.inWidget;
  return places.map(({ top, bottom, left }) => ({ top, bottom, left }));
}
