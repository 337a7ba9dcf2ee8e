// Records the gateway's answers. If the database cannot be written, it retries, even after the caller was answered
// 503: the answer is the only record of what the gateway created, and holds the code or checkout that the shopper
// pays with.
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '../errors.ts';
import type { Fact, Ledger, OrderAt } from '../ledger/ledger.ts';
import { ANSWER_HELD_MS } from '../protocol/gateway-call.ts';
import type { Transaction } from '../protocol/transaction.ts';
import { withinLimit } from '../protocol/within-limit.ts';

/** The last wait repeats until ANSWER_HELD_MS. How many are held is bounded by the connections to the gateway. */
const RETRY_AFTER_MS = [50, 100, 250, 500, 1_000, 2_000];
/** The caller is answered 503 after this; its next request finds what was recorded. */
const CALLER_WAITS_MS = 10_000;

export interface Recorder {
  /**
   * Resolves with the order when the result of the call is recorded. Throws `unavailable` if that takes too long, and
   * keeps retrying. Takes the running call, so that a stop waits for it even if the client has gone.
   */
  record(transaction: Transaction, call: Promise<Fact>): Promise<OrderAt>;
  /** Resolves when all answers are stored, or after `limitMs`. */
  drain(limitMs: number): Promise<void>;
}

interface Options {
  ledger: Ledger;
  onError(error: unknown): void;
  wait?: (ms: number) => Promise<void>;
  now?: () => number;
}

export function createRecorder({ ledger, onError, wait = sleep, now = Date.now }: Options): Recorder {
  const inFlight = new Set<Promise<unknown>>();

  async function write(transaction: Transaction, fact: Fact): Promise<OrderAt> {
    const startedAt = now();
    for (let attempts = 0; ; attempts += 1) {
      try {
        return await ledger.record(transaction, fact, 'answer');
      } catch (error) {
        const mayRetry = error instanceof Refusal && error.kind === 'unavailable' && now() - startedAt < ANSWER_HELD_MS;
        if (!mayRetry) throw error;
        if (attempts === 0) onError(error);
        await wait(RETRY_AFTER_MS[Math.min(attempts, RETRY_AFTER_MS.length - 1)] ?? 0);
      }
    }
  }

  return {
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
