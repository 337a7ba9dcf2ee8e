// Puts another file in the place of a SQLite database that nobody uses. A crash at any point leaves the old database or
// the new one, whole: the path names one of them at every moment.
// A proxy has a lock on its database for as long as it runs, and leaving the write-ahead log needs that nobody else has
// one. So it fails while a proxy runs, and leaves the old database in one file. A process that opened the old file just
// before the exchange waits for our lock, and then cannot write: SQLite notices that its file has moved.
import { existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { flushNames } from './copy.ts';
import { SQLITE_BUSY, primaryCode } from './errors.ts';

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
