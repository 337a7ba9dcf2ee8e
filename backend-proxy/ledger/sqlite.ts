// The store on node:sqlite: one file, for one proxy (a second one on the same file is safe, and waits its turn).
// All writes go through one queue with one commit per turn of the event loop: a commit is an fsync, and an fsync is the
// price of everything here, so those that wait together pay it together. Each still fails alone, behind a savepoint.
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { Kysely, SqliteDialect, sql, type SqliteDatabase } from 'kysely';
import { unavailable } from '../errors.ts';
import { migrate, type Tables } from './schema.ts';
import type { Books, Store } from './store.ts';

const BUSY_TIMEOUT_MS = 5_000;
const MOST_WRITES_A_COMMIT = 128;
const MOST_STATEMENTS_KEPT = 200;
/** SQLite's primary result codes: the low byte of `errcode`. */
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;

interface Waiting {
  run: (tx: Books) => Promise<void>;
  settle: (error: unknown) => void;
}

/**
 * `onFatal` is called when the disk fails under a commit: what of it is durable is unknown and a second fsync may lie,
 * so the process has to end and come back by reading what is there.
 */
export async function openSqlite(path: string, onFatal: (error: unknown) => void): Promise<Store> {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  // FULL: a commit is on the disk before it is answered; NORMAL may lose the last ones with the power.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;');
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: adapt(database) }) });
  await migrate(db, 'sqlite');

  const queue: Waiting[] = [];
  let flushing = false;

  function write<T>(op: (tx: Books, now: number) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let result: T;
      queue.push({
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
    const batch = queue.splice(0, MOST_WRITES_A_COMMIT);
    const outcomes = await db
      .connection()
      .execute((tx) => commitTogether(tx, batch))
      // Closed meanwhile: those who wait are told, and the process lives to end by itself.
      .catch((error: unknown) => batch.map(() => unavailable(error)));
    batch.forEach(({ settle }, at) => settle(outcomes[at]));
    if (queue.length > 0) setImmediate(() => void flush());
    else flushing = false;
  }

  /** The error of each, or undefined where it is committed. */
  async function commitTogether(tx: Books, batch: Waiting[]): Promise<unknown[]> {
    try {
      // IMMEDIATE: a plain BEGIN finds out only at its first write that another process holds the lock, and fails.
      await sql`begin immediate`.execute(tx);
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
  async function runAlone(tx: Books, run: Waiting['run']): Promise<unknown> {
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
