// The store on node:sqlite: one file, for one proxy (a second one on the same file is safe, and waits its turn).
// All writes go through one queue with one commit per turn of the event loop: a commit is an fsync, and an fsync is the
// price of everything here, so those that wait together pay it together. Each still fails alone, behind a savepoint.
// SQLite's own wait for a lock would stop the whole process, so there is none: the queue waits, and reads need no lock.
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { Kysely, SqliteDialect, sql, type SqliteDatabase } from 'kysely';
import { unavailable } from '../errors.ts';
import { migrate, type Tables } from './schema.ts';
import type { Db, Store } from './store.ts';

/** How long an opening or a write waits for a lock that another process holds, and how often it looks. */
const LOCK_WAIT_MS = 5_000;
const LOCK_ASKED_EVERY_MS = 5;
const MOST_WRITES_WAITING = 10_000;
const MOST_WRITES_A_COMMIT = 128;
const MOST_STATEMENTS_KEPT = 200;
/** SQLite's primary result codes: the low byte of `errcode`. */
const SQLITE_BUSY = 5;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
/**
 * FULL: a commit is on the disk before it is answered; NORMAL may lose the last ones with the power.
 * The limit: a reader that stays (a backup) makes the log grow, and the first commit after it has gone cuts the log to
 * this, twice what it usually is. So nothing else has to: a truncating checkpoint would find nothing to gain.
 */
const PRAGMAS = `
  PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA journal_size_limit = ${8 * 1024 * 1024};`;

interface Waiting {
  since: number;
  run: (tx: Db) => Promise<void>;
  settle: (error: unknown) => void;
}

/**
 * `onFatal` is called when the disk fails under a commit: what of it is durable is unknown and a second fsync may lie,
 * so the process has to end and come back by reading what is there.
 */
export async function openSqlite(path: string, onFatal: (error: unknown) => void): Promise<Store> {
  const database = new DatabaseSync(path, { timeout: 0 });
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: adapt(database) }) });
  await onceUnlocked(async () => {
    database.exec(PRAGMAS);
    await migrate(db, 'sqlite');
  }).catch((error: unknown) => {
    database.close();
    throw error;
  });

  const queue: Waiting[] = [];
  let flushing = false;

  function write<T>(op: (tx: Db, now: number) => Promise<T>): Promise<T> {
    if (queue.length >= MOST_WRITES_WAITING) return Promise.reject(unavailable(new Error('Too many writes wait')));
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
      // Closed meanwhile: those who wait are told, and the process lives to end by itself.
      .catch((error: unknown) => giveUp(error, () => true));
    if (queue.length === 0) flushing = false;
    else if (isLocked === true) setTimeout(() => void flush(), LOCK_ASKED_EVERY_MS);
    else setImmediate(() => void flush());
  }

  /** True where another process holds the lock; nobody was taken from the queue then but those who have waited long enough. */
  async function commitNext(tx: Db): Promise<boolean> {
    // IMMEDIATE: a plain BEGIN finds out only at its first write that another process holds the lock, and fails.
    const refused = await sql`begin immediate`.execute(tx).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (primaryCode(refused) === SQLITE_BUSY) {
      giveUp(refused, ({ since }) => since <= performance.now() - LOCK_WAIT_MS);
      return true;
    }
    const batch = queue.splice(0, MOST_WRITES_A_COMMIT);
    const outcomes = await commitTogether(tx, batch, refused);
    batch.forEach(({ settle }, at) => settle(outcomes[at]));
    return false;
  }

  /** The longest waiting stand first. */
  function giveUp(error: unknown, isDone: (waiting: Waiting) => boolean): void {
    const kept = queue.findIndex((waiting) => !isDone(waiting));
    for (const { settle } of queue.splice(0, kept === -1 ? queue.length : kept)) settle(unavailable(error));
  }

  /** The error of each, or undefined where it is committed. */
  async function commitTogether(tx: Db, batch: Waiting[], refused: unknown): Promise<unknown[]> {
    try {
      if (refused !== undefined) throw refused;
      const outcomes: unknown[] = [];
      for (const { run } of batch) outcomes.push(await runAlone(tx, run));
      await sql`commit`.execute(tx);
      return outcomes;
    } catch (error) {
      // Some errors (a full disk) have rolled back already, and a second rollback would hide them behind its own.
      if (database.isTransaction) database.exec('rollback');
      const code = primaryCode(error);
      if (code === SQLITE_IOERR || code === SQLITE_CORRUPT) onFatal(error);
      return batch.map(() => unavailable(error));
    }
  }

  /** An error of the operation stays its own; one that cost the whole transaction is thrown on. */
  async function runAlone(tx: Db, run: Waiting['run']): Promise<unknown> {
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
    // The whole file is locked by BEGIN IMMEDIATE already.
    skipsLocked: false,
    lockOrder: () => Promise.resolve(),
    lockOrderOf: () => Promise.resolve(),
    lockWallet: () => Promise.resolve(),
    announce: () => undefined,
    onAnnounced: () => undefined,
    close: () => db.destroy(),
  };
}

/** Does it again while another process holds a lock. What is done has to bear that. */
async function onceUnlocked(work: () => Promise<void>): Promise<void> {
  const until = performance.now() + LOCK_WAIT_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (primaryCode(error) !== SQLITE_BUSY || performance.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, LOCK_ASKED_EVERY_MS));
    }
  }
}

function primaryCode(error: unknown): number | undefined {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code & 0xff : undefined;
}

/** node:sqlite as the driver interface that Kysely expects, with its prepared statements kept. */
function adapt(database: DatabaseSync): SqliteDatabase {
  const kept = new Map<string, StatementSync>();
  const prepare = (text: string): StatementSync => {
    const known = kept.get(text);
    if (known) return known;
    const statement = database.prepare(text);
    if (kept.size < MOST_STATEMENTS_KEPT) kept.set(text, statement);
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
