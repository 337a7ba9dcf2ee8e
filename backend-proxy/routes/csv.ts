// Writes CSV (RFC 4180). Merchants open it in spreadsheets, which run a cell that begins with `=`, `+`, `-`, `@` (full
// width too), a tab or a line break as a formula, and an order id may begin so. Such a cell begins with an apostrophe
// instead; so does one that begins with an apostrophe itself, so that removing one gets back every text.

const FORMULA = /^['=+\-@＝＋－＠\t\r\n]/;
/** Some spreadsheets also split at semicolons and tabs. */
const QUOTED = /[",;\t\r\n]/;

export type Cell = string | number | boolean | null;

export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

function cellOf(value: Cell): string {
  if (value === null) return '';
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value);
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
