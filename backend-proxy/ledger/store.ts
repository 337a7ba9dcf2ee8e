// The ledger's storage port: loads rows, and saves changes in commits that are durable once they resolve. ledger.ts
// uses it; sqlite.ts and postgres.ts implement it.
import type { CompiledQuery, Expression, Kysely, RawBuilder } from 'kysely';
import type { Warning } from '../protocol/log.ts';
import type { HistoryRow, IpnRow, OrderRow, Tables, TransactionRow, WebhookRow } from './schema/tables.ts';

export type Db = Kysely<Tables>;

/** The rows that one decision needs. Each kind is one statement on PostgreSQL, and a few on SQLite. */
export type Subject =
  /**
   * An order, its payments and their refunds. `prompts`: also the wallet's, for a start that sends one. `restored`:
   * also when the database was restored, for a refund.
   */
  | { order: string; prompts?: PromptQuery; restored?: true }
  /** The merchant's payout, any transaction with its id at the gateway, and when the database was restored. */
  | { payout: string; id: string }
  /** Transactions by id, each with its order. */
  | { transactions: readonly string[] }
  /** Transactions by id without order and history, for decisions that only plan checks. */
  | { alone: readonly string[] };

/** The newest payments that may have sent a prompt to this wallet. */
export interface PromptQuery {
  customer: string;
  limit: number;
}

export interface Loaded {
  /** The database's clock at the time of the load, ms since 1970. */
  now: number;
  orders: OrderRow[];
  /** Those of one order by attempt. */
  transactions: TransactionRow[];
  /** Of the transactions, in no order. */
  history: HistoryRow[];
  /** Newest first. */
  prompts: Pick<TransactionRow, 'customer_ref' | 'created_at'>[];
  /** ms since 1970; 0 if it never was, or if the subject does not ask. */
  restoredAt: number;
}

/** A row before and after; `before` is undefined for a new row. */
export interface Change<Row> {
  before: Row | undefined;
  after: Row;
}

/** The columns that differ from the loaded row; of a new row, all. */
export function changedColumns<Row extends object>({ before, after }: Change<Row>): (keyof Row & string)[] {
  const columns = Object.keys(after) as (keyof Row & string)[];
  return before === undefined ? columns : columns.filter((column) => after[column] !== before[column]);
}

/** What one write saves. Rows that stayed equal are not among them. */
export interface Changes {
  orders: Change<OrderRow>[];
  transactions: Change<TransactionRow>[];
  history: HistoryRow[];
  webhooks: WebhookRow[];
  /** Stored, or counted if the same body was received before. */
  ipn: IpnRow | undefined;
}

export interface Decision<T> {
  changes: Changes;
  result: T;
}

/** What the two databases write differently, for statements that mean the same on both. */
export interface SqlDialect {
  /** SQL for the store's clock, ms since 1970. */
  clock(): RawBuilder<number>;
  /**
   * Whether rows locked by another transaction can be skipped (`for update skip locked`); SQLite locks the whole file.
   */
  skipsLocked: boolean;
  /** SQL that follows a column: its value is among those of a subquery that returns few. Each is found by an index. */
  among(few: Expression<unknown>): RawBuilder<unknown>;
  /** SQL for the column `checks` with one more check that begins `now`; keeps the last `most`. */
  checksWith(now: number, most: number): RawBuilder<string>;
  /** SQL that follows the columns of an update which makes rows shorter, so that their space can be used by others. */
  movingTogether(table: 'transactions' | 'webhooks'): RawBuilder<unknown>;
}

/**
 * There are two ways to write. `write` is for all that a rule decides: it loads rows, and what the rule changed in them
 * is saved at once or not at all; the ledger then reports each event and wakes the watchers (ledger.ts). `execute`
 * is one statement of its own, for leases, deliveries, erasing and the rows of `meta`: as durable, and atomic for
 * itself, but it decides by its own conditions, raises no version, reports no event and wakes no watcher. So nothing is
 * announced before it is committed, and what `execute` commits is not announced at all.
 */
export interface Store {
  /** For lists and for building statements. Do not write with it: use `execute`. */
  db: Db;
  sql: SqlDialect;
  /** Where the database is and what it costs, for the log; without user and password. */
  place: Readonly<Record<string, unknown>>;
  /**
   * Loads the subject, lets `decide` change its rows, and saves the changes in one durable commit. The commit happens
   * only if every row to change is still as it was loaded; otherwise `decide` runs again on the newer rows. So
   * `decide` only looks at what it is given, and what it concludes from an order's other payments, it writes to the
   * order as well. An error that it throws changes nothing. `taken` holds ids of new transactions that
   * turned out to be in use. Throws `unavailable` if nothing was committed, or if that stays unknown for too long.
   */
  write<T>(subject: Subject, decide: (loaded: Loaded, taken: ReadonlySet<string>) => Decision<T>): Promise<T>;
  load(subject: Subject): Promise<Loaded>;
  /** Runs one statement in a durable commit. `undo` runs if its answer is lost, because it may have been committed. */
  execute<Row>(query: CompiledQuery<Row>, undo?: CompiledQuery): Promise<Row[]>;
  /** The single clock, ms since 1970: the database's if several hosts share it, else this host's. */
  time(): Promise<number>;
  /**
   * The orders with a transaction stamped at or after this time, and their versions. What only this process has
   * committed may be missing.
   */
  changedSince(since: number): Promise<Map<string, number>>;
  /** Really writes, because a full or missing disk may answer reads for a long time. */
  ping(): Promise<void>;
  /** Returns a little of the file's unused space to the file system; false if there is none, and on PostgreSQL. */
  shrink(): Promise<boolean>;
  /** On the disk of the database file; undefined if the database is not a file here. */
  freeBytes(): number | undefined;
  /** What an operator should change about the database. */
  warnings(): Promise<Warning[]>;
  close(): Promise<void>;
}
