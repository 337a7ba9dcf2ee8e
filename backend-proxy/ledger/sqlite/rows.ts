// Loads a subject's rows from SQLite, saves changes within the open transaction, and has SQLite's own SQL.
// Synchronous.
import type { SQLInputValue } from 'node:sqlite';
import { sql } from 'kysely';
import { TYPES } from '../../protocol/transaction.ts';
import { MAY_HAVE_PROMPTED } from '../queries/work.ts';
import { IS_OF_ORDER } from '../schema/schema.ts';
import type { HistoryRow, IpnRow, MetaRow, OrderRow, Tables, TransactionRow } from '../schema/tables.ts';
import {
  changedColumns,
  type Change,
  type Changes,
  type Loaded,
  type PromptQuery,
  type Subject,
  type SqlDialect,
} from '../store.ts';
import type { Prepare } from './commit-queue.ts';

type Row = Record<string, SQLInputValue>;

interface Insert {
  columns: string[];
  text: string;
}

export class Rows {
  readonly #prepare: Prepare;
  readonly #inserts = new Map<keyof Tables, Insert>();

  constructor(prepare: Prepare) {
    this.#prepare = prepare;
  }

  load(subject: Subject): Loaded {
    const now = Date.now();
    if ('order' in subject) {
      const orders = this.#orderOf(subject.order);
      // Most starts are an order's first: without its row there are no payments.
      const transactions = orders.length === 0 ? [] : this.#ofOrder(subject.order, 'isOfOrder');
      transactions.sort((a, b) => a.attempt - b.attempt);
      const prompts = subject.prompts === undefined ? [] : this.#promptsOf(subject.prompts);
      const history = transactions.flatMap((row) => this.#historyOf(row));
      return { now, orders, transactions, history, prompts, restoredAt: subject.restored ? this.#restoredAt() : 0 };
    }
    if ('alone' in subject) {
      const transactions = subject.alone.flatMap((id) => this.#byId(id));
      return { now, orders: [], transactions, history: [], prompts: [], restoredAt: 0 };
    }
    const transactions =
      'payout' in subject
        ? [...this.#ofOrder(subject.payout, 'isPayout'), ...this.#byId(subject.id)]
        : subject.transactions.flatMap((id) => this.#byId(id));
    const distinct = [...new Map(transactions.map((row) => [row.id, row])).values()];
    const orderIds = distinct.flatMap((row) => (TYPES[row.type].isOfOrder ? [row.order_id] : []));
    return {
      now,
      orders: [...new Set(orderIds)].flatMap((orderId) => this.#orderOf(orderId)),
      transactions: distinct,
      history: distinct.flatMap((row) => this.#historyOf(row)),
      prompts: [],
      restoredAt: 'payout' in subject ? this.#restoredAt() : 0,
    };
  }

  /** What belongs to an order, or the payout. The type is compared here: SQLite might search an index for it. */
  #ofOrder(orderId: string, trait: 'isOfOrder' | 'isPayout'): TransactionRow[] {
    const rows = this.#all<TransactionRow>('select * from transactions where order_id = ?', orderId);
    return rows.filter(({ type }) => TYPES[type][trait]);
  }

  #promptsOf({ customer, limit }: PromptQuery): Loaded['prompts'] {
    return this.#all(
      `select customer_ref, created_at from transactions where customer = ? and ${MAY_HAVE_PROMPTED}
        order by created_at desc limit ?`,
      customer,
      limit,
    );
  }

  #restoredAt(): number {
    const [row] = this.#all<MetaRow>(`select * from meta where key = 'restored_at'`);
    return Number(row?.value ?? 0);
  }

  changedSince(since: number): Map<string, number> {
    const changed = this.#all<{ order_id: string; version: number }>(
      `select o.order_id, o.version from transactions t join orders o on o.order_id = t.order_id
        where ${IS_OF_ORDER} and t.updated_at >= ?
      union all select order_id, version from orders where closed_at >= ?`,
      since,
      since,
    );
    return new Map(changed.map(({ order_id, version }) => [order_id, version]));
  }

  save({ orders, transactions, history, webhooks, ipn }: Changes): void {
    for (const order of orders) this.#saveRow('orders', 'order_id', order);
    for (const transaction of transactions) {
      this.#saveRow('transactions', 'id', transaction);
      if (transaction.before === undefined) this.#matchEarlyIpns(transaction.after);
    }
    for (const row of history) this.#insert('history', row, 'on conflict do nothing');
    for (const row of webhooks) this.#insert('webhooks', row, 'on conflict do nothing');
    if (ipn !== undefined) this.#saveIpn(ipn);
  }

  #saveRow<R extends object>(table: keyof Tables, key: keyof R & string, change: Change<R>): void {
    if (change.before === undefined) return this.#insert(table, change.after);
    const columns = changedColumns(change);
    const row = change.after as unknown as Row;
    const text = `update ${table} set ${columns.map((column) => `${column} = ?`).join(', ')} where ${key} = ?`;
    this.#prepare(text).run(...columns.map((column) => row[column] as SQLInputValue), row[key] as SQLInputValue);
  }

  #insert(table: keyof Tables, row: object, onConflict = ''): void {
    const { columns, text } = this.#inserts.get(table) ?? this.#prepareInsert(table, Object.keys(row), onConflict);
    this.#prepare(text).run(...columns.map((column) => (row as Row)[column] as SQLInputValue));
  }

