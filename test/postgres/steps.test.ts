// Changes of the tables of a PostgreSQL that is in use: nobody waits for long, one process makes them, and after a kill
// at any point the next start continues.
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect } from 'kysely';
import { Client, Pool } from 'pg';
import { connectDatabase } from '../../backend-proxy/ledger/connect.ts';
import { Servers } from '../../backend-proxy/ledger/postgres/servers.ts';
import { upgradePostgres } from '../../backend-proxy/ledger/postgres/upgrade.ts';
import { STEPS, type Step } from '../../backend-proxy/ledger/schema/steps.ts';
import type { Tables } from '../../backend-proxy/ledger/schema/tables.ts';
import { startPostgres, whyNoPostgres, type PostgresServer } from './server.ts';
import { raise } from '../backend-proxy/ledger/order-writes.ts';
import { NEWER_STEPS } from '../upgrade/newer-steps.ts';

const why = whyNoPostgres();
const die = (error: unknown): never => assert.fail(String(error));

const ADD: Step = {
  name: 'add',
  compatibleWith: '0.1.0',
  change: ({ int }) => [`alter table orders add column shop_at ${int}`, 'alter table orders add column shop text'],
};
const BUILD: Step = {
  name: 'build',
  compatibleWith: '0.1.0',
  index: { name: 'orders_shop', on: 'orders', columns: 'shop, order_id' },
};
const FILL: Step = {
  name: 'fill',
  compatibleWith: '0.1.0',
  backfill: { table: 'orders', key: 'order_id', set: `shop = 'first'`, where: 'shop is null' },
};

