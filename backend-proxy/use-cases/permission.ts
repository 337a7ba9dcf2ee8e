// The permission to make the one call of a transaction. The commit that writes its row gives it, and it ages: what a
// process was too slow to send (it was paused, or the commit waited) may have been ended meanwhile.
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Ledger } from '../ledger/ledger.ts';
import type { Start } from '../ledger/model.ts';
import { SECOND_MS } from '../protocol/durations.ts';
import type { Transaction } from '../protocol/transaction.ts';

/** Shorter than the time after which others take the call for lost. */
const PERMISSION_MS = 20 * SECOND_MS;
export const TOO_OLD = 'not sent, because the commit of its row was too late';

export interface Clocks {
  /** Wall clock, ms since 1970. */
  now?: () => number;
  /** A monotonic clock, ms. */
  elapsed?: (() => number) | undefined;
}

export interface Permission {
  start: Start;
  /** By either clock, and by the database's if `databaseAgeMs` is given. Ask right before the call. */
  isTooOld(databaseAgeMs?: number): boolean;
}

/** `by`: host and port of this process. Its age counts from here, before the commit. */
export function askPermission(by: string, { now = Date.now, elapsed = () => performance.now() }: Clocks): Permission {
  const asked = { at: now(), elapsed: elapsed() };
  return {
    start: { by, id: randomUUID() },
    isTooOld: (databaseAgeMs = 0) =>
      Math.max(now() - asked.at, elapsed() - asked.elapsed, databaseAgeMs) > PERMISSION_MS,
  };
}

/**
 * How old a new row is by the database's clock, which alone notices that a virtual machine was paused; 0 if it does not
 * answer. Asked for a prompt and a payout: a code that nobody is shown does no harm.
 */
export async function databaseAge(ledger: Pick<Ledger, 'time'>, { createdAt }: Transaction): Promise<number> {
  return ledger.time().then(
    (time) => time - createdAt,
    () => 0,
  );
}
