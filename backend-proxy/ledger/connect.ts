// DATABASE_URL → store. The only place that knows there is more than one kind.
import { openSqlite } from './sqlite.ts';
import type { Store } from './store.ts';

const CONNECTIONS = 16;

/**
 * `file:PATH` (SQLite) or `postgres://…`. `onFatal`: the disk failed under a commit and the process has to end.
 * `connections`: of PostgreSQL, for queries; one more listens, and for a moment one more asks after a lost commit.
 */
export async function connectDatabase(
  url: string,
  onFatal: (error: unknown) => void,
  { connections = CONNECTIONS }: { connections?: number } = {},
): Promise<Store> {
  if (url.startsWith('file:')) return openSqlite(url.slice('file:'.length), onFatal);
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(url, connections);
}
