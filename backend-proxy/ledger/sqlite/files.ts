// SQLite files: a look into one, a copy, the exchange of the database's, their rights, and the free disk space.
// A look changes nothing, and a copy is possible while a proxy writes. It is made by VACUUM INTO: one read transaction,
// so that writers neither wait for it nor make it begin again (as SQLite's page-wise backup does when another process
// writes); it reads every row; and what was erased is in no free page of the copy.
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  rmSync,
  linkSync,
  renameSync,
  chmodSync,
  mkdirSync,
  statSync,
  readdirSync,
  statfsSync,
} from 'node:fs';
import { dirname, resolve, basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { getSystemErrorMessage } from 'node:util';
import type { Warning } from '../../protocol/log.ts';
import { schemaState, type SchemaState } from '../schema/schema.ts';
import { SQLITE_BUSY, primaryCode } from './commit-queue.ts';

/** How long a read waits for another process that recovers or closes the database. */
const LOCK_WAIT_MS = 5_000;

export interface Inspected {
  schema: SchemaState;
  transactions: number;
  orders: number;
}

/** @throws an Error for the operator if the file is no database of the proxy */
export function inspectSqlite(path: string): Inspected {
  return reading(path, (database) => {
    const tables = tablesIn(database);
    const isEmpty = tables.length === 0;
    if (!isEmpty && !tables.includes('transactions')) throw new Error('not a database of the proxy');
    const count = (table: string) => Number(database.prepare(`select count(*) as n from ${table}`).get()?.['n']);
    return {
      schema: schemaState(tables.includes('meta') ? metaIn(database) : [], !isEmpty),
      transactions: isEmpty ? 0 : count('transactions'),
      orders: isEmpty ? 0 : count('orders'),
    };
  });
}

/**
 * Copies the database into a new file, which is complete and on disk when this returns; a failure leaves no file.
 * @throws an Error for the operator
 */
export function copySqlite(from: string, to: string): Inspected {
  // Made here, because SQLite would make it readable for others under a wider umask. SQLite takes an empty file.
  closeSync(openSync(to, 'wx', 0o600));
  try {
    reading(from, (database) => {
      database.prepare('vacuum into ?').run(to);
    });
    const found = reading(to, (copy) => textsOf(copy, 'pragma integrity_check(5)'));
    const problems = found.flatMap(({ integrity_check: problem = '' }) => (problem === 'ok' ? [] : [problem]));
    if (problems.length > 0) throw new Error(`${from} is damaged: ${problems.join('; ')}`);
    // SQLite does not wait for the disk here.
    flushToDisk(to);
    return inspectSqlite(to);
  } catch (error) {
    rmSync(to, { force: true });
    throw error;
  }
}

/** A file, or the names in a folder. */
export function flushToDisk(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The names in the folder of this file. Windows keeps them by itself. */
export function flushNames(path: string): void {
  if (process.platform !== 'win32') flushToDisk(dirname(path));
}

function reading<T>(path: string, read: (database: DatabaseSync) => T): T {
  if (!existsSync(path)) throw new Error(`${path} does not exist`);
  const url = pathToFileURL(path);
  // Without a log nobody has the database open. `immutable` then reads it also in a folder that cannot be written, and
  // leaves no files of its own there.
  if (!existsSync(`${path}-wal`)) url.searchParams.set('immutable', '1');
  try {
    const database = new DatabaseSync(url, { readOnly: true, timeout: LOCK_WAIT_MS });
    try {
      return read(database);
    } finally {
      database.close();
    }
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function metaIn(database: DatabaseSync): { key: string; value: string }[] {
  const rows = textsOf(database, 'select key, value from meta');
  return rows.map(({ key = '', value = '' }) => ({ key, value }));
}

function tablesIn(database: DatabaseSync): string[] {
  return textsOf(database, "select name from sqlite_master where type = 'table'").map(({ name = '' }) => name);
}

function textsOf(database: DatabaseSync, query: string): Record<string, string>[] {
  return database.prepare(query).all() as Record<string, string>[];
}

// Puts another file in the place of a SQLite database that nobody uses. A crash at any point leaves the old database or
// the new one, whole: the path names one of them at every moment.
// A proxy has a lock on its database for as long as it runs, and leaving the write-ahead log needs that nobody else has
// one. So it fails while a proxy runs, and leaves the old database in one file. A process that opened the old file just
// before the exchange waits for our lock, and then cannot write: SQLite notices that its file has moved.

export interface Unused {
  /**
   * Gives the database's name to the file at `replacement`, on the same disk; the old database is then at `kept`.
   * @throws an Error for the operator, and then changes nothing
   */
  exchange(replacement: string, kept: string): void;
  /** Lets others open the database again. */
  release(): void;
}

/**
 * Locks the database at `path`, which may be missing.
 * @throws an Error for the operator if a process has it open, or it is damaged
 */
export function lockUnused(path: string): Unused {
  if (!existsSync(path)) {
    if (existsSync(`${path}-wal`)) {
      throw new Error(`${path} is missing, but its last commits are in ${path}-wal: move that file away as well`);
    }
    return { exchange: (replacement) => take(replacement, path), release: () => undefined };
  }
  const database = lockFile(path);
  return {
    exchange(replacement, kept) {
      // From here to `release` nothing may open and close the file in this process: that would drop the lock.
      linkSync(path, kept);
      renameSync(replacement, path);
      flushNames(path);
    },
    release: () => database.close(),
  };
}

function lockFile(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('pragma journal_mode = delete; pragma locking_mode = exclusive; begin exclusive');
    return database;
  } catch (error) {
    database.close();
    if (primaryCode(error) === SQLITE_BUSY) {
      throw new Error(`${path} is in use: stop the proxy, and whatever else has it open, first`, { cause: error });
    }
    throw new Error(
      `${path} is damaged (${error instanceof Error ? error.message : String(error)}), so it cannot be locked. ` +
        `Stop the proxy, move ${path}, ${path}-wal and ${path}-shm away, and restore again`,
      { cause: error },
    );
  }
}

/** For a missing database. A link does not replace one that a proxy has just made. */
function take(replacement: string, path: string): void {
  linkSync(replacement, path);
  rmSync(replacement);
  flushNames(path);
}

// Keeps the database files private: makes a new one for its own user alone, and removes the rights of other users on
// existing ones, which an older version, another program or a copy has left. SQLite gives the files beside the
// database the same rights.

const OTHERS = 0o077;
const REMEDIES: Record<string, string> = {
  EACCES: `the proxy's user (${process.getuid?.() ?? 'its account'}) needs the right to write there`,
  EPERM: `the proxy's user (${process.getuid?.() ?? 'its account'}) needs the right to write there`,
  EROFS: 'name a folder that the service may write to',
  ENOSPC: 'make room on the disk',
};

/**
 * Makes the file, and its folder, unless it exists.
 * @throws an Error for the operator with the absolute path and the reason
 */
export function createPrivately(path: string): void {
  const file = resolve(path);
  try {
    if (!existsSync(dirname(file))) mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    closeSync(openSync(file, 'a', 0o600));
  } catch (error) {
    const { code = '', errno } = error as NodeJS.ErrnoException;
    const reason = errno === undefined ? 'no such place' : getSystemErrorMessage(errno);
    const remedy = REMEDIES[code];
    throw new Error(`${file} cannot be written: ${reason}${remedy === undefined ? '' : `; ${remedy}`}`, {
      cause: error,
    });
  }
}

/** Returns the files that were `open` to other users, and those that still are. */
export function makePrivate(paths: readonly string[]): { open: string[]; stillOpen: string[] } {
  // Windows has no such rights; its modes are invented by Node.
  if (process.platform === 'win32') return { open: [], stillOpen: [] };
  const open = paths.filter(isOpen);
  for (const path of open) {
    try {
      chmodSync(path, modeOf(path) & 0o777 & ~OTHERS);
    } catch {
      // Another user's file, or a disk without rights: reported in `stillOpen`.
    }
  }
  return { open, stillOpen: open.filter(isOpen) };
}

function isOpen(path: string): boolean {
  return (modeOf(path) & OTHERS) !== 0;
}

/** 0 if the file does not exist. */
function modeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
}

// The disk of the database file: its free space, and what an interrupted restore has left beside the file.

const MB = 1024 ** 2;
/** A payment keeps about 3 kB. */
export const LITTLE_SPACE = 1024 * MB;
/** A full disk refuses payments. */
export const TOO_LITTLE_SPACE = 100 * MB;
const LITTLE_LEFT = "The database's disk is almost full: make room, on a full disk no payment starts.";
const COPY_LEFT = 'An interrupted restore has left a copy of the database, which has wallet ids: delete it.';

export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** `72892 MB free in /var/lib/payment-proxy` */
export function describeFree(bytes: number, folder: string): string {
  return `${Math.floor(bytes / MB)} MB free in ${folder}`;
}

/** The name of a copy before a restore puts it in the database's place. */
export function restoringName(path: string, suffix: string): string {
  return `${path}.restoring-${suffix}`;
}

/** Says what an operator should do about the file at `path`, which is absolute. */
export function watchDisk(path: string): () => Warning[] {
  const folder = dirname(path);
  const isCopy = (name: string) => name.startsWith(restoringName(basename(path), ''));
  const left = namesIn(folder).filter(isCopy);
  return () => {
    const free = freeBytes(folder);
    return [
      ...(free < TOO_LITTLE_SPACE ? [{ warning: LITTLE_LEFT, detail: describeFree(free, folder) }] : []),
      ...left
        .map((name) => join(folder, name))
        .filter((copy) => existsSync(copy))
        .map((copy) => ({ warning: COPY_LEFT, detail: copy })),
    ];
  };
}

/** None in a folder that cannot be listed. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
