// Opens the store that DATABASE_URL names. Only this file knows both kinds.
import type { Log } from '../log.ts';
import { openSqlite } from './sqlite.ts';
import type { Store } from './store.ts';

const CONNECTIONS = 16;

/**
 * Accepts `file:PATH` (SQLite) or `postgres://…`. `onFatal`: the disk failed during a commit, and the process must end.
 * `connections`: PostgreSQL's maximum for queries; one more listens, and after a lost commit another looks up its
 * state. `log`: changes of the tables.
 */
export async function connectDatabase(
  url: string,
  onFatal: (error: unknown) => void,
  { connections = CONNECTIONS, log = () => undefined }: { connections?: number; log?: Log } = {},
): Promise<Store> {
  if (url.startsWith('file:')) return openSqlite(url.slice('file:'.length), onFatal, log);
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(url, connections, log);
}
