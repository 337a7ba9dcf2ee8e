// The parameters of every function that writes: the open database transaction and the facts about this write.
import type { Source } from '../protocol/transaction.ts';
import type { Db, Store } from './store.ts';

export interface WriteContext {
  tx: Db;
  store: Store;
  /** The database's clock when this transaction began, ms since 1970. */
  now: number;
  /** The cause of the write, for the history. */
  source: Source;
  /** Order ids whose view changed; their watchers are called after the commit. */
  touched: Set<string>;
  /** ORDER_ID_PREFIX, put before every id at the gateway. */
  idPrefix: string;
}
