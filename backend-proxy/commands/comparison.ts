// Both sides of a comparison in a temporary SQLite file, so that a million lines need little memory and may come in any
// order. The file is deleted at the end.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TransactionType } from '../protocol/transaction.ts';
import type { Booked } from './books.ts';
import type { Outcome, StatementLine } from './statement.ts';

export interface Pair {
  there: StatementLine;
  /**
   * Above 0 if the statement has this id more often than the proxy; for an unknown id, how often it occurred before.
   */
  repeats: number;
  here: Booked | undefined;
}

export interface Comparison {
  addThere(line: StatementLine): void;
  /** `key`: its id in the statement; a row without a key is only used by `onlyHere`. */
  addHere(key: string | null, booked: Booked): void;
  /** Each line of the statement, in its order, with what the proxy has under its key: one row for one line. */
  pairs(): Iterable<Pair>;
  /** What succeeded from one time until before another, and has no line in the statement; in the order of that time. */
  onlyHere(from: number, before: number): Iterable<Booked>;
  close(): void;
}

/**
 * A payment and a payout may share a payment id. A line belongs to the one that is equal in everything, or in type,
 * or in amount.
 */
const SHARED_KEY = [['type', 'minor', 'currency', 'outcome'], ['type'], ['minor', 'currency', 'outcome']];

interface Row {
  [column: string]: string | number | null;
}

export function createComparison(): Comparison {
  const folder = mkdtempSync(join(tmpdir(), 'payment-proxy-reconcile-'));
  const db = new DatabaseSync(join(folder, 'comparison.db'));
  db.exec(`pragma journal_mode = off; pragma synchronous = off;
    create table there (line integer, key text, minor integer, currency text, outcome text, type text,
      match integer);
    create table here (key text, id text, payment_id text, minor integer, currency text, outcome text, type text,
      review integer, succeeded_at integer);
    begin`);
  const addThere = db.prepare('insert into there values (?, ?, ?, ?, ?, ?, null)');
  const addHere = db.prepare('insert into here values (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  let isIndexed = false;

  /** After all rows, which is faster than before. */
  function index(): void {
    if (isIndexed) return;
    db.exec('create index there_key on there (key, line); create index here_key on here (key)');
    db.exec(`create temp table shared as select key from here where key is not null group by key having count(*) > 1`);
    for (const equal of SHARED_KEY) match(['key', ...equal], 'and key in (select key from shared)');
    match(['key'], '');
    db.exec('create index there_match on there (match); commit');
    isIndexed = true;
  }

  /** Gives lines without a row the rows without a line that are equal in these columns, one each, in their order. */
  function match(columns: readonly string[], and: string): void {
    const equal = columns.join(', ');
    const numbered = (table: string, isFree: string, order: string) =>
      `select rowid as id, ${equal}, row_number() over (partition by ${equal} order by ${order}) as n
        from ${table} where ${isFree} ${and}`;
    const isFree = 'rowid not in (select match from there where match is not null)';
    db.exec(`with t as materialized (${numbered('there', 'match is null', 'line')}),
        h as materialized (${numbered('here', isFree, 'rowid')})
      update there set match = pair.h_id
        from (select t.id as t_id, h.id as h_id from t join h using (${equal}, n)) pair where there.rowid = pair.t_id`);
  }

  return {
    addThere: ({ line, key, amountMinor, currency, outcome, type }) =>
      void addThere.run(line, key, amountMinor, currency, outcome, type),
    addHere: (key, { id, paymentId, amountMinor, currency, outcome, type, needsReview, succeededAt }) =>
      void addHere.run(key, id, paymentId, amountMinor, currency, outcome, type, Number(needsReview), succeededAt),
    *pairs() {
      index();
      const rows = db.prepare(`select t.line, t.minor as t_minor, t.currency as t_currency,
          t.outcome as t_outcome, t.type as t_type, h.*, t.key as t_key,
          iif(t.match is not null, 0, max((select count(*) from here where here.key = t.key),
            (select count(*) from there earlier where earlier.key = t.key and earlier.line < t.line))) as repeats
        from there t
        left join here h on h.rowid = coalesce(t.match, (select min(rowid) from here where here.key = t.key))
        order by t.line`);
      for (const row of rows.iterate() as Iterable<Row>) {
        const there = {
          line: Number(row['line']),
          key: String(row['t_key']),
          amountMinor: Number(row['t_minor']),
          currency: String(row['t_currency']),
          outcome: row['t_outcome'] as Outcome,
          type: row['t_type'] as TransactionType | null,
        };
        yield { there, repeats: Number(row['repeats']), here: row['id'] === null ? undefined : toBooked(row) };
      }
    },
    *onlyHere(from, before) {
      index();
      const rows = db.prepare(`select * from here where outcome = 'SUCCESS' and succeeded_at >= ? and succeeded_at < ?
        and not exists (select 1 from there where there.match = here.rowid) order by succeeded_at, id`);
      for (const row of rows.iterate(from, before) as Iterable<Row>) yield toBooked(row);
    },
    close() {
      db.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function toBooked(row: Row): Booked {
  return {
    id: String(row['id']),
    paymentId: row['payment_id'] as string | null,
    amountMinor: Number(row['minor']),
    currency: String(row['currency']),
    outcome: row['outcome'] as Outcome,
    type: row['type'] as TransactionType,
    needsReview: row['review'] === 1,
    succeededAt: row['succeeded_at'] as number | null,
  };
}
