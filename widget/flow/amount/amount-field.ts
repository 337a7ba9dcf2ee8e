// The amount that the shopper enters, as one large figure with its currency, and the amounts that the token suggests.
import type { TemplateResult } from 'lit';
import type { Choice } from '../../shell/choice.ts';
import type { Drawing } from '../../shell/field.ts';
import type { PanelContext } from '../../shell/panel.ts';
import { writeTypedAmount } from './typed-amount.ts';

/** Draws with the functions of the bundle that calls it. */
export function amountField(
  { html, field }: Pick<Drawing, 'html' | 'field'>,
  shown: Choice,
  context: PanelContext,
): TemplateResult {
  const { say, money, state, language } = context;
  const { minAmount, maxAmount } = state.claims ?? {};
  const { currency } = state.order;
  const values = { min: money(minAmount), max: money(maxAmount) };
  const help = [values.min && say('atLeast', values), values.max && say('atMost', values)].filter(Boolean).join(' · ');
  const parts = new Intl.NumberFormat(language, { style: 'currency', currency }).formatToParts(1);
  const indexOf = (type: string) => parts.findIndex((part) => part.type === type);
  const unit = html`<label class="unit" for="amount">${parts[indexOf('currency')]?.value}</label>`;
  const isFirst = indexOf('currency') < indexOf('integer');
  return field('amount', 'amount', help, shown, context, {
    values,
    before: isFirst ? unit : '',
    after: html`${isFirst ? '' : unit}${suggestions(html, context)}`,
  });
}

function suggestions(
  html: Drawing['html'],
  { money, state, run, amount, language }: PanelContext,
): TemplateResult | '' {
  const { suggestedAmounts } = state.claims ?? {};
  // The proxy, which refuses anything else, may not have answered yet.
  if (!Array.isArray(suggestedAmounts)) return '';
  return html`<div class="row">
    ${suggestedAmounts.map((each) => {
      const choose = () =>
        run((session) => session.edit({ amount: writeTypedAmount(each, state.order.currency, language) }));
      return html`<button part="suggestion" type="button" aria-pressed=${+each === +(amount ?? 0)} @click=${choose}>
        ${money(each)}
      </button>`;
    })}
  </div>`;
}
