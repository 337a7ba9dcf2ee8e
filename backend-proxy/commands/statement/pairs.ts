// Which line of a statement is which transaction of the proxy. Pure; one line stands for one transaction, and both may
// come in any order.
import type { Recorded } from './recorded.ts';
import type { StatementLine } from './lines.ts';

export interface Pair {
  there: StatementLine;
  /**
   * Above 0 if the statement has this id more often than the proxy; for an unknown id, how often it occurred before.
   */
  repeats: number;
  here: Recorded | undefined;
}

/**
 * A payment and a payout may share a payment id. A line belongs to the one that is equal in everything, or in type, or
 * in amount; then in the order of the statement.
 */
const IN_ORDER = [[]] as const;
const EQUAL_IN = [
  ['type', 'amountMinor', 'currency', 'outcome'],
  ['type'],
  ['amountMinor', 'currency', 'outcome'],
  ...IN_ORDER,
] as const;

/** `keyOf`: what the statement calls a transaction, null if it has no such id. */
export function pairUp(
  lines: readonly StatementLine[],
  recorded: readonly Recorded[],
  keyOf: (recorded: Recorded) => string | null,
): { pairs: Iterable<Pair>; onlyHere: Recorded[] } {
  const recordedByKey = Map.groupBy(recorded, keyOf);
  const matches = new Map<StatementLine, Recorded>();
  for (const [key, same] of Map.groupBy(lines, (line) => line.key)) match(same, recordedByKey.get(key), matches);
  const seen = new Map<string, number>();
  const pairs = lines.values().map((there) => {
    const before = seen.get(there.key) ?? 0;
    seen.set(there.key, before + 1);
    const here = matches.get(there);
    if (here !== undefined) return { there, here, repeats: 0 };
    const same = recordedByKey.get(there.key) ?? [];
    return { there, here: same[0], repeats: Math.max(same.length, before) };
  });
  const matched = new Set(matches.values());
  return { pairs, onlyHere: recorded.filter((each) => !matched.has(each)) };
}

/** Gives each line of one key a transaction of that key, as long as there are any. */
function match(
  lines: readonly StatementLine[],
  recorded: readonly Recorded[] = [],
  matches: Map<StatementLine, Recorded>,
): void {
  const free = new Set(recorded);
  for (const fields of recorded.length > 1 ? EQUAL_IN : IN_ORDER) {
    const textOf = (each: StatementLine | Recorded): string => fields.map((field) => each[field]).join();
    const equal = Map.groupBy([...free].toReversed(), textOf);
    for (const line of lines) {
      const found = matches.has(line) ? undefined : equal.get(textOf(line))?.pop();
      if (found === undefined) continue;
      free.delete(found);
      matches.set(line, found);
    }
  }
}
