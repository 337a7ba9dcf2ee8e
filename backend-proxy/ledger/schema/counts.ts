// Counts that triggers keep, because counting would read all rows.
export function countInSqlite(): string[] {
  const statements: string[] = [];
  const run = (statement: string) => void statements.push(statement);
  const add = (name: string, count: 1 | -1, where = 'true') => `
    insert into counts (name, part, count) select ${name}, 0, ${count} where ${where}
      on conflict (name, part) do update set count = count + excluded.count;`;
  const stage = (row: string) => `${row}.type || ' ' || ${row}.rank`;
  const isPlanned = (row: string) => `${row}.next_check_at is not null`;
  const isReviewed = (row: string) => `${row}.needs_review = 1`;
  run(`create trigger transactions_added after insert on transactions begin ${add(stage('new'), 1)}
    ${add(`'planned'`, 1, isPlanned('new'))} ${add(`'review'`, 1, isReviewed('new'))} end`);
  run(`create trigger transactions_deleted after delete on transactions begin ${add(stage('old'), -1)}
    ${add(`'planned'`, -1, isPlanned('old'))} ${add(`'review'`, -1, isReviewed('old'))} end`);
  run(`create trigger transactions_raised after update of rank on transactions when old.rank <> new.rank begin
    ${add(stage('old'), -1)} ${add(stage('new'), 1)} end`);
  run(`create trigger transactions_replanned after update of next_check_at on transactions
    when (old.next_check_at is null) <> (new.next_check_at is null) begin
    ${add(`'planned'`, -1, isPlanned('old'))} ${add(`'planned'`, 1, isPlanned('new'))} end`);
  run(`create trigger transactions_reviewed after update of needs_review on transactions
    when old.needs_review <> new.needs_review begin
    ${add(`'review'`, -1, isReviewed('old'))} ${add(`'review'`, 1, isReviewed('new'))} end`);
  run(`create trigger ipns_added after insert on ipns when new.matched = 0 begin ${add(`'unmatched'`, 1)} end`);
  run(`create trigger ipns_deleted after delete on ipns when old.matched = 0 begin ${add(`'unmatched'`, -1)} end`);
  run(`create trigger ipns_matched after update of matched on ipns when old.matched <> new.matched begin
    ${add(`'unmatched'`, -1, 'old.matched = 0')} ${add(`'unmatched'`, 1, 'new.matched = 0')} end`);
  run(`create trigger webhooks_added after insert on webhooks begin ${add('new.state', 1)} end`);
  run(`create trigger webhooks_deleted after delete on webhooks begin ${add('old.state', -1)} end`);
  run(`create trigger webhooks_moved after update of state on webhooks when old.state <> new.state begin
    ${add('old.state', -1)} ${add('new.state', 1)} end`);
  return statements;
}

/** Each connection counts in rows of its own: one row for all would let one commit wait for another. */
export function countInPostgres(): string[] {
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
  return [
    ...count(
      'transactions',
      'rank, next_check_at, needs_review',
      `old.rank <> new.rank or old.needs_review <> new.needs_review
        or (old.next_check_at is null) <> (new.next_check_at is null)`,
      `${stages}, ${planned}, ${review}`,
    ),
    ...count('webhooks', 'state', 'old.state <> new.state', '(old.state, -1), (new.state, 1)'),
    ...count('ipns', 'matched', 'old.matched <> new.matched', unmatched),
  ];
}
