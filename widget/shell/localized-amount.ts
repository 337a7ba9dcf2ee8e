// Shows a decimal string as the language writes amounts, without floating point.
// What people type is read in flow/amount/typed-amount.ts, which the first paint does not need.

const formats = new Map<string, Intl.NumberFormat>();

/** `1234.5` as the language writes it in that currency, with at least the currency's own decimals. */
export function localizedAmount(amount: string, currency: string, language: string): string {
  const key = currency + language;
  // A format is slow to make, so each is made once. Intl differs from ISO 4217 in 16 currencies, so it may not cut
  // decimals off.
  const format =
    formats.get(key) ?? new Intl.NumberFormat(language, { style: 'currency', currency, maximumFractionDigits: 9 });
  formats.set(key, format);
  // Intl formats decimal strings exactly (ES2023); TypeScript accepts only those that look like numbers. The proxy
  // refuses a text that is not a number; until then it is not shown, as NaN would be.
  return +amount >= 0 ? format.format(amount as `${number}`) : '';
}
