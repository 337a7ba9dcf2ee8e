// What every function that writes is given: the open database transaction, and what one write knows about itself.
import type { Source } from '../protocol/transaction.ts';
import type { Db, Store } from './store.ts';

export interface WriteContext {
  tx: Db;
  store: Store;
  /** The database's clock as this transaction began, ms since 1970. */
  now: number;
  /** Who or what caused the write; goes into the history. */
  source: Source;
  /** Order ids whose view changed; their watchers are called after the commit. */
  touched: Set<string>;
  /** ORDER_ID_PREFIX: put before every id at the gateway. */
  idPrefix: string;
}
