// Tells screen readers what changed and keeps the keyboard focus inside the widget. Texts go into the one polite live
// region. The focus moves only if the panel that disappeared had it; a shopper who is elsewhere in the page only
// gets the announcement.
import type { Say } from '../shell/language.ts';
import type { Shown } from './view.ts';

/** Remaining seconds that are announced: frequent enough to act on, rare enough not to annoy. */
const ANNOUNCED_SECONDS = [180, 60, 30];

/** A panel's text below its heading, without what is folded or only for the eye: the countdown, and what is printed. */
const PROSE = '.panel p:not(.status, .print-only, details p), .status span:not(.countdown)';

export class Announcer {
  /** The heading of the previous paint: a panel is a new one if its heading differs. */
  #title: string | undefined;
  #language = '';
  #notes = '';
  /** The error of the last try; the same error after a second try is announced again. */
  #errors: object | undefined;
  #seconds = 0;

  /** Called after each paint. `hadFocus`: the focus was inside before it. True if the panel is a new one. */
  update(root: ShadowRoot, shown: Shown, hadFocus: boolean, say: Say): boolean {
    const textsOf = (selector: string) =>
      [...root.querySelectorAll<HTMLElement>(selector)].map(({ innerText }) =>
        innerText.replaceAll(/\s+/g, ' ').trim(),
      );
    const find = (selector: string) => root.querySelector<HTMLElement>(selector);
    const title = textsOf('h2').join('');
    const language = find('.sheet')?.lang ?? '';
    const isNew = this.#title !== undefined && this.#title !== title && this.#language === language;
    this.#title = title;
    this.#language = language;
    const notes = textsOf('.announce');
    const hasNewNotes = notes.join() !== this.#notes;
    this.#notes = notes.join();
    const wrong = find('[aria-invalid=true]');
    const errors = wrong && 'errors' in shown ? shown.errors : undefined;
    const isWrongAgain = errors && errors !== this.#errors;
    this.#errors = errors;
    const time = this.#announcedTime(shown, say, language);
    if (isNew)
      announce(find('.live'), [
        ...(hadFocus ? [] : [title]),
        ...textsOf(shown.panel === 'paid' ? `.total, ${PROSE}` : PROSE),
      ]);
    else if (hasNewNotes || isWrongAgain) {
      // A field that takes the focus is read together with its error, so the error is not said as well.
      const isRead = hadFocus && wrong && wrong !== root.activeElement;
      announce(find('.live'), isRead ? textsOf('.announce:not(small)') : notes);
      if (hadFocus) wrong?.focus();
    } else if (time) announce(find('.live'), [time]);
    // If the focused element was removed, the focus moves to the heading, so that it does not leave the widget.
    if (hadFocus && (isNew || !root.activeElement)) find('h2')?.focus();
    // The browser takes the focus from a refused method and its field only later.
    else if (root.activeElement?.matches('.method:has(:disabled) *')) find(':checked')?.focus();
    return isNew;
  }

  #announcedTime(shown: Shown, say: Say, language: string): string | undefined {
    const seconds = 'remainingMs' in shown ? Math.ceil((shown.remainingMs ?? 0) / 1000) : 0;
    const step = ANNOUNCED_SECONDS.findLast((each) => this.#seconds > each && seconds <= each && seconds > 0);
    this.#seconds = seconds;
    return step === undefined ? undefined : say('timeSpoken', { time: timeInWords(step, language) });
  }
}

/** A paragraph for each text, so that the screen reader pauses between them. */
function announce(live: HTMLElement | null, texts: string[]): void {
  live?.replaceChildren(
    ...texts.map((text) => {
      const paragraph = document.createElement('p');
      paragraph.textContent = text;
      return paragraph;
    }),
  );
}

/** `3 minutes`, `30 seconds`; Intl has the plurals of every language. */
export function timeInWords(seconds: number, language: string): string {
  const [value, unit] = seconds < 60 ? [seconds, 'second'] : [Math.round(seconds / 60), 'minute'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
}
