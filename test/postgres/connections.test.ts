// The PostgreSQL store's connections on a real server: required settings, dropped connections, and commits whose answer
// is lost.
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { Client } from 'pg';
import { Refusal } from '../../backend-proxy/errors.ts';
import { connectDatabase } from '../../backend-proxy/ledger/connect.ts';
import type { Db, Store } from '../../backend-proxy/ledger/store.ts';
import { startPostgresRelay, type LostCommit } from '../postgres-relay.ts';
import { startPostgres, whyNoPostgres, type PostgresServer } from '../postgres-server.ts';

const why = whyNoPostgres();
const die = (error: unknown): never => assert.fail(String(error));
const insert = (tx: Db, id: string) =>
  tx
    .insertInto('orders')
    .values({ order_id: id, amount_minor: 1, currency: 'EUR', version: 0, paid_by: null })
    .execute();

describe('PostgreSQL: a connection', { skip: why === undefined ? false : `skipped: ${why}` }, () => {
  let server: PostgresServer;
  let url: string;
  let admin: Client;

  before(async () => {
    server = await startPostgres();
    url = await server.createDatabase();
    admin = new Client({ connectionString: url });
    admin.on('error', () => undefined);
    await admin.connect();
  });
  after(async () => {
    await admin.end();
    await server.end();
  });

  async function opened(t: TestContext, at = url, connections = 1): Promise<Store> {
    const store = await connectDatabase(at, die, { connections });
    t.after(() => store.close());
    return store;
  }

  async function setting(tx: Db, name: string): Promise<unknown> {
    return (await sql<{ value: string }>`select current_setting(${name}) as value`.execute(tx)).rows[0]?.value;
  }

  const LIMITS = {
    synchronous_commit: 'on',
    statement_timeout: '10s',
    lock_timeout: '3s',
    idle_in_transaction_session_timeout: '5s',
  };

  it('a connection has durable commits and time limits, whatever the URL and the database set', async (t) => {
    const name = url.split('/').at(-1);
    await admin.query(`alter database ${name} set synchronous_commit = off`);
    t.after(() => admin.query(`alter database ${name} reset synchronous_commit`));
    const options = '-c synchronous_commit=off -c lock_timeout=0';
    const store = await opened(t, `${url}?options=${encodeURIComponent(options)}&statement_timeout=0`);
    for (const [of, value] of Object.entries(LIMITS)) assert.equal(await setting(store.db, of), value, of);
  });

  it('each transaction sets its limits again, in case a pooler swapped the connection', async (t) => {
    const store = await opened(t);
    for (const of of Object.keys(LIMITS))
      await sql`select set_config(${of}, ${of === 'synchronous_commit' ? 'off' : '0'}, false)`.execute(store.db);
    await store.write(async (tx) => {
      for (const [of, value] of Object.entries(LIMITS)) assert.equal(await setting(tx, of), value, of);
    });
  });

  it('opening refuses a server that takes no writes', async (t) => {
    const name = url.split('/').at(-1);
    await admin.query(`alter database ${name} set default_transaction_read_only = on`);
    t.after(async () => {
      await admin.query('set default_transaction_read_only = off');
      await admin.query(`alter database ${name} reset default_transaction_read_only`);
    });
    await assert.rejects(connectDatabase(url, die), /PostgreSQL is read-only/);
  });

  it('a connection that turned read-only is never used again, and its write runs on another', async (t) => {
    const store = await opened(t);
    const pid = async () => (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(store.db)).rows[0]?.pid;
    const first = await pid();
    await sql`set default_transaction_read_only = on`.execute(store.db);
    await store.write((tx) => insert(tx, 'turned'));
    assert.notEqual(await pid(), first);
  });

  it('a connection closed by the server loses no write', async (t) => {
    const store = await opened(t);
    let tries = 0;
    await store.write(async (tx) => {
      tries += 1;
      if (tries === 1) await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx);
      await insert(tx, 'terminated');
    });
    assert.equal(tries, 2);
  });

  it('a connection whose transaction failed is clean for the next write', async (t) => {
    const store = await opened(t);
    await assert.rejects(
      store.write(async (tx) => {
        await insert(tx, 'left');
        throw new Refusal('already_paid', 'no');
      }),
      { kind: 'already_paid' },
    );
    await assert.rejects(
      store.write((tx) => sql`select 1 / 0`.execute(tx)),
      { kind: 'unavailable' },
    );
    await store.write((tx) => insert(tx, 'left'));
  });

  it('a write commits nothing if a statement failed, even if the operation ignored the error', async (t) => {
    const store = await opened(t);
    await assert.rejects(
      store.write(async (tx) => {
        await insert(tx, 'swallowed');
        await sql`select 1 / 0`.execute(tx).catch(() => undefined);
      }),
      { kind: 'unavailable' },
    );
    assert.equal((await admin.query("select 1 from orders where order_id = 'swallowed'")).rowCount, 0);
  });

  it('a write waits at most 3 s for a locked row, and a transaction idle for 5 s loses its lock', async (t) => {
    const [store, other] = [await opened(t), await opened(t)];
    await store.write((tx) => insert(tx, 'held'));
    const [held, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = store.write(async (tx) => {
      await store.lockOrder(tx, 'held');
      held.resolve();
      await goOn.promise;
      await insert(tx, 'never');
    });
    const lost = assert.rejects(holding, { kind: 'unavailable' });
    await held.promise;
    const take = () => other.write((tx) => other.lockOrder(tx, 'held'));
    await assert.rejects(take(), { kind: 'unavailable' });
    await take();
    goOn.resolve();
    await lost;
  });

  it('lockOrderOf() locks the order of the payment', async (t) => {
    const [store, other] = [await opened(t), await opened(t)];
    await store.write(async (tx) => {
      await insert(tx, 'whole');
      await sql`insert into transactions (id, type, order_id, attempt, amount_minor, currency, fingerprint, rank, prior_rank, created_at, updated_at)
        values ('whole-2', 'PAY', 'whole', 2, 1, 'EUR', 'f', 0, 0, 0, 0)`.execute(tx);
    });
    await store.write(async (tx) => {
      await store.lockOrderOf(tx, 'whole-2');
      const taken = other.write((second) =>
        sql`select 1 from orders where order_id = 'whole' for update nowait`.execute(second),
      );
      await assert.rejects(taken, { kind: 'unavailable' });
      await other.write((second) => other.lockOrderOf(second, 'of-nobody'));
    });
  });

  const brokenAtCommit: { what: string; how: LostCommit; isKept: boolean }[] = [
    { what: 'that was applied finds out that it was committed', how: 'applied', isKept: true },
    {
      what: 'that arrives a second later looks it up until it is decided',
      how: { lateByMs: 1_000 },
      isKept: true,
    },
    { what: 'that never arrived finds out that it was rolled back', how: 'unsent', isKept: false },
  ];
  for (const [n, { what, how, isKept }] of brokenAtCommit.entries()) {
    it(`a connection that breaks during a commit ${what}`, async (t) => {
      const relay = await startPostgresRelay(url);
      t.after(relay.close);
      const store = await opened(t, relay.url);
      const wasLost = relay.loseCommit(how);
      const writing = store.write(async (tx, now) => {
        await insert(tx, `lost-${n}`);
        return now;
      });
      if (isKept) assert.ok(Math.abs((await writing) - Date.now()) < 60_000);
      else await assert.rejects(writing, { kind: 'unavailable' });
      assert.ok(wasLost());
      const { rowCount } = await admin.query('select 1 from orders where order_id = $1', [`lost-${n}`]);
      assert.equal(rowCount, isKept ? 1 : 0);
    });
  }

  it('a commit looked up after a restart of the server stays unknown: its id may belong to another transaction', async (t) => {
    const relay = await startPostgresRelay(await server.createDatabase());
    t.after(relay.close);
    const store = await opened(t, relay.url);
    relay.loseCommit('applied');
    const writing = store.write(async (tx) => {
      await insert(tx, 'before');
      // Replaces the server's start time, so that the lookup sees another run.
      await sql`create function public.pg_postmaster_start_time() returns timestamptz language sql as 'select clock_timestamp()'`.execute(
        tx,
      );
      await sql
        .raw(`alter database ${new URL(relay.url).pathname.slice(1)} set search_path = public, pg_catalog`)
        .execute(tx);
    });
    await assert.rejects(writing, { kind: 'unavailable' });
  });
});
