// Amounts: decimal text on the wire, whole minor units (bigint) in the wallets, never a float. The number of decimals
// follows ISO 4217 (two unless listed here) and not Intl, which differs from it for some currencies.

const DECIMALS: Readonly<Record<string, number>> = Object.fromEntries([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0]),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3]),
  ...'CLF UYW'.split(' ').map((code) => [code, 4]),
]);

export function decimalsOf(currency: string): number {
  return DECIMALS[currency] ?? 2;
}

/** Null if the text is not a plain decimal, or has more decimals than the currency. */
export function toMinor(amount: string, currency: string): bigint | null {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  const decimals = decimalsOf(currency);
  if (whole === undefined || fraction.length > decimals) return null;
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

export function toDecimal(minor: bigint, currency: string): string {
  const unit = 10n ** BigInt(decimalsOf(currency));
  const magnitude = minor < 0n ? -minor : minor;
  const whole = `${minor < 0n ? '-' : ''}${magnitude / unit}`;
  return unit === 1n ? whole : `${whole}.${(magnitude % unit).toString().padStart(decimalsOf(currency), '0')}`;
}

/** Localized, such as `€10.10`; `sign` shows a plus too, for lists of money in and out. */
export function formatMoney(minor: bigint, currency: string, language = 'en', sign = false): string {
  const decimals = decimalsOf(currency);
  const format = new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
    signDisplay: sign ? 'exceptZero' : 'auto',
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Intl formats plain decimal text exactly
  return format.format(toDecimal(minor, currency) as Intl.StringNumericLiteral);
}

/** Such as `€52.00 of €52.50`. */
export const partOf = (part: bigint, whole: bigint, currency: string): string =>
  `${formatMoney(part, currency)} of ${formatMoney(whole, currency)}`;
