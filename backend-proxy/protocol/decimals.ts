// The currencies that have other than two decimals. Apart from money.ts because the widget needs no list of those that
// have two: it shows orders whose currency the proxy knows. Intl cannot supply them: it follows custom, and 16
// currencies differ from ISO 4217.
// Source: ISO 4217 list one, active codes, October 2026.

export const CODES_BY_DECIMALS: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
};

/** Digits after the decimal point of a currency that ISO 4217 lists, by its code (upper case). */
export function decimalsOf(currency: string): number {
  const [decimals = 2] = Object.entries(CODES_BY_DECIMALS).find(([, codes]) => codes.includes(currency)) ?? [];
  return Number(decimals);
}

/** Minor units as a decimal string: 1010 with two decimals is "10.10". */
export function withDecimals(minor: number | bigint, decimals: number): string {
  const digits = String(minor).padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
