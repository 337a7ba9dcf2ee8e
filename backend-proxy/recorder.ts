// An answer in hand is never dropped: where the books cannot be written just now, recording it is tried again, also after the caller
// was told to come again. It is all that is known of what the gateway made, and what the shopper pays with.
import { Refusal } from './errors.ts';
import type { Fact, Ledger } from './ledger/ledger.ts';
import type { Transaction } from './protocol/transaction.ts';

/** The last wait repeats until the limit is over. */
const RETRY_AFTER_MS = [50, 100, 250, 500, 1_000, 2_000];
/** Of these many calls at once the gateway's connections leave room for no more; a process that cannot write for so long ends otherwise. */
const GIVE_UP_MS = 3_600_000;
/** The caller waits this long, and then finds what was recorded by its next request. */
const CALLER_WAITS_MS = 10_000;

export interface Recorder {
  /**
   * Resolves when what the call answers is recorded; throws `unavailable` where the caller should not wait any longer, and goes on
   * trying. Given while the call runs, so that a stop waits for it also where nobody waits for the request any more.
   */
  record(transaction: Transaction, call: Promise<Fact>): Promise<void>;
  /** Resolves when nothing is in hand, or when `limitMs` are over. */
  drain(limitMs: number): Promise<void>;
}

interface Options {
  ledger: Ledger;
  onError(error: unknown): void;
  wait?: (ms: number) => Promise<void>;
  now?: () => number;
}

export function createRecorder({ ledger, onError, wait = sleep, now = Date.now }: Options): Recorder {
  const inFlight = new Set<Promise<void>>();

  async function write(transaction: Transaction, fact: Fact): Promise<void> {
    const startedAt = now();
    for (let attempts = 0; ; attempts += 1) {
      try {
        await ledger.record(transaction, fact, 'answer');
        return;
      } catch (error) {
        const mayRetry = error instanceof Refusal && error.kind === 'unavailable' && now() - startedAt < GIVE_UP_MS;
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
      const isRecorded = await withinLimit(recording, CALLER_WAITS_MS);
      if (!isRecorded) throw new Refusal('unavailable', 'The answer could not be written yet; ask again.');
    },
    async drain(limitMs) {
      await withinLimit(Promise.allSettled(inFlight), limitMs);
    },
  };
}

/** Whether it was done in time. */
async function withinLimit(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  return Promise.race([work.then(() => true as const), over]).finally(() => clearTimeout(timer));
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
