// `payment-proxy reconcile STATEMENT.csv`: compares a gateway's statement with what the proxy has. It reads only: the
// file, and the merchant API. Exit code 1 if anything differs.
import { parseArgs } from 'node:util';
import { isDay } from '../reports/calendar-days.ts';
import { readSome, type Environment } from '../config/config.ts';
import { csvLine } from '../reports/csv.ts';
import { DAY_MS } from '../protocol/durations.ts';
import { isSafeWebUrl } from '../protocol/links.ts';
import { decimalOf, exponentOf } from '../protocol/money.ts';
import { openBooks, type Booked, type Books } from './books.ts';
import { UsageError, type Call } from './call.ts';
import { createComparison, type Comparison } from './comparison.ts';
import { CSV_HEADER, csvOf, differencesOf, missingThere, textOf, type Difference } from './difference.ts';
import { printable } from './report.ts';
import { parseColumns, readStatement, type Outcome, type StatementFormat, type StatementLine } from './statement.ts';

/** A payment is followed for 7 days, so one created this long before the period may have been paid within it. */
const MARGIN_DAYS = 8;
/** Lines outside the period that are looked up one by one. */
const MAX_LOOKUPS = 1_000;

const NOT_LOOKED_UP = 'not looked up';
const NOT_LOOKED_UP_REMEDY = 'perhaps older than the period, not looked up: search GET /transactions for it';

const OPTIONS = {
  from: { type: 'string' },
  to: { type: 'string' },
  columns: { type: 'string' },
  delimiter: { type: 'string', default: ',' },
  decimal: { type: 'string', default: '.' },
  thousands: { type: 'string', default: '' },
  encoding: { type: 'string', default: 'utf8' },
  skip: { type: 'string', default: '0' },
  currency: { type: 'string' },
  signed: { type: 'boolean', default: false },
  success: { type: 'string', default: 'SUCCESS' },
  failed: { type: 'string', default: 'FAILED' },
  pending: { type: 'string', default: 'PROCESSING,INITIALIZED' },
  pay: { type: 'string', default: 'PAY' },
  payout: { type: 'string', default: 'PAYOUT' },
  proxy: { type: 'string' },
  csv: { type: 'boolean', default: false },
} as const;

export async function reconcile({ args, env, print }: Call, request: typeof fetch = fetch): Promise<number> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new UsageError('name one file.');
  const format = formatOf(values);
  const { from, to } = periodOf(values);
  const books = openBooks(proxyUrl(values.proxy, env), keyOf(env), request);
  const comparison = createComparison();
  try {
    const totals = createTotals();
    for await (const line of readStatement(file, format)) {
      comparison.addThere(line);
      totals.add('there', line);
    }
    for await (const booked of books.between(from - MARGIN_DAYS * DAY_MS, to)) {
      comparison.addHere(format.columns.id === undefined ? booked.paymentId : booked.id, booked);
      if (isPaidWithin(booked, from, to)) totals.add('here', booked);
    }
    const counts = await report({ comparison, books, format, totals, from, to }, values.csv, print);
    for (const line of values.csv ? totals.csvLines() : totals.lines(counts, format)) print(line);
    return counts.differences > 0 || totals.differing().length > 0 ? 1 : 0;
  } finally {
    comparison.close();
  }
}

interface Sides {
  comparison: Comparison;
  books: Books;
  format: StatementFormat;
  totals: ReturnType<typeof createTotals>;
  from: number;
  to: number;
}

interface Counts {
  differences: number;
  /** Of these. */
  notLookedUp: number;
}

function isPaidWithin({ succeededAt }: Booked, from: number, to: number): boolean {
  return succeededAt !== null && succeededAt >= from && succeededAt < to;
}

/** Prints each difference and returns their number. Transactions that are looked up are added to the totals. */
async function report(sides: Sides, asCsv: boolean, print: Call['print']): Promise<Counts> {
  const { comparison, books, format, totals, from, to } = sides;
  const counts = { differences: 0, notLookedUp: 0 };
  let lookups = 0;
  const tell = (difference: Difference) => {
    counts.differences += 1;
    print(printable(asCsv ? csvOf(difference) : textOf(difference)));
  };
  const tellNotLookedUp = (there: StatementLine) => {
    counts.differences += 1;
    counts.notLookedUp += 1;
    print(printable(notLookedUp(there, asCsv)));
  };
  if (asCsv) print(CSV_HEADER);
  for (const pair of comparison.pairs()) {
    let { here } = pair;
    // The transaction may have been created long before the period.
    let isSearched = here !== undefined;
    if (!isSearched && format.columns.id !== undefined && lookups < MAX_LOOKUPS) {
      lookups += 1;
      isSearched = true;
      here = await books.find(pair.there.key);
      if (here !== undefined && pair.repeats === 0 && isPaidWithin(here, from, to)) totals.add('here', here);
    }
    for (const difference of differencesOf({ ...pair, here })) {
      if (difference.kind === 'missing here' && !isSearched) tellNotLookedUp(pair.there);
      else tell(difference);
    }
  }
  for (const booked of comparison.onlyHere(from, to)) tell(missingThere(booked));
  return counts;
}

