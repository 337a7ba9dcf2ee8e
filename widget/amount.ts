// Amounts as people read them: a decimal string in, the language's own writing out, no floating point anywhere.
// What people write is read in draft.ts, which the first paint does not need.

const formats = new Map<string, Intl.NumberFormat>();

/** `1234.5` as the language writes it in that currency; with the decimals of the text, or the currency's own where it has none. */
export function formatAmount(amount: string, currency: string, language: string): string {
  // Intl takes decimal strings exactly (ES2023); TypeScript wants them to look like numbers.
  return currencyFormat(currency, language, amount.split('.')[1]?.length).format(amount as `${number}`);
}

/** The first Intl.NumberFormat costs 11 ms (60 on a slow phone), so each is made once. */
export function currencyFormat(currency: string, language: string, digits?: number): Intl.NumberFormat {
  const key = currency + language + digits;
  let format = formats.get(key);
  if (!format) {
    format = new Intl.NumberFormat(language, {
      style: 'currency',
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    });
    formats.set(key, format);
  }
  return format;
}
