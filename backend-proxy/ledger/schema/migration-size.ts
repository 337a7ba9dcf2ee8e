// What keeps each statement's cost the same at any size: an index for each list, kept counts, and no index that
// misleads.
import { sql, type Kysely } from 'kysely';
import type { Building } from './dialect.ts';

export async function prepareForSize(db: Kysely<unknown>, building: Building): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(db);
  await run('alter table transactions add column start_id text');
  // SQLite took this one for an order's payments, and read all payments ever made.
  await run('drop index transactions_counted');
  await run('create index transactions_listed on transactions (type, rank, needs_review, updated_at, id)');
  // An order has few payments: its idempotency keys' index finds them.
  await run('drop index transactions_order');
  // Only prompts are counted for each wallet.
  await run('drop index transactions_wallet');
  await run(`create index transactions_prompts on transactions (customer, created_at) where asked in ('DIRECT')`);
  await run('drop index transactions_due');
  await run('create index transactions_due on transactions (next_check_at) where next_check_at is not null');
  await run('create index transactions_planned on transactions (id) where next_check_at is not null');
  await run('create index transactions_sending on transactions (sent_by) where answer is null and sent_by is not null');
  await run('drop index webhooks_due');
  // With the state as a column too, or SQLite would take the next index and sort all that are pending.
  await run(`create index webhooks_due on webhooks (state, next_at) where state = 'pending'`);
  await run('create index webhooks_listed on webhooks (state, created_at)');
  await run('drop index ipns_unmatched');
  await run('create index ipns_unmatched on ipns (first_at) where matched = 0 and reading is not null');
  await run(
    'create index ipns_unreported on ipns (first_at) where matched = 0 and reported = 0 and reading is not null',
  );
  await run('create index ipns_unmatched_last on ipns (last_at) where matched = 0');
  await countAll(db, building);
  if (building.dialect === 'postgres') await keepCountsInPostgres(run);
  else await keepCountsInSqlite(run);
  if (building.dialect === 'postgres') await leaveRoomForUpdates(run);
  else await storeHistoryOnce(db, building);
}

/** Once, from the tables as they are. */
async function countAll(db: Kysely<unknown>, { int, table }: Building): Promise<void> {
  await table(db, 'counts')
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('part', int, (c) => c.notNull())
    .addColumn('count', int, (c) => c.notNull())
    .addPrimaryKeyConstraint('counts_key', ['name', 'part'])
    .execute();
  await sql`insert into counts (name, part, count)
    select type || ' ' || rank, 0, count(*) from transactions group by type, rank
    union all select 'planned', 0, count(*) from transactions where next_check_at is not null
    union all select 'review', 0, count(*) from transactions where needs_review = 1
    union all select 'unmatched', 0, count(*) from ipns where matched = 0
    union all select state, 0, count(*) from webhooks group by state`.execute(db);
}

type Run = (statement: string) => Promise<unknown>;

async function keepCountsInSqlite(run: Run): Promise<void> {
  const add = (name: string, count: 1 | -1, where = 'true') => `
    insert into counts (name, part, count) select ${name}, 0, ${count} where ${where}
      on conflict (name, part) do update set count = count + excluded.count;`;
  const stage = (row: string) => `${row}.type || ' ' || ${row}.rank`;
  const isPlanned = (row: string) => `${row}.next_check_at is not null`;
  const isReviewed = (row: string) => `${row}.needs_review = 1`;
  await run(`create trigger transactions_added after insert on transactions begin ${add(stage('new'), 1)}
    ${add(`'planned'`, 1, isPlanned('new'))} ${add(`'review'`, 1, isReviewed('new'))} end`);
  await run(`create trigger transactions_deleted after delete on transactions begin ${add(stage('old'), -1)}
    ${add(`'planned'`, -1, isPlanned('old'))} ${add(`'review'`, -1, isReviewed('old'))} end`);
  await run(`create trigger transactions_raised after update of rank on transactions when old.rank <> new.rank begin
    ${add(stage('old'), -1)} ${add(stage('new'), 1)} end`);
  await run(`create trigger transactions_replanned after update of next_check_at on transactions
    when (old.next_check_at is null) <> (new.next_check_at is null) begin
    ${add(`'planned'`, -1, isPlanned('old'))} ${add(`'planned'`, 1, isPlanned('new'))} end`);
  await run(`create trigger transactions_reviewed after update of needs_review on transactions
    when old.needs_review <> new.needs_review begin
    ${add(`'review'`, -1, isReviewed('old'))} ${add(`'review'`, 1, isReviewed('new'))} end`);
  await run(`create trigger ipns_added after insert on ipns when new.matched = 0 begin ${add(`'unmatched'`, 1)} end`);
  await run(
    `create trigger ipns_deleted after delete on ipns when old.matched = 0 begin ${add(`'unmatched'`, -1)} end`,
  );
  await run(`create trigger ipns_matched after update of matched on ipns when old.matched <> new.matched begin
    ${add(`'unmatched'`, -1, 'old.matched = 0')} ${add(`'unmatched'`, 1, 'new.matched = 0')} end`);
  await run(`create trigger webhooks_added after insert on webhooks begin ${add('new.state', 1)} end`);
  await run(`create trigger webhooks_deleted after delete on webhooks begin ${add('old.state', -1)} end`);
  await run(`create trigger webhooks_moved after update of state on webhooks when old.state <> new.state begin
    ${add('old.state', -1)} ${add('new.state', 1)} end`);
}

