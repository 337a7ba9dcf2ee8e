// `payment-proxy reconcile STATEMENT.csv`: compares a gateway's statement with what the proxy has. It reads only: the
// file, and the merchant API. Exit code 1 if anything differs.
import { parseArgs } from 'node:util';
import { isDay } from '../calendar-days.ts';
import { readSome, type Environment } from '../config.ts';
import { isSafeWebUrl } from '../protocol/links.ts';
import { decimalOf, exponentOf } from '../protocol/money.ts';
import { openBooks, type Booked, type Books } from './books.ts';
import { UsageError, type Call } from './call.ts';
import { createComparison, type Comparison } from './comparison.ts';
import { CSV_HEADER, csvOf, differencesOf, missingThere, textOf, type Difference } from './difference.ts';
import { printable } from './report.ts';
import { parseColumns, readStatement, type Outcome, type StatementFormat, type StatementLine } from './statement.ts';

const DAY_MS = 86_400_000;
/** What was created so long before the period may have been paid within it: a payment is followed for 7 days. */
const MARGIN_DAYS = 8;
/** Lines outside the period that are looked up one by one. */
const MOST_LOOKUPS = 1_000;

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
      const isPaidWithin = booked.succeededAt !== null && booked.succeededAt >= from && booked.succeededAt < to;
      if (isPaidWithin) totals.add('here', booked);
    }
    const count = await report({ comparison, books, format, from, to }, values.csv, print);
    if (!values.csv) for (const line of totals.lines(count, format)) print(line);
    return count > 0 ? 1 : 0;
  } finally {
    comparison.close();
  }
}

interface Sides {
  comparison: Comparison;
  books: Books;
  format: StatementFormat;
  from: number;
  to: number;
}

/** Prints each difference and returns how many there are. */
async function report({ comparison, books, format, from, to }: Sides, asCsv: boolean, print: Call['print']) {
  let count = 0;
  let lookups = 0;
  const tell = (difference: Difference) => {
    count += 1;
    print(asCsv ? csvOf(difference) : printable(textOf(difference)));
  };
  if (asCsv) print(CSV_HEADER);
  for (const pair of comparison.pairs()) {
    let { here } = pair;
    // It may have been created long before the period.
    if (here === undefined && format.columns.id !== undefined && lookups < MOST_LOOKUPS) {
      lookups += 1;
      here = await books.find(pair.there.key);
    }
    for (const difference of differencesOf({ ...pair, here })) tell(difference);
  }
  for (const booked of comparison.onlyHere(from, to)) tell(missingThere(booked));
  return count;
}

/** Sums of what succeeded, by currency. */
function createTotals() {
  const sums = { here: new Map<string, bigint>(), there: new Map<string, bigint>() };
  const counts = { here: 0, there: 0 };
  return {
    add(side: 'here' | 'there', { outcome, currency, amountMinor }: StatementLine | Booked) {
      counts[side] += 1;
      if (outcome !== 'SUCCESS') return;
      sums[side].set(currency, (sums[side].get(currency) ?? 0n) + BigInt(amountMinor));
    },
    lines(differences: number, { columns }: StatementFormat): string[] {
      const currencies = [...new Set([...sums.here.keys(), ...sums.there.keys()])].toSorted();
      const amount = (side: 'here' | 'there', currency: string) => decimalOf(sums[side].get(currency) ?? 0n, currency);
      return [
        `Succeeded in the period here: ${counts.here}; lines there: ${counts.there}`,
        ...(columns.status === undefined ? ['The statement has no status: each line counts as SUCCESS'] : []),
        ...currencies.map((each) => `${each}: here ${amount('here', each)}, there ${amount('there', each)}`),
        differences === 0 ? 'No differences' : `${differences} difference${differences === 1 ? '' : 's'}`,
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
