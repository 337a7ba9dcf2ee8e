// Opens the store that DATABASE_URL names: `file:PATH` is SQLite, every other URL PostgreSQL.
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../protocol/log.ts';
import { CONNECTIONS, describeServer } from './postgres/connection.ts';
import { explainStart } from './postgres/errors.ts';
import { createPrivately } from './sqlite/files.ts';
import { openSqlite } from './sqlite/sqlite.ts';
import type { Store } from './store.ts';

/**
 * Accepts `file:PATH` (SQLite) or `postgres://…`. `onFatal`: the disk failed during a commit, and the process must end.
 * `connections`: PostgreSQL's maximum. `log`: where it is, and changes of the tables.
 * @throws an Error whose message is written for the operator
 */
export async function connectDatabase(
  url: string,
  onFatal: (error: unknown) => void,
  { connections = CONNECTIONS, log = () => undefined }: { connections?: number; log?: Log } = {},
): Promise<Store> {
  const path = filePathOf(url);
  if (path !== undefined) return openFile(path, onFatal, log);
  const [{ openPostgres }, { isPassing }] = await Promise.all([
    import('./postgres/postgres.ts'),
    import('./postgres/connection.ts'),
  ]);
  try {
    log('info', 'database', { ...describeServer(url), connections });
    return await patiently(isPassing, () => openPostgres(url, connections, log));
  } catch (error) {
    throw new Error(explainStart(error, url, connections), { cause: error });
  }
}

/** A start repeats what fails by an ended connection or a held lock, for so long. */
const START_LIMIT_MS = 15_000;
const START_AGAIN_MS = 500;

/** Repeats `work` while its error passes by itself. */
export async function patiently<T>(isPassing: (error: unknown) => boolean, work: () => Promise<T>): Promise<T> {
  const until = performance.now() + START_LIMIT_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || performance.now() > until) throw error;
    }
    await sleep(START_AGAIN_MS);
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

/** The path of the SQLite file; undefined for PostgreSQL. */
export function filePathOf(databaseUrl: string): string | undefined {
  return databaseUrl.startsWith('file:') ? databaseUrl.slice('file:'.length) : undefined;
}
