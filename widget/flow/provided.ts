// What the first bundle provides to the second: Lit, the functions that draw, and the third bundle, once an order
// leaves the amount to the shopper. These are live bindings that provide() sets once. Importing the shell itself would
// load Lit a second time if the page's URL of the script has a query.
import type { TemplateResult } from 'lit';
import type { Choice } from '../shell/choice.ts';
import type { Drawing, PanelContext } from '../shell/choose.ts';

export let html: Drawing['html'];
export let heading: Drawing['heading'];
export let icon: Drawing['icon'];
export let field: Drawing['field'];
export let nameOf: Drawing['nameOf'];
export let opensApp: Drawing['opensApp'];
export let loadAmount: Provided['loadAmount'];

type AmountBundle = typeof import('./amount.ts');

interface Provided extends Drawing {
  loadAmount(): Promise<AmountBundle>;
}

/** Must be called before any panel is drawn. */
export function provide(shell: Provided): void {
  ({ html, heading, icon, field, nameOf, opensApp, loadAmount } = shell);
}

/** Undefined until it is loaded. */
export let amountBundle: AmountBundle | undefined;

/** False if it cannot be loaded now; the next call tries again. */
export async function loadAmountBundle(): Promise<boolean> {
  amountBundle ??= await loadAmount().catch(() => undefined);
  return !!amountBundle;
}

export const amountField = (shown: Choice, context: PanelContext): TemplateResult | '' =>
  amountBundle?.amountField({ html, field }, shown, context) ?? '';
