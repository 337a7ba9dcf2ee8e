// The options of `reconcile`: the period, and the form of the statement. A contradiction is a wrong call.
import { parseArgs } from 'node:util';
import { exponentOf } from '../../protocol/money.ts';
import { isDay } from '../../reports/calendar-days.ts';
import { UsageError } from '../command-call.ts';
import { FIELDS, type Field, type Outcome, type StatementFormat } from './lines.ts';

const OPTIONS = {
  from: { type: 'string', default: '' },
  to: { type: 'string', default: '' },
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

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

export interface ComparisonOptions {
  file: string;
  /** Ms since 1970; `to` is the end. */
  from: number;
  to: number;
  format: StatementFormat;
  /** The proxy's URL, if it is given. */
  proxy: string | undefined;
  asCsv: boolean;
}

export function parseOptions(args: string[]): ComparisonOptions {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new UsageError('name one file.');
  const { from, to, proxy, csv } = values;
  const format = formatOf(values);
  if (!isDay(from) || !isDay(to) || from >= to) {
    throw new UsageError('--from is the first day, --to the day after the last, as 2026-11-01; both are UTC.');
  }
  return { file, from: Date.parse(from), to: Date.parse(to), format, proxy, asCsv: csv };
}

function formatOf(values: Values): StatementFormat {
  const { delimiter, decimal, thousands, currency, signed, encoding, skip } = values;
  const columns = columnsOf(values.columns);
  const rules: [isKept: boolean, rule: string][] = [
    [delimiter.length === 1, '--delimiter is one character.'],
    [
      ['.', ','].includes(decimal) && thousands !== decimal && !/[\d+-]/.test(thousands),
      '--decimal is . or , and --thousands another character.',
    ],
    [
      (columns.currency === undefined) !== (currency === undefined),
      'Name the column of the currency (--columns currency=NAME), or the one of all lines (--currency EUR), not both.',
    ],
    [currency === undefined || exponentOf(currency) !== undefined, '--currency is an ISO 4217 code.'],
    [['utf8', 'latin1', 'utf16le'].includes(encoding), '--encoding is utf8, latin1 or utf16le.'],
    [!signed || columns.type === undefined, '--signed is for a statement without a type column.'],
    [/^\d{1,3}$/.test(skip), '--skip is a number of lines.'],
  ];
  for (const [isKept, rule] of rules) if (!isKept) throw new UsageError(rule);
  return {
    columns,
    delimiter,
    decimal,
    thousands,
    currency,
    encoding: encoding as BufferEncoding,
    skip: Number(skip),
    isSigned: signed,
    outcomes: wordsOf<Outcome>({ SUCCESS: values.success, FAILED: values.failed, PENDING: values.pending }),
    types: wordsOf({ PAY: values.pay, PAYOUT: values.payout }),
  };
}

/** `id=Order,amount=Gross amount`: what each column of the statement holds. */
function columnsOf(text: string | undefined): StatementFormat['columns'] {
  if (text === undefined) throw new UsageError('--columns says which column holds what: id=Order,amount=Gross');
  const columns: StatementFormat['columns'] = {};
  for (const part of text.split(',')) {
    const [, field = '', name = ''] = /^\s*(.*?)\s*=\s*(\S.*?)\s*$/.exec(part) ?? [];
    if (!(FIELDS as readonly string[]).includes(field)) {
      throw new UsageError(`--columns is a list like id=Order,amount=Gross; it can name ${FIELDS.join(', ')}.`);
    }
    columns[field as Field] = name;
  }
  if ((columns.id === undefined) === (columns.paymentId === undefined)) {
    throw new UsageError('--columns has to name id (the id at the gateway) or paymentId, one of the two.');
  }
  if (columns.amount === undefined) throw new UsageError('--columns has to name amount.');
  return columns;
}

/** What each word of a list means; a word with two meanings is refused. */
function wordsOf<Meaning extends string>(lists: Record<Meaning, string>): Map<string, Meaning> {
  const entries = Object.entries<string>(lists).flatMap(([meaning, words]) =>
    words.split(',').map((word) => [word.trim(), meaning as Meaning] as const),
  );
  const words = new Map(entries);
  if (words.size < entries.length) throw new UsageError('A word of the statement can have only one meaning.');
  return words;
}