  /** Rows of one table always have the same columns. */
  #prepareInsert(table: keyof Tables, columns: string[], onConflict: string): Insert {
    const values = columns.map(() => '?').join(', ');
    const made = { columns, text: `insert into ${table} (${columns.join(', ')}) values (${values}) ${onConflict}` };
    this.#inserts.set(table, made);
    return made;
  }

  /**
   * IPNs may have arrived before the row. They cannot be about a POST that we have not sent, so they count as answered.
   * The answer to our POST may say that the id is a duplicate; after any other, `ipn_received_at` makes the checks
   * frequent.
   */
  #matchEarlyIpns({ id, created_at: createdAt }: TransactionRow): void {
    const { changes } = this.#prepare('update ipns set matched = 1 where transaction_id = ? and matched <> 1').run(id);
    if (changes === 0) return;
    this.#prepare('update transactions set ipn_received_at = ?, ipns_received = ?, ipns_answered = ? where id = ?').run(
      createdAt,
      changes,
      changes,
      id,
    );
  }

  #saveIpn(ipn: IpnRow): void {
    this.#insert(
      'ipns',
      ipn,
      `on conflict (id) do update set seen = seen + 1, last_at = excluded.last_at, n = excluded.n,
        matched = max(matched, excluded.matched)`,
    );
  }

  #all<R>(text: string, ...parameters: SQLInputValue[]): R[] {
    return this.#prepare(text).all(...parameters) as R[];
  }

  #orderOf(orderId: string): OrderRow[] {
    return this.#all('select * from orders where order_id = ?', orderId);
  }

  #historyOf({ id }: TransactionRow): HistoryRow[] {
    return this.#all('select * from history where transaction_id = ?', id);
  }

  #byId(id: string): TransactionRow[] {
    return this.#all('select * from transactions where id = ?', id);
  }
}

// What SQLite writes in its own way.

export const SQLITE_SQL: SqlDialect = {
  clock: () => sql`${Date.now()}`,
  // BEGIN IMMEDIATE locks the whole file.
  skipsLocked: false,
  among: (few) => sql`in ${few}`,
  checksWith: (now, most) => sql`json_insert(
    case when json_array_length(checks) >= ${most} then json_remove(checks, '$[0]') else checks end, '$[#]',
    json_object('at', cast(${now} as integer), 'byIpn', json(iif(ipns_received > ipns_answered, 'true', 'false'))))`,
  // What a shorter row leaves in its page stays unused. A row that gets another number is taken out and put beside
  // the others, which frees whole pages. The highest number stays, because the next row gets the one after it.
  movingTogether: (table) => sql`, rowid = case rowid
    when (select max(rowid) from ${sql.table(table)}) then rowid else -abs(rowid) end`,
};