describe('PostgreSQL: changes of tables in use', { skip: why === undefined ? false : `skipped: ${why}` }, () => {
  let server: PostgresServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.end());

  /** A database of this version with so many orders. */
  async function opened(t: TestContext, orders = 1) {
    const url = await server.createDatabase();
    const store = await connectDatabase(url, die);
    t.after(() => store.close());
    const client = await connected(t, url);
    await client.query(`insert into orders (order_id, currency, version)
      select 'filled-' || n, 'EUR', 1 from generate_series(1, ${orders}) n`);
    const pool = new Pool({ connectionString: url, max: 3 });
    const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
    t.after(() => db.destroy());
    const lines: string[] = [];
    const upgrade = (steps: readonly Step[], { version = '0.2.0', waitLimitMs = 60_000 } = {}) => {
      const log = (level: string, event: string, fields = {}) =>
        void lines.push(`${level} ${event} ${JSON.stringify(fields)}`);
      return upgradePostgres(new Servers(url), db, { log, steps: [...STEPS, ...steps], version }, waitLimitMs);
    };
    const ask = async (text: string) => (await client.query<Record<string, unknown>>(text)).rows;
    /** Without those that every database of this version has. */
    const made = async (columns = 'name') => {
      const rows = await ask(`select name, ${columns} from schema_steps order by applied_at, name`);
      return rows.filter(({ name }) => !STEPS.some((step) => step.name === name));
    };
    return { url, store, upgrade, ask, made, lines };
  }

  async function connected(t: TestContext, url: string): Promise<Client> {
    const client = new Client({ connectionString: url, application_name: 'psql' });
    client.on('error', () => undefined);
    await client.connect();
    t.after(() => client.end().catch(() => undefined));
    return client;
  }

  /** A person's open transaction, which has changed an order. */
  async function holding(t: TestContext, url: string): Promise<Client> {
    const holder = await connected(t, url);
    await holder.query("begin; update orders set version = version + 1 where order_id = 'filled-1'");
    return holder;
  }

  const validity = `select indisvalid as valid from pg_index where indexrelid = to_regclass('orders_shop')`;

  it('columns, an index and a backfill of many pages are made once, and recorded with their version', async (t) => {
    const { upgrade, ask, made, lines } = await opened(t, 2_500);
    await upgrade([ADD, BUILD, FILL]);
    await upgrade([ADD, BUILD, FILL]);
    assert.deepEqual(await made('written_by, compatible_with'), [
      { name: 'add', written_by: '0.2.0', compatible_with: '0.1.0' },
      { name: 'build', written_by: '0.2.0', compatible_with: '0.1.0' },
      { name: 'fill', written_by: '0.2.0', compatible_with: '0.1.0' },
    ]);
    assert.deepEqual(await ask(validity), [{ valid: true }]);
    assert.deepEqual(await ask(`select count(*)::int as n from orders where shop = 'first'`), [{ n: 2_500 }]);
    assert.equal(lines.filter((line) => line.startsWith('info database changed')).length, 3);
  });

  it('several processes that start at once make each step once, and those that wait log it', async (t) => {
    const { upgrade, made, lines } = await opened(t, 2_500);
    await Promise.all([1, 2, 3].map(() => upgrade([ADD, BUILD, FILL])));
    assert.deepEqual(await made(), [{ name: 'add' }, { name: 'build' }, { name: 'fill' }]);
    assert.equal(lines.filter((line) => line.startsWith('info database changed')).length, 3);
    assert.ok(lines.some((line) => line.startsWith('info waiting for another proxy')));
  });

  it('a process gives up waiting for another one that changes the database, within its limit', async (t) => {
    const { url, upgrade } = await opened(t);
    const other = await connected(t, url);
    await other.query('begin; select pg_advisory_xact_lock(4076310586)');
    await assert.rejects(upgrade([ADD], { waitLimitMs: 600 }), /Another proxy has been changing the database for 1 s/);
    await other.query('rollback');
    await upgrade([ADD]);
  });

  it('a new column waits for an open transaction, and no write that queues behind it is refused', async (t) => {
    const { url, store, upgrade, made, lines } = await opened(t);
    const holder = await holding(t, url);
    let isDone = false;
    const upgrading = upgrade([ADD]).finally(() => (isDone = true));
    // A write is refused after 3 s in a queue.
    for (let n = 0; n < 20 || lines.length === 0; n += 1) {
      await raise(store, `live-${n}`);
      await sleep(50);
    }
    assert.equal(isDone, false);
    assert.match(
      lines[0] ?? '',
      /^warn a transaction is in the way .*"waitsFor":"process \d+ \(psql, idle in transaction, for/,
    );
    await holder.query('commit');
    await upgrading;
    assert.deepEqual(await made(), [{ name: 'add' }]);
  });

  for (const [what, step] of [
    ['a new column', ADD],
    ['an index', { ...BUILD, index: { ...BUILD.index, columns: 'currency' } }],
  ] as const) {
    it(`${what} fails after its limit if a transaction stays open; the error names it, and the next start goes on`, async (t) => {
      const { url, upgrade, made, ask } = await opened(t);
      const holder = await holding(t, url);
      await assert.rejects(
        upgrade([step], { waitLimitMs: 1_500 }),
        /could not be changed \(\w+\): for 2 s another transaction was in the way, last of process \d+ \(psql, idle in/,
      );
      assert.deepEqual(await made(), []);
      await holder.query('commit');
      await upgrade([step]);
      assert.deepEqual(await made(), [{ name: step.name }]);
      if ('index' in step) assert.deepEqual(await ask(validity), [{ valid: true }]);
    });
  }

  it('writes go on without a wait while an index waits for an open transaction', async (t) => {
    const { url, store, upgrade, lines } = await opened(t);
    await upgrade([ADD]);
    const holder = await holding(t, url);
    const upgrading = upgrade([ADD, BUILD]);
    while (!lines.some((line) => line.includes('waitsFor'))) await sleep(20);
    const lock = await connected(t, url);
    // A statement that had to queue would fail.
    await lock.query(`set lock_timeout = '1ms'`);
    await lock.query(`insert into orders (order_id, currency, version) values ('B', 'EUR', 1)`);
    assert.equal(await raise(store, 'B'), 1);
    await holder.query('commit');
    await upgrading;
  });

  it('an index that a killed process left unfinished is built again', async (t) => {
    const { url, upgrade, ask } = await opened(t);
    await upgrade([ADD]);
    const holder = await holding(t, url);
    const killed = await connected(t, url);
    const [{ pid } = {}] = (await killed.query<{ pid: number }>('select pg_backend_pid() as pid')).rows;
    const building = killed.query('create index concurrently orders_shop on orders (shop, order_id)');
    while ((await ask(validity)).length === 0) await sleep(10);
    await Promise.all([assert.rejects(building), ask(`select pg_terminate_backend(${pid})`)]);
    await holder.query('commit');
    assert.deepEqual(await ask(validity), [{ valid: false }]);
    await upgrade([ADD, BUILD]);
    assert.deepEqual(await ask(validity), [{ valid: true }]);
  });

  it('an index that the server still builds for a killed proxy is waited for, not built twice', async (t) => {
    const { url, upgrade, ask, lines } = await opened(t);
    await upgrade([ADD]);
    const holder = await holding(t, url);
    const orphan = await connected(t, url);
    const building = orphan.query('create index concurrently orders_shop on orders (shop, order_id)');
    while ((await ask(validity)).length === 0) await sleep(10);
    const [{ oid } = {}] = await ask(`select 'orders_shop'::regclass::oid as oid`);
    const upgrading = upgrade([ADD, BUILD]);
    while (!lines.some((line) => line.includes('waitsFor'))) await sleep(20);
    await holder.query('commit');
    await Promise.all([building, upgrading]);
    assert.deepEqual(await ask(`select 'orders_shop'::regclass::oid as oid`), [{ oid }]);
  });

  it('a backfill that was cut goes on, and leaves alone what is done', async (t) => {
    const { upgrade, ask, made } = await opened(t, 2_500);
    await upgrade([ADD]);
    await ask(`update orders set shop = 'other' where order_id like 'filled-24%'`);
    await ask(`create function cut() returns trigger language plpgsql as $$ begin raise 'cut'; end $$;
      create trigger cut before update on orders for each row when (old.order_id = 'filled-9') execute function cut()`);
    await assert.rejects(upgrade([ADD, FILL]), /could not be changed \(fill\): cut/);
    assert.deepEqual(await made(), [{ name: 'add' }]);
    const filled = `select count(*)::int as n from orders where shop = 'first'`;
    const [{ n: first } = {}] = await ask(filled);
    assert.ok(Number(first) > 0);
    await ask('drop trigger cut on orders');
    await upgrade([ADD, FILL]);
    const [others, all] = [111, 2_500];
    assert.deepEqual(await ask(filled), [{ n: all - others }]);
  });

  it('a step that fails leaves nothing of it', async (t) => {
    const { upgrade, ask, made } = await opened(t);
    const wrong: Step = { ...ADD, change: (by) => [...ADD.change(by), 'alter table nowhere add column x text'] };
    await assert.rejects(upgrade([wrong]), /could not be changed \(add\): relation "nowhere" does not exist/);
    assert.deepEqual(await made(), []);
    const columns = `select 1 from information_schema.columns where table_name = 'orders' and column_name like 'shop%'`;
    assert.deepEqual(await ask(columns), []);
  });

  it('a proxy opens a database that a newer version has changed, if its steps allow it, and refuses it otherwise', async (t) => {
    const { upgrade, lines } = await opened(t);
    await upgrade(NEWER_STEPS, { version: '0.4.0' });
    await upgrade([], { version: '0.2.0' });
    assert.match(lines.at(-1) ?? '', /^warn the database was changed by a newer version.*"0.4.0".*"0.2.0"/);
    await upgrade([...NEWER_STEPS, { ...ADD, compatibleWith: '0.3.0' }], { version: '0.10.0' });
    await assert.rejects(upgrade([], { version: '0.2.0' }), {
      message:
        'This database was written by payment-proxy 0.10.0; it needs at least 0.3.0, and this is 0.2.0. ' +
        'Install that version, or restore a backup from before it.',
    });
    await upgrade([], { version: '0.3.0' });
  });
});
