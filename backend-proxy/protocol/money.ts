// Money as integer minor units and decimal strings, never a float: parsing, formatting, ISO 4217 exponents.
// The exponents are a table of our own because Intl is not ISO 4217 (it shows what is customary: 16 currencies differ).
// Source: ISO 4217 list one, active codes, October 2026. Codes without an exponent (gold, testing, bond units) are left out.

const CODES_BY_EXPONENT: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  2:
    'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY ' +
    'COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS ' +
    'INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR ' +
    'MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP ' +
    'STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

const EXPONENTS: ReadonlyMap<string, number> = new Map(
  Object.entries(CODES_BY_EXPONENT).flatMap(([exponent, codes]) =>
    codes.split(' ').map((code) => [code, Number(exponent)] as const),
  ),
);

/** Most digits an amount may have in minor units, so that every amount is a safe integer. */
export const MAX_AMOUNT_DIGITS = 15;

const DECIMAL = /^(0|[1-9][0-9]*)(?:\.([0-9]+))?$/;

/** Digits after the decimal point of an ISO 4217 code (upper case), or undefined where there is no such currency. */
export function exponentOf(currency: string): number | undefined {
  return EXPONENTS.get(currency);
}

/**
 * Reads a decimal string in major units ("10.10") as integer minor units (1010).
 * Undefined for anything else: signs, exponents (1e3), other digits (١٢), spaces, leading zeros, more decimals than the
 * currency has (zeros included), an unknown currency, or more than MAX_AMOUNT_DIGITS digits.
 */
export function parseAmount(text: string, currency: string): number | undefined {
  const exponent = exponentOf(currency);
  const match = DECIMAL.exec(text);
  if (exponent === undefined || match === null) return undefined;
  const [, whole = '', fraction = ''] = match;
  if (fraction.length > exponent) return undefined;
  const digits = whole + fraction.padEnd(exponent, '0');
  return digits.length > MAX_AMOUNT_DIGITS ? undefined : Number(digits);
}

/** Like parseAmount, for amounts that others wrote: zeros beyond the currency's decimals ("5.000" EUR) are no difference. */
export function parseReportedAmount(text: string, currency: string): number | undefined {
  return parseAmount(text.replace(/(\.[0-9]*?)0+$/, '$1').replace(/\.$/, ''), currency);
}

/** Writes integer minor units as a decimal string with all of the currency's digits: 1010 EUR is "10.10". */
export function formatAmount(amountMinor: number, currency: string): string {
  const exponent = exponentOf(currency);
  if (exponent === undefined || !Number.isSafeInteger(amountMinor) || amountMinor < 0) {
    throw new RangeError(`Not an amount: ${amountMinor} ${currency}`);
  }
  const digits = String(amountMinor).padStart(exponent + 1, '0');
  return exponent === 0 ? digits : `${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}
