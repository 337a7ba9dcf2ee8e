// The ledger's tables and migrations, the same in SQLite and PostgreSQL. Times are ms since 1970, money is integer
// minor units, flags are 0 or 1 (`conflict` counts). To change a table, add a migration at the end; never edit one.
import { randomUUID } from 'node:crypto';
import { sql, type Generated, type Kysely, type Selectable } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { LAST_SWEEP_MS } from '../protocol/schedule.ts';
import type { HistoryEntry, PostOutcome, Source, Transaction, TransactionType } from '../protocol/transaction.ts';
import type { WebhookType } from '../protocol/merchant-view.ts';
import type { Method } from '../protocol/wire.ts';
import type { WebhookState } from './ledger.ts';

export interface Tables {
  orders: OrdersTable;
  transactions: TransactionsTable;
  history: HistoryTable;
  ipns: IpnsTable;
  webhooks: WebhooksTable;
  meta: MetaTable;
}

interface OrdersTable {
  order_id: string;
  amount_minor: number | null;
  currency: string;
  version: number;
  /** The transaction that paid it: set once. */
  paid_by: string | null;
  /** `iat` and terms of the newest order token seen: an older token with other terms starts nothing. */
  seen_iat: number | null;
  seen_terms: string | null;
}

interface TransactionsTable {
  id: string;
  type: TransactionType;
  order_id: string;
  attempt: number;
  /** The requested method; `method` is the one in use. */
  asked: Method | null;
  method: Method | null;
  amount_minor: number;
  currency: string;
  customer: string | null;
  note: string | null;
  idempotency_key: string | null;
  fingerprint: string;
  rank: number;
  /** The rank before the last raise, so that the update's result shows what it changed. */
  prior_rank: number;
  payment_id: string | null;
  checkout_url: string | null;
  qr: string | null;
  app_url: string | null;
  expires_at: number | null;
  late: Generated<number>;
  surplus: Generated<number>;
  mismatch: Generated<number>;
  conflict: Generated<number>;
  needs_review: Generated<number>;
  /** How many reviews were requested. */
  reviews: Generated<number>;
  /** How a person resolved it, as a stage. */
  resolved: 'succeeded' | 'declined' | null;
  ended_by: Transaction['endedBy'];
  version: number;
  created_at: number;
  updated_at: number;
  sent_at: number | null;
  /** Host and port of the process that sends it. */
  sent_by: string | null;
  answer: PostOutcome | null;
  lost_at: number | null;
  /** How long a code or prompt is valid once sent. */
  pay_within_ms: number | null;
  /** The customer's id at the merchant; DIRECT only. */
  customer_ref: string | null;
  /** When a status check last reported it. */
  found_at: number | null;
  rung_at: number | null;
  rings: number;
  rings_heard: number;
  unknown_at: number | null;
  failed_at: number | null;
  /** After a clock step, waits that may end the transaction start here. */
  waits_from: Generated<number>;
  checked_at: number | null;
  unanswered: Generated<number>;
  /** JSON array of the schedule's last `Check`s. */
  checks: Generated<string>;
  next_check_at: number | null;
  lease_until: Generated<number>;
}
export type TransactionRow = Selectable<TransactionsTable>;

interface HistoryTable {
  transaction_id: string;
  event: HistoryEntry['event'];
  /** Counts events that may occur again, from 1. */
  n: number;
  at: number;
  source: Source;
  detail: string | null;
}

