// Amounts as people read them: a decimal string in, the language's own writing out, no floating point anywhere.
// What people write is read in flow/start-form.ts, which the first paint does not need.

const formats = new Map<string, Intl.NumberFormat>();

/** `1234.5` as the language writes it in that currency, with at least the currency's own decimals. */
export function formatAmount(amount: string, currency: string, language: string): string {
  const key = currency + language;
  // Each is made once. Intl is not ISO 4217 (in 16 currencies it has other digits), so it may not cut off what the order says.
  const format =
    formats.get(key) ?? new Intl.NumberFormat(language, { style: 'currency', currency, maximumFractionDigits: 9 });
  formats.set(key, format);
  // Intl takes decimal strings exactly (ES2023); TypeScript wants them to look like numbers.
  return format.format(amount as `${number}`);
}
