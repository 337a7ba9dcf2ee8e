// What the first bundle provides to the second: Lit, the functions that draw and those of the choice, and the third
// bundle, once an order leaves the amount to the shopper. These are live bindings that provide() sets once. Importing
// the shell itself would load Lit a second time if the page's URL of the script has a query.
import type { TemplateResult } from 'lit';
import type { Choice } from '../shell/choice.ts';
import type { PanelContext, Shared } from '../shell/choose.ts';

export let html: Shared['html'];
export let heading: Shared['heading'];
export let icon: Shared['icon'];
export let field: Shared['field'];
export let nameOf: Shared['nameOf'];
export let opensApp: Shared['opensApp'];
export let sharesRow: Shared['sharesRow'];
export let asksWalletId: Shared['asksWalletId'];
export let offeredMethods: Shared['offeredMethods'];
export let chosenMethod: Shared['chosenMethod'];
export let loadAmount: Provided['loadAmount'];

type AmountBundle = typeof import('./amount.ts');

interface Provided extends Shared {
  loadAmount(): Promise<AmountBundle>;
}

/** Must be called before any panel is drawn. */
export function provide(shell: Provided): void {
  ({ html, heading, icon, field, nameOf, opensApp, sharesRow, asksWalletId, offeredMethods, chosenMethod, loadAmount } =
    shell);
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