interface IpnsTable {
  id: string;
  /** The transaction's id, or null if the body was unreadable. */
  order_id: string | null;
  reading: string | null;
  body: string;
  matched: number;
  /** The operator was warned that it matches nothing. */
  told: number;
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

export type MetaKey = 'books_id' | 'gateway' | 'status_check' | 'key_digest' | 'went_back_at';
interface MetaTable {
  key: MetaKey;
  value: string;
}

export type Dialect = 'sqlite' | 'postgres';

/**
 * Migrates to the newest version, or leaves the tables as they were. Safe to call from several processes at once. For
 * SQLite, Kysely neither locks nor wraps migrations in a transaction, so a kill would leave half the tables.
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
    '2026-11-true-on-a-real-network': { up: (db: Kysely<unknown>) => addNetworkColumns(db, { dialect, int, table }) },
    '2026-11-watch-what-had-ended': { up: watchEndedAgain },
  };
}

interface Building {
  dialect: Dialect;
  int: 'integer' | 'bigint';
  table: (db: Kysely<unknown>, name: string) => ReturnType<Kysely<unknown>['schema']['createTable']>;
}

async function addNetworkColumns(db: Kysely<unknown>, { dialect, int, table }: Building): Promise<void> {
  const add = async (name: string, columns: Record<string, 'text' | 'int' | 'count'>) => {
    for (const [column, kind] of Object.entries(columns)) {
      await db.schema
        .alterTable(name)
        .addColumn(column, kind === 'text' ? 'text' : int, (c) => (kind === 'count' ? c.notNull().defaultTo(0) : c))
        .execute();
    }
  };
  await add('orders', { seen_iat: 'int', seen_terms: 'text' });
  await add('ipns', { told: 'count' });
  await add('transactions', {
    reviews: 'count',
    resolved: 'text',
    ended_by: 'text',
    version: 'count',
    sent_by: 'text',
    answer: 'text',
    lost_at: 'int',
    pay_within_ms: 'int',
    customer_ref: 'text',
    found_at: 'int',
    rings: 'count',
    rings_heard: 'count',
    waits_from: 'count',
    checked_at: 'int',
    unanswered: 'count',
  });
  // Fills the new columns from what older rows show. They do not show whether the POST's answer had the payment id, so
  // none counts as `identified`.
  await sql`update transactions set checks = '[]', reviews = needs_review,
    rings = case when rung_at is null then 0 else 1 end, rings_heard = case when rung_at is null then 0 else 1 end,
    answer = case when rank = 6 then 'refused' when rank = 2 then 'lost' when sent_at is not null and rank > 2 then 'accepted' end,
    lost_at = case when rank = 2 then updated_at end, found_at = case when rank = 9 then updated_at end`.execute(db);

  await db.schema
    .createIndex('transactions_order')
    .on('transactions')
    .columns(['order_id', 'type', 'attempt'])
    .execute();
  await db.schema
    .createIndex('transactions_rung')
    .on('transactions')
    .column('rung_at')
    .where(sql.ref('next_check_at'), 'is not', null)
    .execute();
  await db.schema
    .createIndex('transactions_found')
    .on('transactions')
    .columns(['type', 'found_at'])
    .where(sql.ref('found_at'), 'is not', null)
    .execute();
  await db.schema
    .createIndex('ipns_unmatched')
    .on('ipns')
    .column('first_at')
    .where(sql.ref('matched'), '=', sql.lit(0))
    .execute();
  await allowRepeatedEvents(db, dialect, int, table);

  await table(db, 'meta')
    .addColumn('key', 'text', (c) => c.primaryKey().notNull())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute();
  await sql`insert into meta (key, value) values ('books_id', ${randomUUID()})`.execute(db);
}

/**
 * Earlier versions stopped checking transactions that were refused, not created or failed payouts: those still within
 * the sweep are checked again. They also stored a duplicate as a refusal, and asked for no review of a mismatch or
 * conflict.
 */
async function watchEndedAgain(db: Kysely<unknown>): Promise<void> {
  const now = Date.now();
  await sql`update transactions set answer = 'duplicate' where rank = 6 and exists (select 1 from history
    where transaction_id = id and event = 'rejected' and detail like 'HTTP 409%')`.execute(db);
  await sql`update transactions set next_check_at = ${now} where next_check_at is null and resolved is null
    and sent_at > ${now - LAST_SWEEP_MS} and (rank in (6, 7) or (type = 'PAYOUT' and rank = 8))`.execute(db);
  await sql`update transactions set needs_review = 1, reviews = reviews + 1
    where mismatch + conflict > 0 and needs_review = 0 and resolved is null`.execute(db);
}

/** Conflicts and reviews may occur again, with a number, so type alone is no longer unique in history and webhooks. */
async function allowRepeatedEvents(
  db: Kysely<unknown>,
  dialect: Dialect,
  int: Building['int'],
  table: Building['table'],
) {
  if (dialect === 'postgres') {
    await sql`alter table history add column n bigint not null default 1`.execute(db);
    await sql`alter table history drop constraint each_event_once`.execute(db);
    await sql`alter table history add constraint each_event_once primary key (transaction_id, event, n)`.execute(db);
    await sql`alter table webhooks drop constraint each_webhook_once`.execute(db);
    return;
  }
  // SQLite cannot drop a constraint, so the tables are created again.
  await sql`alter table history rename to history_before`.execute(db);
  await table(db, 'history')
    .addColumn('transaction_id', 'text', (c) => c.notNull())
    .addColumn('event', 'text', (c) => c.notNull())
    .addColumn('n', int, (c) => c.notNull().defaultTo(1))
    .addColumn('at', int, (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('detail', 'text')
    .addPrimaryKeyConstraint('each_event_once', ['transaction_id', 'event', 'n'])
    .execute();
  await sql`insert into history (transaction_id, event, at, source, detail)
    select transaction_id, event, at, source, detail from history_before`.execute(db);
  await db.schema.dropTable('history_before').execute();
  await sql`alter table webhooks rename to webhooks_before`.execute(db);
  await db.schema.dropIndex('webhooks_due').execute();
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
    .execute();
  await sql`insert into webhooks select id, transaction_id, order_id, type, body, state, attempts, next_at, lease_until,
    last_answer, created_at from webhooks_before`.execute(db);
  await db.schema.dropTable('webhooks_before').execute();
  await db.schema.createIndex('webhooks_due').on('webhooks').columns(['state', 'next_at']).execute();
}
