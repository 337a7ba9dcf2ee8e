// Says what is cut off, covered, too small, or shows no focus. All in one function, because it runs in the page.

/** For each fault the state, what is wrong, and where. Empty if all is well. */
export function layoutFaults(): string[] {
  /** Of a control, px: the widget promises more than WCAG 2.5.8, which asks for 24. */
  const MIN_HEIGHT = 44;
  /** Of an outline, px. */
  const MIN_OUTLINE = 2;
  const faults: string[] = [];
  const { documentElement } = document;
  if (documentElement.scrollWidth > innerWidth) faults.push(`the page is ${documentElement.scrollWidth} px wide`);
  for (const figure of document.querySelectorAll('figure')) {
    const root = figure.querySelector('payment-widget')?.shadowRoot;
    const state = figure.querySelector('figcaption')?.textContent;
    const found = root
      ? [...textFaults(root), ...fieldFaults(root), ...focusFaults(root), ...motionFaults(root)]
      : ['no widget'];
    faults.push(...found.map((fault) => `${state}: ${fault}`));
  }
  return faults;

  interface Piece {
    text: string;
    parent: Element;
    box: DOMRect;
  }

  /** A box for each line of text that can be seen. */
  function piecesOf(root: ShadowRoot): Piece[] {
    const pieces: Piece[] = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const { parentElement: parent, nodeValue } = node;
      const text = nodeValue?.trim() ?? '';
      if (!parent || !text || parent.closest('.live') || !parent.checkVisibility({ visibilityProperty: true }))
        continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      pieces.push(...[...range.getClientRects()].map((box) => ({ text, parent, box })));
    }
    return pieces;
  }

  function* textFaults(root: ShadowRoot): Generator<string> {
    const pieces = piecesOf(root);
    if (pieces.length < 2) yield 'no text';
    for (const [at, { text, parent, box }] of pieces.entries()) {
      const cut = cutBy(parent, box, 1);
      if (cut) yield `"${text}" is cut off by ${cut}`;
      const over = pieces.slice(at + 1).find((other) => other.parent !== parent && overlap(box, other.box));
      if (over) yield `"${text}" and "${over.text}" overlap`;
    }
  }

  /** The name of the element that shows only part of the box: the sheet, or one that hides what is outside it. */
  function cutBy(inside: Element, box: DOMRect, tolerance: number): string | undefined {
    for (let each: Element | null = inside; each; each = each.parentElement) {
      const isSheet = each.classList.contains('sheet');
      if (!isSheet && getComputedStyle(each).overflow === 'visible') continue;
      const outer = each.getBoundingClientRect();
      const fits =
        box.left >= outer.left - tolerance &&
        box.right <= outer.right + tolerance &&
        box.top >= outer.top - tolerance &&
        box.bottom <= outer.bottom + tolerance;
      if (!fits) return each.className || each.localName;
    }
    return undefined;
  }

  function overlap(one: DOMRect, other: DOMRect): boolean {
    const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
    const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
    return width > 1 && height > 2;
  }

  function* fieldFaults(root: ShadowRoot): Generator<string> {
    for (const input of root.querySelectorAll<HTMLInputElement>('.field input')) {
      if (!input.checkVisibility({ visibilityProperty: true })) continue;
      if (input.scrollWidth > input.clientWidth) yield `what was typed does not fit the field ${input.name}`;
      const unit = input.parentElement?.querySelector('.unit');
      if (unit && overlap(unit.getBoundingClientRect(), input.getBoundingClientRect()))
        yield `the unit covers what is typed into ${input.name}`;
    }
  }

  function* focusFaults(root: ShadowRoot): Generator<string> {
    for (const control of root.querySelectorAll<HTMLElement>('h2, a, button, summary, input')) {
      if (!control.checkVisibility({ visibilityProperty: true }) || control.matches(':disabled')) continue;
      const name = control.textContent?.trim() || control.id || control.getAttribute('value');
      // The row of a radio input is what is pressed, and shows its focus.
      const shown = control.matches('[type=radio]') ? control.closest('.method')! : control;
      const signs = () => {
        // Not the offset: a ring that only moves is hardly seen.
        const { outlineStyle, outlineWidth, outlineColor, textDecorationLine } = getComputedStyle(shown);
        return [outlineStyle, outlineWidth, outlineColor, textDecorationLine].join(' ');
      };
      (root.activeElement as HTMLElement | null)?.blur();
      const before = signs();
      control.focus({ focusVisible: true });
      if (root.activeElement !== control) yield `"${name}" does not take the focus`;
      if (signs() === before) yield `"${name}" looks the same with the focus`;
      const box = shown.getBoundingClientRect();
      if (control.localName !== 'h2' && box.height < MIN_HEIGHT) yield `"${name}" is ${box.height} px high`;
      const { outlineStyle, outlineWidth, outlineOffset, textDecorationLine } = getComputedStyle(shown);
      const width = Number.parseFloat(outlineWidth);
      const isUnderlined = control.localName === 'h2' && textDecorationLine === 'underline';
      if ((outlineStyle === 'none' || width < MIN_OUTLINE) && !isUnderlined) yield `"${name}" shows no focus`;
      const reach = width + Number.parseFloat(outlineOffset);
      const ring = new DOMRect(box.x - reach, box.y - reach, box.width + 2 * reach, box.height + 2 * reach);
      const cut = shown.parentElement && cutBy(shown.parentElement, ring, 0);
      if (cut) yield `the focus of "${name}" is cut off by ${cut}`;
      shown.scrollIntoView({ block: 'center' });
      const { x, y } = shown.getBoundingClientRect();
      const covers = [0.1, 0.5, 0.9]
        .map((share) => root.elementFromPoint(x + share * box.width, y + Math.min(box.height, innerHeight) / 2))
        .find((hit) => hit && !shown.contains(hit));
      if (covers && !isUnit(covers, shown)) yield `"${name}" is covered by ${covers.className || covers.localName}`;
    }
  }

  /** Readers who want less motion see none. */
  function* motionFaults(root: ShadowRoot): Generator<string> {
    const moving = root.getAnimations().filter(({ playState }) => playState === 'running');
    if (moving.length > 0) yield `${moving.length} things move`;
  }

  /** The currency inside a field is a label of it: a press there focuses the field. */
  function isUnit(hit: Element, control: Element): boolean {
    return hit instanceof HTMLLabelElement && hit.control === control;
  }
}
