// The queue of writes to one SQLite file, its prepared statements, its errors, and the waits for its lock.
// A commit is an fsync, the main cost, so waiting writes share it. A savepoint lets each fail alone. While another
// process holds the lock, the queue waits and tries again.
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { SqliteDatabase } from 'kysely';
import { unavailable } from '../../errors.ts';

const MAX_QUEUED_WRITES = 10_000;
const MAX_WRITES_PER_COMMIT = 128;

interface QueuedWrite {
  since: number;
  run(): void;
  settle(error: unknown): void;
}

export class CommitQueue {
  readonly #database: DatabaseSync;
  readonly #prepare: Prepare;
  readonly #beforeCommit: () => void;
  readonly #onError: (error: unknown) => void;
  readonly #queue: QueuedWrite[] = [];
  #isFlushing = false;

  /** If `beforeCommit` throws, nothing is committed. `onError` gets each error that is not of one write alone. */
  constructor(
    database: DatabaseSync,
    prepare: Prepare,
    { beforeCommit, onError }: { beforeCommit(): void; onError(error: unknown): void },
  ) {
    this.#database = database;
    this.#prepare = prepare;
    this.#beforeCommit = beforeCommit;
    this.#onError = onError;
  }

  /** Runs `work`, which is synchronous, within the next commit; resolves after that. */
  enqueue<T>(work: () => T): Promise<T> {
    if (this.#queue.length >= MAX_QUEUED_WRITES) {
      return Promise.reject(unavailable(new Error('Too many writes are waiting')));
    }
    return new Promise<T>((resolve, reject) => {
      let result: T;
      this.#queue.push({
        since: performance.now(),
        run: () => void (result = work()),
        settle: (error) => (error === undefined ? resolve(result) : reject(error)),
      });
      if (this.#isFlushing) return;
      this.#isFlushing = true;
      setImmediate(() => this.#flush());
    });
  }

  /** Within a commit: runs `work`; if it fails, nothing of it stays. */
  inSavepoint<T>(work: () => T): T {
    this.#prepare('savepoint alone').run();
    try {
      const result = work();
      this.#prepare('release alone').run();
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#undoSavepoint();
      throw error;
    }
  }

  /** If a part cannot be undone alone, nothing of the whole transaction may be committed. */
  #undoSavepoint(): void {
    const failed = errorOf(() => this.#database.exec('rollback to alone; release alone'));
    if (failed !== undefined) this.#database.exec('rollback');
  }

  #flush(): void {
    const isLocked = this.#commitNext();
    if (this.#queue.length === 0) this.#isFlushing = false;
    else if (isLocked) setTimeout(() => this.#flush(), LOCK_RETRY_MS);
    else setImmediate(() => this.#flush());
  }

  /** Returns true if another process holds the lock; then only writes that have waited too long left the queue. */
  #commitNext(): boolean {
    // IMMEDIATE: a plain BEGIN notices another process's lock only at its first write, and fails.
    const refused = errorOf(() => this.#prepare('begin immediate').run());
    if (primaryCode(refused) === SQLITE_BUSY) {
      const isOver = ({ since }: QueuedWrite) => since <= performance.now() - LOCK_WAIT_MS;
      const waiting = this.#queue.findIndex((queued) => !isOver(queued));
      const over = this.#queue.splice(0, waiting === -1 ? this.#queue.length : waiting);
      for (const { settle } of over) settle(unavailable(refused));
      return true;
    }
    const batch = this.#queue.splice(0, MAX_WRITES_PER_COMMIT);
    const outcomes = this.#commitTogether(batch, refused);
    batch.forEach(({ settle }, at) => settle(outcomes[at]));
    return false;
  }

  /** The error of each write, or undefined once committed. */
  #commitTogether(batch: QueuedWrite[], refused: unknown): unknown[] {
    try {
      if (refused !== undefined) throw refused;
      this.#beforeCommit();
      const outcomes = batch.map(({ run }) => this.#runAlone(run));
      this.#prepare('commit').run();
      return outcomes;
    } catch (error) {
      // Some errors (a full disk) have already rolled back, and a second rollback would hide the first error.
      if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec('rollback');
      this.#onError(error);
      return batch.map(() => unavailable(error));
    }
  }

  /** Returns an error that concerns this write alone; throws one that ended the whole transaction. */
  #runAlone(run: () => void): unknown {
    try {
      run();
      return undefined;
    } catch (error) {
      if (!this.#database.isTransaction || isFatal(error)) throw error;
      // With a code it is the database's own (a full disk), otherwise the operation's (a refusal).
      return primaryCode(error) === undefined ? error : unavailable(error);
    }
  }
}

// Prepares each SQLite statement once, for the hot paths and for Kysely.

/** More than the statements of the code; lists with filters have a few hundred forms. */
const MAX_STATEMENTS = 1_000;

export type Prepare = (text: string) => StatementSync;

/** `onError` gets the errors of Kysely's statements. */
export function createStatements(
  database: DatabaseSync,
  onError: (error: unknown) => void,
): { prepare: Prepare; forKysely: SqliteDatabase } {
  const statements = new Map<string, StatementSync>();
  /** Read once: `columns()` costs as much as a small read. */
  const readers = new WeakMap<StatementSync, boolean>();

  function prepare(text: string): StatementSync {
    const known = statements.get(text);
    if (known !== undefined) return known;
    const statement = database.prepare(text);
    if (statements.size < MAX_STATEMENTS) statements.set(text, statement);
    return statement;
  }

  function isReader(statement: StatementSync): boolean {
    const known = readers.get(statement) ?? statement.columns().length > 0;
    readers.set(statement, known);
    return known;
  }

  function reporting<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      onError(error);
      throw error;
    }
  }

  return {
    prepare,
    forKysely: {
      close: () => database.close(),
      prepare(text) {
        const statement = prepare(text);
        return {
          reader: isReader(statement),
          all: (parameters) => reporting(() => statement.all(...(parameters as SQLInputValue[]))),
          run: (parameters) => reporting(() => statement.run(...(parameters as SQLInputValue[]))),
          iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])),
        };
      },
    },
  };
}

// SQLite's errors, and how long its lock is waited for.

/** How long opening or a write waits for another process's lock, and how often it retries. */
const LOCK_WAIT_MS = 5_000;
const LOCK_RETRY_MS = 5;
/** SQLite's primary result codes: the low byte of `errcode`. */
export const SQLITE_BUSY = 5;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_CONSTRAINT = 19;

/** Runs `work`, which must be repeatable, again while another process holds the lock. */
export async function retryWhileLocked(work: () => Promise<void>): Promise<void> {
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

export function errorOf(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Whether a row with this id exists already. */
export function isIdTaken(error: unknown): boolean {
  return (
    primaryCode(error) === SQLITE_CONSTRAINT && error instanceof Error && error.message.endsWith('transactions.id')
  );
}

/** The path no longer leads to the file that is open, so a commit would be lost with that file. */
export class FileReplaced extends Error {}

/** What is durable is unknown after it, so the process must end and read the file again. */
export function isFatal(error: unknown): boolean {
  const code = primaryCode(error);
  return code === SQLITE_IOERR || code === SQLITE_CORRUPT || error instanceof FileReplaced;
}

export function primaryCode(error: unknown): number | undefined {
  const code = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof code === 'number' ? code & 0xff : undefined;
}
