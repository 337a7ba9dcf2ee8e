// What a database has to offer the books: queries, and writes that are durable when they resolve.
// The books (sql-ledger.ts) are written once over this; sqlite.ts and postgres.ts are the two that offer it.
import type { Kysely } from 'kysely';
import type { Tables } from './schema.ts';

export type Db = Kysely<Tables>;

export interface Store {
  db: Db;
  /**
   * Runs `op` in a transaction that is committed durably before this resolves; an error of `op` undoes all of it.
   * `now` is the books' clock (below) as this transaction began.
   * `op` may be run again where the database asks for it (a deadlock), so it does nothing outside `tx`.
   * Throws `unavailable` where nothing was committed, or where that could not be found out in time.
   */
  write<T>(op: (tx: Db, now: number) => Promise<T>): Promise<T>;
  /** The one clock of these books, ms since 1970: the database's where several hosts share it, else this host's. */
  time(): Promise<number>;
  /** Whether rows that another transaction holds can be passed over (`for update skip locked`); SQLite locks the whole file. */
  skipsLocked: boolean;
  /** Holds the order for this transaction, so that of two starts at once the second sees the first. */
  lockOrder(tx: Db, orderId: string): Promise<void>;
  /**
   * Holds the order that this transaction (payment) belongs to, before the payment's row is changed: the same order of locks
   * everywhere, so that a start and a report of the same order wait for each other and never cross.
   */
  lockOrderOf(tx: Db, transactionId: string): Promise<void>;
  /** Holds the wallet for this transaction, so that prompts for it are counted one after the other. Taken after the order. */
  lockWallet(tx: Db, customer: string): Promise<void>;
  /** Tells other processes that these orders changed; it only wakes them, nothing depends on it. */
  announce(orderIds: readonly string[]): void;
  /** Calls back for what other processes announce. */
  onAnnounced(listener: (orderId: string) => void): void;
  close(): Promise<void>;
}
