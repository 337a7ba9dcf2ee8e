// Reads a gateway's statement, a CSV without a documented format: the caller names columns and words, and an unreadable
// line is an error that names it. Nothing is guessed.
import { createReadStream } from 'node:fs';
import { parse, type Info } from 'csv-parse';
import { exponentOf, minorOfReported } from '../../protocol/money.ts';
import type { GatewayType } from '../../protocol/transaction.ts';
import { printable } from '../report.ts';

/** What a column of the statement may hold. The id at the gateway or the payment id, and the amount, are needed. */
export const FIELDS = ['id', 'paymentId', 'amount', 'currency', 'status', 'type'] as const;
export type Field = (typeof FIELDS)[number];

const MAX_RECORD_CHARS = 100_000;

/** The statuses that are compared: INITIALIZED and PROCESSING are one. */
export type Outcome = 'SUCCESS' | 'FAILED' | 'PENDING';

export interface StatementFormat {
  columns: Partial<Record<Field, string>>;
  delimiter: string;
  decimal: string;
  /** The separator between groups of three digits. */
  thousands: string;
  encoding: BufferEncoding;
  /** Lines before the header. */
  skip: number;
  /** Used if the statement has no such column. */
  currency: string | undefined;
  /** A minus means a payout, its absence a payment. */
  isSigned: boolean;
  outcomes: ReadonlyMap<string, Outcome>;
  types: ReadonlyMap<string, GatewayType>;
}

export interface StatementLine {
  /** Number of its line in the file. */
  line: number;
  key: string;
  amountMinor: number;
  currency: string;
  outcome: Outcome;
  /** Null if the statement does not say. */
  type: GatewayType | null;
}

/** Throws an Error that names the line. */
export async function* readStatement(file: string, format: StatementFormat): AsyncGenerator<StatementLine> {
  const { columns, delimiter, encoding, skip } = format;
  let hasHeader = false;
  const parser = createReadStream(file).pipe(
    parse({
      delimiter,
      encoding,
      bom: true,
      from_line: skip + 1,
      info: true,
      trim: true,
      skip_empty_lines: true,
      max_record_size: MAX_RECORD_CHARS,
      columns: (header: string[]) => {
        hasHeader = true;
        return checkedHeader(header, columns);
      },
    }),
  );
  for await (const { record, info } of parser as AsyncIterable<{ record: Record<string, string>; info: Info }>) {
    yield lineOf(record, info.lines, format);
  }
  if (!hasHeader) throw new Error('No header was read: the statement is empty, or --skip is beyond its end');
}

function checkedHeader(header: string[], columns: StatementFormat['columns']): string[] {
  const missing = Object.values(columns).filter((name) => !header.includes(name));
  if (missing.length > 0) {
    const names = printable(header.join(', ').slice(0, 500));
    throw new Error(`The statement has no column ${missing.join(', ')}; it has: ${names}`);
  }
  const twice = Object.values(columns).find((name) => header.indexOf(name) !== header.lastIndexOf(name));
  if (twice !== undefined) throw new Error(`The statement has the column ${twice} more than once`);
  return header;
}

function lineOf(record: Record<string, string>, line: number, format: StatementFormat): StatementLine {
  const cell = (field: Field) => {
    const name = format.columns[field];
    return name === undefined ? undefined : (record[name] ?? '');
  };
  const fail = (field: Field, allowed: string): never => {
    const text = printable((cell(field) ?? '').slice(0, 60));
    throw new Error(`Line ${line}, ${format.columns[field] ?? field}: "${text}" is not ${allowed}`);
  };
  const key = cell('id') ?? cell('paymentId') ?? '';
  if (key === '') fail(format.columns.id === undefined ? 'paymentId' : 'id', 'an id');
  const currency = cell('currency') ?? format.currency ?? '';
  if (exponentOf(currency) === undefined) fail('currency', 'an ISO 4217 code');
  const { minor, isNegative } = amountOf(cell('amount') ?? '', currency, format) ?? fail('amount', amountRule(format));
  const status = cell('status');
  const outcome = status === undefined ? 'SUCCESS' : format.outcomes.get(status);
  if (outcome === undefined) return fail('status', 'one of the words of --success, --failed and --pending');
  const word = cell('type');
  const type = word === undefined ? null : format.types.get(word);
  if (type === undefined) return fail('type', 'one of the words of --pay and --payout');
  const signed = isNegative ? 'PAYOUT' : 'PAY';
  return { line, key, amountMinor: minor, currency, outcome, type: type ?? (format.isSigned ? signed : null) };
}

/** Exactly, without floats; undefined if it is not written as the format says. */
function amountOf(text: string, currency: string, { decimal, thousands, isSigned }: StatementFormat) {
  const groups = thousands === '' ? '' : `|\\d{1,3}(?:${RegExp.escape(thousands)}\\d{3})+`;
  const written = new RegExp(`^([-+]?)(\\d+${groups})(?:${RegExp.escape(decimal)}(\\d+))?$`).exec(text);
  const [, sign = '', whole = '', fraction = '0'] = written ?? [];
  if (written === null || (sign !== '' && !isSigned)) return undefined;
  const digits = (thousands === '' ? whole : whole.replaceAll(thousands, '')).replace(/^0+(?=\d)/, '');
  const minor = minorOfReported(`${digits}.${fraction}`, currency);
  return minor === undefined ? undefined : { minor, isNegative: sign === '-' };
}

function amountRule({ decimal, thousands, isSigned }: StatementFormat): string {
  const group = thousands === '' ? '' : ` and "${thousands}" between thousands`;
  return `an amount with "${decimal}" before the decimals${group}${isSigned ? '' : ', without a sign (--signed)'}`;
}
