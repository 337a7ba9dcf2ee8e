// Claims what is due and handles it, a bounded number at once and a second. Owns when, not what.
// `run` is for a process: it looks every so often and whenever it is woken. `tick` is for tests with a clock of their own.

const LOOK_EVERY_MS = 250;

interface WorkerOptions<Item> {
  /** Takes up to `most` due items, so that no other worker takes them. */
  claim(most: number): Promise<Item[]>;
  handle(item: Item): Promise<void>;
  atOnce: number;
  perSecond: number;
  now: () => number;
  /** An error of claim or handle: the item's lease runs out, and it comes again. */
  onError(error: unknown): void;
}

export interface Worker {
  /** Handles all that is due now; resolves with how many when they are done. */
  tick(): Promise<number>;
  /** Works until the returned function is called, which resolves when nothing is in hand. */
  run(): () => Promise<void>;
  wake(): void;
}

export function createWorker<Item>(options: WorkerOptions<Item>): Worker {
  const { claim, handle, atOnce, perSecond, now, onError } = options;
  const inHand = new Set<Promise<void>>();
  let begun: number[] = [];
  let woken = false;
  let endWait = (): void => undefined;

  function wake(): void {
    woken = true;
    endWait();
  }

  function wait(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, LOOK_EVERY_MS);
      endWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  function room(): number {
    begun = begun.filter((at) => at > now() - 1000);
    return Math.min(atOnce - inHand.size, perSecond - begun.length);
  }

  async function take(most: number): Promise<number> {
    const items = await claim(most);
    for (const item of items) {
      begun.push(now());
      const done = handle(item)
        .catch(onError)
        .finally(() => inHand.delete(done));
      inHand.add(done);
    }
    return items.length;
  }

  async function tick(): Promise<number> {
    let handled = 0;
    for (;;) {
      const taken = await take(atOnce);
      await Promise.all(inHand);
      handled += taken;
      if (taken === 0) return handled;
    }
  }

  function run(): () => Promise<void> {
    let stopped = false;
    const loop = (async () => {
      while (!stopped) {
        woken = false;
        const most = room();
        if (most > 0) await take(most).catch(onError);
        // A ring that came during the look may be of something it did not see.
        if (!woken) await wait();
      }
    })();
    return async () => {
      stopped = true;
      wake();
      await loop;
      await Promise.all(inHand);
    };
  }

  return { tick, run, wake };
}
