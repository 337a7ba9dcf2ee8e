// The sums of what succeeded, by currency, on both sides of a comparison.
import { csvLine } from '../../reports/csv.ts';
import { decimalOf } from '../../protocol/money.ts';
import type { StatementLine } from './lines.ts';
import type { Recorded } from './recorded.ts';

type Side = readonly (StatementLine | Recorded)[];

export interface CurrencyTotal {
  currency: string;
  /** In major units. */
  here: string;
  there: string;
}

/** Sorted by currency. */
export function totalsOf(here: Side, there: Side): CurrencyTotal[] {
  const [ours, theirs] = [sumsOf(here), sumsOf(there)];
  const currencies = [...new Set([...ours.keys(), ...theirs.keys()])].toSorted();
  const text = (sums: Map<string, bigint>, currency: string) => decimalOf(sums.get(currency) ?? 0n, currency);
  return currencies.map((currency) => ({ currency, here: text(ours, currency), there: text(theirs, currency) }));
}

function sumsOf(side: Side): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { outcome, currency, amountMinor } of side) {
    if (outcome === 'SUCCESS') sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(amountMinor));
  }
  return sums;
}

export function csvTotal({ currency, here, there }: CurrencyTotal): string {
  return csvLine(['sums', null, null, here, currency, null, null, there, currency, null, null, null]).trimEnd();
}
