// SQLite's errors, and how long its lock is waited for.

/** How long opening or a write waits for another process's lock, and how often it retries. */
export const LOCK_WAIT_MS = 5_000;
export const LOCK_RETRY_MS = 5;
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
