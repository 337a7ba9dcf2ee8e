// What keeps each statement's cost the same at any size: an index for each list, kept counts, and no index that
// misleads.
import { sql, type Kysely } from 'kysely';
import type { Building } from './dialect.ts';

export async function prepareForSize(db: Kysely<unknown>, building: Building): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(db);
  await run('alter table transactions add column start_id text');
  // SQLite took this one for an order's payments, and read all payments ever made.
  await run('drop index transactions_counted');
  await run('create index transactions_listed on transactions (type, rank, updated_at, id)');
  await run('create index transactions_review on transactions (updated_at, id) where needs_review = 1');
  await run('drop index transactions_due');
  await run('create index transactions_due on transactions (next_check_at) where next_check_at is not null');
  await run('create index transactions_planned on transactions (id) where next_check_at is not null');
  await run('create index transactions_sending on transactions (sent_by) where answer is null and sent_by is not null');
  await run('drop index webhooks_due');
  await run(`create index webhooks_due on webhooks (next_at) where state = 'pending'`);
  await run('create index webhooks_listed on webhooks (state, created_at)');
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
    union all select state, 0, count(*) from webhooks group by state`.execute(db);
}

type Run = (statement: string) => Promise<unknown>;

async function keepCountsInSqlite(run: Run): Promise<void> {
  const add = (name: string, count: 1 | -1, where = 'true') => `
    insert into counts (name, part, count) select ${name}, 0, ${count} where ${where}
      on conflict (name, part) do update set count = count + excluded.count;`;
  const stage = (row: string) => `${row}.type || ' ' || ${row}.rank`;
  const isPlanned = (row: string) => `${row}.next_check_at is not null`;
  await run(`create trigger transactions_added after insert on transactions begin
    ${add(stage('new'), 1)} ${add(`'planned'`, 1, isPlanned('new'))} end`);
  await run(`create trigger transactions_deleted after delete on transactions begin
    ${add(stage('old'), -1)} ${add(`'planned'`, -1, isPlanned('old'))} end`);
  await run(`create trigger transactions_raised after update of rank on transactions when old.rank <> new.rank begin
    ${add(stage('old'), -1)} ${add(stage('new'), 1)} end`);
  await run(`create trigger transactions_replanned after update of next_check_at on transactions
    when (old.next_check_at is null) <> (new.next_check_at is null) begin
    ${add(`'planned'`, -1, isPlanned('old'))} ${add(`'planned'`, 1, isPlanned('new'))} end`);
  await run(`create trigger webhooks_added after insert on webhooks begin ${add('new.state', 1)} end`);
  await run(`create trigger webhooks_deleted after delete on webhooks begin ${add('old.state', -1)} end`);
  await run(`create trigger webhooks_moved after update of state on webhooks when old.state <> new.state begin
    ${add('old.state', -1)} ${add('new.state', 1)} end`);
}

/** Each connection counts in rows of its own: one row for all would let one commit wait for another. */
async function keepCountsInPostgres(run: Run): Promise<void> {
  const add = (changes: string) => `insert into counts (name, part, count)
      select name, pg_backend_pid() % 64, change from (values ${changes}) as changes (name, change)
      where change <> 0 order by name on conflict (name, part) do update set count = counts.count + excluded.count`;
  const stage = (row: string) => `${row}.type || ' ' || ${row}.rank`;
  const planned = (row: string) => `(${row}.next_check_at is not null)::int`;
  await run(`create function count_transaction() returns trigger language plpgsql as $$ begin
    if tg_op = 'INSERT' then
      ${add(`(${stage('new')}, 1), ('planned', ${planned('new')})`)};
    elsif tg_op = 'DELETE' then
      ${add(`(${stage('old')}, -1), ('planned', -${planned('old')})`)};
    elsif old.rank = new.rank then
      ${add(`('planned', ${planned('new')} - ${planned('old')})`)};
    else
      ${add(`(${stage('old')}, -1), (${stage('new')}, 1), ('planned', ${planned('new')} - ${planned('old')})`)};
    end if;
    return null; end $$`);
  await run(`create trigger transactions_counted after insert or delete on transactions
    for each row execute function count_transaction()`);
  await run(`create trigger transactions_recounted after update of rank, next_check_at on transactions for each row
    when (old.rank <> new.rank or (old.next_check_at is null) <> (new.next_check_at is null))
    execute function count_transaction()`);
  await run(`create function count_webhook() returns trigger language plpgsql as $$ begin
    if tg_op = 'INSERT' then
      ${add(`(new.state, 1)`)};
    elsif tg_op = 'DELETE' then
      ${add(`(old.state, -1)`)};
    else
      ${add(`(old.state, -1), (new.state, 1)`)};
    end if;
    return null; end $$`);
  await run(`create trigger webhooks_counted after insert or delete on webhooks
    for each row execute function count_webhook()`);
  await run(`create trigger webhooks_recounted after update of state on webhooks for each row
    when (old.state <> new.state) execute function count_webhook()`);
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
    .addPrimaryKeyConstraint('each_event_once', ['transaction_id', 'event', 'n'])
    .execute();
  await sql`insert into history (transaction_id, event, n, at, source, detail)
    select transaction_id, event, n, at, source, detail from history_before`.execute(db);
  await sql`drop table history_before`.execute(db);
}
