// What a real network needs: how the POST was answered, counted IPNs, reviews that repeat.
import { randomUUID } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import { LAST_SWEEP_MS } from '../../protocol/schedule.ts';
import type { Building } from './dialect.ts';

export async function addNetworkColumns(db: Kysely<unknown>, { dialect, int, table }: Building): Promise<void> {
  const add = async (name: string, columns: Record<string, 'text' | 'int' | 'count'>) => {
    for (const [column, kind] of Object.entries(columns)) {
      await db.schema
        .alterTable(name)
        .addColumn(column, kind === 'text' ? 'text' : int, (c) => (kind === 'count' ? c.notNull().defaultTo(0) : c))
        .execute();
    }
  };
  await add('orders', { seen_iat: 'int', seen_terms: 'text' });
  await add('ipns', { reported: 'count' });
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
    ipns_received: 'count',
    ipns_answered: 'count',
    waits_from: 'count',
    checked_at: 'int',
    unanswered: 'count',
  });
  // Fills the new columns from what older rows show. They do not show whether the POST's answer had the payment id, so
  // none counts as `identified`.
  await sql`update transactions set checks = '[]', reviews = needs_review,
    ipns_received = case when ipn_received_at is null then 0 else 1 end, ipns_answered = case when ipn_received_at is null then 0 else 1 end,
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
    .column('ipn_received_at')
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
  await sql`insert into meta (key, value) values ('database_id', ${randomUUID()})`.execute(db);
}

/**
 * Earlier versions stopped checking transactions that were refused, not created or failed payouts: those still within
 * the sweep are checked again. They also stored a duplicate as a refusal, and asked for no review of a mismatch or
 * conflict.
 */
export async function watchEndedAgain(db: Kysely<unknown>): Promise<void> {
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
  dialect: Building['dialect'],
  int: Building['int'],
  table: Building['table'],
) {
  if (dialect === 'postgres') {
    await sql`alter table history add column n bigint not null default 1`.execute(db);
    await sql`alter table history drop constraint history_key`.execute(db);
    await sql`alter table history add constraint history_key primary key (transaction_id, event, n)`.execute(db);
    await sql`alter table webhooks drop constraint webhooks_transaction_type`.execute(db);
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
    .addPrimaryKeyConstraint('history_key', ['transaction_id', 'event', 'n'])
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
