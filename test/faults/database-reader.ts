// Reads the proxy's database from outside, without the proxy's code. compare-records.ts and the test for hostile input
// depend on it.
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

export interface TransactionRow {
  id: string;
  type: 'PAY' | 'PAYOUT' | 'REFUND';
  order_id: string;
  amount_minor: number;
  currency: string;
  idempotency_key: string | null;
  rank: number;
  payment_id: string | null;
  late: number;
  surplus: number;
  after_close: number;
  mismatch: number;
  conflict: number;
  needs_review: number;
  /** How its POST ended; `duplicate` marks it permanently. */
  answer: string | null;
}

export interface OrderRow {
  order_id: string;
  paid_by: string | null;
  version: number;
}

export interface DatabaseRows {
  orders: OrderRow[];
  transactions: TransactionRow[];
  history: { transaction_id: string; event: string }[];
  ipns: { id: string; transaction_id: string | null; matched: number; seen: number }[];
  webhooks: { id: string; transaction_id: string; order_id: string; type: string; state: string; attempts: number }[];
}

const COLUMNS = {
  orders: 'order_id, paid_by, version',
  transactions:
    'id, type, order_id, amount_minor, currency, idempotency_key, rank, payment_id, late, surplus, after_close, mismatch, conflict, needs_review, answer',
  history: 'transaction_id, event',
  ipns: 'id, transaction_id, matched, seen',
  webhooks: 'id, transaction_id, order_id, type, state, attempts',
} as const satisfies Record<keyof DatabaseRows, string>;

/** `file:PATH` or `postgres://…`. */
export async function readDatabase(url: string): Promise<DatabaseRows> {
  const { query, close } = await open(url);
  try {
    const entries: [string, unknown[]][] = [];
    for (const [table, columns] of Object.entries(COLUMNS)) {
      entries.push([table, await query(`select ${columns} from ${table} order by ${columns}`)]);
    }
    return Object.fromEntries(entries) as unknown as DatabaseRows;
  } finally {
    await close();
  }
}

export interface DueTimes {
  /** The earliest time after `now` at which a check or a webhook's next try is due. */
  nextDueAt(now: number): Promise<number | null>;
  close(): Promise<void>;
}

export async function openDueTimes(url: string): Promise<DueTimes> {
  const { query, close } = await open(url);
  return {
    close,
    async nextDueAt(now) {
      const [row] = await query(
        `select min(at) as at from (
           select case when lease_until > next_check_at then lease_until else next_check_at end as at from transactions
           union all
           select case when lease_until > next_at then lease_until else next_at end from webhooks where state = 'pending'
         ) as due where at > ${Math.floor(now)}`,
      );
      return (row as { at: number | null } | undefined)?.at ?? null;
    },
  };
}

async function open(url: string): Promise<{ query: (sql: string) => Promise<unknown[]>; close: () => Promise<void> }> {
  if (url.startsWith('file:')) {
    const database = new DatabaseSync(url.slice('file:'.length), { readOnly: true, timeout: 5_000 });
    return {
      query: (text) => Promise.resolve(database.prepare(text).all()),
      close: () => Promise.resolve(database.close()),
    };
  }
  const client = new Client({ connectionString: url });
  await client.connect();
  return {
    // `pg` returns bigints as text; all of ours are safe integers.
    query: async (text) => (await client.query(text)).rows.map(numbersIn),
    close: () => client.end(),
  };
}

const TEXT = new Set([
  'id',
  'order_id',
  'payment_id',
  'paid_by',
  'idempotency_key',
  'currency',
  'transaction_id',
  'event',
  'state',
  'type',
  'answer',
]);

function numbersIn(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'string' && !TEXT.has(name) ? Number(value) : value,
    ]),
  );
}
