// Checks the database of DATABASE_URL without changing it: whether it can be read, its tables, rights, and space.
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { filePathOf } from '../ledger/database-url.ts';
import { LITTLE_SPACE, TOO_LITTLE_SPACE, describeFree, freeBytes } from '../ledger/sqlite/disk.ts';
import type { SchemaState } from '../ledger/schema/migrate.ts';
import { explainStart } from '../ledger/postgres/errors.ts';
import { clockFinding, fail, ok, warn, type Finding } from './report.ts';

const ABOUT = 'database';
const OTHERS = 0o077;

export async function checkDatabase(url: string): Promise<Finding[]> {
  const path = filePathOf(url);
  return path === undefined ? checkPostgres(url) : checkSqlite(resolve(path));
}

async function checkSqlite(path: string): Promise<Finding[]> {
  const folder = existingFolder(dirname(path));
  if (!isWritable(folder)) {
    const remedy = `give the user that runs the proxy the right to write there: SQLite has files beside its database`;
    return [fail(ABOUT, `this user cannot write in ${folder}`, remedy)];
  }
  if (!existsSync(path))
    return [ok(ABOUT, `${path} does not exist yet; the first start creates it`), ...spaceIn(folder)];
  if (!isWritable(path)) return [fail(ABOUT, `this user cannot write ${path}`, 'run `check` as the user of the proxy')];
  try {
    const { inspectSqlite } = await import('../ledger/sqlite/copy.ts');
    const { schema, orders, transactions } = inspectSqlite(path);
    const rows = `${path}: ${orders} orders, ${transactions} transactions`;
    return [schemaFinding(schema, rows), ...rightsOf(path), ...spaceIn(folder)];
  } catch (error) {
    return [
      fail(
        ABOUT,
        String(error instanceof Error ? error.message : error),
        'name another file in DATABASE_URL, or restore a backup',
      ),
    ];
  }
}

async function checkPostgres(url: string): Promise<Finding[]> {
  const { inspectPostgres } = await import('../ledger/postgres/inspect.ts');
  try {
    const found = await inspectPostgres(url);
    const { schema, version, role, schemaName } = found;
    const says = schemaFinding(schema, `PostgreSQL ${version}, role ${role}, schema ${schemaName}`);
    const clock = clockFinding('clock of the database', found.now - Date.now());
    if (found.mayCreate || schema.pending === 0) return [says, clock];
    const statement = `GRANT CREATE ON SCHEMA "${schemaName}" TO "${role}"`;
    return [
      fail(ABOUT, `the role ${role} may not create tables in ${schemaName}`, `as its owner: ${statement}`),
      clock,
    ];
  } catch (error) {
    return [fail(ABOUT, explainStart(error, url, 1), 'see DATABASE_URL in docs/configuration.md')];
  }
}

function schemaFinding({ schema, pending, refusal }: SchemaState, where: string): Finding {
  if (refusal !== undefined) return fail(ABOUT, `${where}; ${refusal}`, 'see docs/operations.md');
  if (schema === 0) return ok(ABOUT, `${where}; empty: the first start creates the tables`);
  if (pending === 0) return ok(ABOUT, `${where}; schema ${schema}, nothing to migrate`);
  return warn(
    ABOUT,
    `${where}; the next start migrates schema ${schema} to ${schema + pending}`,
    'make a backup first',
  );
}

function rightsOf(path: string): Finding[] {
  if (process.platform === 'win32' || (statSync(path).mode & OTHERS) === 0) return [];
  return [warn(ABOUT, `other users may read ${path}`, `chmod 600 ${path} (the next start does it)`)];
}

function spaceIn(folder: string): Finding[] {
  const free = freeBytes(folder);
  const says = describeFree(free, folder);
  if (free < TOO_LITTLE_SPACE) return [fail('disk', says, 'make room: on a full disk no payment starts')];
  return [free < LITTLE_SPACE ? warn('disk', says, 'make room; a payment keeps about 3 kB') : ok('disk', says)];
}

/** The start makes the folders that are missing. */
function existingFolder(folder: string): string {
  return existsSync(folder) ? folder : existingFolder(dirname(folder));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
