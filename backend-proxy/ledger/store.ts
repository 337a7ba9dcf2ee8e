// The ledger's storage port: queries, and writes that are durable once they resolve. sql-ledger.ts uses it; sqlite.ts
// and postgres.ts implement it.
import type { Kysely } from 'kysely';
import type { Tables } from './schema.ts';

export type Db = Kysely<Tables>;

export interface Store {
  db: Db;
  /**
   * Runs `op` in a transaction and resolves once it is durably committed; an error of `op` rolls back. `now` is the
   * database's clock (below) when the transaction began. The database may require another run of `op` (a deadlock), so
   * `op` does nothing outside `tx`. Throws `unavailable` if nothing was committed, or if that stays unknown for too
   * long.
   */
  write<T>(op: (tx: Db, now: number) => Promise<T>): Promise<T>;
  /** The single clock, ms since 1970: the database's if several hosts share it, else this host's. */
  time(): Promise<number>;
  /**
   * Whether rows locked by another transaction can be skipped (`for update skip locked`); SQLite locks the whole file.
   */
  skipsLocked: boolean;
  /** Locks the order, so that the second of two concurrent starts sees the first. */
  lockOrder(tx: Db, orderId: string): Promise<void>;
  /**
   * Locks the order of this payment before its row is changed: the same lock order everywhere, so that a start and a
   * report of one order wait for each other and never deadlock.
   */
  lockOrderOf(tx: Db, transactionId: string): Promise<void>;
  /** Locks the wallet, so that its prompts are counted one after the other. Taken after the order. */
  lockWallet(tx: Db, customer: string): Promise<void>;
  /**
   * Tells other processes that these orders changed. It only wakes their watchers; correctness does not depend on it.
   */
  announce(orderIds: readonly string[]): void;
  /** Calls back for announcements by other processes. */
  onAnnounced(listener: (orderId: string) => void): void;
  /** What an operator should change about the database. */
  warnings(): Promise<string[]>;
  close(): Promise<void>;
}
