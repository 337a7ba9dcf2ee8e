// Opens the store that DATABASE_URL names.
import { resolve } from 'node:path';
import type { Log } from '../protocol/log.ts';
import { filePathOf } from './database-url.ts';
import { createPrivately } from './sqlite/private-files.ts';
import { explainStart } from './postgres/errors.ts';
import { CONNECTIONS, describeServers } from './postgres/servers.ts';
import { openSqlite } from './sqlite/sqlite.ts';
import type { Store } from './store.ts';

/**
 * Accepts `file:PATH` (SQLite) or `postgres://…`. `onFatal`: the disk failed during a commit, and the process must end.
 * `connections`: PostgreSQL's maximum for queries; one more listens, and three more change the tables at the start of a
 * new version. `log`: where it is, and changes of the tables.
 * @throws an Error whose message is written for the operator
 */
export async function connectDatabase(
  url: string,
  onFatal: (error: unknown) => void,
  { connections = CONNECTIONS, log = () => undefined }: { connections?: number; log?: Log } = {},
): Promise<Store> {
  const path = filePathOf(url);
  if (path !== undefined) return openFile(path, onFatal, log);
  const { openPostgres } = await import('./postgres/postgres.ts');
  try {
    log('info', 'database', { ...describeServers(url), connections: connections + 1 });
    return await openPostgres(url, connections, log);
  } catch (error) {
    throw new Error(explainStart(error, url, connections + 1), { cause: error });
  }
}

async function openFile(path: string, onFatal: (error: unknown) => void, log: Log): Promise<Store> {
  log('info', 'database', { path: resolve(path) });
  createPrivately(path);
  try {
    return await openSqlite(path, onFatal, log);
  } catch (error) {
    // SQLite's own message does not say which file.
    throw new Error(`${resolve(path)}: ${error instanceof Error ? error.message : 'cannot be opened'}`, {
      cause: error,
    });
  }
}
