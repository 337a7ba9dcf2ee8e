// Claims due items and handles them, with a limit on concurrency and rate.
// `run` polls at an interval, when woken, and soon again if more may be due. `tick` and `begin` are for tests with a
// virtual clock.
import type { CheckRate } from './check-rate.ts';

const POLL_EVERY_MS = 250;
/** Poll interval while more may be due: long enough for one claim to take several items. */
const POLL_AGAIN_MS = 10;

const UNLIMITED = { available: () => Infinity, take: () => undefined, availableInMs: () => 0 };

interface WorkerOptions<Item> {
  /** Claims up to `most` due items, so that no other worker takes them. */
  claim(most: number): Promise<Item[]>;
  handle(item: Item): Promise<void>;
  atOnce: number;
  /** Default: unlimited. */
  rate?: Pick<CheckRate, 'available' | 'take' | 'availableInMs'>;
  /** Called with an error of `claim` or `handle`; the item becomes due again when its lease ends. */
  onError(error: unknown): void;
}

export interface Worker {
  /** Handles everything due now; resolves with the number of items. */
  tick(): Promise<number>;
  /** Begins as many items as the limits allow; resolves with the milliseconds until the next poll. */
  begin(): Promise<number>;
  /** Runs until the returned function is called, which resolves when no item is in flight. */
  run(): () => Promise<void>;
  wake(): void;
}

/** For items that are claimed elsewhere, in the commit that makes them due. */
export interface Reserving<Item> {
  /** Whether one item may begin now; then `handle` or `release` has to follow. False unless the worker runs. */
  reserve(): boolean;
  handle(item: Item): void;
  release(): void;
}

export function createWorker<Item>(options: WorkerOptions<Item>): Worker & Reserving<Item> {
  const { claim, handle, atOnce, rate = UNLIMITED, onError } = options;
  const inFlight = new Set<Promise<void>>();
  let reserved = 0;
  let isRunning = false;
  const loop = createLoop(beginSafely);

  function start(items: readonly Item[]): void {
    for (const item of items) {
      const done = handle(item)
        .catch(onError)
        .finally(() => inFlight.delete(done));
      inFlight.add(done);
    }
  }

  async function tick(): Promise<number> {
    let handled = 0;
    for (;;) {
      const items = await claim(atOnce);
      start(items);
      await Promise.all(inFlight);
      handled += items.length;
      if (items.length === 0) return handled;
    }
  }

  async function begin(): Promise<number> {
    const most = Math.min(atOnce - inFlight.size - reserved, rate.available());
    const items = most > 0 ? await claim(most) : [];
    rate.take(items.length);
    start(items);
    if (items.length < most) return POLL_EVERY_MS;
    return Math.min(POLL_EVERY_MS, Math.max(POLL_AGAIN_MS, rate.availableInMs()));
  }

  async function beginSafely(): Promise<number> {
    try {
      return await begin();
    } catch (error) {
      onError(error);
      return POLL_EVERY_MS;
    }
  }

  function reserve(): boolean {
    if (!isRunning || inFlight.size + reserved >= atOnce || rate.available() < 1) return false;
    rate.take(1);
    reserved += 1;
    return true;
  }

  function release(): void {
    rate.take(-1);
    reserved -= 1;
  }

  function handleReserved(item: Item): void {
    reserved -= 1;
    start([item]);
  }

  function run(): () => Promise<void> {
    isRunning = true;
    const stop = loop.run();
    return async () => {
      isRunning = false;
      await stop();
      while (inFlight.size + reserved > 0) {
        await Promise.all(inFlight);
        if (reserved > 0) await loop.wait(POLL_AGAIN_MS);
      }
    };
  }

  return { tick, begin, run, wake: loop.wake, reserve, handle: handleReserved, release };
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
