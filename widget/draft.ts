// Reads what the shopper typed, and makes the body of the start from it. Decimal strings in, decimal strings out.
// Pure; the proxy has the last word about digits and bounds. This says the same at once, beside the field.
import type { Method, StartPayment } from '../backend-proxy/protocol/wire.ts';
import type { FieldErrors, SessionState } from './state.ts';

export type CheckedDraft = { body: StartPayment; errors?: undefined } | { body?: undefined; errors: FieldErrors };

export function checkDraft(state: SessionState, method: Method, language: string): CheckedDraft {
  const { claims, draft } = state;
  const errors: FieldErrors = {};
  const body: StartPayment = { method };
  if (claims?.amount === undefined) {
    const amount = draftAmount(state, language);
    if (!amount) errors.amount = 'amountWrong';
    else if (claims?.minAmount && compareAmounts(amount, claims.minAmount) < 0) errors.amount = 'atLeast';
    else if (claims?.maxAmount && compareAmounts(amount, claims.maxAmount) > 0) errors.amount = 'atMost';
    else body.amount = amount;
  }
  if (method === 'DIRECT' && !claims?.customer) {
    const customer = plain(draft.customer);
    if (/^\d{4,20}$/.test(customer)) body.customer = customer;
    else errors.customer = 'walletWrong';
  }
  return errors.amount || errors.customer ? { errors } : { body };
}

/** The amount to be paid, as far as it is known: the order's, else what was typed so far; null where that is no amount. */
export function draftAmount({ claims, order, draft }: SessionState, language: string): string | null {
  if (claims?.amount !== undefined) return order.amount;
  return draft.amount ? parseAmount(draft.amount, order.currency, language) : order.amount;
}

/** Decimal string of what was typed, null where it is no amount. Takes the language's decimal separator, a point, and any digits. */
export function parseAmount(typed: string, currency: string, language: string): string | null {
  const format = new Intl.NumberFormat(language, { style: 'currency', currency });
  const decimals = format.resolvedOptions().maximumFractionDigits ?? 2;
  const grouping = format.formatToParts(1111111).find(({ type }) => type === 'group')?.value;
  const text = plain(typed);
  // "1.000" is a thousand in German and one dinar in English: where it could be either, neither is guessed.
  if (grouping && text.split(grouping)[1]?.length === 3) return null;
  const [, whole, fraction = ''] = /^0*(\d{1,15})(?:[.,٫](\d+))?$/.exec(text) ?? [];
  if (!whole || fraction.length > decimals) return null;
  const amount = fraction ? `${whole}.${fraction}` : whole;
  return scaled(amount) > 0n ? amount : null;
}

/** With digits of any script as ours, without spaces and marks of direction. */
function plain(typed: string): string {
  return typed.replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 15)).replace(/[\s\u200e\u200f]/g, '');
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
