// The PostgreSQL store behind a transaction pooler that swaps connections and does not know prepared statements.
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { Client } from 'pg';
import { connectDatabase } from '../../backend-proxy/ledger/connect.ts';
import { createLedger } from '../../backend-proxy/ledger/ledger.ts';
import type { Store } from '../../backend-proxy/ledger/store.ts';
import { LIMITS, payment } from '../backend-proxy/ledger/ledger-kit.ts';
import { NOTHING, ORDER, raise } from '../backend-proxy/ledger/order-writes.ts';
import { startPostgresPooler, type PostgresPooler } from './pooler.ts';
import { startPostgres, whyNoPostgres, type PostgresServer } from './server.ts';

const why = whyNoPostgres();
const die = (error: unknown): never => assert.fail(String(error));

describe('PostgreSQL: a transaction pooler', { skip: why === undefined ? false : `skipped: ${why}` }, () => {
  let server: PostgresServer;

  before(async () => {
    server = await startPostgres();
  });
  after(() => server.end());

  async function started(t: TestContext, connections: number): Promise<PostgresPooler> {
    const url = await server.createDatabase();
    const pooler = await startPostgresPooler(url, connections);
    t.after(pooler.close);
    return pooler;
  }

  async function opened(t: TestContext, { url }: PostgresPooler, connections = 1): Promise<Store> {
    const store = await connectDatabase(url, die, { connections });
    t.after(() => store.close());
    return store;
  }

  it('a proxy whose prepared statements are lost by a pooler stops naming them, and fails no write', async (t) => {
    const pooler = await started(t, 3);
    const store = await opened(t, pooler);
    for (let n = 0; n < 10; n += 1) assert.equal(await raise(store, 'A'), n === 0 ? undefined : n - 1);
    const named = pooler.named();
    for (let n = 10; n < 20; n += 1) assert.equal(await raise(store, 'A'), n - 1);
    assert.equal(pooler.named(), named);
  });

  it('a start that sends a prompt succeeds at once if its prepared statements are lost within its transaction', async (t) => {
    const pooler = await started(t, 2);
    const ledger = createLedger(await opened(t, pooler));
    const start = (orderId: string, customer: string) =>
      ledger.openPayment(
        {
          ...payment({ orderId, customer, method: 'DIRECT', start: { by: 'us', id: orderId } }),
          iat: null,
          terms: 't',
        },
        LIMITS,
      );
    for (let n = 0; n < 6; n += 1) assert.equal((await start(`P${n}`, `123${n}`)).maySend, true);
  });

  it("every write behind a pooler is durable and has its time limits, whatever the database's settings", async (t) => {
    const database = await server.createDatabase();
    const pooler = await startPostgresPooler(database, 2);
    t.after(pooler.close);
    const store = await opened(t, pooler);
    const admin = new Client({ connectionString: database });
    await admin.connect();
    t.after(() => admin.end());
    const NAMES = ['synchronous_commit', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
    // Deferred, so it notes the settings at the commit.
    await admin.query(`create table settings (by text, value text);
      create function note() returns trigger language plpgsql as $$ begin
        insert into settings values (new.order_id, ${NAMES.map((name) => `current_setting('${name}')`).join(` || ' ' || `)});
        return null; end $$;
      create constraint trigger noted after insert or update on orders deferrable initially deferred
        for each row execute function note()`);
    // Both of the pooler's connections lose what the store has set, as new ones would.
    for (let n = 0; n < 4; n += 1) {
      for (const name of NAMES) await sql.raw(`set ${name} = ${name === NAMES[0] ? 'off' : '0'}`).execute(store.db);
    }
    const locked = { ...ORDER, order_id: 'locked' };
    await raise(store, 'saved');
    await store.write({ order: 'locked', prompts: { customer: '1', limit: 1 } }, () => ({
      changes: { ...NOTHING, orders: [{ before: undefined, after: locked }] },
      result: undefined,
    }));
    await store.execute(sql`update orders set version = 7 where order_id = 'saved'`.compile(store.db));
    const value = 'on 10s 3s 5s';
    assert.deepEqual(
      (await admin.query('select * from settings')).rows,
      ['saved', 'locked', 'saved'].map((by) => ({ by, value })),
    );
  });

  it("proxies behind one pooler never run another's prepared statements", async (t) => {
    const pooler = await started(t, 2);
    pooler.prefer(0);
    const one = await opened(t, pooler);
    await raise(one, 'A');
    pooler.prefer(1);
    const other = await opened(t, pooler);
    // As their first statement, the two prepare different ones.
    const found = await other.load({ transactions: ['A'] });
    assert.deepEqual([found.orders.length, found.transactions.length], [0, 0]);
    assert.equal((await one.load({ order: 'A' })).orders.length, 1);
    assert.equal(await raise(one, 'A'), 0);
  });
});
