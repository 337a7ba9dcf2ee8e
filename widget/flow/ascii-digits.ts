// Arabic and Persian digits as ASCII: people type both.

export function asciiDigits(typed: string): string {
  return typed.replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 15));
}
