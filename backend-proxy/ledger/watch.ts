// Calls watchers after a commit that changed their order, without saying what changed. Changes by other processes
// arrive by the store's announcements, which may be lost, and by a poll of the versions, which finds them all.
import type { Store } from './store.ts';

const POLL_MS = 1_000;
const MAX_ORDERS_PER_QUERY = 500;

export function createWatch(store: Store) {
  const listeners = new Map<string, Set<() => void>>();
  const versions = new Map<string, number>();
  let polling = false;

  function notify(orderId: string): void {
    for (const listener of listeners.get(orderId) ?? []) listener();
  }

  async function poll(): Promise<void> {
    if (polling || listeners.size === 0) return;
    polling = true;
    try {
      const watched = [...listeners.keys()];
      for (let from = 0; from < watched.length; from += MAX_ORDERS_PER_QUERY) {
        const rows = await store.db
          .selectFrom('orders')
          .select(['order_id', 'version'])
          .where('order_id', 'in', watched.slice(from, from + MAX_ORDERS_PER_QUERY))
          .execute();
        for (const { order_id, version } of rows) {
          if (!listeners.has(order_id) || versions.get(order_id) === version) continue;
          versions.set(order_id, version);
          notify(order_id);
        }
      }
    } catch {
      // The database is unavailable: the next poll tries again.
    } finally {
      polling = false;
    }
  }

  store.onAnnounced(notify);
  const timer = setInterval(() => void poll(), POLL_MS);
  timer.unref();

  return {
    add(orderId: string, onChange: () => void): () => void {
      const known = listeners.get(orderId) ?? new Set();
      listeners.set(orderId, known.add(onChange));
      return () => {
        known.delete(onChange);
        if (known.size > 0 || listeners.get(orderId) !== known) return;
        listeners.delete(orderId);
        versions.delete(orderId);
      };
    },
    changed(raised: ReadonlyMap<string, number>): void {
      if (raised.size === 0) return;
      const orderIds = [...raised.keys()];
      orderIds.forEach(notify);
      store.announce(orderIds);
    },
    close: () => clearInterval(timer),
  };
}
