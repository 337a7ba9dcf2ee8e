// Amounts as people write and read them. Decimal strings in, decimal strings out: no floating point anywhere.
// The proxy has the last word about digits and bounds; this says the same at once, beside the field, in the shopper's language.

/** `1234.5` as the language writes it in that currency; the decimals are those of the text, or the currency's own. */
export function formatAmount(amount: string, currency: string, language: string): string {
  const digits = amount.split('.')[1]?.length;
  const format = currencyFormat(currency, language, digits);
  // Intl takes decimal strings exactly (ES2023); TypeScript wants them to look like numbers.
  return format.format(amount as `${number}`);
}

/** Decimal string of what was typed, null where it is no amount. Takes the language's decimal separator, a point, and any digits. */
export function parseAmount(typed: string, currency: string, language: string): string | null {
  const parts = currencyFormat(currency, language).formatToParts(11111.1);
  const symbol = (type: string) => parts.find((part) => part.type === type)?.value;
  const decimals = currencyFormat(currency, language).resolvedOptions().maximumFractionDigits ?? 2;
  const text = typed.replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 15)).replace(/[\s\u200e\u200f]/g, '');
  // "1.000" is a thousand in German and one dinar in English: where it could be either, neither is guessed.
  const grouping = symbol('group');
  if (grouping && text.split(grouping)[1]?.length === 3) return null;
  const match = /^(\d{1,15})(?:[.,٫](\d+))?$/.exec(text);
  if (!match || (match[2]?.length ?? 0) > decimals) return null;
  const whole = match[1]?.replace(/^0+(?=\d)/, '') ?? '';
  const amount = match[2] ? `${whole}.${match[2]}` : whole;
  return scaled(amount) > 0n ? amount : null;
}

/** Below 0, 0, above 0, as `sort` takes it. */
export function compareAmounts(a: string, b: string): number {
  const difference = scaled(a) - scaled(b);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** All decimals that a currency can have fit in nine digits. */
function scaled(amount: string): bigint {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(9, '0'));
}

const formats = new Map<string, Intl.NumberFormat>();

/** The first Intl.NumberFormat costs 11 ms (60 on a slow phone), so each is made once. */
function currencyFormat(currency: string, language: string, digits?: number): Intl.NumberFormat {
  const key = `${currency} ${language} ${digits}`;
  const known = formats.get(key);
  if (known) return known;
  const options: Intl.NumberFormatOptions = { style: 'currency', currency };
  if (digits !== undefined) options.minimumFractionDigits = options.maximumFractionDigits = digits;
  const format = new Intl.NumberFormat(language, options);
  formats.set(key, format);
  return format;
}
