// Money as integer minor units and decimal strings, never a float; and JSON with its numbers as text.
import { CODES_BY_DECIMALS, withDecimals } from './decimals.ts';

/**
 * Source: ISO 4217 list one, active codes, October 2026. Codes without an exponent (gold, testing, bond units) are left
 * out.
 */
const TWO_DECIMALS =
  'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY ' +
  'COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS ' +
  'INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR ' +
  'MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP ' +
  'STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG';

const EXPONENTS: ReadonlyMap<string, number> = new Map(
  Object.entries({ ...CODES_BY_DECIMALS, 2: TWO_DECIMALS }).flatMap(([exponent, codes]) =>
    codes.split(' ').map((code) => [code, Number(exponent)] as const),
  ),
);

/** Maximum digits of an amount in minor units, so that every amount is a safe integer. */
export const MAX_AMOUNT_DIGITS = 15;

/** Maximum characters and power of ten of a reported amount. */
const MAX_REPORTED_LENGTH = 40;
const MAX_REPORTED_POWER = 20;

const DECIMAL = /^(0|[1-9][0-9]*)(?:\.([0-9]+))?$/;
const JSON_NUMBER = /^(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** Digits after the decimal point of an ISO 4217 code (upper case), or undefined for an unknown code. */
export function exponentOf(currency: string): number | undefined {
  return EXPONENTS.get(currency);
}

/**
 * Reads a decimal string in major units ("10.10") as integer minor units (1010). Returns undefined for anything else:
 * signs, exponents (1e3), other digits (١٢), spaces, leading zeros, more decimals than the currency has (even zeros),
 * an unknown currency, or more than MAX_AMOUNT_DIGITS digits.
 */
export function minorOf(text: string, currency: string): number | undefined {
  const exponent = exponentOf(currency);
  const match = DECIMAL.exec(text);
  if (exponent === undefined || match === null) return undefined;
  const [, whole = '', fraction = ''] = match;
  if (fraction.length > exponent) return undefined;
  const digits = whole + fraction.padEnd(exponent, '0');
  return digits.length > MAX_AMOUNT_DIGITS ? undefined : Number(digits);
}

/**
 * Reads a JSON number (`10.1`, `10.1000`, `1E+1`, `1.01e1`) exactly, by moving the point within the text: the gateway's
 * library may write a decimal in any of these ways. Returns undefined for anything else, for a digit other than 0
 * beyond the currency's decimals, and for more than MAX_REPORTED_LENGTH characters.
 */
export function minorOfReported(text: string, currency: string): number | undefined {
  const exponent = exponentOf(currency);
  const match = text.length > MAX_REPORTED_LENGTH ? null : JSON_NUMBER.exec(text);
  if (exponent === undefined || match === null) return undefined;
  const [, whole = '', fraction = '', power = '0'] = match;
  if (Math.abs(Number(power)) > MAX_REPORTED_POWER) return undefined;
  const digits = whole + fraction;
  // How many of the digits belong to the minor units; missing digits on either side are zeros.
  const end = whole.length + Number(power) + exponent;
  const minor = digits.slice(0, Math.max(end, 0)).padEnd(end, '0').replace(/^0+/, '') || '0';
  const rest = digits.slice(Math.max(end, 0));
  return /^0*$/.test(rest) && minor.length <= MAX_AMOUNT_DIGITS ? Number(minor) : undefined;
}

/** Writes integer minor units as a decimal string with all of the currency's digits: 1010 EUR is "10.10". */
export function decimalOf(amountMinor: number | bigint, currency: string): string {
  const exponent = exponentOf(currency);
  const isWhole = typeof amountMinor === 'bigint' || Number.isSafeInteger(amountMinor);
  if (exponent === undefined || !isWhole || amountMinor < 0) {
    throw new RangeError(`Not an amount: ${amountMinor} ${currency}`);
  }
  return withDecimals(amountMinor, exponent);
}

// Parses JSON with numbers as their source text ("10.10", "9007199254740993"). JSON.parse rounds them, and a rounded
// amount or id is a different one.

/** No valid message nests deeper; the limit bounds the recursion. */
const MAX_DEPTH = 8;

/** The value with each number as a string; undefined if the text is not JSON or nests deeper than MAX_DEPTH. */
export function parseExact(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
      typeof value === 'number' ? (context?.source ?? String(value)) : value,
    );
  } catch {
    return undefined;
  }
}

/** Whether the text nests deeper than MAX_DEPTH. One pass, so the cost is linear in its length. */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (inString) {
      if (char === '\\') at += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

declare global {
  // In Node since version 22; missing from TypeScript's library.
  interface JSON {
    parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
    rawJSON(text: string): unknown;
  }
}
