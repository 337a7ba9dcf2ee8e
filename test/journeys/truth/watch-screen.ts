// Reads a widget's screen in the page, at every change of it, and hands each reading on with its time: texts, pictures' texts, the
// drawn code, links, and what can be pressed. The live region is left out: it repeats what the screen says, for other ears.
import type { BrowserContext } from 'playwright-core';
import type { Screen } from './false-claims.ts';

export interface ScreenReading extends Omit<Screen, 'codes'> {
  /** Paths of the drawn codes, or sources of pictures. */
  drawings: string[];
  /** Parts of the buttons and links that can be pressed. */
  actions: string[];
}

/** Where there is no widget. */
export const blank = (at: number): ScreenReading => ({ at, texts: [], links: [], drawings: [], actions: [] });

const BINDING = 'readScreen';

export async function watchScreens(
  context: BrowserContext,
  onReading: (reading: ScreenReading) => void,
): Promise<void> {
  await context.exposeBinding(BINDING, (_source, reading: ScreenReading) => onReading(reading));
  await context.addInitScript(watch, BINDING);
}

/** Runs in the page before anything of it. */
function watch(binding: string): void {
  const attach = Element.prototype.attachShadow;
  Element.prototype.attachShadow = function (init) {
    const root = attach.call(this, init);
    if (this.localName === 'payment-widget') follow(root);
    return root;
  };

  function follow(root: ShadowRoot): void {
    let last = '';
    const tell = (reading: object) => {
      const text = JSON.stringify(reading);
      if (text === last) return;
      last = text;
      const { [binding]: hand } = window as unknown as Record<string, (reading: object) => void>;
      // The clock that all records are kept by: `performance` does not follow when it is set.
      hand?.({ at: Date.now(), ...reading });
    };
    const options = { subtree: true, childList: true, characterData: true, attributes: true };
    new MutationObserver(() => tell(read(root))).observe(root, options);
    addEventListener('pagehide', () => tell({ texts: [], links: [], drawings: [], actions: [] }));
    addEventListener('pageshow', () => tell(read(root)));
  }

  function read(root: ShadowRoot): object {
    const isSeen = (element: Element) =>
      !element.closest('.live, style') && element.checkVisibility({ visibilityProperty: true });
    const find = (selector: string) => [...root.querySelectorAll(selector)].filter(isSeen);
    const texts: object[] = [];
    const note = (text: string | null | undefined, near: Element) => {
      const words = text?.replaceAll(/\s+/g, ' ').trim();
      if (words) texts.push({ text: words, place: near.closest('[part~=method]') ? 'method' : 'panel' });
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
      links: find('a[href]').map((link) => (link as HTMLAnchorElement).href),
      drawings: find('[part~=code] path, [part~=code] img').map(
        (drawing) => drawing.getAttribute('d') ?? drawing.getAttribute('src'),
      ),
      actions: pressable.map((element) => element.getAttribute('part')),
    };
  }
}
