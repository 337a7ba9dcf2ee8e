// Calls watchers after a commit that changed their order, with its new version. The version of each watched order is
// remembered, so that no change is reported twice. Changes by other processes are found by a poll of what changed
// lately. A commit that waited for a standby may show later than any poll looks back, so now and then the versions of
// all watched orders are read.
import type { Store } from './store.ts';

const POLL_MS = 1_000;
/**
 * A change is stamped when its rows are loaded, and seen by a poll once it is committed: up to two statements later, of
 * at most 10 s each (`statement_timeout`), and their round trips.
 */
const LOOK_BACK_MS = 25_000;
const POLLS_PER_READ_OF_ALL = 30;

type OnChange = (version: number) => void;

interface Watched {
  /** The last version that was reported to the watchers. */
  version: number | undefined;
  watchers: readonly OnChange[];
}

/** `time` is the clock of the stamps. */
export function createWatch(
  store: Pick<Store, 'changedSince'>,
  time: () => Promise<number>,
  versionsOf: (orderIds: readonly string[]) => Promise<ReadonlyMap<string, number>>,
) {
  const orders = new Map<string, Watched>();
  /** When the last successful poll began. */
  let polledAt = Infinity;
  let polling = false;
  let polls = 0;

  function tell(orderId: string, version: number): void {
    const order = orders.get(orderId);
    if (order === undefined || order.version === version) return;
    order.version = version;
    for (const watcher of order.watchers) watcher(version);
  }

  async function poll(): Promise<void> {
    if (polling) return;
    if (orders.size === 0) {
      polledAt = Infinity;
      return;
    }
    polling = true;
    try {
      const at = await time();
      // From the last successful poll, because a change may have been committed while the database did not answer us.
      for (const [orderId, version] of await store.changedSince(Math.min(at, polledAt) - LOOK_BACK_MS))
        tell(orderId, version);
      polledAt = at;
      polls += 1;
      if (polls % POLLS_PER_READ_OF_ALL === 0)
        for (const [orderId, version] of await versionsOf([...orders.keys()])) tell(orderId, version);
    } catch {
      // The database is unavailable: the next poll tries again.
    } finally {
      polling = false;
    }
  }

  const timer = setInterval(() => void poll(), POLL_MS);
  timer.unref();

  return {
    add(orderId: string, onChange: OnChange): () => void {
      const order = orders.get(orderId) ?? { version: undefined, watchers: [] };
      order.watchers = [...order.watchers, onChange];
      orders.set(orderId, order);
      return () => {
        order.watchers = order.watchers.filter((watcher) => watcher !== onChange);
        if (order.watchers.length === 0 && orders.get(orderId) === order) orders.delete(orderId);
      };
    },
    /** After a commit of this process: the new version of each order that it changed. */
    changed(versions: ReadonlyMap<string, number>): void {
      for (const [orderId, version] of versions) tell(orderId, version);
    },
    close: () => clearInterval(timer),
  };
}
