// Formats figures for people: medians with their spread, numbers, and Markdown tables that can be pasted into
// documents.

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** `share` is from 0 to 1; interpolates between neighbors. NaN if there are no values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const below = sorted[Math.floor(at)] ?? NaN;
  const above = sorted[Math.ceil(at)] ?? NaN;
  return below + (above - below) * (at % 1);
}

/** `611 (598–640)`: the median, the minimum and the maximum. */
export function spread(values: readonly number[], digits = 0): string {
  if (values.length === 0) return '';
  const [least, middle, most] = [0, 0.5, 1].map((share) => number(quantile(values, share), digits));
  return least === most ? `${middle}` : `${middle} (${least}–${most})`;
}

export function number(value: number, digits = 0): string {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits, signDisplay: 'negative' } as const;
  return Number.isFinite(value) ? new Intl.NumberFormat('en', options).format(value) : '';
}

/** A Markdown table. The first column is text; the others are figures and align to the right. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = heads.map((_, column) => (column > 0 ? '--:' : '---'));
  return [heads, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
