// The page's controls in the slot `terms`, such as a required check box: they hold the press until they are valid.

/** Whether all are valid. The browser says what is wrong with the first that is not, and focuses it. */
export function reportTerms(root: ShadowRoot | null): boolean {
  const slot = root?.querySelector<HTMLSlotElement>('slot[name=terms]');
  const elements = slot?.assignedElements({ flatten: true }) ?? [];
  const controls: Partial<HTMLInputElement>[] = elements.flatMap((each) => [each, ...each.querySelectorAll('*')]);
  return controls.every((control) => control.reportValidity?.() ?? true);
}
