// What the floors write for a payment and an IPN, without rules: SQLite with one durable commit per turn of the event
// loop or one per request, and PostgreSQL with one statement for each write.
import { DatabaseSync } from 'node:sqlite';
import { Pool } from 'pg';

/** `started` and `answered` are the two writes of a start; `rung` stores an IPN, `seen` what the status check said. */
export type Write = 'started' | 'answered' | 'rung' | 'seen';
export type Books = (write: Write, orderId: string, body: string) => Promise<void>;

export function openSqliteBooks(path: string, commits: 'grouped' | 'each'): Books {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE transactions (id TEXT PRIMARY KEY, stage INT, updated INT, body TEXT) STRICT;
    CREATE INDEX transactions_updated ON transactions (updated);
    CREATE TABLE ipns (id TEXT PRIMARY KEY, body TEXT, at INT) STRICT;
    CREATE TABLE history (id TEXT, stage INT, at INT, body TEXT, PRIMARY KEY (id, stage)) STRICT`);
  const [begin, commit, insert, update, note, store] = [
    'BEGIN IMMEDIATE',
    'COMMIT',
    'INSERT INTO transactions VALUES (?, 1, ?, ?)',
    'UPDATE transactions SET stage = ?, updated = ? WHERE id = ?',
    'INSERT INTO history VALUES (?, ?, ?, ?)',
    'INSERT INTO ipns VALUES (?, ?, ?)',
  ].map((sql) => database.prepare(sql));

  function run(write: Write, orderId: string, body: string): void {
    const now = Date.now();
    if (write === 'started') insert?.run(orderId, now, body);
    else if (write === 'rung') store?.run(orderId, body, now);
    else {
      const stage = write === 'answered' ? 2 : 3;
      update?.run(stage, now, orderId);
      note?.run(orderId, stage, now, body);
    }
  }
  if (commits === 'each') {
    return (...one) => {
      begin?.run();
      run(...one);
      commit?.run();
      return Promise.resolve();
    };
  }
  let queue: { one: Parameters<Books>; done: () => void }[] = [];
  const flush = () => {
    const batch = queue;
    queue = [];
    begin?.run();
    for (const { one } of batch) run(...one);
    commit?.run();
    for (const { done } of batch) done();
  };
  return (...one) =>
    new Promise((done) => {
      if (queue.push({ one, done }) === 1) setImmediate(flush);
    });
}

/** Tables about as wide as the proxy's, and its number of connections. */
export async function openPostgresBooks(url: string): Promise<Books> {
  const pool = new Pool({ connectionString: url, max: 16 });
  await pool.query(`
    create table transactions (id text primary key, order_id text not null, stage int not null, created bigint not null,
      updated bigint not null, version int not null, method text, key text, fingerprint text, means text, rung bigint,
      due bigint, unique (order_id, key));
    create index on transactions (due);
    create index on transactions (updated, id);
    create table history (id text, event text, at bigint, source text, primary key (id, event));
    create table ipns (id text primary key, order_id text, body text, at bigint);
    create index on ipns (order_id)`);
  const statements: Record<Write, string> = {
    started: `with started as (insert into transactions values
        ($1::text, $1, 1, $2::bigint, $2, 2, 'CHECKOUT', 'key-' || $1, $3::text, null, null, $2 + 15000) returning id)
      insert into history select id, event, $2, 'shopper' from started, unnest(array['created', 'sending']) event`,
    answered: `with answered as (update transactions set stage = 3, updated = $2::bigint, version = version + 2,
        means = $3::text where id = $1::text and stage < 3 returning id)
      insert into history select id, 'pending', $2, 'answer' from answered`,
    rung: `with kept as (insert into ipns values ('h-' || $1::text, $1, $3::text, $2::bigint) on conflict do nothing)
      update transactions set rung = $2, due = $2 where id = $1`,
    seen: `with seen as (update transactions set stage = 9, updated = $2::bigint, version = version + 1, due = null
        where id = $1::text and stage < 9 and $3::text <> '' returning id)
      insert into history select id, 'succeeded', $2, 'check' from seen`,
  };
  return async (write, orderId, body) => {
    await pool.query({ name: write, text: statements[write], values: [orderId, Date.now(), body] });
  };
}
