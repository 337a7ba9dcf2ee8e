// Reads the widget's screen: its texts, alternative texts, links, and what is chosen. Runs in the page, where a journey
// sends it as text, so it uses nothing from outside itself. Skips the live region, which repeats the screen.
import type { Text } from './dictionary-sentences.ts';

export interface Screen {
  texts: Text[];
  links: string[];
  hasCode: boolean;
  chosen: string | undefined;
}

export function readScreen(widget: Element): Screen {
  const root = widget.shadowRoot;
  if (!root) return { texts: [], links: [], hasCode: false, chosen: undefined };
  const isSeen = (element: Element) =>
    !element.closest('.live, style') && element.checkVisibility({ visibilityProperty: true });
  const find = (selector: string) => [...root.querySelectorAll(selector)].filter(isSeen);
  /** A field that a row opens is the shopper's, not a description. */
  const isOfMethods = (element: Element) => element.closest('.field, [part~=method]')?.matches('[part~=method]');
  const texts: Text[] = [];
  const note = (text: string | null, near: Element) => {
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
  return {
    texts,
    links: find('a[href]').map((link) => link.getAttribute('href') ?? ''),
    hasCode: find('[part~=code] path, [part~=code] img').length > 0,
    chosen: root.querySelector<HTMLInputElement>('input[name=method]:checked')?.value,
  };
}
