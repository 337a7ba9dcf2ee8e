// `payment-proxy backup FILE` and `payment-proxy restore FILE`, and where the database of a command is.
// The first copies the SQLite database, also while the proxy runs. For PostgreSQL it prints the command to use.
import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, renameSync, rmSync, statSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readSome, type Environment } from '../config/config.ts';
import { connectDatabase, filePathOf } from '../ledger/connect.ts';
import { createLedger } from '../ledger/ledger.ts';
import {
  copySqlite,
  flushNames,
  flushToDisk,
  inspectSqlite,
  type Inspected,
  restoringName,
  lockUnused,
} from '../ledger/sqlite/files.ts';
import { UsageError, type Call } from './report.ts';

export async function backup({ args, env, print }: Call): Promise<number> {
  const { positionals } = parseArgs({ args, allowPositionals: true, options: {} });
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
  if (isOfDatabase(target, database)) throw new Error(`${file} belongs to the database itself; name another file.`);
  const folder = dirname(target);
  if (!existsSync(folder)) throw new Error(`the folder ${folder} does not exist: make it, or name a file in another.`);
  if (existsSync(target)) throw new Error(taken(target));
  const unfinished = `${target}.unfinished-${randomBytes(4).toString('hex')}`;
  const { transactions, orders, schema } = copySqlite(database, unfinished);
  try {
    if (schema.schema === 0) throw new Error(`${database} is empty: the proxy has never used it`);
    giveName(unfinished, target);
  } finally {
    rmSync(unfinished, { force: true });
  }
  flushNames(target);
  print(`${target}: ${orders} orders, ${transactions} transactions, ${statSync(target).size} bytes, checked`);
  return 0;
}

function giveName(unfinished: string, target: string): void {
  try {
    // A link never replaces a file.
    linkSync(unfinished, target);
  } catch (error) {
    if (existsSync(target)) throw new Error(taken(target), { cause: error });
    // Some disks, such as memory sticks and network shares, do not support links.
    renameSync(unfinished, target);
  }
}

function taken(target: string): string {
  return `${target} exists; name a new file.`;
}

// `payment-proxy restore FILE`: replaces the SQLite database by a backup, and records that the database lost what came
// after the backup, so that no payout is sent twice. For PostgreSQL it prints the commands to use.

export async function restore({ args, env, print }: Call, now: () => number = Date.now): Promise<number> {
  const { positionals } = parseArgs({ args, allowPositionals: true, options: {} });
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) throw new UsageError('name one file.');
  const at = now();
  const database = databaseFile(env);
  if (database === undefined) throw new Error(postgresCommands(file, at));
  const source = resolve(file);
  if (isOfDatabase(source, database)) throw new Error(`${file} belongs to the database itself; name a backup of it.`);
  refuseUnusable(source, inspectSqlite(source));

  mkdirSync(dirname(database), { recursive: true, mode: 0o700 });
  const isReplaced = existsSync(database);
  const unused = lockUnused(database);
  const prepared = restoringName(database, randomBytes(4).toString('hex'));
  const kept = `${database}.replaced-${new Date(at).toISOString().replaceAll(/[:.]/g, '-')}`;
  try {
    const { orders, transactions } = copySqlite(source, prepared);
    await recordRestore(prepared, at);
    unused.exchange(prepared, kept);
    print(`${database}: ${orders} orders, ${transactions} transactions, restored from ${source}`);
    if (isReplaced) print(`The replaced database is ${kept}`);
    print('Start the proxy. For 7 days it looks up each payout at the gateway before it sends it.');
    print(
      'Then repeat the payouts sent since the backup, and find the payments since then: docs/operations.md says where.',
    );
    return 0;
  } finally {
    for (const part of ['', '-wal', '-shm', '-journal']) rmSync(`${prepared}${part}`, { force: true });
    unused.release();
  }
}

function refuseUnusable(source: string, { schema }: Inspected): void {
  if (schema.refusal !== undefined) throw new Error(`${source}: ${schema.refusal}`);
  if (schema.schema === 0) throw new Error(`${source} is empty: not a database of the proxy`);
}

/** Also migrates the copy, as the next start would. The file is complete and on disk when this resolves. */
async function recordRestore(path: string, at: number): Promise<void> {
  const store = await connectDatabase(`file:${path}`, () => undefined);
  const ledger = createLedger(store, { idPrefix: '' });
  try {
    await ledger.recordRestore(at);
  } finally {
    await ledger.close();
  }
  if (existsSync(`${path}-wal`)) throw new Error(`${path} is open in another process`);
  flushToDisk(path);
}

function postgresCommands(file: string, at: number): string {
  return [
    'DATABASE_URL is PostgreSQL, whose own tools restore it. Stop all proxies. Create an empty database, and with its',
    'URL in NEW_DATABASE_URL:',
    '',
    `  pg_restore --exit-on-error --single-transaction --no-owner --dbname="$NEW_DATABASE_URL" ${quoted(file)}`,
    '',
    'Then start the proxies with DATABASE_URL set to that URL, and with this, or a payout could be sent twice:',
    '',
    `  DATABASE_RESTORED=${new Date(at).toISOString()}`,
  ].join('\n');
}

// Where the database of this environment is, for commands that work on its file.

/** The absolute path of the SQLite file; undefined for PostgreSQL. */
function databaseFile(env: Environment): string | undefined {
  const { DATABASE_URL: url = '' } = readSome(env, ['DATABASE_URL']);
  const path = filePathOf(url);
  return path === undefined ? undefined : resolve(path);
}

/** Whether `path` is the database or a file that SQLite keeps beside it. */
function isOfDatabase(path: string, database: string): boolean {
  return ['', '-wal', '-shm', '-journal'].some((part) => path === `${database}${part}`);
}

/** A word of a shell command. */
function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
