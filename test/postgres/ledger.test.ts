// The ledger on a real PostgreSQL: the contract, and what only this store promises: no start without fsync, recovery
// from broken connections, and notice of other processes' commits.
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { Pool } from 'pg';
import { createLedger } from '../../backend-proxy/ledger/ledger.ts';
import type { Ledger } from '../../backend-proxy/ledger/ledger.ts';
import { connectDatabase } from '../../backend-proxy/ledger/connect.ts';
import type { Store } from '../../backend-proxy/ledger/store.ts';
import { startPostgres, whyNoPostgres, type PostgresServer } from './server.ts';
import { ledgerContract } from '../backend-proxy/ledger/contract/contract.ts';
import { LIMITS, PAYMENT, PENDING, byId, type LedgerById } from '../backend-proxy/ledger/ledger-kit.ts';

const why = whyNoPostgres();
const die = (error: unknown): never => assert.fail(String(error));

describe('PostgreSQL', { skip: why === undefined ? false : `skipped: ${why}` }, () => {
  let server: PostgresServer;
  let url: string;
  let pool: Pool;

  before(async () => {
    server = await startPostgres();
    url = await server.createDatabase();
    pool = new Pool({ connectionString: url });
    pool.on('error', () => undefined);
  });
  after(async () => {
    await pool.end();
    await server.end();
  });

  async function openPort(t: TestContext, options?: Parameters<typeof createLedger>[1]): Promise<Ledger> {
    const ledger = createLedger(await connectDatabase(url, die), options);
    t.after(() => ledger.close());
    return ledger;
  }

  async function openLedger(t: TestContext, now?: () => number): Promise<LedgerById> {
    return byId(await openPort(t, now && { now }), now ?? Date.now);
  }

  async function emptied(): Promise<void> {
    const { rows } = await pool.query(`select 1 from pg_tables where tablename = 'orders'`);
    if (rows.length === 0) return;
    await pool.query('truncate orders, transactions, history, ipns, webhooks');
    const kept = `'schema', 'oldest', 'database_id', 'fingerprint_key', 'pinged_at', 'clock_steps'`;
    await pool.query(`delete from meta where key not in (${kept})`);
    await pool.query(`update meta set value = '0' where key like '%_steps'`);
  }

  // Connecting takes longer than most tests: two stores, like two processes, are shared by all.
  const shared: Store[] = [];
  after(() => Promise.all(shared.map((store) => store.close())));

  ledgerContract({
    name: 'PostgreSQL',
    runs: 10,
    async openDatabase(t) {
      if (shared.length === 0) shared.push(await connectDatabase(url, die), await connectDatabase(url, die));
      await emptied();
      let opened = 0;
      return {
        async open(options, ownConnection) {
          if (ownConnection) return openPort(t, options);
          const store = shared[(opened += 1) % 2]!;
          const ledger = createLedger({ ...store, close: async () => undefined }, options);
          t.after(() => ledger.close());
          return ledger;
        },
        rows: async <Row>(text: string) => (await pool.query(text)).rows as Row[],
        change: async (text) => void (await pool.query(text)),
      };
    },
  });

  describe('PostgreSQL: the server', () => {
    /** The database as through a server or pooler that keeps its own value of a setting. */
    async function urlWith(name: string, value: string): Promise<string> {
      await pool.query(`create schema with_${name};
        create function with_${name}.current_setting(text) returns text language sql as
          $$ select case $1 when '${name}' then '${value}' else pg_catalog.current_setting($1) end $$`);
      return `${url}?options=${encodeURIComponent(`-c search_path=with_${name},pg_catalog`)}`;
    }

    it('opening refuses a server with fsync off, which may lose acknowledged commits', async () => {
      await assert.rejects(connectDatabase(await urlWith('fsync', 'off'), die), /PostgreSQL runs with fsync off/);
    });

    for (const [name, value] of Object.entries({
      synchronous_commit: 'local',
      statement_timeout: '0',
      lock_timeout: '1min',
    })) {
      it(`opening refuses a server that overrides ${name}`, async () => {
        const at = await urlWith(name, value);
        await assert.rejects(connectDatabase(at, die), new RegExp(`PostgreSQL has ${name} = ${value} although`));
      });
    }

    it('the ledger writes and watches again after the server has cut every connection', async (t) => {
      await emptied();
      const [ledger, other] = [await openLedger(t), await openLedger(t)];
      await ledger.openPayment(PAYMENT, LIMITS);
      await pool.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = $1',
        ['client backend'],
      );
      const deadline = Date.now() + 20_000;
      for (;;) {
        assert.ok(Date.now() < deadline);
        const kind = await ledger.record('A', { stage: 'uncertain', detail: 'reset' }).then(
          () => 'written',
          (error: { kind?: string }) => error.kind,
        );
        if (kind === 'written') break;
        assert.equal(kind, 'unavailable');
      }
      const changed = Promise.withResolvers<void>();
      t.after(
        ledger.watch(
          'A',
          () => void ledger.order('A').then((order) => order?.payments[0]?.stage === 'pending' && changed.resolve()),
        ),
      );
      await other.record('A', PENDING);
      await changed.promise;
    });

    it('a ping writes, and neither waits nor fails where somebody holds its row', async (t) => {
      await emptied();
      const ledger = await openLedger(t);
      const pingedAt = async () =>
        (await pool.query<{ value: string }>("select value from meta where key = 'pinged_at'")).rows[0]?.value;
      const first = await pingedAt();
      const holder = await pool.connect();
      await holder.query('begin');
      await holder.query("select value from meta where key = 'pinged_at' for update");
      await ledger.ping();
      assert.equal(await pingedAt(), first);
      await holder.query('rollback');
      holder.release();
      await ledger.ping();
      assert.ok(Number(await pingedAt()) > Number(first));
    });

    it('a check decides on what another process has just committed', async (t) => {
      await emptied();
      let now = 0;
      const ledger = await openLedger(t, () => now);
      await ledger.openPayment(PAYMENT, LIMITS);
      now = 45_000;
      const sender = await pool.connect();
      await sender.query('begin');
      await sender.query("update transactions set sent_at = 45000 where id = 'A'");
      const observing = ledger.observe('A', { kind: 'unavailable' });
      const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
      const deadline = Date.now() + 20_000;
      while ((await pool.query(waiting)).rows.length === 0) assert.ok(Date.now() < deadline);
      await sender.query('commit');
      sender.release();
      await observing;
      assert.equal((await ledger.order('A'))?.payments[0]?.stage, 'sending');
    });

    it('making the tables waits 3 s for a table in use and may take long, and any statement 10 s', async () => {
      const fresh = await server.createDatabase();
      const watcher = new Pool({ connectionString: fresh });
      await watcher.query(`create table seen (statement_timeout text, lock_timeout text);
        create function note() returns event_trigger language plpgsql as $$ begin
          insert into seen values (current_setting('statement_timeout'), current_setting('lock_timeout')); end $$;
        create event trigger noted on ddl_command_end when tag in ('CREATE INDEX') execute function note()`);
      const store = await connectDatabase(fresh, die);
      const { rows } = await watcher.query('select distinct * from seen');
      assert.deepEqual(rows, [{ statement_timeout: '0', lock_timeout: '3s' }]);
      const limits = sql<{ statement: string }>`select current_setting('statement_timeout') as statement`;
      assert.deepEqual((await limits.execute(store.db)).rows, [{ statement: '10s' }]);
      await store.close();
      await watcher.end();
    });
  });
});
