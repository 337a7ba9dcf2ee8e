// Loads a subject's rows from PostgreSQL in one statement, saves changes in one, and has PostgreSQL's own SQL.
// The save locks each loaded row that it changes and checks that it is still the version that was loaded (`xmin`, which
// every update changes); if one is not, it changes nothing at all.
import { type CompiledQuery, sql as fragment } from 'kysely';
import { TYPES } from '../../protocol/transaction.ts';
import { MAY_HAVE_PROMPTED } from '../queries/work.ts';
import { IS_OF_ORDER } from '../schema/schema.ts';
import type { HistoryRow, OrderRow, Tables, TransactionRow } from '../schema/tables.ts';
import { changedColumns, type Change, type Changes, type Loaded, type Subject, type SqlDialect } from '../store.ts';

/** The server's clock, ms since 1970. Not `now()`, which stands still within a transaction. */
export const CLOCK = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

type Statement = Pick<CompiledQuery, 'sql' | 'parameters'>;

const ROWS = `select ${CLOCK} as now,
    row_to_json(o) as "order", o.xmin::text as order_xmin, row_to_json(t) as transaction, t.xmin::text as transaction_xmin,
    (select json_agg(h) from history h where h.transaction_id = t.id) as history`;
const ORDER = `left join orders o on o.order_id = $1 left join transactions t on t.order_id = o.order_id`;
const RESTORED_AT = `(select value from meta where key = 'restored_at') as restored_at`;
const ITS_ORDER = `left join orders o on o.order_id = t.order_id and ${IS_OF_ORDER}`;

/** The rows always begin with one that has the clock, even if nothing else was found. */
export function loadStatement(subject: Subject): Statement {
  if ('alone' in subject) {
    const sql = `select ${CLOCK} as now, null as "order", row_to_json(t) as transaction, t.xmin::text as transaction_xmin,
      null as history from (select 1) one left join transactions t on t.id = any($1)`;
    return { sql, parameters: [subject.alone] };
  }
  if ('transactions' in subject) {
    const sql = `${ROWS} from (select 1) one left join transactions t on t.id = any($1) ${ITS_ORDER}`;
    return { sql, parameters: [subject.transactions] };
  }
  if ('payout' in subject) {
    const sql = `${ROWS}, ${RESTORED_AT} from (select 1) one
      left join transactions t on t.id = $2 or t.order_id = $1 ${ITS_ORDER}`;
    return { sql, parameters: [subject.payout, subject.id] };
  }
  if (subject.prompts === undefined) {
    const restored = subject.restored ? `, ${RESTORED_AT}` : '';
    return { sql: `${ROWS}${restored} from (select 1) one ${ORDER} order by t.attempt`, parameters: [subject.order] };
  }
  const { customer, limit } = subject.prompts;
  const prompts = `(select json_agg(p) from (select customer_ref, created_at from transactions
    where customer = $2 and ${MAY_HAVE_PROMPTED} order by created_at desc limit $3) p) as prompts`;
  return {
    sql: `${ROWS}, ${prompts} from (select 1) one ${ORDER} order by t.attempt`,
    parameters: [subject.order, customer, limit],
  };
}

export interface LoadedRow {
  now: number;
  order: OrderRow | null;
  order_xmin?: string | null;
  transaction: TransactionRow | null;
  transaction_xmin: string | null;
  history: HistoryRow[] | null;
  prompts?: Loaded['prompts'] | null;
  restored_at?: string | null;
}

/** The version of each loaded row. */
export type Versions = WeakMap<object, string>;

export function toLoaded(subject: Subject, rows: readonly LoadedRow[], versions: Versions): Loaded {
  const orders = new Map<string, OrderRow>();
  const [first] = rows;
  const loaded: Loaded = {
    now: first?.now ?? Number.NaN,
    orders: [],
    transactions: [],
    history: [],
    prompts: first?.prompts ?? [],
    restoredAt: Number(first?.restored_at ?? 0),
  };
  for (const { order, order_xmin: orderVersion, transaction, transaction_xmin: version, history } of rows) {
    if (order !== null && !orders.has(order.order_id)) {
      orders.set(order.order_id, order);
      versions.set(order, orderVersion ?? '');
    }
    if (transaction === null || !isOf(subject, transaction)) continue;
    loaded.transactions.push(transaction);
    loaded.history.push(...(history ?? []));
    versions.set(transaction, version ?? '');
  }
  return { ...loaded, orders: [...orders.values()] };
}

/** The statement finds transactions by the order's id only: an index by type would return all of that type. */
function isOf(subject: Subject, { id, type }: TransactionRow): boolean {
  const { isOfOrder, isPayout } = TYPES[type];
  if ('order' in subject) return isOfOrder;
  return !('payout' in subject) || id === subject.id || isPayout;
}

/**
 * A commit that changes nothing. Once it is answered, all that was committed before it is durable too: a save that was
 * ended while it waited for a synchronous standby is only on this server until then.
 */
export const CONFIRM: Statement = {
  sql: `with touched as (update meta set value = value where key = 'database_id')
    select set_config('synchronous_commit', 'on', true)`,
  parameters: [],
};

