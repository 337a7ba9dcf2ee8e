// Provides the third bundle (flow/amount/), once an order leaves the amount to the shopper.
import type { TemplateResult } from 'lit';
import type { Choice } from '../shell/choice.ts';
import type { PanelContext } from '../shell/panel.ts';
import { field, html, loadAmount, type AmountBundle } from './lit.ts';

/** Undefined until it is loaded. */
export let amountBundle: AmountBundle | undefined;

/** False if it cannot be loaded now; the next call tries again. */
export async function loadAmountBundle(): Promise<boolean> {
  amountBundle ??= await loadAmount().catch(() => undefined);
  return !!amountBundle;
}

export const amountField = (shown: Choice, context: PanelContext): TemplateResult | '' =>
  amountBundle?.amountField({ html, field }, shown, context) ?? '';
