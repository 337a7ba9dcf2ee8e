// The store on node:sqlite: one file for one proxy (a second one on the same file is safe; it waits its turn). All
// writes share one queue with one commit per turn of the event loop (commit-queue.ts). Everything within a commit is
// synchronous, so nothing comes between a load and its save. SQLite's own lock wait would block the whole process, so
// it is off: the queue waits, and reads need no lock.
import { statSync } from 'node:fs';
import { dirname, resolve as absolute } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, SqliteDialect } from 'kysely';
import type { Log } from '../../protocol/log.ts';
import {
  CommitQueue,
  FileReplaced,
  errorOf,
  isFatal,
  isIdTaken,
  retryWhileLocked,
  createStatements,
  type Prepare,
} from './commit-queue.ts';
import { freeBytes, watchDisk } from './files.ts';
import { Rows, SQLITE_SQL } from './rows.ts';
import { migrate } from '../schema/schema.ts';
import type { Decision, Loaded, Store, Subject } from '../store.ts';
import type { Tables } from '../schema/tables.ts';

/** Of 4 KB, moved and cut off in one write. */
const SHRINK_PAGES = 128;
/** How often a write tries another id at the gateway: more than an order has payments. */
const MAX_IDS_TRIED = 50;
/**
 * FULL: a commit is on disk before it is answered; NORMAL may lose the last ones in a power failure.
 * journal_size_limit: a long reader (a backup) makes the log grow; the first commit after it cuts the log to this,
 * twice its usual size.
 * auto_vacuum: the file can shrink. secure_delete: what is erased is overwritten.
 */
const PRAGMAS = `
  PRAGMA auto_vacuum = INCREMENTAL; PRAGMA secure_delete = ON;
  PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA journal_size_limit = ${8 * 1024 * 1024};`;

/**
 * `onFatal` is called if the disk fails, or the file was replaced: it is unknown what is durable, and a second fsync
 * may wrongly succeed, so the process must end and read the file again.
 */
export async function openSqlite(path: string, onFatal: (error: unknown) => void, log: Log): Promise<Store> {
  const database = new DatabaseSync(path, { timeout: 0 });
  let isOpened = false;
  const onError = (error: unknown) => {
    // What fails the start is an error of the start.
    if (isOpened && isFatal(error)) onFatal(error);
  };
  const { prepare, forKysely } = createStatements(database, onError);
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: forKysely }) });
  await retryWhileLocked(async () => {
    database.exec(PRAGMAS);
    await migrate(db, 'sqlite', log);
  }).catch((error: unknown) => {
    database.close();
    throw error;
  });
  const rows = new Rows(prepare);
  isOpened = true;
  const warnings = watchDisk(absolute(path));
  const opened = fileAt(path);
  const queue = new CommitQueue(database, prepare, {
    beforeCommit() {
      if (fileAt(path) !== opened)
        throw new FileReplaced(`${absolute(path)} was replaced or removed while it was open`);
    },
    onError,
  });
  return {
    db,
    sql: SQLITE_SQL,
    place: { path: absolute(path) },
    write: (subject, decide) => queue.enqueue(() => decideAndSave(queue, rows, subject, decide)),
    async load(subject) {
      // One transaction, so that another process's commit is seen whole.
      prepare('begin').run();
      try {
        return rows.load(subject);
      } catch (error) {
        onError(error);
        throw error;
      } finally {
        prepare('commit').run();
      }
    },
    execute: <Row>({ sql: text, parameters }: { sql: string; parameters: readonly unknown[] }) =>
      queue.enqueue(() => queue.inSavepoint(() => prepare(text).all(...(parameters as never[])) as Row[])),
    time: () => Promise.resolve(Date.now()),
    changedSince: watchOthers(prepare, rows),
    ping: () =>
      queue.enqueue(() => void prepare("update meta set value = ? where key = 'pinged_at'").run(String(Date.now()))),
    shrink: () => shrink(prepare, queue, onError),
    freeBytes: () => freeBytes(dirname(absolute(path))),
    warnings: async () => warnings(),
    close: () => db.destroy(),
  };
}

/** Tries again if the id of a new transaction is in use, as long as another one is chosen each time. */
function decideAndSave<T>(
  queue: CommitQueue,
  rows: Rows,
  subject: Subject,
  decide: (loaded: Loaded, taken: Set<string>) => Decision<T>,
): T {
  const taken = new Set<string>();
  for (;;) {
    const { changes, result } = decide(rows.load(subject), taken);
    try {
      queue.inSavepoint(() => rows.save(changes));
      return result;
    } catch (error) {
      const added = changes.transactions.find(({ before }) => before === undefined);
      const id = added?.after.id;
      if (id === undefined || taken.has(id) || !isIdTaken(error) || taken.size >= MAX_IDS_TRIED) throw error;
      taken.add(id);
    }
  }
}

/** SQLite's `data_version` changes only when another connection has committed. */
function watchOthers(prepare: Prepare, rows: Rows): Store['changedSince'] {
  let seenDataVersion: unknown;
  return async (since) => {
    const dataVersion = prepare('pragma data_version').get()?.['data_version'];
    if (dataVersion === seenDataVersion) return new Map();
    const changed = rows.changedSince(since);
    seenDataVersion = dataVersion;
    return changed;
  };
}

/**
 * The log is emptied, because it still has what was erased; somebody who reads at that moment leaves it for the next
 * time.
 */
async function shrink(prepare: Prepare, queue: CommitQueue, onError: (error: unknown) => void): Promise<boolean> {
  const freePages = () => Number(prepare('pragma freelist_count').get()?.['freelist_count']);
  const before = freePages();
  const isSmaller =
    before > 0 &&
    (await queue.enqueue(() => {
      prepare(`pragma incremental_vacuum(${SHRINK_PAGES})`).all();
      return freePages() < before;
    }));
  const failed = errorOf(() => prepare('pragma wal_checkpoint(truncate)').all());
  onError(failed);
  if (failed !== undefined) throw failed;
  return isSmaller;
}

/** Which file has this name. */
function fileAt(path: string): string | undefined {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false });
  return file && `${file.dev}:${file.ino}`;
}
