// Records the gateway's answers. If the database cannot be written, it retries until it can, even after the caller was
// answered 503: the answer is the only record of what the gateway created, and holds the code or checkout that the
// shopper pays with.
import { setTimeout } from 'node:timers/promises';
import { Refusal } from '../errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Fact, OrderAt } from '../ledger/model.ts';
import { withinLimit } from '../protocol/durations.ts';
import type { Transaction } from '../protocol/transaction.ts';

/** The last wait repeats. How many answers are held is bounded by the connections to the gateway. */
const RETRY_AFTER_MS = [50, 100, 250, 500, 1_000, 2_000];
/** After a start whose row may show later, at first and then each minute: the longest that a standby is waited for. */
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
