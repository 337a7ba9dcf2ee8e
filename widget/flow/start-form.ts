// Reads what the shopper typed, and makes the body of the start from it. Decimal strings in, decimal strings out.
// Pure; the proxy has the last word about digits and bounds. This says the same at once, beside the field.
import type { Method, StartPayment } from '../../backend-proxy/protocol/wire.ts';
import { exponentOf } from '../../backend-proxy/protocol/money.ts';
import { asksWalletId } from '../shell/choice.ts';
import type { FieldErrors, SessionState } from '../shell/state.ts';

export type CheckedDraft = { body: StartPayment; errors?: undefined } | { body?: undefined; errors: FieldErrors };

export function checkDraft(state: SessionState, method: Method, language: string): CheckedDraft {
  const { claims, draft } = state;
  const errors: FieldErrors = {};
  const body: StartPayment = { method };
  if (claims?.amount === undefined) {
    const amount = draftAmount(state, language);
    if (!amount) {
      errors.amount = 'amountWrong';
      errors.example = exampleAmount(state, language);
    } else if (claims?.minAmount && compareAmounts(amount, claims.minAmount) < 0) errors.amount = 'below';
    else if (claims?.maxAmount && compareAmounts(amount, claims.maxAmount) > 0) errors.amount = 'above';
    else body.amount = amount;
  }
  if (asksWalletId(method, claims)) {
    const customer = plain(draft.customer);
    if (/^\d{4,20}$/.test(customer)) body.customer = customer;
    else errors.customer = 'walletWrong';
  }
  return errors.amount || errors.customer ? { errors } : { body };
}

/** One that would be accepted, as it is typed. */
export function exampleAmount({ claims, order }: SessionState, language: string): string {
  return writeAmount(claims?.minAmount ?? '12', order.currency, language);
}

/** The amount to be paid, as far as it is known: the order's, else what was typed so far; null where that is no amount. */
export function draftAmount({ claims, order, draft }: SessionState, language: string): string | null {
  if (claims?.amount !== undefined) return order.amount;
  return draft.amount === null ? order.amount : parseAmount(draft.amount, order.currency, language);
}

/** Thousands separators where nothing else can be meant: before a fraction, or more than one. In India they have two digits between. */
const GROUPED = /^\d{1,3}([.,])(?:\d{2,3}\1)*\d{3}(?!\1)[.,٫]\d+$|^\d{1,3}([.,])(?:\d{2,3}\2)+\d{3}$/;

/** Decimal string of what was typed, null where it is no amount. Takes a point and a comma, any digits, and the currency's own sign. */
export function parseAmount(typed: string, currency: string, language: string): string | null {
  const parts = new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    minimumFractionDigits: 1,
  }).formatToParts(12345.5);
  const partOf = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
  const bare = plain(typed)
    .replace(currency, '')
    .replace(plain(partOf('currency')), '');
  // By ISO 4217, as the proxy counts them: Intl has other digits in 16 currencies.
  const decimals = exponentOf(currency) ?? 2;
  const [, before, alone] = GROUPED.exec(bare) ?? [];
  const [, one] = /^\d{1,3}([.,])\d{3}$/.exec(bare) ?? [];
  const isThousand = decimals < 3 && one === partOf('group');
  const separator = before ?? alone ?? (isThousand ? one : undefined);
  // "1.000" dinars are a thousand in German and one in English: where it could be either, neither is guessed.
  if (!separator && /\D\d{3}$/.test(bare) && bare.at(-4) !== partOf('decimal')) return null;
  const text = separator ? bare.replaceAll(separator, '') : bare;
  const [, whole, fraction = ''] = /^0*(\d{1,15})(?:[.,٫](\d+))?$/.exec(text) ?? [];
  if (!whole || fraction.length > decimals) return null;
  const amount = fraction ? `${whole}.${fraction}` : whole;
  return scaled(amount) > 0n ? amount : null;
}

/** A decimal string as the language's people type it: their decimal separator and digits, no currency, no thousands separators. */
export function writeAmount(amount: string, currency: string, language: string): string {
  return new Intl.NumberFormat(language, {
    useGrouping: false,
    minimumFractionDigits: exponentOf(currency) ?? 2,
    maximumFractionDigits: 9,
  }).format(amount as `${number}`);
}

/** With digits of any script as ours, without spaces, marks of direction, and signs that can only separate thousands. */
function plain(typed: string): string {
  return typed.replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 15)).replace(/[\s\u200e\u200f'’٬]/g, '');
}

/** Below 0, 0, above 0, as `sort` takes it. */
export function compareAmounts(a: string, b: string): number {
  return Number(scaled(a) - scaled(b));
}

/** All decimals that a currency can have fit in nine digits. */
function scaled(amount: string): bigint {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(9, '0'));
}
