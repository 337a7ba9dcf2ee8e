// `payment-proxy restore FILE`: replaces the SQLite database by a backup, and records that the database lost what came
// after the backup, so that no payout is sent twice. For PostgreSQL it prints the commands to use.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { connectDatabase } from '../ledger/connect.ts';
import { copySqlite, flushToDisk, inspectSqlite, type Inspected } from '../ledger/sqlite/copy.ts';
import { restoringName } from '../ledger/sqlite/disk.ts';
import { lockUnused } from '../ledger/sqlite/exchange.ts';
import { createLedger } from '../ledger/sql-ledger.ts';
import { UsageError, type Call } from './command-call.ts';
import { databaseFile, isOfDatabase, quoted } from './database-file.ts';

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
