// Lit and the shell's functions, as the second bundle imports them. These are live bindings that provide()
// sets once. Importing the shell itself would load Lit a second time if the page's URL of the script has a query.
import type { Drawing } from '../shell/field.ts';

export let html: Drawing['html'];
export let render: Drawing['render'];
export let heading: Drawing['heading'];
export let icon: Drawing['icon'];
export let field: Drawing['field'];
export let loadAmount: Provided['loadAmount'];

export type AmountBundle = typeof import('./amount/amount.ts');

interface Provided extends Drawing {
  loadAmount(): Promise<AmountBundle>;
}

/** Must be called before any panel is drawn. */
export function provide(shell: Provided): void {
  ({ html, render, heading, icon, field, loadAmount } = shell);
}
