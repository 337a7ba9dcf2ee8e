// Checks what the shopper typed and makes the body of the start from it. Amounts are decimal strings, in and out.
// Pure. The proxy decides about digits and bounds; this check says the same at once, beside the field.
import { decimalsOf } from '../../backend-proxy/protocol/decimals.ts';
import type { Method, StartPayment } from '../../backend-proxy/protocol/wire.ts';
import { asksWalletId } from '../shell/choice.ts';
import type { FieldErrors, SessionState } from '../shell/state.ts';

export type CheckedForm = { body: StartPayment; errors?: undefined } | { body?: undefined; errors: FieldErrors };

export function checkForm(state: SessionState, method: Method, language: string): CheckedForm {
  const { claims, form } = state;
  const errors: FieldErrors = {};
  const body: StartPayment = { method };
  if (claims?.amount === undefined) {
    const amount = formAmount(state, language);
    if (amount && isWithin(claims, amount)) body.amount = amount;
    else Object.assign(errors, amountErrors(state, amount, language));
  }
  if (asksWalletId(method, claims)) {
    const customer = readWalletId(form.customer);
    if (customer) body.customer = customer;
    else errors.customer = normalized(form.customer) ? 'walletWrong' : 'walletEmpty';
  }
  return errors.amount || errors.customer ? { errors } : { body };
}

/**
 * The digits of a wallet id in any shape that people copy, such as "Wallet 1234-5678"; null if they are too few or too
 * many, or if letters follow, as in an e-mail address.
 */
export function readWalletId(typed: string): string | null {
  const bare = normalized(typed.normalize('NFKC')).replaceAll(/[^\p{L}\d@]/gu, '');
  return /^\p{L}*(\d{4,20})$/u.exec(bare)?.[1] ?? null;
}

/** A wallet id in groups of four, held together; other texts as they were typed. */
export const groupedWalletId = (typed: string): string =>
  readWalletId(typed)?.replaceAll(/\d{4}(?=\d)/g, '$&\u00a0') ?? typed;

function isWithin(claims: SessionState['claims'], amount: string): boolean {
  const { minAmount = amount, maxAmount = amount } = claims ?? {};
  return compareAmounts(amount, minAmount) >= 0 && compareAmounts(amount, maxAmount) <= 0;
}

/** What is wrong with an amount that is not accepted; null: the typed text is not an amount. */
function amountErrors(state: SessionState, amount: string | null, language: string): FieldErrors {
  const { claims, order, form } = state;
  const { minAmount } = claims ?? {};
  if (amount) return { amount: minAmount && compareAmounts(amount, minAmount) < 0 ? 'below' : 'above' };
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

/** The language of the gateway's own pages: ISO 639-1, two letters. */
export function gatewayLanguage(tag: string): Pick<StartPayment, 'language'> {
  const { language } = new Intl.Locale(tag || 'en');
  return language.length === 2 ? { language } : {};
}

/** An amount that would be accepted, as the shopper would type it. */
export function exampleAmount({ claims, order }: SessionState, language: string): string {
  const { minAmount = '12', maxAmount = minAmount } = claims ?? {};
  const example = compareAmounts(minAmount, maxAmount) > 0 ? maxAmount : minAmount;
  return writeTypedAmount(example, order.currency, language);
}

/**
 * The amount to pay as far as it is known: the order's, else the typed one; null if the typed text is not an amount.
 */
export function formAmount({ claims, order, form }: SessionState, language: string): string | null {
  if (claims?.amount !== undefined) return order.amount;
  return form.amount === null ? order.amount : readTypedAmount(form.amount, order.currency, language);
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
  return scaled(amount) > 0n ? amount : null;
}

/** A decimal string as people type it: the language's digits and separator, without currency and grouping. */
export function writeTypedAmount(amount: string, currency: string, language: string): string {
  return new Intl.NumberFormat(language, {
    useGrouping: false,
    minimumFractionDigits: decimalsOf(currency),
    maximumFractionDigits: MAX_DECIMALS,
  }).format(amount as `${number}`);
}

/** Arabic and Persian digits as ASCII; without spaces, marks of direction, and signs that can only group thousands. */
function normalized(typed: string): string {
  return typed.replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 15)).replace(/[\s\u200e\u200f'’٬]/g, '');
}

/** Negative, 0 or positive, as `sort` expects. */
export function compareAmounts(a: string, b: string): number {
  return Number(scaled(a) - scaled(b));
}

/** More than any currency has. */
const MAX_DECIMALS = 9;

/** In billionths. */
function scaled(amount: string): bigint {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(MAX_DECIMALS, '0'));
}