/** Answers one row: `saved` is whether the changes were made. */
export function saveStatement(changes: Changes, versions: Versions): Statement {
  const parameters: unknown[] = [];
  const parameter = (value: unknown) => `$${parameters.push(value)}`;
  const locks: string[] = [];
  const parts: string[] = [];
  const part = (text: string, name = `part_${parts.length}`) => {
    parts.push(`${name} as (${text})`);
    return name;
  };
  const ifUnchanged = () => (locks.length === 0 ? '' : 'where (select saved from gate)');

  const lock = <Row extends object>(table: keyof Tables, key: keyof Row & string, { before }: Change<Row>) => {
    if (before === undefined) return;
    const isLoaded = `${key} = ${parameter(before[key])} and xmin::text = ${parameter(versions.get(before))}`;
    locks.push(`(select 1 from ${table} where ${isLoaded} for update)`);
  };
  const update = <Row extends object>(table: keyof Tables, key: keyof Row & string, change: Change<Row>) => {
    const columns = changedColumns(change).map((column) => `${column} = ${parameter(change.after[column])}`);
    const where = `${key} = ${parameter(change.after[key])} and (select saved from gate)`;
    part(`update ${table} set ${columns.join(', ')} where ${where}`);
  };
  const insert = (
    table: keyof Tables,
    rows: readonly object[],
    onConflict = '',
    instead: Record<string, string> = {},
  ) => {
    const [first] = rows;
    if (first === undefined) return;
    const columns = Object.keys(first);
    const values = columns.map((column) => instead[column] ?? column);
    const json = parameter(toJson(rows));
    part(`insert into ${table} (${columns.join(', ')}) select ${values.join(', ')}
      from json_populate_recordset(null::${table}, ${json}::json) ${ifUnchanged()} ${onConflict}`);
  };
  const add = (row: TransactionRow) => {
    // Not `matched = 0`: by that the planner would choose an index of all that match nothing.
    const isEarly = `transaction_id = ${parameter(row.id)} and matched <> 1`;
    const unchanged = locks.length === 0 ? '' : 'and (select saved from gate)';
    // As in sqlite/rows.ts: these IPNs came before the row and count as answered.
    const early = part(`update ipns set matched = 1 where ${isEarly} ${unchanged} returning 1`);
    insert('transactions', [row], '', {
      ipns_received: `(select count(*) from ${early})`,
      ipns_answered: `(select count(*) from ${early})`,
      ipn_received_at: `case when exists (select 1 from ${early}) then created_at else ipn_received_at end`,
    });
  };

  const { orders, transactions, history, webhooks, ipn } = changes;
  for (const order of orders) lock('orders', 'order_id', order);
  for (const transaction of transactions) lock('transactions', 'id', transaction);
  for (const order of orders) {
    if (order.before === undefined) insert('orders', [order.after]);
    else update('orders', 'order_id', order);
  }
  for (const transaction of transactions) {
    if (transaction.before === undefined) add(transaction.after);
    else update('transactions', 'id', transaction);
  }
  insert('history', history, 'on conflict do nothing');
  insert('webhooks', webhooks, 'on conflict do nothing');
  if (ipn !== undefined) insert('ipns', [ipn], COUNTED);

  const gate = locks.length === 0 ? 'true' : locks.map((each) => `exists ${each}`).join(' and ');
  // Set again with each save, because a pooler may have put the session on another connection.
  const settings = `select set_config('synchronous_commit', 'on', true), saved from gate`;
  return {
    sql: `with ${[`gate as materialized (select ${gate} as saved)`, ...parts].join(', ')} ${settings}`,
    parameters,
  };
}

/** PostgreSQL refuses half of a surrogate pair in JSON; in any other text, the driver replaces it just so. */
function toJson(rows: readonly object[]): string {
  const text = JSON.stringify(rows);
  if (!text.includes('\\ud')) return text;
  return JSON.stringify(rows, (_, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value));
}

/** The same body again is counted. */
const COUNTED = `on conflict (id) do update set seen = ipns.seen + 1, last_at = excluded.last_at, n = excluded.n,
  matched = greatest(ipns.matched, excluded.matched)`;

/** Whether the loaded rows are as these changes would have left them. */
export function isSaved({ orders, transactions }: Changes, loaded: Loaded): boolean {
  const isAsChanged = <R extends object>(change: Change<R>, rows: readonly R[], key: keyof R) => {
    const row = rows.find((each) => each[key] === change.after[key]);
    return row !== undefined && changedColumns(change).every((column) => row[column] === change.after[column]);
  };
  return (
    orders.length + transactions.length > 0 &&
    orders.every((change) => isAsChanged(change, loaded.orders, 'order_id')) &&
    transactions.every((change) => isAsChanged(change, loaded.transactions, 'id'))
  );
}

// What PostgreSQL writes in its own way.

export const POSTGRES_SQL: SqlDialect = {
  clock: () => fragment.raw(CLOCK),
  skipsLocked: true,
  // `in` is planned as a join, which may read the whole table if the planner expects many.
  among: (few) => fragment`= any(array${few})`,
  checksWith: (now, most) => fragment`((case when json_array_length(checks::json) >= ${most} then checks::jsonb - 0
    else checks::jsonb end) || jsonb_build_object('at', ${now}::bigint, 'byIpn', ipns_received > ipns_answered))::text`,
  movingTogether: () => fragment``,
};
