// `payment-proxy backup FILE`: copies the SQLite database, also while the proxy runs. For PostgreSQL it prints the
// command to use.
import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { copySqlite, flushNames } from '../ledger/sqlite/copy.ts';
import { UsageError, type Call } from './command-call.ts';
import { databaseFile, isOfDatabase, quoted } from './database-file.ts';

export async function backup({ args, env, print }: Call): Promise<number> {
  const { positionals, values } = parseArgs({ args, allowPositionals: true, options: { force: { type: 'boolean' } } });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new UsageError('name one file.');
  const database = databaseFile(env);
  if (database === undefined) {
    throw new Error(
      'DATABASE_URL is PostgreSQL, whose own tool copies it while proxies run:\n\n' +
        `  pg_dump --format=custom --no-owner --file=${quoted(file)} "$DATABASE_URL"`,
    );
  }
  const target = resolve(file);
  const mayReplace = values.force === true;
  if (isOfDatabase(target, database)) throw new Error(`${file} belongs to the database itself; name another file.`);
  const folder = dirname(target);
  if (!existsSync(folder)) throw new Error(`the folder ${folder} does not exist: make it, or name a file in another.`);
  if (existsSync(target) && !mayReplace) throw new Error(taken(target));
  const unfinished = `${target}.unfinished-${randomBytes(4).toString('hex')}`;
  const { transactions, orders, schema } = copySqlite(database, unfinished);
  try {
    if (schema.schema === 0) throw new Error(`${database} is empty: the proxy has never used it`);
    giveName(unfinished, target, mayReplace);
  } finally {
    rmSync(unfinished, { force: true });
  }
  flushNames(target);
  print(`${target}: ${orders} orders, ${transactions} transactions, ${statSync(target).size} bytes, checked`);
  return 0;
}

function giveName(unfinished: string, target: string, mayReplace: boolean): void {
  try {
    // A link never replaces a file.
    if (mayReplace) renameSync(unfinished, target);
    else linkSync(unfinished, target);
  } catch (error) {
    if (existsSync(target)) throw new Error(taken(target), { cause: error });
    // Some disks, such as memory sticks and network shares, do not support links.
    renameSync(unfinished, target);
  }
}

function taken(target: string): string {
  return `${target} exists; --force replaces it.`;
}
