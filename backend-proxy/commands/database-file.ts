// Where the database of this environment is, for commands that work on its file.
import { resolve } from 'node:path';
import { readSome, type Environment } from '../config/config.ts';

/** The absolute path of the SQLite file; undefined for PostgreSQL. */
export function databaseFile(env: Environment): string | undefined {
  const { DATABASE_URL: url = '' } = readSome(env, ['DATABASE_URL']);
  return url.startsWith('file:') ? resolve(url.slice('file:'.length)) : undefined;
}

/** A word of a shell command. */
export function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
