// The ledger's tables and how they come to be: the same in SQLite and PostgreSQL. Times are ms since 1970, money is
// integer minor units, flags are 0 or 1. A change to the tables is a new migration at the end, never an edited one.
import { sql, type Kysely, type Selectable } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import type { Flag, Source, Stage, TransactionType } from '../protocol/transaction.ts';
import type { WebhookType } from '../protocol/views.ts';
import type { Method } from '../protocol/wire.ts';
import type { WebhookState } from './ledger.ts';

export interface Tables {
  orders: OrdersTable;
  transactions: TransactionsTable;
  history: HistoryTable;
  ipns: IpnsTable;
  webhooks: WebhooksTable;
}

interface OrdersTable {
  order_id: string;
  amount_minor: number | null;
  currency: string;
  version: number;
  /** The transaction that paid it: set once. */
  paid_by: string | null;
}

interface TransactionsTable {
  id: string;
  type: TransactionType;
  order_id: string;
  attempt: number;
  /** The method asked for; `method` is the one in use. */
  asked: Method | null;
  method: Method | null;
  amount_minor: number;
  currency: string;
  customer: string | null;
  note: string | null;
  idempotency_key: string | null;
  fingerprint: string;
  rank: number;
  /** The rank before the last raise, so that the update itself can tell what it changed. */
  prior_rank: number;
  payment_id: string | null;
  checkout_url: string | null;
  qr: string | null;
  app_url: string | null;
  expires_at: number | null;
  late: number;
  surplus: number;
  mismatch: number;
  conflict: number;
  needs_review: number;
  created_at: number;
  updated_at: number;
  sent_at: number | null;
  rung_at: number | null;
  unknown_at: number | null;
  failed_at: number | null;
  /** JSON array: when the last checks began. */
  checks: string;
  next_check_at: number | null;
  lease_until: number;
}
export type TransactionRow = Selectable<TransactionsTable>;

interface HistoryTable {
  transaction_id: string;
  event: Stage | Flag;
  at: number;
  source: Source;
  detail: string | null;
}

interface IpnsTable {
  id: string;
  /** Null in quarantine: the body could not be read. */
  order_id: string | null;
  reading: string | null;
  body: string;
  matched: number;
  seen: number;
  first_at: number;
  last_at: number;
}

interface WebhooksTable {
  id: string;
  transaction_id: string;
  order_id: string;
  type: WebhookType;
  body: string;
  state: WebhookState;
  attempts: number;
  next_at: number;
  lease_until: number;
  last_answer: string | null;
  created_at: number;
}
export type WebhookRow = Selectable<WebhooksTable>;

export type Dialect = 'sqlite' | 'postgres';

/**
 * Brings the tables up to the newest migration, or leaves them as they were. Safe to call from several processes at once:
 * Kysely locks and wraps it for PostgreSQL; for SQLite it does neither, and a kill halfway would leave half the tables.
 */
export async function migrate(db: Kysely<Tables>, dialect: Dialect): Promise<void> {
  if (dialect === 'postgres') return migrateToLatest(db, dialect);
  await db.connection().execute(async (tx) => {
    await sql`begin immediate`.execute(tx);
    try {
      await migrateToLatest(tx, dialect);
      await sql`commit`.execute(tx);
    } catch (error) {
      await sql`rollback`.execute(tx);
      throw error;
    }
  });
}

async function migrateToLatest(db: Kysely<Tables>, dialect: Dialect): Promise<void> {
  const provider = { getMigrations: () => Promise.resolve(migrations(dialect)) };
  const { error } = await new Migrator({ db, provider }).migrateToLatest();
  if (error !== undefined) throw new Error('The ledger could not be migrated', { cause: error });
}

