// Looks into a SQLite file without changing it, and copies one, also while a proxy writes to it.
// The copy is made by VACUUM INTO: one read transaction, so that writers neither wait for it nor make it begin again
// (as SQLite's page-wise backup does when another process writes); it reads every row; and what was erased is in no
// free page of the copy.
import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DatabaseSync } from 'node:sqlite';
import { schemaState, type SchemaState } from '../schema/migrate.ts';

/** How long a read waits for another process that recovers or closes the database. */
const LOCK_WAIT_MS = 5_000;

export interface Inspected {
  schema: SchemaState;
  transactions: number;
  orders: number;
}

/** @throws an Error for the operator if the file is no database of the proxy */
export function inspectSqlite(path: string): Inspected {
  return reading(path, (database) => {
    const tables = tablesIn(database);
    const isEmpty = tables.length === 0;
    if (!isEmpty && !tables.includes('transactions')) throw new Error('not a database of the proxy');
    const count = (table: string) => Number(database.prepare(`select count(*) as n from ${table}`).get()?.['n']);
    return {
      schema: schemaState(tables.includes('meta') ? metaIn(database) : [], !isEmpty),
      transactions: isEmpty ? 0 : count('transactions'),
      orders: isEmpty ? 0 : count('orders'),
    };
  });
}

/**
 * Copies the database into a new file, which is complete and on disk when this returns; a failure leaves no file.
 * @throws an Error for the operator
 */
export function copySqlite(from: string, to: string): Inspected {
  // Made here, because SQLite would make it readable for others under a wider umask. SQLite takes an empty file.
  closeSync(openSync(to, 'wx', 0o600));
  try {
    reading(from, (database) => {
      database.prepare('vacuum into ?').run(to);
    });
    const problems = reading(to, (copy) => [
      ...copy
        .prepare('pragma integrity_check(5)')
        .all()
        .map((row) => String(row['integrity_check'])),
      ...copy
        .prepare('pragma foreign_key_check')
        .all()
        .map((row) => `${String(row['table'])}: a row without its parent`),
    ]).filter((problem) => problem !== 'ok');
    if (problems.length > 0) throw new Error(`${from} is damaged: ${problems.slice(0, 5).join('; ')}`);
    // SQLite does not wait for the disk here.
    flushToDisk(to);
    return inspectSqlite(to);
  } catch (error) {
    rmSync(to, { force: true });
    throw error;
  }
}

/** A file, or the names in a folder. */
export function flushToDisk(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The names in the folder of this file. Windows keeps them by itself. */
export function flushNames(path: string): void {
  if (process.platform !== 'win32') flushToDisk(dirname(path));
}

function reading<T>(path: string, read: (database: DatabaseSync) => T): T {
  if (!existsSync(path)) throw new Error(`${path} does not exist`);
  const url = pathToFileURL(path);
  // Without a log nobody has the database open. `immutable` then reads it also in a folder that cannot be written, and
  // leaves no files of its own there.
  if (!existsSync(`${path}-wal`)) url.searchParams.set('immutable', '1');
  try {
    const database = new DatabaseSync(url, { readOnly: true, timeout: LOCK_WAIT_MS });
    try {
      return read(database);
    } finally {
      database.close();
    }
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function metaIn(database: DatabaseSync): { key: string; value: string }[] {
  const rows = textsOf(database, 'select key, value from meta');
  return rows.map(({ key = '', value = '' }) => ({ key, value }));
}

function tablesIn(database: DatabaseSync): string[] {
  return textsOf(database, "select name from sqlite_master where type = 'table'").map(({ name = '' }) => name);
}

function textsOf(database: DatabaseSync, query: string): Record<string, string>[] {
  return database.prepare(query).all() as Record<string, string>[];
}
