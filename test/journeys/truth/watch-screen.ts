// Reads the widget's screen in the page at every change, and reports each reading with its time: texts, alternative
// texts, the drawn code, links, and what can be pressed. Skips the live region, which repeats the screen for screen
// readers.
import type { BrowserContext } from 'playwright-core';
import type { Screen } from './false-claims.ts';

export interface ScreenReading extends Omit<Screen, 'codes'> {
  /** Paths of the drawn codes, or sources of images. */
  drawings: string[];
  /** Parts of the buttons and links that can be pressed. */
  actions: string[];
}

/** A screen without a widget. */
export const blank = (at: number): ScreenReading => ({ at, texts: [], links: [], drawings: [], actions: [] });

const BINDING = 'readScreen';

export async function watchScreens(
  context: BrowserContext,
  onReading: (reading: ScreenReading) => void,
): Promise<void> {
  await context.exposeBinding(BINDING, (_source, reading: ScreenReading) => onReading(reading));
  await context.addInitScript(watch, BINDING);
}

/** Runs in the page before its own scripts. */
function watch(binding: string): void {
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (init) {
    const root = attach.call(this, init);
    if (this.localName === 'payment-widget') follow(root);
    return root;
  };

  function follow(root: ShadowRoot): void {
    let last = '';
    const report = (reading: object) => {
      const text = JSON.stringify(reading);
      if (text === last) return;
      last = text;
      const { [binding]: hand } = window as unknown as Record<string, (reading: object) => void>;
      // The clock that all records use; `performance` would not follow if it is set.
      hand?.({ at: Date.now(), ...reading });
    };
    const options = { subtree: true, childList: true, characterData: true, attributes: true };
    new MutationObserver(() => report(read(root))).observe(root, options);
    addEventListener('pagehide', () => report({ texts: [], links: [], drawings: [], actions: [] }));
    addEventListener('pageshow', () => report(read(root)));
  }

  function read(root: ShadowRoot): object {
    const isSeen = (element: Element) =>
      !element.closest('.live, style') && element.checkVisibility({ visibilityProperty: true });
    const find = (selector: string) => [...root.querySelectorAll(selector)].filter(isSeen);
    /** A field that a row opens is the shopper's, not a description. */
    const isOfMethods = (element: Element) => element.closest('.field, [part~=method]')?.matches('[part~=method]');
    const texts: object[] = [];
    const note = (text: string | null | undefined, near: Element) => {
      const words = text?.replaceAll(/\s+/g, ' ').trim();
      if (words) texts.push({ text: words, place: isOfMethods(near) ? 'method' : 'panel' });
    };
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { parentElement, textContent } = walker.currentNode;
      if (parentElement && isSeen(parentElement)) note(textContent, parentElement);
    }
    for (const element of find('[role=img], img'))
      note(element.getAttribute('aria-label') ?? element.getAttribute('alt'), element);
    const pressable = find('button:not([aria-disabled=true]):not(:disabled), a[href]');
    return {
      texts,
      chosen: root.querySelector<HTMLInputElement>('input[name=method]:checked')?.value,
      links: find('a[href]').map((link) => (link as HTMLAnchorElement).href),
      drawings: find('[part~=code] path, [part~=code] img').map(
        (drawing) => drawing.getAttribute('d') ?? drawing.getAttribute('src'),
      ),
      actions: pressable.map((element) => element.getAttribute('part')),
    };
  }
}
