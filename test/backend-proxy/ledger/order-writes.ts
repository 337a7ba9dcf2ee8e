// The smallest writes of a store, without the ledger's rules, for tests of the stores.
import type { Changes, Store } from '../../../backend-proxy/ledger/store.ts';

export const ORDER = {
  amount_minor: 1,
  currency: 'EUR',
  version: 0,
  paid_by: null,
  seen_iat: null,
  seen_terms: null,
  closed_at: null,
  close_reason: null,
};
export const NOTHING: Changes = { orders: [], transactions: [], history: [], webhooks: [], ipn: undefined };

/** Writes a new order, or raises its version; returns the version before. `decided` is called each time it decides. */
export const raise = (store: Store, id: string, decided: () => void = () => undefined): Promise<number | undefined> =>
  store.write({ order: id }, ({ orders: [before] }) => {
    decided();
    const after = before === undefined ? { ...ORDER, order_id: id } : { ...before, version: before.version + 1 };
    return { changes: { ...NOTHING, orders: [{ before, after }] }, result: before?.version };
  });

/** All orders, each with its version, like `A3`. */
export const versions = async (store: Store): Promise<string[]> =>
  (await store.db.selectFrom('orders').select(['order_id', 'version']).orderBy('order_id').execute()).map(
    ({ order_id, version }) => `${order_id}${version}`,
  );