/** The proxy was not asked about it, so it is unknown whether it is missing. */
function notLookedUp({ key, line, amountMinor, currency, outcome, type }: StatementLine, asCsv: boolean): string {
  const there = [decimalOf(amountMinor, currency), currency, outcome, type];
  if (asCsv) {
    const here = [null, null, null, null];
    return csvLine([NOT_LOOKED_UP, key, line, ...here, ...there, NOT_LOOKED_UP_REMEDY]).trimEnd();
  }
  const said = there.filter((each) => each !== null).join(' ');
  return `${NOT_LOOKED_UP} ${key}: here –, there ${said} (line ${line}) -> ${NOT_LOOKED_UP_REMEDY}`;
}

/** Sums of what succeeded, by currency. */
function createTotals() {
  const sums = { here: new Map<string, bigint>(), there: new Map<string, bigint>() };
  const counts = { here: 0, there: 0 };
  const sum = (side: 'here' | 'there', currency: string) => sums[side].get(currency) ?? 0n;
  const amount = (side: 'here' | 'there', currency: string) => decimalOf(sum(side, currency), currency);
  const currencies = () => [...new Set([...sums.here.keys(), ...sums.there.keys()])].toSorted();
  const differing = () => currencies().filter((each) => sum('here', each) !== sum('there', each));
  return {
    differing,
    add(side: 'here' | 'there', { outcome, currency, amountMinor }: StatementLine | Booked) {
      counts[side] += 1;
      if (outcome !== 'SUCCESS') return;
      sums[side].set(currency, sum(side, currency) + BigInt(amountMinor));
    },
    /** A row for each currency whose sums differ. */
    csvLines(): string[] {
      return differing().map((each) => {
        const [here, there] = [amount('here', each), amount('there', each)];
        return csvLine(['sums', null, null, here, each, null, null, there, each, null, null, null]).trimEnd();
      });
    },
    lines({ differences, notLookedUp: unknown }: Counts, { columns }: StatementFormat): string[] {
      const unequal = differing();
      const none = unequal.length > 0 ? 'No line differs, only the sums' : 'No differences';
      return [
        `Succeeded in the period here: ${counts.here}; lines there: ${counts.there}`,
        ...(columns.status === undefined ? ['The statement has no status: each line counts as SUCCESS'] : []),
        ...(unknown > 0 ? [`Perhaps older than the period, not looked up: ${unknown}`] : []),
        ...currencies().map((each) => `${each}: here ${amount('here', each)}, there ${amount('there', each)}`),
        ...(unequal.length > 0 ? [`The sums differ: ${unequal.join(', ')}`] : []),
        differences === 0 ? none : `${differences} difference${differences === 1 ? '' : 's'}`,
      ];
    },
  };
}

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

function periodOf({ from = '', to = '' }: Values): { from: number; to: number } {
  if (!isDay(from) || !isDay(to) || from >= to) {
    throw new UsageError('--from is the first day, --to the day after the last, as 2026-11-01; both are UTC.');
  }
  return { from: Date.parse(from), to: Date.parse(to) };
}

function formatOf(values: Values): StatementFormat {
  if (values.columns === undefined)
    throw new UsageError('--columns says which column holds what: id=Order,amount=Gross');
  const columns = parseColumns(values.columns);
  const { delimiter, decimal, thousands, currency, signed, encoding } = values;
  if (delimiter.length !== 1) throw new UsageError('--delimiter is one character.');
  if (!['.', ','].includes(decimal) || thousands === decimal || /[\d+-]/.test(thousands)) {
    throw new UsageError('--decimal is . or , and --thousands another character.');
  }
  if ((columns.currency === undefined) === (currency === undefined)) {
    throw new UsageError('The currency is a column, or the same for all: --currency EUR. One of the two.');
  }
  if (currency !== undefined && exponentOf(currency) === undefined)
    throw new UsageError('--currency is an ISO 4217 code.');
  if (!['utf8', 'latin1', 'utf16le'].includes(encoding)) throw new UsageError('--encoding is utf8, latin1 or utf16le.');
  if (signed && columns.type !== undefined) throw new UsageError('--signed is for a statement without a type column.');
  if (!/^\d{1,3}$/.test(values.skip)) throw new UsageError('--skip is a number of lines.');
  return {
    columns,
    delimiter,
    decimal,
    thousands,
    currency,
    encoding: encoding as BufferEncoding,
    skip: Number(values.skip),
    isSigned: signed,
    outcomes: wordsOf<Outcome>({ SUCCESS: values.success, FAILED: values.failed, PENDING: values.pending }),
    types: wordsOf({ PAY: values.pay, PAYOUT: values.payout }),
  };
}

/** What each word of a list means; a word with two meanings is refused. */
function wordsOf<Meaning extends string>(lists: Record<Meaning, string>): Map<string, Meaning> {
  const entries = Object.entries<string>(lists).flatMap(([meaning, words]) =>
    words.split(',').map((word) => [word.trim(), meaning as Meaning] as const),
  );
  const words = new Map(entries);
  if (words.size < entries.length) throw new UsageError('A word of the statement has one meaning.');
  return words;
}

function proxyUrl(given: string | undefined, env: Environment): string {
  const { PORT = 0 } = readSome(env, ['PORT']);
  const url = URL.parse(given ?? `http://127.0.0.1:${PORT}`);
  if (url === null || !isSafeWebUrl(url)) throw new UsageError('--proxy is https, or http on loopback.');
  return url.href.replace(/\/$/, '');
}

function keyOf(env: Environment): string {
  const [key] = readSome(env, ['MERCHANT_API_KEY']).MERCHANT_API_KEY ?? [];
  if (key === undefined) throw new Error('MERCHANT_API_KEY is missing: the key of the proxy that is compared.');
  return key;
}
