// The permission to make the one call of a transaction, and its answer, which is kept until it is stored.
// The commit that writes the row gives the permission, and it ages: what a process was too slow to send (it was paused,
// or the commit waited) may have been ended meanwhile.
import { setTimeout } from 'node:timers/promises';
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { Refusal } from '../errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Fact, OrderAt, Start } from '../ledger/model.ts';
import { withinLimit, SECOND_MS } from '../protocol/durations.ts';
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

// Records the gateway's answers. If the database cannot be written, it retries until it can, also after the caller was
// answered 503: the answer is the only record of what the gateway created, and has the code or the checkout URL with
// which the shopper pays.

/** The last wait repeats. How many answers are held is bounded by the connections to the gateway. */
const RETRY_AFTER_MS = [50, 100, 250, 500, 1_000, 2_000];
/** When to look for a row whose commit may show later: for as long as a commit may wait for a standby. */
const LOOK_AFTER_MS = [250, 1_000, 5_000, 15_000, 30_000, ...Array.from({ length: 60 }, () => 60_000)];
/** The caller is answered 503 after this; its next request finds what was recorded. */
const CALLER_WAITS_MS = 10_000;

export interface Recorder {
  /**
   * Resolves with the order when the result of the call is recorded. Throws `unavailable` if that takes too long, and
   * keeps retrying. Takes the running call, so that a stop waits for it even if the client has gone.
   */
  record(transaction: Transaction, call: Promise<Fact>): Promise<OrderAt>;
  /**
   * The result of writing a row. If it fails and the row may show all the same, looks for it, and records there that
   * nothing was sent: `recordUnsent` returns whether there was one.
   */
  opened<T>(opening: Promise<T>, recordUnsent: () => Promise<boolean>): Promise<T>;
  /** Resolves when all answers are stored, or after `limitMs`. */
  drain(limitMs: number): Promise<void>;
}

interface Options {
  ledger: Ledger;
  onError(error: unknown): void;
  /** `keepsAlive`: the process does not end before. */
  wait?: ((ms: number, keepsAlive: boolean) => Promise<void>) | undefined;
}

export function createRecorder({ ledger, onError, wait = sleepFor }: Options): Recorder {
  const inFlight = new Set<Promise<unknown>>();

  async function write(transaction: Transaction, fact: Fact): Promise<OrderAt> {
    for (let attempts = 0; ; attempts += 1) {
      try {
        return await ledger.record(transaction, fact);
      } catch (error) {
        if (!(error instanceof Refusal && error.kind === 'unavailable')) throw error;
        if (attempts === 0) onError(error);
        await wait(RETRY_AFTER_MS[Math.min(attempts, RETRY_AFTER_MS.length - 1)] ?? 0, true);
      }
    }
  }

  async function lookFor(recordUnsent: () => Promise<boolean>): Promise<void> {
    for (const ms of LOOK_AFTER_MS) {
      await wait(ms, false);
      if (await recordUnsent().catch(() => false)) return;
    }
  }

  return {
    async opened(opening, recordUnsent) {
      try {
        return await opening;
      } catch (error) {
        if (error instanceof Refusal && error.mayBeWritten) void lookFor(recordUnsent);
        throw error;
      }
    },
    async record(transaction, call) {
      const recording = call.then((fact) => write(transaction, fact)).finally(() => inFlight.delete(recording));
      inFlight.add(recording);
      recording.catch(onError);
      await call;
      const recorded = await withinLimit(recording, CALLER_WAITS_MS);
      if (recorded !== undefined) return recorded;
      throw new Refusal('unavailable', 'The answer of the gateway is not stored yet. Try again.');
    },
    async drain(limitMs) {
      await withinLimit(Promise.allSettled(inFlight), limitMs);
    },
  };
}

async function sleepFor(ms: number, keepsAlive: boolean): Promise<void> {
  await setTimeout(ms, undefined, { ref: keepsAlive });
}
