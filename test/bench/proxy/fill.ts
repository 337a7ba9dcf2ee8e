// Fills a database that the proxy has made with settled payments, as a year leaves them: 85 % paid, 10 % declined,
// 5 % replaced; each with its history, an IPN and a delivered webhook. It writes with one statement per table, and makes
// the indexes afterwards. Columns that it does not know keep their defaults; one without a default is an error.
import { DatabaseSync } from 'node:sqlite';

const DAY_MS = 86_400_000;
const ROWS_AT_ONCE = 100_000;
const PREFIX = 'filled';

/** The orders `filled-0000000000`, `filled-0000000001` … */
export const FILLED = PREFIX;

/**
 * `due`: instead of settled, sent a quarter of an hour ago and not checked since, so that a status check is due.
 * `open`: the same, and no check is planned.
 */
export type Filled = 'settled' | 'due' | 'open';

type Columns = Record<string, string>;

/** SQL for each column, where `i` is the number of the payment. */
function tables(count: number, filled: Filled, now: number): [table: string, rows: Columns[]][] {
  const isOpen = filled !== 'settled';
  const stepMs = Math.max(1, Math.floor((365 * DAY_MS) / count));
  const id = `('${PREFIX}-' || printf('%010d', i))`;
  const at = isOpen ? `(${now} - 900000 + i % 60000)` : `(${now - 366 * DAY_MS} + i * ${stepMs})`;
  const rank = isOpen ? '3' : '(case when i % 20 = 0 then 4 when i % 10 = 1 then 8 else 9 end)';
  const ended = `(${at} + 40000)`;
  const paymentId = `(100000 + i)`;
  const transaction: Columns = {
    id,
    type: "'PAY'",
    order_id: id,
    attempt: '1',
    asked: "'CHECKOUT'",
    method: "'CHECKOUT'",
    amount_minor: '1010',
    currency: "'EUR'",
    customer: 'cast(10000000 + (i * 7919) % 80000000 as text)',
    idempotency_key: "('key-0123456789abcdef-' || i)",
    fingerprint: `'${'A'.repeat(43)}'`,
    rank,
    prior_rank: isOpen ? '1' : '3',
    payment_id: isOpen ? 'null' : `('' || ${paymentId})`,
    checkout_url: `('https://checkout.example/pay?token=abc.def.' || i)`,
    expires_at: `(${at} + ${isOpen ? DAY_MS : 900_000})`,
    version: isOpen ? '4' : '5',
    created_at: at,
    updated_at: isOpen ? at : ended,
    sent_at: `(${at} + 2)`,
    answer: "'accepted'",
    pay_within_ms: isOpen ? `${DAY_MS}` : '900000',
    found_at: isOpen ? 'null' : ended,
    rung_at: isOpen ? 'null' : `(${at} + 39000)`,
    rings: isOpen ? '0' : '1',
    rings_heard: isOpen ? '0' : '1',
    checked_at: isOpen ? 'null' : ended,
    next_check_at: filled === 'due' ? `(${now - 60_000} + i % 50000)` : 'null',
    checks: isOpen ? "'[]'" : `('[{"at":' || ${ended} || ',"rung":true}]')`,
  };
  const event = (name: string, afterMs: number, source: string): Columns => ({
    transaction_id: id,
    event: name,
    at: `(${at} + ${afterMs})`,
    source: `'${source}'`,
  });
  const end = `case ${rank} when 9 then 'succeeded' when 8 then 'declined' else 'replaced' end`;
  const begun = [event("'created'", 0, 'shopper'), event("'sending'", 2, 'shopper'), event("'pending'", 300, 'answer')];
  const order: Columns = {
    order_id: id,
    amount_minor: '1010',
    currency: "'EUR'",
    version: isOpen ? '4' : '5',
    paid_by: `case ${rank} when 9 then ${id} end`,
  };
  const ipn: Columns = {
    id: "substr('0123456789abcdef0123456789abcdef', 1, 32) || printf('%011d', (i * 2654435761) % 99999999999)",
    order_id: id,
    reading: `'{"orderId":"' || ${id} || '","type":"PAY","paymentId":"' || ${paymentId} || '","customer":"12345678","amount":"10.1","currency":"EUR","outcome":"succeeded"}'`,
    body: `'{"paymentId":' || ${paymentId} || ',"orderId":"' || ${id} || '","type":"PAY","customer":"12345678","amount":10.1,"currency":"EUR","status":"SUCCESS","message":"SUCCESS"}'`,
    matched: '1',
    seen: '1',
    first_at: `(${at} + 39000)`,
    last_at: `(${at} + 39000)`,
  };
  const webhook: Columns = {
    id: "('msg_' || printf('%032x', i))",
    transaction_id: id,
    order_id: id,
    type: `case ${rank} when 9 then 'payment.succeeded' else 'payment.failed' end`,
    body: `'{"type":"payment.succeeded","data":{"type":"PAY","orderId":"' || ${id} || '","pad":"${'x'.repeat(900)}"}}'`,
    state: "'delivered'",
    attempts: '1',
    next_at: ended,
    lease_until: '0',
    last_answer: "'HTTP 200'",
    created_at: ended,
  };
  return [
    ['orders', [order]],
    ['transactions', [transaction]],
    ['history', isOpen ? begun : [...begun, event(end, 40_000, 'check')]],
    ...(isOpen
      ? []
      : ([
          ['ipns', [ipn]],
          ['webhooks', [webhook]],
        ] as [string, Columns[]][])),
  ];
}

/** `path`: an SQLite file that no process has open. */
export function fillSqlite(path: string, count: number, filled: Filled = 'settled', now = Date.now()): void {
  const database = new DatabaseSync(path);
  // What is lost in a crash here is made again.
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; PRAGMA wal_autocheckpoint = 20000');
  const indexes = database
    .prepare("select name, sql from sqlite_master where type = 'index' and sql is not null")
    .all() as { name: string; sql: string }[];
  for (const { name } of indexes) database.exec(`drop index "${name}"`);
  for (let from = 0; from < count; from += ROWS_AT_ONCE) {
    const numbers = `with recursive numbers(i) as (select ${from} union all
      select i + 1 from numbers where i + 1 < ${Math.min(count, from + ROWS_AT_ONCE)})`;
    database.exec('begin');
    for (const [table, rows] of tables(count, filled, now)) {
      for (const columns of rows) database.exec(insertInto(database, table, columns, numbers));
    }
    database.exec('commit');
  }
  for (const { sql } of indexes) database.exec(sql);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

function insertInto(database: DatabaseSync, table: string, columns: Columns, numbers: string): string {
  const present = database.prepare(`select name, "notnull" as required, dflt_value as given from pragma_table_info(?)`);
  const known: [string, string][] = [];
  for (const { name, required, given } of present.all(table) as { name: string; required: 0 | 1; given: unknown }[]) {
    const value = columns[name];
    if (value !== undefined) known.push([name, value]);
    else if (required === 1 && given === null) throw new Error(`fill.ts has no value for ${table}.${name}`);
  }
  const names = known.map(([name]) => name).join(', ');
  return `insert into ${table} (${names}) ${numbers} select ${known.map(([, value]) => value).join(', ')} from numbers`;
}
