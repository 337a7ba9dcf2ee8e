// `payment-proxy reconcile STATEMENT.csv`: compares a gateway's statement with what the proxy has. It reads only: the
// file, and the merchant API. Exit code 1 if anything differs.
import { DAY_MS } from '../../protocol/durations.ts';
import { LAST_SWEEP_MS } from '../../protocol/schedule.ts';
import type { Call } from '../command-call.ts';
import { merchantApiOf } from '../merchant-api.ts';
import { CSV_HEADER, differencesOf, lineOf, missingThere, type Difference } from './differences.ts';
import { readStatement } from './lines.ts';
import { parseOptions } from './options.ts';
import { pairUp, type Pair } from './pairs.ts';
import { openRecords, type Recorded, type Records } from './recorded.ts';
import { csvTotal, totalsOf, type CurrencyTotal } from './totals.ts';

/** A payment created this long before the period may have been paid within it. */
const MARGIN_MS = LAST_SWEEP_MS + DAY_MS;
/** Lines outside the period that are looked up one by one. */
const MAX_LOOKUPS = 1_000;

export async function compareStatement({ args, env, print }: Call, request: typeof fetch = fetch): Promise<number> {
  const options = parseOptions(args);
  const { file, from, to, format, asCsv } = options;
  const { columns } = format;
  const { proxy, key } = merchantApiOf(env, options.proxy, 'the proxy that is compared');
  const records = openRecords(proxy, key, request);
  const isPaidWithin = ({ succeededAt }: Recorded) => succeededAt !== null && succeededAt >= from && succeededAt < to;
  const lines = await all(readStatement(file, format));
  const recorded = await all(records.between(from - MARGIN_MS, to));
  const { pairs, onlyHere } = pairUp(lines, recorded, columns.id === undefined ? byPaymentId : byId);
  const paid = recorded.filter(isPaidWithin);
  const counts = { differences: 0, notLookedUp: 0 };
  const report = (difference: Difference) => {
    counts.differences += 1;
    if (difference.kind === 'not looked up') counts.notLookedUp += 1;
    print(lineOf(difference, asCsv));
  };
  if (asCsv) print(CSV_HEADER);
  for await (const { pair, isSearched, isFound } of lookedUp(pairs, records, columns.id !== undefined)) {
    if (isFound && pair.here && pair.repeats === 0 && isPaidWithin(pair.here)) paid.push(pair.here);
    for (const difference of differencesOf(pair, isSearched)) report(difference);
  }
  const paidOnlyHere = onlyHere.filter((each) => each.outcome === 'SUCCESS' && isPaidWithin(each));
  for (const each of paidOnlyHere.toSorted(bySuccess)) report(missingThere(each));
  const totals = totalsOf(paid, lines);
  const unequal = totals.filter(({ here, there }) => here !== there);
  if (asCsv) for (const total of unequal) print(csvTotal(total));
  else {
    print(`Succeeded in the period here: ${paid.length}; lines there: ${lines.length}`);
    if (columns.status === undefined) print('The statement has no status: each line counts as SUCCESS');
    for (const line of summary(counts, totals, unequal)) print(line);
  }
  return counts.differences > 0 || unequal.length > 0 ? 1 : 0;
}

async function all<Each>(source: AsyncIterable<Each>): Promise<Each[]> {
  const found: Each[] = [];
  for await (const each of source) found.push(each);
  return found;
}

const byId = ({ id }: Recorded) => id;
const byPaymentId = ({ paymentId }: Recorded) => paymentId;
const bySuccess = (a: Recorded, b: Recorded) => (a.succeededAt ?? 0) - (b.succeededAt ?? 0) || (a.id < b.id ? -1 : 1);

/** What the proxy lacks in the period may have been created long before: the first such lines are looked up. */
async function* lookedUp(pairs: Iterable<Pair>, records: Records, hasIds: boolean) {
  let lookups = 0;
  for (const pair of pairs) {
    if (pair.here !== undefined || !hasIds || lookups >= MAX_LOOKUPS) {
      yield { pair, isSearched: pair.here !== undefined, isFound: false };
      continue;
    }
    lookups += 1;
    const here = await records.find(pair.there.key);
    yield { pair: { ...pair, here }, isSearched: true, isFound: here !== undefined };
  }
}

function summary(
  { differences, notLookedUp }: { differences: number; notLookedUp: number },
  totals: readonly CurrencyTotal[],
  unequal: readonly CurrencyTotal[],
): string[] {
  const none = unequal.length > 0 ? 'No line differs, only the sums' : 'No differences';
  return [
    ...(notLookedUp > 0 ? [`Perhaps older than the period, not looked up: ${notLookedUp}`] : []),
    ...totals.map(({ currency, here, there }) => `${currency}: here ${here}, there ${there}`),
    ...(unequal.length > 0 ? [`The sums differ: ${unequal.map(({ currency }) => currency).join(', ')}`] : []),
    differences === 0 ? none : `${differences} difference${differences === 1 ? '' : 's'}`,
  ];
}
