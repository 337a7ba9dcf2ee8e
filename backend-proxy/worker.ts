// Claims what is due and handles it, a bounded number at once and at a pace. Owns when, not what.
// `run` is for a process: it looks every so often, whenever it is woken, and soon where more is due than there was room for. `tick`
// and `begin` are for tests with a clock of their own.
import type { CheckRate } from './check-rate.ts';

const LOOK_EVERY_MS = 250;
/** While there may be more: long enough for one claim to take several, where answers are quick. */
const LOOK_AGAIN_MS = 10;

const UNPACED = { room: () => Infinity, began: () => undefined, dueInMs: () => 0 };

interface WorkerOptions<Item> {
  /** Takes up to `most` due items, so that no other worker takes them. */
  claim(most: number): Promise<Item[]>;
  handle(item: Item): Promise<void>;
  atOnce: number;
  /** None: as fast as they are handled. */
  pace?: Pick<CheckRate, 'room' | 'began' | 'dueInMs'>;
  /** An error of claim or handle: the item's lease runs out, and it comes again. */
  onError(error: unknown): void;
}

export interface Worker {
  /** Handles all that is due now; resolves with how many when they are done. */
  tick(): Promise<number>;
  /** Begins what there is room for; resolves with the ms after which to look again. */
  begin(): Promise<number>;
  /** Works until the returned function is called, which resolves when nothing is in hand. */
  run(): () => Promise<void>;
  wake(): void;
}

export function createWorker<Item>(options: WorkerOptions<Item>): Worker {
  const { claim, handle, atOnce, pace = UNPACED, onError } = options;
  const inHand = new Set<Promise<void>>();
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

  function start(items: readonly Item[]): void {
    for (const item of items) {
      const done = handle(item)
        .catch(onError)
        .finally(() => inHand.delete(done));
      inHand.add(done);
    }
  }

  async function tick(): Promise<number> {
    let handled = 0;
    for (;;) {
      const items = await claim(atOnce);
      start(items);
      await Promise.all(inHand);
      handled += items.length;
      if (items.length === 0) return handled;
    }
  }

  async function begin(): Promise<number> {
    const most = Math.min(atOnce - inHand.size, pace.room());
    const items = most > 0 ? await claim(most) : [];
    pace.began(items.length);
    start(items);
    if (items.length < most) return LOOK_EVERY_MS;
    return Math.min(LOOK_EVERY_MS, Math.max(LOOK_AGAIN_MS, pace.dueInMs()));
  }

  async function look(): Promise<number> {
    try {
      return await begin();
    } catch (error) {
      onError(error);
      return LOOK_EVERY_MS;
    }
  }

  function run(): () => Promise<void> {
    let stopped = false;
    const loop = (async () => {
      while (!stopped) {
        woken = false;
        const againInMs = await look();
        // A ring that came during the look may be of something it did not see.
        if (!woken) await wait(againInMs);
      }
    })();
    return async () => {
      stopped = true;
      wake();
      await loop;
      await Promise.all(inHand);
    };
  }

  return { tick, begin, run, wake };
}
