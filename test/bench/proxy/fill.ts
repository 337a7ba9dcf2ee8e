// Fills a database that the proxy has made. Columns that filled-rows.ts does not know keep their defaults; one without
// a default is an error.
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { filledRows, type Columns, type Filled } from './filled-rows.ts';

const ROWS_AT_ONCE = 100_000;

interface Column {
  name: string;
  isRequired: boolean;
}

/** `database`: as in DATABASE_URL; no proxy may run on it. */
export async function fill(
  database: string,
  count: number,
  filled: Filled = 'settled',
  now = Date.now(),
): Promise<void> {
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
  const columnsOf = database.prepare(
    'select name, "notnull" = 1 and dflt_value is null as required from pragma_table_info(?)',
  );
  const rows = filledRows('sqlite', count, filled, now);
  for (const [from, to] of pages(count)) {
    const numbers = `with recursive numbers(i) as (select ${from} union all select i + 1 from numbers where i + 1 < ${to})`;
    database.exec('begin');
    for (const [table, each] of rows) {
      const present = (columnsOf.all(table) as { name: string; required: number }[]).map(({ name, required }) => ({
        name,
        isRequired: required === 1,
      }));
      for (const columns of each) database.exec(insertInto(table, present, columns, numbers));
    }
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
    for (const [from, to] of pages(count)) {
      const numbers = `with numbers(i) as (select generate_series(${from}::bigint, ${to - 1}::bigint))`;
      for (const [table, each] of filledRows('postgres', count, filled, now)) {
        const { rows: present } = await client.query<Column>(
          `select column_name as name, is_nullable = 'NO' and column_default is null as "isRequired"
           from information_schema.columns where table_name = $1 and table_schema = current_schema()`,
          [table],
        );
        for (const columns of each) await client.query(insertInto(table, present, columns, numbers));
      }
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

function insertInto(table: string, present: readonly Column[], columns: Columns, numbers: string): string {
  const missing = present.find(({ name, isRequired }) => isRequired && columns[name] === undefined);
  if (missing) throw new Error(`filled-rows.ts has no value for ${table}.${missing.name}`);
  const names = present.map(({ name }) => name).filter((name) => columns[name] !== undefined);
  if (names.length === 0) throw new Error(`The database has no table ${table}`);
  return `insert into ${table} (${names.join(', ')}) ${numbers} select ${names.map((name) => columns[name]).join(', ')} from numbers`;
}
