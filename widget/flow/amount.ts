// The third bundle: what an order needs that leaves the amount to the shopper. Few do. The field is one large figure
// with its currency, and the amounts that the token suggests. What is typed is read as people write amounts, and
// checked against the order's bounds. In and out, amounts are decimal strings. payment-widget.ts begins to fetch the
// bundle, and flow/provided.ts provides it.
import type { TemplateResult } from 'lit';
import { decimalsOf } from '../../backend-proxy/protocol/decimals.ts';
import type { Choice } from '../shell/choice.ts';
import type { PanelContext, Shared } from '../shell/choose.ts';
import { asciiDigits } from '../shell/language.ts';
import type { FieldErrors, SessionState } from '../shell/state.ts';

export { enAmount } from '../locales/en-amount.ts';

/** Draws with the functions of the bundle that calls it. */
export function amountField(
  { html, field }: Pick<Shared, 'html' | 'field'>,
  shown: Choice,
  context: PanelContext,
): TemplateResult {
  const { say, state, run, language } = context;
  const { minAmount: min, maxAmount: max } = state.claims ?? {};
  const { currency } = state.order;
  const values = { ...(min && { min: rounded(min, context) }), ...(max && { max: rounded(max, context) }) };
  const key = min ? (max ? 'between' : 'below') : 'above';
  const hint = min || max ? say(key, values) : '';
  const parts = new Intl.NumberFormat(language, { style: 'currency', currency }).formatToParts(1);
  const indexOf = (type: string) => parts.findIndex((part) => part.type === type);
  const unit = html`<label class="unit" for="amount">${parts[indexOf('currency')]?.value}</label>`;
  // Persian writes amounts from left to right.
  const isFirst = (parts[0]?.value === '\u200e') !== indexOf('currency') < indexOf('integer');
  // When the field is left, not only at the press: says an error, or writes the amount as it was understood. Nobody is
  // asked to fill in what was left empty.
  const check = () => {
    const typed = typedAmount(state, language, false);
    const errors = amountErrors(state, typed, language);
    if (!errors.amount && typed) fill(typed, context);
    else if (state.form.amount) run((session) => session.edit({}, errors));
  };
  return html`<div @change=${check}>
    ${field('amount', 'amount', hint, shown, context, {
      values: { ...values, hint },
      before: isFirst ? unit : '',
      unit: isFirst ? '' : unit,
      after: suggestions(html, context),
      placeholder: writeTypedAmount('0', currency, language),
    })}
  </div>`;
}

/** Writes the decimal string into the field. */
const fill = (amount: string, { state, run, language }: PanelContext): void =>
  run((session) => session.edit({ amount: writeTypedAmount(amount, state.order.currency, language) }));

/** With decimals only if there are any: "€10". */
function rounded(amount: string, { state, language }: PanelContext): string {
  const options = { style: 'currency', currency: state.order.currency, trailingZeroDisplay: 'stripIfInteger' } as const;
  return +amount >= 0 ? new Intl.NumberFormat(language, options).format(amount as `${number}`) : '';
}

function suggestions(html: Shared['html'], context: PanelContext): TemplateResult | '' {
  const { state, amount } = context;
  const { suggestedAmounts } = state.claims ?? {};
  // The proxy, which refuses anything else, may not have answered yet.
  if (!Array.isArray(suggestedAmounts)) return '';
  return html`<div class="row">
    ${suggestedAmounts.map((each) => {
      const choose = () => fill(each, context);
      return html`<button part="suggestion" type="button" aria-pressed=${+each === +(amount ?? 0)} @click=${choose}>
        ${rounded(each, context)}
      </button>`;
    })}
  </div>`;
}

/** The decimal string of what was typed; `isChecked`: null outside the order's bounds, so that no button names it. */
export function typedAmount(state: SessionState, language: string, isChecked: boolean): string | null {
  const amount = readTypedAmount(state.form.amount ?? '', state.order.currency, language);
  return isChecked && amountErrors(state, amount, language).amount ? null : amount;
}

/** What is wrong with the amount, nothing if it is accepted. `amount`: null if the typed text is not an amount. */
export function amountErrors(state: SessionState, amount: string | null, language: string): FieldErrors {
  const { claims, order, form } = state;
  const { minAmount, maxAmount } = claims ?? {};
  if (amount && minAmount && compareAmounts(amount, minAmount) < 0) return { amount: 'below' };
  if (amount) return maxAmount && compareAmounts(amount, maxAmount) > 0 ? { amount: 'above' } : {};
  const typed = normalized(form.amount ?? '');
  if (!typed) return { amount: 'amountEmpty' };
  const { currency } = order;
  if (/^\D*0[0\D]*$/.test(typed))
    return { amount: 'below', ...(!minAmount && { min: writeTypedAmount(leastAmount(currency), currency, language) }) };
  const isTooExact = readTypedAmount(typed, currency, language, MAX_DECIMALS);
  return { amount: isTooExact ? 'amountDecimals' : 'amountWrong', example: exampleAmount(state, language) };
}

/** One of the currency's smallest unit. */
const leastAmount = (currency: string): string => `${10 ** -decimalsOf(currency)}`;

/** An amount that would be accepted, as the shopper would type it. */
export function exampleAmount({ claims, order }: SessionState, language: string): string {
  const { minAmount = '12', maxAmount = minAmount } = claims ?? {};
  const example = compareAmounts(minAmount, maxAmount) > 0 ? maxAmount : minAmount;
  return writeTypedAmount(example, order.currency, language);
}

/**
 * Separators that can only group thousands: several, or one before a fraction. Indian groups have two digits. No group
 * follows a zero: "0.500" is half a euro for whoever types it, in German too.
 */