/** Each connection counts in rows of its own: one row for all would let one commit wait for another. */
async function keepCountsInPostgres(run: Run): Promise<void> {
  // The old row is null after an insert, the new one after a delete.
  const count = (table: string, columns: string, isCounted: string, changes: string) => [
    `create function count_${table}() returns trigger language plpgsql as $$ begin
      insert into counts (name, part, count)
        select name, pg_backend_pid() % 256, sum(change) from (values ${changes}) as changes (name, change)
        where name is not null group by name having sum(change) <> 0 order by name
        on conflict (name, part) do update set count = counts.count + excluded.count;
      return null; end $$`,
    `create trigger ${table}_added after insert or delete on ${table} for each row execute function count_${table}()`,
    `create trigger ${table}_changed after update of ${columns} on ${table} for each row
      when (${isCounted}) execute function count_${table}()`,
  ];
  const change = (name: string, is: (row: string) => string) =>
    `('${name}', coalesce((${is('new')})::int, 0) - coalesce((${is('old')})::int, 0))`;
  const stages = `(old.type || ' ' || old.rank, -1), (new.type || ' ' || new.rank, 1)`;
  const planned = change('planned', (row) => `${row}.next_check_at is not null`);
  const review = change('review', (row) => `${row}.needs_review = 1`);
  const unmatched = change('unmatched', (row) => `${row}.matched = 0`);
  for (const statement of [
    ...count(
      'transactions',
      'rank, next_check_at, needs_review',
      `old.rank <> new.rank or old.needs_review <> new.needs_review
        or (old.next_check_at is null) <> (new.next_check_at is null)`,
      `${stages}, ${planned}, ${review}`,
    ),
    ...count('webhooks', 'state', 'old.state <> new.state', '(old.state, -1), (new.state, 1)'),
    ...count('ipns', 'matched', 'old.matched <> new.matched', unmatched),
  ]) {
    await run(statement);
  }
}

/** An update stays in its page, and is cleaned up there, if the page has room for a second version of the row. */
async function leaveRoomForUpdates(run: Run): Promise<void> {
  for (const table of ['transactions', 'orders', 'webhooks', 'counts']) {
    await run(`alter table ${table} set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)`);
  }
}

/** Without a row id, SQLite stores the key of a history entry once and not twice. */
async function storeHistoryOnce(db: Kysely<unknown>, { int }: Building): Promise<void> {
  await sql`alter table history rename to history_before`.execute(db);
  await db.schema
    .createTable('history')
    .modifyEnd(sql`strict, without rowid`)
    .addColumn('transaction_id', 'text', (c) => c.notNull())
    .addColumn('event', 'text', (c) => c.notNull())
    .addColumn('n', int, (c) => c.notNull().defaultTo(1))
    .addColumn('at', int, (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('detail', 'text')
    .addPrimaryKeyConstraint('history_key', ['transaction_id', 'event', 'n'])
    .execute();
  await sql`insert into history (transaction_id, event, n, at, source, detail)
    select transaction_id, event, n, at, source, detail from history_before`.execute(db);
  await sql`drop table history_before`.execute(db);
}
