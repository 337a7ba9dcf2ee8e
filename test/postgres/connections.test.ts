// What the PostgreSQL store makes of its connections, over a real server: what each has to be, which are given up, and what
// became of a commit whose answer was lost on its way.
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

  it('commits durably and has its limits of time, whatever the URL and the database say', async (t) => {
    const name = url.split('/').at(-1);
    await admin.query(`alter database ${name} set synchronous_commit = off`);
    t.after(() => admin.query(`alter database ${name} reset synchronous_commit`));
    const options = '-c synchronous_commit=off -c lock_timeout=0';
    const store = await opened(t, `${url}?options=${encodeURIComponent(options)}&statement_timeout=0`);
    for (const [of, value] of Object.entries(LIMITS)) assert.equal(await setting(store.db, of), value, of);
  });

  it('is given its limits in each transaction again, where a pooler has put another one behind it', async (t) => {
    const store = await opened(t);
    for (const of of Object.keys(LIMITS))
      await sql`select set_config(${of}, ${of === 'synchronous_commit' ? 'off' : '0'}, false)`.execute(store.db);
    await store.write(async (tx) => {
      for (const [of, value] of Object.entries(LIMITS)) assert.equal(await setting(tx, of), value, of);
    });
  });

  it('is refused at the start where the server takes no writes', async (t) => {
    const name = url.split('/').at(-1);
    await admin.query(`alter database ${name} set default_transaction_read_only = on`);
    t.after(async () => {
      await admin.query('set default_transaction_read_only = off');
      await admin.query(`alter database ${name} reset default_transaction_read_only`);
    });
    await assert.rejects(connectDatabase(url, die), /PostgreSQL is read-only there/);
  });

  it('that turned read-only never serves again, and the same write is done on another', async (t) => {
    const store = await opened(t);
    const pid = async () => (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(store.db)).rows[0]?.pid;
    const first = await pid();
    await sql`set default_transaction_read_only = on`.execute(store.db);
    await store.write((tx) => insert(tx, 'turned'));
    assert.notEqual(await pid(), first);
  });

  it('that its server closes costs no write', async (t) => {
    const store = await opened(t);
    let tries = 0;
    await store.write(async (tx) => {
      tries += 1;
      if (tries === 1) await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx);
      await insert(tx, 'terminated');
    });
    assert.equal(tries, 2);
  });

  it('whose transaction was left by an error is clean for the next', async (t) => {
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

  it('that lost a statement on its way commits nothing, though the operation made nothing of it', async (t) => {
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

  it('waits for a row that another holds for 3 s and no longer, and who holds it idle loses it after 5 s', async (t) => {
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

  it('holds the order of a payment by the payment', async (t) => {
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
    { what: 'after it was applied is known to have committed', how: 'applied', isKept: true },
    {
      what: 'that arrives a second later is asked after until it is decided',
      how: { lateByMs: 1_000 },
      isKept: true,
    },
    { what: 'that never arrived is known to have kept nothing', how: 'unsent', isKept: false },
  ];
  for (const [n, { what, how, isKept }] of brokenAtCommit.entries()) {
    it(`that breaks at a commit ${what}`, async (t) => {
      const relay = await startPostgresRelay(url);
      t.after(relay.close);
      const store = await opened(t, relay.url);
      const hasStruck = relay.loseCommit(how);
      const writing = store.write(async (tx, now) => {
        await insert(tx, `lost-${n}`);
        return now;
      });
      if (isKept) assert.ok(Math.abs((await writing) - Date.now()) < 60_000);
      else await assert.rejects(writing, { kind: 'unavailable' });
      assert.ok(hasStruck());
      const { rowCount } = await admin.query('select 1 from orders where order_id = $1', [`lost-${n}`]);
      assert.equal(rowCount, isKept ? 1 : 0);
    });
  }

  it('of another run of the server proves no commit: its number may have been given to another transaction', async (t) => {
    const relay = await startPostgresRelay(await server.createDatabase());
    t.after(relay.close);
    const store = await opened(t, relay.url);
    relay.loseCommit('applied');
    const writing = store.write(async (tx) => {
      await insert(tx, 'before');
      // The clock of the server's start is the test's here: the same look-up, told of another run.
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