function migrations(dialect: Dialect): Record<string, Migration> {
  const int = dialect === 'sqlite' ? 'integer' : 'bigint';
  const table = (db: Kysely<unknown>, name: string) =>
    dialect === 'sqlite' ? db.schema.createTable(name).modifyEnd(sql`strict`) : db.schema.createTable(name);

  return {
    '2026-11-first-books': {
      async up(db: Kysely<unknown>) {
        await table(db, 'orders')
          .addColumn('order_id', 'text', (c) => c.primaryKey().notNull())
          .addColumn('amount_minor', int)
          .addColumn('currency', 'text', (c) => c.notNull())
          .addColumn('version', int, (c) => c.notNull())
          .addColumn('paid_by', 'text')
          .execute();
        await table(db, 'transactions')
          .addColumn('id', 'text', (c) => c.primaryKey().notNull())
          .addColumn('type', 'text', (c) => c.notNull().check(sql`type in ('PAY', 'PAYOUT')`))
          .addColumn('order_id', 'text', (c) => c.notNull())
          .addColumn('attempt', int, (c) => c.notNull())
          .addColumn('asked', 'text')
          .addColumn('method', 'text')
          .addColumn('amount_minor', int, (c) => c.notNull().check(sql`amount_minor > 0`))
          .addColumn('currency', 'text', (c) => c.notNull())
          .addColumn('customer', 'text')
          .addColumn('note', 'text')
          .addColumn('idempotency_key', 'text')
          .addColumn('fingerprint', 'text', (c) => c.notNull())
          .addColumn('rank', int, (c) => c.notNull())
          .addColumn('prior_rank', int, (c) => c.notNull())
          .addColumn('payment_id', 'text')
          .addColumn('checkout_url', 'text')
          .addColumn('qr', 'text')
          .addColumn('app_url', 'text')
          .addColumn('expires_at', int)
          .addColumn('late', int, (c) => c.notNull().defaultTo(0))
          .addColumn('surplus', int, (c) => c.notNull().defaultTo(0))
          .addColumn('mismatch', int, (c) => c.notNull().defaultTo(0))
          .addColumn('conflict', int, (c) => c.notNull().defaultTo(0))
          .addColumn('needs_review', int, (c) => c.notNull().defaultTo(0))
          .addColumn('created_at', int, (c) => c.notNull())
          .addColumn('updated_at', int, (c) => c.notNull())
          .addColumn('sent_at', int)
          .addColumn('rung_at', int)
          .addColumn('unknown_at', int)
          .addColumn('failed_at', int)
          .addColumn('checks', 'text', (c) => c.notNull().defaultTo('[]'))
          .addColumn('next_check_at', int)
          .addColumn('lease_until', int, (c) => c.notNull().defaultTo(0))
          .addUniqueConstraint('one_row_a_key', ['order_id', 'idempotency_key'])
          .execute();
        await db.schema.createIndex('transactions_due').on('transactions').column('next_check_at').execute();
        await db.schema.createIndex('transactions_updated').on('transactions').columns(['updated_at', 'id']).execute();
        await db.schema
          .createIndex('transactions_wallet')
          .on('transactions')
          .columns(['customer', 'created_at'])
          .execute();
        await table(db, 'history')
          .addColumn('transaction_id', 'text', (c) => c.notNull())
          .addColumn('event', 'text', (c) => c.notNull())
          .addColumn('at', int, (c) => c.notNull())
          .addColumn('source', 'text', (c) => c.notNull())
          .addColumn('detail', 'text')
          .addPrimaryKeyConstraint('each_event_once', ['transaction_id', 'event'])
          .execute();
        await table(db, 'ipns')
          .addColumn('id', 'text', (c) => c.primaryKey().notNull())
          .addColumn('order_id', 'text')
          .addColumn('reading', 'text')
          .addColumn('body', 'text', (c) => c.notNull())
          .addColumn('matched', int, (c) => c.notNull())
          .addColumn('seen', int, (c) => c.notNull())
          .addColumn('first_at', int, (c) => c.notNull())
          .addColumn('last_at', int, (c) => c.notNull())
          .execute();
        await db.schema.createIndex('ipns_order').on('ipns').column('order_id').execute();
        await table(db, 'webhooks')
          .addColumn('id', 'text', (c) => c.primaryKey().notNull())
          .addColumn('transaction_id', 'text', (c) => c.notNull())
          .addColumn('order_id', 'text', (c) => c.notNull())
          .addColumn('type', 'text', (c) => c.notNull())
          .addColumn('body', 'text', (c) => c.notNull())
          .addColumn('state', 'text', (c) => c.notNull())
          .addColumn('attempts', int, (c) => c.notNull())
          .addColumn('next_at', int, (c) => c.notNull())
          .addColumn('lease_until', int, (c) => c.notNull())
          .addColumn('last_answer', 'text')
          .addColumn('created_at', int, (c) => c.notNull())
          .addUniqueConstraint('each_webhook_once', ['transaction_id', 'type'])
          .execute();
        await db.schema.createIndex('webhooks_due').on('webhooks').columns(['state', 'next_at']).execute();
      },
    },
    '2026-11-index-for-counts': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createIndex('transactions_counted')
          .on('transactions')
          .columns(['type', 'rank', 'needs_review'])
          .execute();
      },
    },
  };
}