const GROUPED = /^[1-9]\d{0,2}([.,])(?:\d{2,3}\1)*\d{3}(?!\1)[.,٫]\d+$|^[1-9]\d{0,2}([.,])(?:\d{2,3}\2)+\d{3}$/;

/**
 * The decimal string of a typed amount, or null if the text is not an amount. Accepts point and comma, Latin, Arabic
 * and Persian digits, and the currency's code or symbol. `most`: the decimals that are accepted.
 */
export function readTypedAmount(
  typed: string,
  currency: string,
  language: string,
  most = decimalsOf(currency),
): string | null {
  const parts = new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    minimumFractionDigits: 1,
  }).formatToParts(12345.5);
  const partOf = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
  const bare = normalized(typed)
    .replace(currency, '')
    .replace(normalized(partOf('currency')), '');
  const [, beforeFraction, several] = GROUPED.exec(bare) ?? [];
  const [, single] = /^[1-9]\d{0,2}([.,])\d{3}$/.exec(bare) ?? [];
  const isThousand = decimalsOf(currency) < 3 && single === partOf('group');
  const separator = beforeFraction ?? several ?? (isThousand ? single : undefined);
  // "1.000" dinars are a thousand in German and one in English. An ambiguous amount is refused rather than guessed.
  if (!separator && /\D\d{3}$/.test(bare) && bare.at(-4) !== partOf('decimal')) return null;
  const text = separator ? bare.replaceAll(separator, '') : bare;
  const [, whole, fraction = ''] = /^0*(\d{1,15})(?:[.,٫](\d+))?$/.exec(text) ?? [];
  if (!whole || fraction.length > most) return null;
  const amount = fraction ? `${whole}.${fraction}` : whole;
  return Number(scaled(amount)) > 0 ? amount : null;
}

/**
 * A decimal string as people type it: the language's digits, and its separator in amounts (another one than in other
 * numbers in Swiss French), without currency and grouping.
 */
export function writeTypedAmount(amount: string, currency: string, language: string): string {
  const parts = new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    useGrouping: false,
    minimumFractionDigits: decimalsOf(currency),
    maximumFractionDigits: MAX_DECIMALS,
  }).formatToParts(amount as `${number}`);
  return parts.map(({ type, value }) => (/integer|decimal|fraction/.test(type) ? value : '')).join('');
}

/** With ASCII digits; without spaces, marks of direction, and signs that can only group thousands. */
function normalized(typed: string): string {
  return asciiDigits(typed).replace(/[\s\u200e\u200f'’٬]/g, '');
}

/** Negative, 0 or positive, as `sort` expects. 0 for what is not an amount, as a bound of an unchecked token may be. */
export function compareAmounts(a: string, b: string): number {
  const [first, second] = [scaled(a), scaled(b)];
  return first === null || second === null ? 0 : Number(first - second);
}

/** More than any currency has. */
const MAX_DECIMALS = 9;

/** In billionths. */
function scaled(amount: string): bigint | null {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  return whole === undefined ? null : BigInt(whole + fraction.padEnd(MAX_DECIMALS, '0'));
}

/** Called `css` so that formatter and minifier recognize it. */
const css = String.raw;

export const amountStyles = css`
  .field.amount {
    display: flex;
    flex-wrap: wrap;
    gap: calc(var(--_space) / 2) 0;
  }
  .amount > * {
    flex: 1 0 100%;
  }
  .amount > .unit,
  .amount > [name] {
    flex: none;
    min-block-size: 0;
    padding: 0;
    border: 0;
    border-block-end: 2px solid var(--_field);
    border-radius: 0;
    background: none;
    font-size: 2em;
    font-variant-numeric: tabular-nums;
    font-weight: 680;
    letter-spacing: -0.02em;
  }
  .amount > [name] {
    inline-size: auto;
    max-inline-size: 100%;
    outline: none;
    field-sizing: content;
  }
  .unit + [name],
  [name] + .unit {
    flex: 1;
  }
  [name] + .unit {
    padding-inline-start: 0.25em;
  }
  .amount > [name]:placeholder-shown + .unit,
  .amount > .unit:has(+ :placeholder-shown) {
    color: var(--_muted);
  }
  .amount:has(> [name]:focus) > :is(.unit, [name]) {
    margin-block-end: -2px;
    border-block-end-width: 4px;
    border-color: var(--_accent);
  }
  .amount > .row {
    justify-content: start;
    gap: 8px;
    margin: 0;
  }
  [aria-pressed] {
    inline-size: auto;
    padding-inline: 12px;
  }
  [aria-pressed='true'] {
    border-color: transparent;
    background: var(--_fill);
    color: var(--_on-accent);
  }
  .amount:has([name][aria-invalid='true']) > :is(.unit, [name]) {
    border-color: var(--_danger);
  }
  @media (prefers-contrast: more) {
    .amount > [name]:placeholder-shown + .unit,
    .amount > .unit:has(+ :placeholder-shown) {
      color: color-mix(in srgb, var(--_text) 75%, transparent);
    }
  }
  @media (forced-colors: active) {
    .amount > [name]:placeholder-shown + .unit,
    .amount > .unit:has(+ :placeholder-shown) {
      color: color-mix(in srgb, CanvasText 60%, Canvas);
      forced-color-adjust: none;
    }
    .amount > .unit {
      border-color: CanvasText;
    }
    .amount:has([aria-invalid='true']) > .unit {
      border-style: dashed;
    }
    .amount:has(> [name]:focus) > :is(.unit, [name]) {
      border-color: Highlight;
    }
    [aria-pressed='true'] {
      background: Highlight;
      color: HighlightText;
      forced-color-adjust: none;
    }
  }
`;
