// The store on node:sqlite: one file for one proxy (a second one on the same file is safe; it waits its turn). All
// writes share one queue with one commit per turn of the event loop: a commit is an fsync, the main cost, so waiting
// writes share it. A savepoint lets each fail alone. SQLite's own lock wait would block the whole process, so it is
// off: the queue waits, and reads need no lock.
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { Kysely, SqliteDialect, sql, type SqliteDatabase } from 'kysely';
import { unavailable } from '../errors.ts';
import { migrate, type Tables } from './schema.ts';
import type { Db, Store } from './store.ts';

/** How long opening or a write waits for another process's lock, and how often it retries. */
const LOCK_WAIT_MS = 5_000;
const LOCK_RETRY_MS = 5;
const MAX_QUEUED_WRITES = 10_000;
const MAX_WRITES_PER_COMMIT = 128;
const MAX_CACHED_STATEMENTS = 200;
/** SQLite's primary result codes: the low byte of `errcode`. */
const SQLITE_BUSY = 5;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
/**
 * FULL: a commit is on disk before it is answered; NORMAL may lose the last ones in a power failure.
 * journal_size_limit: a long reader (a backup) makes the log grow; the first commit after it cuts the log to this,
 * twice its usual size. A truncating checkpoint would gain nothing more.
 */
const PRAGMAS = `
  PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA journal_size_limit = ${8 * 1024 * 1024};`;

interface QueuedWrite {
  since: number;
  run: (tx: Db) => Promise<void>;
  settle: (error: unknown) => void;
}

/**
 * `onFatal` is called if the disk fails during a commit: it is unknown what is durable, and a second fsync may wrongly
 * succeed, so the process must end and read the file again.
 */
export async function openSqlite(path: string, onFatal: (error: unknown) => void): Promise<Store> {
  const database = new DatabaseSync(path, { timeout: 0 });
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: adapt(database) }) });
  await retryWhileLocked(async () => {
    database.exec(PRAGMAS);
    await migrate(db, 'sqlite');
  }).catch((error: unknown) => {
    database.close();
    throw error;
  });

  const queue: QueuedWrite[] = [];
  let flushing = false;

  function write<T>(op: (tx: Db, now: number) => Promise<T>): Promise<T> {
    if (queue.length >= MAX_QUEUED_WRITES) return Promise.reject(unavailable(new Error('Too many writes are waiting')));
    return new Promise<T>((resolve, reject) => {
      let result: T;
      queue.push({
        since: performance.now(),
        run: async (tx) => {
          result = await op(tx, Date.now());
        },
        settle: (error) => (error === undefined ? resolve(result) : reject(error)),
      });
      if (!flushing) {
        flushing = true;
        setImmediate(() => void flush());
      }
    });
  }

  async function flush(): Promise<void> {
    const isLocked = await db
      .connection()
      .execute(commitNext)
      // The database was closed: reject waiting writes and let shutdown finish.
      .catch((error: unknown) => rejectOldest(error, () => true));
    if (queue.length === 0) flushing = false;
    else if (isLocked === true) setTimeout(() => void flush(), LOCK_RETRY_MS);
    else setImmediate(() => void flush());
  }

  /** Returns true if another process holds the lock; then only writes that have waited too long left the queue. */
  async function commitNext(tx: Db): Promise<boolean> {
    // IMMEDIATE: a plain BEGIN notices another process's lock only at its first write, and fails.
    const refused = await sql`begin immediate`.execute(tx).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (primaryCode(refused) === SQLITE_BUSY) {
      rejectOldest(refused, ({ since }) => since <= performance.now() - LOCK_WAIT_MS);
      return true;
    }
    const batch = queue.splice(0, MAX_WRITES_PER_COMMIT);
    const outcomes = await commitTogether(tx, batch, refused);
    batch.forEach(({ settle }, at) => settle(outcomes[at]));
    return false;
  }

  /** The oldest write is first in the queue. */
  function rejectOldest(error: unknown, isDone: (queued: QueuedWrite) => boolean): void {
    const kept = queue.findIndex((queued) => !isDone(queued));
    for (const { settle } of queue.splice(0, kept === -1 ? queue.length : kept)) settle(unavailable(error));
  }

  /** The error of each write, or undefined once committed. */
  async function commitTogether(tx: Db, batch: QueuedWrite[], refused: unknown): Promise<unknown[]> {
    try {
      if (refused !== undefined) throw refused;
      const outcomes: unknown[] = [];
      for (const { run } of batch) outcomes.push(await runInSavepoint(tx, run));
      await sql`commit`.execute(tx);
      return outcomes;
    } catch (error) {
      // Some errors (a full disk) have already rolled back, and a second rollback would hide the first error.
      if (database.isTransaction) database.exec('rollback');
      const code = primaryCode(error);
      if (code === SQLITE_IOERR || code === SQLITE_CORRUPT) onFatal(error);
      return batch.map(() => unavailable(error));
    }
  }

  /** Returns an error that concerns this write alone; throws one that ended the whole transaction. */
  async function runInSavepoint(tx: Db, run: QueuedWrite['run']): Promise<unknown> {
    await sql`savepoint alone`.execute(tx);
    try {
      await run(tx);
      await sql`release alone`.execute(tx);
      return undefined;
    } catch (error) {
      if (!database.isTransaction || primaryCode(error) === SQLITE_IOERR) throw error;
      await sql`rollback to alone`.execute(tx);
      await sql`release alone`.execute(tx);
      // With a code it is the database's own (a full disk), otherwise the operation's (a refusal).
      return primaryCode(error) === undefined ? error : unavailable(error);
    }
  }

  return {
    db,
    write,
    time: () => Promise.resolve(Date.now()),
    // BEGIN IMMEDIATE locks the whole file.
    skipsLocked: false,
    lockOrder: () => Promise.resolve(),
    lockOrderOf: () => Promise.resolve(),
    lockWallet: () => Promise.resolve(),
    announce: () => undefined,
    onAnnounced: () => undefined,
    warnings: () => Promise.resolve([]),
    close: () => db.destroy(),
  };
}

/** Runs `work`, which must be repeatable, again while another process holds the lock. */
async function retryWhileLocked(work: () => Promise<void>): Promise<void> {
  const until = performance.now() + LOCK_WAIT_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (primaryCode(error) !== SQLITE_BUSY || performance.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS));
    }
  }
}

function primaryCode(error: unknown): number | undefined {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code & 0xff : undefined;
}

/** Adapts node:sqlite to Kysely's driver interface and caches prepared statements. */
function adapt(database: DatabaseSync): SqliteDatabase {
  const kept = new Map<string, StatementSync>();
  const prepare = (text: string): StatementSync => {
    const cached = kept.get(text);
    if (cached) return cached;
    const statement = database.prepare(text);
    if (kept.size < MAX_CACHED_STATEMENTS) kept.set(text, statement);
    return statement;
  };
  return {
    close: () => database.close(),
    prepare(text) {
      const statement = prepare(text);
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
        run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
        iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])),
      };
    },
  };
}
