// The page's controls in the slot `terms`, such as a required check box: they hold the press until they are valid.
import type { Trouble } from '../shell/state.ts';

/**
 * Of the first that is not valid, what the widget has to say: null if the browser said it and focused the control; its
 * message if it takes no focus, because nobody can see it. Undefined if all are valid.
 */
export function troubleOfTerms(root: ShadowRoot | null): Trouble | null | undefined {
  const slot = root?.querySelector<HTMLSlotElement>('slot[name=terms]');
  const elements = slot?.assignedElements({ flatten: true }) ?? [];
  const all: (Element & Partial<HTMLInputElement>)[] = elements.flatMap((each) => [
    each,
    ...each.querySelectorAll('*'),
  ]);
  const wrong = all.find((control) => control.reportValidity?.() === false);
  if (!wrong) return undefined;
  const isFocused = (wrong.getRootNode() as Document).activeElement === wrong;
  return isFocused ? null : { code: 'invalid_request', retryable: false, message: wrong.validationMessage ?? '' };
}
