// The PostgreSQL store's connections on a real server: required settings, dropped connections, and statements whose
// answer is lost.
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { Client } from 'pg';
import { Refusal } from '../../backend-proxy/errors.ts';
import { connectDatabase } from '../../backend-proxy/ledger/connect.ts';
import { createPool } from '../../backend-proxy/ledger/postgres/connection.ts';
import { Timeline } from '../../backend-proxy/ledger/postgres/timeline.ts';
import type { Store, Subject } from '../../backend-proxy/ledger/store.ts';
import { NOTHING, ORDER, raise } from '../backend-proxy/ledger/order-writes.ts';
import { until } from '../faults/fault-test.ts';
import { isBegin, isCommit, isLoad, isSave, startPostgresRelay, type LostAnswer, type PostgresRelay } from './relay.ts';
import { startPostgres, whyNoPostgres, type PostgresServer } from './server.ts';

const why = whyNoPostgres();
const die = (error: unknown): never => assert.fail(String(error));

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

  async function relayed(t: TestContext): Promise<{ relay: PostgresRelay; store: Store }> {
    const relay = await startPostgresRelay(url);
    t.after(relay.close);
    return { relay, store: await opened(t, relay.url) };
  }

  async function setting(store: Store, name: string): Promise<unknown> {
    return (await sql<{ value: string }>`select current_setting(${name}) as value`.execute(store.db)).rows[0]?.value;
  }

  const pidOf = async (store: Store) =>
    (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(store.db)).rows[0]?.pid;

  const versionOf = async (id: string) =>
    (await admin.query<{ version: string }>('select version from orders where order_id = $1', [id])).rows.map(
      ({ version }) => Number(version),
    );

  /** As a start that sends a prompt: decided within a transaction that holds the wallet's lock. */
  const raiseLocked = (store: Store, id: string, customer: string, decided: () => void = () => undefined) =>
    store.write({ order: id, prompts: { customer, limit: 10 } }, ({ orders: [found] }) => {
      decided();
      const changed = found === undefined ? { ...ORDER, order_id: id } : { ...found, version: found.version + 1 };
      return { changes: { ...NOTHING, orders: [{ before: found, after: changed }] }, result: found?.version };
    });

  const LIMITS = {
    synchronous_commit: 'on',
    default_transaction_isolation: 'read committed',
    client_min_messages: 'warning',
    statement_timeout: '10s',
    lock_timeout: '3s',
    idle_in_transaction_session_timeout: '5s',
  };

  it('a connection has durable commits and time limits, whatever the URL and the database set', async (t) => {
    const name = url.split('/').at(-1);
    await admin.query(`alter database ${name} set synchronous_commit = off`);
    t.after(() => admin.query(`alter database ${name} reset synchronous_commit`));
    const options =
      '-c synchronous_commit=off -c lock_timeout=0 -c client_min_messages=error -c default_transaction_isolation=serializable';
    const store = await opened(t, `${url}?options=${encodeURIComponent(options)}&statement_timeout=0`);
    for (const [of, value] of Object.entries(LIMITS)) assert.equal(await setting(store, of), value, of);
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
    const first = await pidOf(store);
    await sql`set default_transaction_read_only = on`.execute(store.db);
    await raise(store, 'turned');
    assert.notEqual(await pidOf(store), first);
    assert.deepEqual(await versionOf('turned'), [0]);
  });

  for (const [how, statement] of Object.entries({
    'closes during a save': 'perform pg_terminate_backend(pg_backend_pid())',
    'had closed, because it was idle': "raise exception using errcode = '57P05'",
  })) {
    it(`a connection that the server ${how} loses no write`, async (t) => {
      const store = await opened(t);
      await admin.query(`create sequence saves;
      create function end_first() returns trigger language plpgsql as $$ begin
        if nextval('saves') = 1 then ${statement}; end if; return new; end $$;
      create trigger ended before insert on orders for each row execute function end_first()`);
      t.after(() => admin.query('drop trigger ended on orders; drop function end_first; drop sequence saves'));
      let decided = 0;
      await raise(store, how, () => (decided += 1));
      assert.equal(decided, 2);
      assert.deepEqual(await versionOf(how), [0]);
    });
  }

  it('a connection whose write failed is clean for the next write, and holds no lock', async (t) => {
    const store = await opened(t);
    const pid = await pidOf(store);
    const refuse = () => {
      throw new Refusal('already_paid', 'no');
    };
    const twice = ['left', 'left'].map((id) => ({
      before: undefined,
      after: { ...ORDER, order_id: id, currency: null },
    }));
    const fail = () => ({ changes: { ...NOTHING, orders: twice as never }, result: undefined });
    for (const subject of [
      { order: 'left' },
      { order: 'left', prompts: { customer: '2222', limit: 10 } },
    ] as Subject[]) {
      await assert.rejects(store.write(subject, refuse), { kind: 'already_paid' });
      await assert.rejects(store.write(subject, fail), { kind: 'unavailable' });
    }
    assert.equal((await admin.query("select 1 from pg_locks where locktype = 'advisory'")).rowCount, 0);
    await raise(store, 'left');
    assert.equal(await pidOf(store), pid);
  });

  it('a statement that was prepared before another process added a column runs after it', async (t) => {
    const store = await opened(t);
    const read = () => store.execute(store.db.selectFrom('meta').selectAll().compile());
    const rows = (await read()).length;
    await admin.query('alter table meta add column added int');
    t.after(() => admin.query('alter table meta drop column added'));
    assert.equal((await read()).length, rows);
    assert.equal((await read()).length, rows);
  });

  const LOST: { what: string; how: () => LostAnswer }[] = [
    { what: 'was applied', how: () => 'applied' },
    { what: 'is applied a second later', how: () => ({ after: sleep(1_000) }) },
    { what: 'never arrived', how: () => 'unsent' },
  ];
  const WRITES = {
    'a save': { write: raise, at: isSave },
    'a save that holds a lock': {
      write: (store: Store, id: string) => raiseLocked(store, id, '4444'),
      at: isSave,
    },
    'a commit': { write: (store: Store, id: string) => raiseLocked(store, id, '5555'), at: isCommit },
  };
  for (const [name, { write, at }] of Object.entries(WRITES)) {
    for (const { what, how } of LOST) {
      it(`${name} whose answer is lost and that ${what} is made once`, async (t) => {
        const { relay, store } = await relayed(t);
        const id = `${name} ${what}`;
        const wasInsertLost = relay.loseAnswer(how(), at);
        assert.equal(await write(store, id), undefined);
        assert.ok(wasInsertLost());
        const wasUpdateLost = relay.loseAnswer(how(), at);
        assert.equal(await write(store, id), 0);
        assert.ok(wasUpdateLost());
        assert.deepEqual(await versionOf(id), [1]);
      });
    }
  }

  const waitFor = async (names: string) => {
    await admin.query(`alter system set synchronous_standby_names = '${names}'`);
    await admin.query('select pg_reload_conf()');
  };
  const waiting = async () => {
    const { rows } = await admin.query("select pid from pg_stat_activity where wait_event = 'SyncRep'");
    return rows.map(({ pid }: { pid: number }) => pid);
  };

  /** The server applies the setting with a delay: a probe commits until a commit waits. */
  async function untilCommitsWait(): Promise<void> {
    const probe = new Client({ connectionString: url });
    probe.on('error', () => undefined);
    await probe.connect();
    const probing = (async () => {
      for (;;) await probe.query("select pg_logical_emit_message(true, 'probe', '')");
    })();
    probing.catch(() => undefined);
    await until('a commit waits for a standby', async () => (await waiting()).length > 0);
    await admin.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [await waiting()]);
    await assert.rejects(probing);
    await until('no commit waits', async () => (await waiting()).length === 0);
  }

  for (const end of ['pg_terminate_backend', 'pg_cancel_backend'] as const)
    it(`a save whose wait for a standby ends by ${end} is reported only once the standby has it`, (t) =>
      endWait(t, end));

  async function endWait(t: TestContext, end: string): Promise<void> {
    const store = await opened(t);
    t.after(() => waitFor(''));
    await waitFor('away');
    await untilCommitsWait();
    let isReported = false;
    const writing = raise(store, end).then(() => (isReported = true));
    await until('the save waits for a standby', async () => (await waiting()).length === 1);
    const [pid] = await waiting();
    assert.ok(pid);
    // It is committed on this server, and nowhere else.
    await admin.query(`select ${end}($1)`, [pid]);
    await until('the save is committed here', async () => (await versionOf(end)).length > 0);
    await until('its repeat waits too', async () => (await waiting()).some((other) => other !== pid));
    assert.equal(isReported, false);
    await waitFor('');
    await writing;
    assert.deepEqual(await versionOf(end), [0]);
  }

  it('a save that arrives after its repeat changes nothing', async (t) => {
    const { relay, store } = await relayed(t);
    for (const version of [undefined, 0]) {
      const repeated = Promise.withResolvers<void>();
      relay.loseAnswer({ after: repeated.promise }, isSave);
      assert.equal(await raise(store, 'late'), version);
      repeated.resolve();
      await sleep(200);
    }
    assert.deepEqual(await versionOf('late'), [1]);
  });

  it('a write or read whose load, lock or begin is not answered begins again on another connection', async (t) => {
    for (const [at, locked] of [
      [isLoad, false],
      [isLoad, true],
      [isBegin, true],
    ] as const) {
      const { relay, store } = await relayed(t);
      const wasLost = relay.loseAnswer('applied', at);
      const id = `unread-${at.name}-${locked}`;
      await (locked ? raiseLocked(store, id, '6666') : raise(store, id));
      assert.ok(wasLost());
      assert.deepEqual(await versionOf(id), [0]);
      const wasReadLost = relay.loseAnswer('applied', isLoad);
      await store.load({ transactions: [] });
      assert.ok(wasReadLost());
    }
  });

  describe('its time limits', { concurrency: true }, () => {
    it('a write waits at most 3 s for a locked row', async (t) => {
      const store = await opened(t);
      await raise(store, 'held');
      await admin.query("begin; select 1 from orders where order_id = 'held' for update");
      const from = performance.now();
      await assert.rejects(raise(store, 'held'), { kind: 'unavailable' });
      assert.ok(performance.now() - from < 8_000);
      await admin.query('rollback');
      assert.equal(await raise(store, 'held'), 0);
    });

    it('a process that freezes while it holds the lock of a wallet loses it after 5 s', async (t) => {
      const { relay, store } = await relayed(t);
      const other = await opened(t);
      const wasLost = relay.loseAnswer({ after: new Promise(() => undefined) }, isSave);
      const writing = raiseLocked(store, 'frozen', '3333');
      await until('the answer is lost', wasLost);
      // Its own repeat waits for the lock as well.
      await assert.rejects(raiseLocked(other, 'waiting', '3333'), { kind: 'unavailable' });
      assert.equal(await writing, undefined);
      assert.equal(await raiseLocked(other, 'waiting', '3333'), undefined);
      assert.deepEqual([...(await versionOf('frozen')), ...(await versionOf('waiting'))], [0, 0]);
    });

    it('a save whose outcome stays unknown is reported as unavailable after about 10 s, and the store recovers', async (t) => {
      const { relay, store } = await relayed(t);
      const wasLost = relay.loseAnswer('applied', isSave);
      const from = performance.now();
      const writing = assert.rejects(raise(store, 'unknown'), { kind: 'unavailable', mayBeWritten: true });
      await until('the answer is lost', wasLost);
      relay.vanish();
      await writing;
      assert.ok(performance.now() - from < 30_000);
      assert.deepEqual(await versionOf('unknown'), [0]);
      relay.comeBack();
      assert.equal(await raise(store, 'unknown'), 0);
    });

    it('a pool that the full server gave no connection opens all of them again after about 10 s', async (t) => {
      const empty = await server.createDatabase();
      const owner = new Client({ connectionString: empty });
      await owner.connect();
      t.after(() => owner.end());
      await owner.query('create role late login connection limit 0');
      const databaseUrl = empty.replace('postgres@', 'late@');
      const pool = createPool({ databaseUrl, connections: 4, timeline: new Timeline(die) });
      t.after(pool.end);
      const query = { sql: 'select pg_backend_pid() as pid', parameters: [] };
      const ask = () => pool.use(({ run }) => run<{ pid: number }>(query));
      await assert.rejects(ask(), { code: '53300' });
      await owner.query('alter role late connection limit -1');
      await until('four statements at once have four connections', async () => {
        const rows = await Promise.all([ask(), ask(), ask(), ask()]);
        return new Set(rows.flat().map(({ pid }) => pid)).size === 4;
      });
    });
  });
});
