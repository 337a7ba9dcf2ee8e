// The writes to one SQLite file, in one queue: a commit is an fsync, the main cost, so waiting writes share it. A
// savepoint lets each fail alone. While another process holds the lock, the queue waits and tries again.
import type { DatabaseSync } from 'node:sqlite';
import { unavailable } from '../../errors.ts';
import { LOCK_RETRY_MS, LOCK_WAIT_MS, SQLITE_BUSY, errorOf, isFatal, primaryCode } from './errors.ts';
import type { Prepare } from './statements.ts';

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
