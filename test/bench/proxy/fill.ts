// Fills a database that the proxy has made. A column that filled-rows.ts lacks and that has no default is an error, and
// so is one that the database does not know.
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { filledRows, type Columns, type Filled } from './filled-rows.ts';

const ROWS_AT_ONCE = 100_000;

/** `database`: as in DATABASE_URL; no proxy may run on it. */
export async function fill(database: string, count: number, filled: Filled, now = Date.now()): Promise<void> {
  if (database.startsWith('file:')) fillSqlite(database.slice('file:'.length), count, filled, now);
  else await fillPostgres(database, count, filled, now);
}

function fillSqlite(path: string, count: number, filled: Filled, now: number): void {
  const database = new DatabaseSync(path);
  // What is lost in a crash here is made again. Indexes are made afterwards, because sorting once is faster.
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; PRAGMA wal_autocheckpoint = 20000');
  const indexes = database
    .prepare("select name, sql from sqlite_master where type = 'index' and sql is not null")
    .all() as { name: string; sql: string }[];
  for (const { name } of indexes) database.exec(`drop index "${name}"`);
  const rows = filledRows('sqlite', count, filled, now);
  for (const [from, to] of pages(count)) {
    const numbers = `with recursive numbers(i) as (select ${from} union all select i + 1 from numbers where i + 1 < ${to})`;
    database.exec('begin');
    for (const sql of inserts(rows, numbers)) database.exec(sql);
    database.exec('commit');
  }
  for (const { sql } of indexes) database.exec(sql);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

async function fillPostgres(url: string, count: number, filled: Filled, now: number): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set synchronous_commit = off');
    const rows = filledRows('postgres', count, filled, now);
    for (const [from, to] of pages(count)) {
      const numbers = `with numbers(i) as (select generate_series(${from}::bigint, ${to - 1}::bigint))`;
      for (const sql of inserts(rows, numbers)) await client.query(sql);
    }
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

/** From the first number to the one after the last. */
function pages(count: number): [from: number, to: number][] {
  return Array.from({ length: Math.ceil(count / ROWS_AT_ONCE) }, (_, at) => [
    at * ROWS_AT_ONCE,
    Math.min(count, (at + 1) * ROWS_AT_ONCE),
  ]);
}

function inserts(rows: readonly [table: string, rows: Columns[]][], numbers: string): string[] {
  return rows.flatMap(([table, each]) =>
    each.map((columns) => {
      const [names, values] = [Object.keys(columns).join(', '), Object.values(columns).join(', ')];
      return `insert into ${table} (${names}) ${numbers} select ${values} from numbers`;
    }),
  );
}
