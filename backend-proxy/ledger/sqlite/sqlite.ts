// The store on node:sqlite: one file for one proxy (a second one on the same file is safe; it waits its turn). All
// writes share one queue with one commit per turn of the event loop: a commit is an fsync, the main cost, so waiting
// writes share it. A savepoint lets each fail alone. Everything within a commit is synchronous, so nothing comes
// between a load and its save. SQLite's own lock wait would block the whole process, so it is off: the queue waits, and
// reads need no lock.
import { resolve as absolute } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, SqliteDialect } from 'kysely';
import { unavailable } from '../../errors.ts';
import type { Log } from '../../protocol/log.ts';
import { upgradeBy } from '../schema/schema-steps.ts';
import { createRows } from './rows.ts';
import { SQLITE_SQL } from './sql.ts';
import { createStatements } from './statements.ts';
import { upgradeSqlite } from './steps.ts';
import type { Decision, Loaded, Store, Subject } from '../store.ts';
import type { Tables } from '../schema/tables.ts';

/** How long opening or a write waits for another process's lock, and how often it retries. */
const LOCK_WAIT_MS = 5_000;
const LOCK_RETRY_MS = 5;
const MAX_QUEUED_WRITES = 10_000;
const MAX_WRITES_PER_COMMIT = 128;
/** Of 4 KB, moved and cut off in one write. */
const SHRINK_PAGES = 128;
/** How often a write tries another id at the gateway: more than an order has payments. */
const MAX_IDS_TRIED = 50;
/** SQLite's primary result codes: the low byte of `errcode`. */
const SQLITE_BUSY = 5;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_CONSTRAINT = 19;
/**
 * FULL: a commit is on disk before it is answered; NORMAL may lose the last ones in a power failure.
 * journal_size_limit: a long reader (a backup) makes the log grow; the first commit after it cuts the log to this,
 * twice its usual size.
 * auto_vacuum: the file can shrink; only where the tables are not made yet. secure_delete: what is erased is
 * overwritten.
 */
const PRAGMAS = `
  PRAGMA auto_vacuum = INCREMENTAL; PRAGMA secure_delete = ON;
  PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA journal_size_limit = ${8 * 1024 * 1024};`;

interface QueuedWrite {
  since: number;
  run(): void;
  settle(error: unknown): void;
}

/**
 * `onFatal` is called if the disk fails during a commit: it is unknown what is durable, and a second fsync may wrongly
 * succeed, so the process must end and read the file again.
 */
