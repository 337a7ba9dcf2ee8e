// Where the shopper's attention goes when the screen changes: focus, and the words of the one polite live region.
// Focus moves only when the panel that went away held it; someone who reads elsewhere on the page is told, and left in peace.
import type { Say } from '../shell/language.ts';
import type { Shown } from './view.ts';

/** Seconds left at which a screen reader says so: often enough to act, seldom enough to be borne. */
const SPOKEN_SECONDS = [180, 60, 30];

/** What a panel says below its heading, without what only the eye follows. */
const PROSE = '.panel p:not(.status, .paper), .status span:not(.countdown)';

export class Attention {
  /** The heading before this paint: a panel is another one when it is headed otherwise. */
  #title: string | undefined;
  #language = '';
  #notes = '';
  #seconds = 0;

  /** After each paint. `hadFocus`: before it, the focus was inside. */
  follow(root: ShadowRoot, shown: Shown, hadFocus: boolean, say: Say): void {
    const textsOf = (selector: string) =>
      [...root.querySelectorAll(selector)].map(({ textContent }) => textContent?.replaceAll(/\s+/g, ' ').trim() ?? '');
    const find = (selector: string) => root.querySelector<HTMLElement>(selector);
    const title = textsOf('h2').join('');
    const language = find('.sheet')?.lang ?? '';
    const isNew = this.#title !== undefined && this.#title !== title && this.#language === language;
    this.#title = title;
    this.#language = language;
    const notes = textsOf('.spoken');
    const isNoted = notes.join() !== this.#notes;
    this.#notes = notes.join();
    const time = this.#timeWords(shown, say, language);
    if (isNew)
      speak(find('.live'), [
        ...(hadFocus ? [] : [title]),
        ...textsOf(shown.panel === 'paid' ? `.total, ${PROSE}` : PROSE),
      ]);
    else if (isNoted) speak(find('.live'), notes);
    else if (time) speak(find('.live'), [time]);
    // Whatever took away what was focused: the focus stays in the widget.
    if (hadFocus && (isNew || !root.activeElement)) find('h2')?.focus();
    else if (hadFocus && isNoted) find('[aria-invalid=true]')?.focus();
  }

  #timeWords(shown: Shown, say: Say, language: string): string | undefined {
    const seconds = 'remainingMs' in shown ? Math.ceil((shown.remainingMs ?? 0) / 1000) : 0;
    const step = SPOKEN_SECONDS.findLast((each) => this.#seconds > each && seconds <= each && seconds > 0);
    this.#seconds = seconds;
    return step === undefined ? undefined : say('timeLeft', { time: spokenTime(step, language) });
  }
}

/** Each text in a paragraph of its own: a pause between them. */
function speak(live: HTMLElement | null, texts: string[]): void {
  live?.replaceChildren(
    ...texts.map((text) => {
      const paragraph = document.createElement('p');
      paragraph.textContent = text;
      return paragraph;
    }),
  );
}

/** `3 minutes`, `30 seconds`: Intl knows every language's plurals. */
export function spokenTime(seconds: number, language: string): string {
  const [value, unit] = seconds < 60 ? [seconds, 'second'] : [Math.round(seconds / 60), 'minute'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}
