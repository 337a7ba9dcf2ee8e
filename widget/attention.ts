// Where the shopper's attention goes when the screen changes: focus, and the words of the one polite live region.
// Focus moves only when the panel that went away held it; someone who reads elsewhere on the page is told, and left in peace.
import type { Say } from './language.ts';
import type { Shown } from './view.ts';

/** Seconds left at which a screen reader says so: often enough to act, seldom enough to be borne. */
const SPOKEN_SECONDS = [180, 60, 30];

export class Attention {
  #panel: Shown['panel'] | undefined;
  #notes = '';
  #seconds = 0;

  /** After each paint. `hadFocus`: before it, the focus was inside. */
  follow(root: ParentNode, shown: Shown, hadFocus: boolean, say: Say, language: string): void {
    const isNew = shown.panel !== this.#panel;
    const isFirst = !this.#panel;
    this.#panel = shown.panel;
    const textsOf = (selector: string) => [...root.querySelectorAll(selector)].map((each) => each.textContent?.trim());
    const notes = textsOf('.spoken').join(' ');
    let words = this.#timeWords(shown, say, language);
    if (notes !== this.#notes) words = notes;
    this.#notes = notes;
    const invalid = notes && root.querySelector<HTMLElement>('[aria-invalid=true]');
    if (isNew && !isFirst) {
      words = [...textsOf(hadFocus ? '.none' : 'h2'), ...textsOf('.panel p')].join(' ');
      if (hadFocus) root.querySelector<HTMLElement>('h2')?.focus();
    } else if (invalid && hadFocus && words === notes) invalid.focus();
    const live = root.querySelector('.live');
    if (live && words !== undefined) live.textContent = words;
  }

  #timeWords(shown: Shown, say: Say, language: string): string | undefined {
    const seconds = shown.panel === 'redirect' ? Math.ceil((shown.remainingMs ?? 0) / 1000) : 0;
    const step = SPOKEN_SECONDS.findLast((each) => this.#seconds > each && seconds <= each && seconds > 0);
    this.#seconds = seconds;
    return step === undefined ? undefined : say('timeLeft', { time: spokenTime(step, language) });
  }
}

/** `3 minutes`, `30 seconds`: Intl knows every language's plurals. */
export function spokenTime(seconds: number, language: string): string {
  const [value, unit] = seconds < 60 ? [seconds, 'second'] : [Math.round(seconds / 60), 'minute'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}