export async function openSqlite(path: string, onFatal: (error: unknown) => void, log: Log): Promise<Store> {
  const database = new DatabaseSync(path, { timeout: 0 });
  const { prepare, forKysely } = createStatements(database);
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: forKysely }) });
  await retryWhileLocked(async () => {
    database.exec(PRAGMAS);
    await upgradeSqlite(db, upgradeBy(log));
  }).catch((error: unknown) => {
    database.close();
    throw error;
  });
  const rows = createRows(prepare);
  const queue: QueuedWrite[] = [];
  let flushing = false;

  function enqueue<T>(work: () => T): Promise<T> {
    if (queue.length >= MAX_QUEUED_WRITES) return Promise.reject(unavailable(new Error('Too many writes are waiting')));
    return new Promise<T>((resolve, reject) => {
      let result: T;
      queue.push({
        since: performance.now(),
        run: () => void (result = work()),
        settle: (error) => (error === undefined ? resolve(result) : reject(error)),
      });
      if (flushing) return;
      flushing = true;
      setImmediate(flush);
    });
  }

  function flush(): void {
    const isLocked = commitNext();
    if (queue.length === 0) flushing = false;
    else if (isLocked) setTimeout(flush, LOCK_RETRY_MS);
    else setImmediate(flush);
  }

  /** Returns true if another process holds the lock; then only writes that have waited too long left the queue. */
  function commitNext(): boolean {
    // IMMEDIATE: a plain BEGIN notices another process's lock only at its first write, and fails.
    const refused = errorOf(() => prepare('begin immediate').run());
    if (primaryCode(refused) === SQLITE_BUSY) {
      const isOver = ({ since }: QueuedWrite) => since <= performance.now() - LOCK_WAIT_MS;
      const waiting = queue.findIndex((queued) => !isOver(queued));
      for (const { settle } of queue.splice(0, waiting === -1 ? queue.length : waiting)) settle(unavailable(refused));
      return true;
    }
    const batch = queue.splice(0, MAX_WRITES_PER_COMMIT);
    const outcomes = commitTogether(batch, refused);
    batch.forEach(({ settle }, at) => settle(outcomes[at]));
    return false;
  }

  /** The error of each write, or undefined once committed. */
  function commitTogether(batch: QueuedWrite[], refused: unknown): unknown[] {
    try {
      if (refused !== undefined) throw refused;
      const outcomes = batch.map(({ run }) => runAlone(run));
      prepare('commit').run();
      return outcomes;
    } catch (error) {
      // Some errors (a full disk) have already rolled back, and a second rollback would hide the first error.
      if (database.isOpen && database.isTransaction) database.exec('rollback');
      const code = primaryCode(error);
      if (code === SQLITE_IOERR || code === SQLITE_CORRUPT) onFatal(error);
      return batch.map(() => unavailable(error));
    }
  }

  /** Returns an error that concerns this write alone; throws one that ended the whole transaction. */
  function runAlone(run: () => void): unknown {
    try {
      run();
      return undefined;
    } catch (error) {
      if (!database.isTransaction || primaryCode(error) === SQLITE_IOERR) throw error;
      // With a code it is the database's own (a full disk), otherwise the operation's (a refusal).
      return primaryCode(error) === undefined ? error : unavailable(error);
    }
  }

  /** Runs `work`; if it fails, nothing of it stays. */
  function inSavepoint<T>(work: () => T): T {
    prepare('savepoint alone').run();
    try {
      const result = work();
      prepare('release alone').run();
      return result;
    } catch (error) {
      if (database.isTransaction) undoSavepoint();
      throw error;
    }
  }

  /** If a part cannot be undone alone, nothing of the whole transaction may be committed. */
  function undoSavepoint(): void {
    const failed = errorOf(() => database.exec('rollback to alone; release alone'));
    if (failed !== undefined) database.exec('rollback');
  }

  function decideAndSave<T>(subject: Subject, decide: (loaded: Loaded, taken: Set<string>) => Decision<T>): T {
    const taken = new Set<string>();
    for (;;) {
      const { changes, result } = decide(rows.load(subject), taken);
      try {
        inSavepoint(() => rows.save(changes));
        return result;
      } catch (error) {
        const added = changes.transactions.find(({ before }) => before === undefined);
        if (added === undefined || !isIdTaken(error) || taken.size >= MAX_IDS_TRIED) throw error;
        taken.add(added.after.id);
      }
    }
  }

  let seenDataVersion: unknown;
  /** SQLite's `data_version` changes only when another connection has committed. */
  async function changedSince(since: number): Promise<Map<string, number>> {
    const dataVersion = prepare('pragma data_version').get()?.['data_version'];
    if (dataVersion === seenDataVersion) return new Map();
    const changed = rows.changedSince(since);
    seenDataVersion = dataVersion;
    return changed;
  }

  /**
   * Without `auto_vacuum` (a file of an older version) nothing shrinks. The log is emptied, because it still has what
   * was erased; somebody who reads at that moment leaves it for the next time.
   */
  async function shrink(): Promise<boolean> {
    const freePages = () => Number(prepare('pragma freelist_count').get()?.['freelist_count']);
    const before = freePages();
    const isSmaller =
      before > 0 &&
      (await enqueue(() => {
        prepare(`pragma incremental_vacuum(${SHRINK_PAGES})`).all();
        return freePages() < before;
      }));
    database.exec('pragma wal_checkpoint(truncate)');
    return isSmaller;
  }

  return {
    db,
    sql: SQLITE_SQL,
    place: { path: absolute(path) },
    write: (subject, decide) => enqueue(() => decideAndSave(subject, decide)),
    async load(subject) {
      // One transaction, so that another process's commit is seen whole.
      prepare('begin').run();
      try {
        return rows.load(subject);
      } finally {
        prepare('commit').run();
      }
    },
    execute: <Row>({ sql: text, parameters }: { sql: string; parameters: readonly unknown[] }) =>
      enqueue(() => inSavepoint(() => prepare(text).all(...(parameters as never[])) as Row[])),
    time: () => Promise.resolve(Date.now()),
    changedSince,
    announce: () => undefined,
    onAnnounced: () => undefined,
    shrink,
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

function errorOf(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Whether a row with this id exists already. */
function isIdTaken(error: unknown): boolean {
  return (
    primaryCode(error) === SQLITE_CONSTRAINT && error instanceof Error && error.message.endsWith('transactions.id')
  );
}

function primaryCode(error: unknown): number | undefined {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code & 0xff : undefined;
}
