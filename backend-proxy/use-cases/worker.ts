// Claims due items and handles them, with a limit on concurrency and rate.
// `run` polls at an interval, when woken, and soon again if more may be due. `tick` and `begin` are for tests with a
// virtual clock.
import type { CheckRate } from './check-rate.ts';

/** What this process makes due wakes the worker; a poll finds what comes by the clock, or from other processes. */
const POLL_EVERY_MS = 1_000;
/** Poll interval while more may be due: long enough for one claim to take several items. */
const POLL_AGAIN_MS = 10;
/**
 * How long a claim holds without a sign of life: what a killed process was doing is taken up this soon. What takes
 * longer is prolonged.
 */
export const LEASE_MS = 5_000;
const PROLONG_EVERY_MS = 1_500;

const monotonic = () => performance.now();
const UNLIMITED = { available: () => Infinity, take: () => undefined, availableInMs: () => 0 };

interface WorkerOptions<Item> {
  /** Claims up to `most` due items, so that no other worker takes them. */
  claim(most: number): Promise<Item[]>;
  /** One in flight here does not begin again, even if its lease ended because the process stood still. */
  idOf(item: Item): string;
  handle(item: Item): Promise<void>;
  /** Keeps claimed items for another LEASE_MS. Default: none takes longer. */
  prolong?(items: readonly Item[]): Promise<void>;
  atOnce: number;
  /** Default: unlimited. */
  rate?: Pick<CheckRate, 'available' | 'take' | 'availableInMs'>;
  /** Called with an error of `claim` or `handle`; the item becomes due again when its lease ends. */
  onError(error: unknown): void;
  pollEveryMs?: number;
  /** A monotonic clock, ms. */
  elapsed?: (() => number) | undefined;
}

export interface Worker {
  /** Handles everything due now; resolves with the number of items. */
  tick(): Promise<number>;
  /** Begins as many items as the limits allow; resolves with the milliseconds until the next poll. */
  begin(): Promise<number>;
  /** Runs until the returned function is called, which resolves when no item is in flight. */
  run(): () => Promise<void>;
  wake(): void;
  /** Keeps what takes long; `run` does so at an interval. */
  prolong(): Promise<void>;
}

/** For items that are claimed elsewhere, in the commit that makes them due. */
export interface Reserving<Item> {
  /** Whether one item may begin now; then `handle` or `release` has to follow. False unless the worker runs. */
  reserve(): boolean;
  /** Resolves when it was handled. */
  handle(item: Item): Promise<void>;
  release(): void;
}

export function createWorker<Item>(options: WorkerOptions<Item>): Worker & Reserving<Item> {
  const { claim, atOnce, rate = UNLIMITED, elapsed = monotonic, pollEveryMs = POLL_EVERY_MS, onError } = options;
  const { start, ...inFlight } = createInFlight({ ...options, elapsed });
  let reserved = 0;
  let claimedAt = -Infinity;
  let isRunning = false;
  const loop = createLoop(beginSafely);

  async function tick(): Promise<number> {
    let handled = 0;
    for (;;) {
      const items = await claim(atOnce);
      start(items);
      await inFlight.end();
      handled += items.length;
      if (items.length === 0) return handled;
    }
  }

  async function begin(): Promise<number> {
    isRunning = true;
    const most = Math.max(0, Math.min(atOnce - inFlight.size() - reserved, rate.available()));
    // Even none, now and then: a claim also looks at what else has changed.
    const isLook = elapsed() - claimedAt >= pollEveryMs;
    if (most > 0 || isLook) claimedAt = elapsed();
    const items = most > 0 || isLook ? await claim(most) : [];
    rate.take(items.length);
    start(items);
    if (items.length < most) return pollEveryMs;
    return Math.min(pollEveryMs, Math.max(POLL_AGAIN_MS, rate.availableInMs()));
  }

  async function beginSafely(): Promise<number> {
    try {
      return await begin();
    } catch (error) {
      onError(error);
      return pollEveryMs;
    }
  }

  function reserve(): boolean {
    if (!isRunning || inFlight.size() + reserved >= atOnce || rate.available() < 1) return false;
    rate.take(1);
    reserved += 1;
    return true;
  }

  function release(): void {
    rate.take(-1);
    reserved -= 1;
  }

  function handleReserved(item: Item): Promise<void> {
    reserved -= 1;
    start([item]);
    return inFlight.endOf(item);
  }

  function run(): () => Promise<void> {
    isRunning = true;
    const stop = loop.run();
    const prolonging = setInterval(() => void inFlight.prolong(), PROLONG_EVERY_MS);
    return async () => {
      isRunning = false;
      await stop();
      while (inFlight.size() + reserved > 0) {
        await inFlight.end();
        if (reserved > 0) await loop.wait(POLL_AGAIN_MS);
      }
      clearInterval(prolonging);
    };
  }

  const { prolong } = inFlight;
  return { tick, begin, run, prolong, wake: loop.wake, reserve, handle: handleReserved, release };
}

/** What is being handled. */
function createInFlight<Item>({
  idOf,
  handle,
  prolong = async () => undefined,
  onError,
  elapsed = monotonic,
}: WorkerOptions<Item>) {
  /** By id, with when it began, and its end. */
  const inFlight = new Map<string, { item: Item; since: number; done: Promise<void> }>();
  return {
    size: () => inFlight.size,
    endOf: (item: Item) => inFlight.get(idOf(item))?.done ?? Promise.resolve(),
    /** Resolves when those in flight now have ended. */
    end: () => Promise.all([...inFlight.values()].map(({ done }) => done)),
    start(items: readonly Item[]): void {
      for (const item of items) {
        const id = idOf(item);
        if (inFlight.has(id)) continue;
        const done = handle(item)
          .catch(onError)
          .finally(() => void inFlight.delete(id));
        inFlight.set(id, { item, since: elapsed(), done });
      }
    },
    /** If it fails, the lease ends: the item is handled once more. */
    async prolong(): Promise<void> {
      const before = elapsed() - PROLONG_EVERY_MS;
      const items = [...inFlight.values()].flatMap(({ item, since }) => (since <= before ? [item] : []));
      if (items.length > 0) await prolong(items).catch(() => undefined);
    },
  };
}

/** Repeats the work after the milliseconds with which it resolves, and at once when woken. */
function createLoop(work: () => Promise<number>) {
  let woken = false;
  let endWait = (): void => undefined;

  function wake(): void {
    woken = true;
    endWait();
  }

  function wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      endWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  function run(): () => Promise<void> {
    let stopped = false;
    const ended = (async () => {
      while (!stopped) {
        woken = false;
        const nextInMs = await work();
        // `wake()` during a claim may concern an item that the claim missed.
        if (!woken) await wait(nextInMs);
      }
    })();
    return async () => {
      stopped = true;
      wake();
      await ended;
    };
  }

  return { run, wait, wake };
}
