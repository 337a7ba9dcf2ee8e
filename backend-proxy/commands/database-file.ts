// Where the database of this environment is, for commands that work on its file.
import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { readSome, type Environment } from '../config/config.ts';
import { filePathOf } from '../ledger/database-url.ts';

/** The absolute path of the SQLite file; undefined for PostgreSQL. */
export function databaseFile(env: Environment): string | undefined {
  const { DATABASE_URL: url = '' } = readSome(env, ['DATABASE_URL']);
  const path = filePathOf(url);
  return path === undefined ? undefined : resolve(path);
}

/** Whether `path` is the database or a file that SQLite keeps beside it, also by a link or another name. */
export function isOfDatabase(path: string, database: string): boolean {
  const real = realPath(database);
  return ['', '-wal', '-shm', '-journal'].some((part) => isSameFile(path, `${real}${part}`));
}

function isSameFile(one: string, other: string): boolean {
  if (realPath(one) === realPath(other)) return true;
  const [ours, theirs] = [one, other].map((path) => statSync(path, { bigint: true, throwIfNoEntry: false }));
  return ours !== undefined && ours.ino === theirs?.ino && ours.dev === theirs.dev;
}

/** Without links; the file itself may be missing. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPath(folder), basename(path));
  }
}

/** A word of a shell command. */
export function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
