// The warning about a failover that would lose commits, on real servers.
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { Client } from 'pg';
import { connectDatabase } from '../../backend-proxy/ledger/connect.ts';
import { createLedger } from '../../backend-proxy/ledger/ledger.ts';
import { LookUpNeeded } from '../../backend-proxy/errors.ts';
import { PAYOUT } from '../backend-proxy/ledger/ledger-kit.ts';
import { raise } from '../backend-proxy/ledger/order-writes.ts';
import { until } from '../faults/fault-test.ts';
import { startPostgresPair, type PostgresPair } from './pair.ts';
import { startPostgresPooler } from './pooler.ts';
import { startPostgres, whyNoPostgres } from './server.ts';

const why = whyNoPostgres();
const die = (error: unknown): never => assert.fail(String(error));

describe('PostgreSQL: standbys', { skip: why === undefined ? false : `skipped: ${why}` }, () => {
  const ends: (() => unknown)[] = [];
  let pair: PostgresPair;

  before(async () => {
    pair = await startPostgresPair({ defer: (end) => ends.push(end) }, { isSynchronous: false });
  });
  after(async () => {
    for (const end of ends.toReversed()) await end();
  });

  it('a server with standbys of which none is synchronous warns that a failover loses payments', async (t) => {
    const expected =
      /^A standby of the database is not synchronous: .* lost\. Set synchronous_standby_names; .* DATABASE_RESTORED\.$/;
    assert.match((await warnings(t, pair.primaryUrl)).join('\n'), expected);
  });

  it('a server with a synchronous standby does not warn', async (t) => {
    const admin = await connected(t, pair.primaryUrl);
    await admin.query("alter system set synchronous_standby_names = '*'");
    await admin.query('select pg_reload_conf()');
    await until('the setting is there', async () => {
      const { rows } = await admin.query<{ names: string }>(
        "select current_setting('synchronous_standby_names') as names",
      );
      return rows[0]?.names === '*';
    });
    assert.deepEqual(await warnings(t, pair.primaryUrl), []);
  });

  it('a logical subscriber and a base backup are not standbys, and cause no warning', async (t) => {
    const server = await startPostgres({ settings: { wal_level: 'logical' } });
    t.after(server.end);
    const url = await server.createDatabase();
    const admin = await connected(t, url);
    await admin.query("select pg_create_logical_replication_slot('feed', 'pgoutput')");
    await admin.query('create publication feed');
    const [subscriber, backup] = await Promise.all([1, 2].map(() => connected(t, `${url}?replication=database`)));
    const feed = "START_REPLICATION SLOT feed LOGICAL 0/0 (proto_version '1', publication_names 'feed')";
    // Both end with the server; an unread backup stops when the buffers are full.
    subscriber?.query(feed).catch(() => undefined);
    backup?.query('BASE_BACKUP').catch(() => undefined);
    if (backup !== undefined) backup.connection.stream.pause();
    await until('both run', async () => {
      const { rows } = await admin.query<{ state: string }>('select state from pg_stat_replication');
      const states = rows.map(({ state }) => state);
      return states.includes('streaming') && states.includes('backup');
    });
    assert.deepEqual(await warnings(t, url), []);
  });
});

describe('PostgreSQL: a failover behind one address', { skip: why === undefined ? false : `skipped: ${why}` }, () => {
  const promoted = async (t: TestContext, isSynchronous: boolean) => {
    const pair = await startPostgresPair({ defer: (end) => t.after(end) }, { isSynchronous });
    const log: string[] = [];
    const open = async () => {
      const store = await connectDatabase(pair.address.url, die, { log: (_, event) => void log.push(event) });
      t.after(() => store.close());
      return { store, ledger: createLedger(store) };
    };
    const first = await open();
    await raise(first.store, 'before');
    assert.equal(await first.ledger.wasRestoredLately(), false);
    await pair.caughtUp();
    pair.stopReplication();
    await pair.promote();
    pair.address.cut();
    pair.moveAddress();
    return { pair, open, first, tookOver: () => log.filter((event) => event.includes('counts as restored')).length };
  };

  it('a standby that commits did not wait for counts as a restored database, before anything is written there', async (t) => {
    const { first, open, tookOver } = await promoted(t, false);
    await until('the address leads to the standby', async () => {
      try {
        const all = await Promise.all(Array.from({ length: 8 }, () => first.ledger.wasRestoredLately()));
        return all.every(Boolean);
      } catch {
        return false;
      }
    });
    assert.equal(tookOver(), 1);
    const next = await open();
    assert.equal(await next.ledger.wasRestoredLately(), true);
    assert.equal(tookOver(), 1, 'once for each failover, however many connections find it');
  });

  it('a pooler that leads an open connection to the promoted standby is noticed by the next write there', async (t) => {
    const pair = await startPostgresPair({ defer: (end) => t.after(end) }, { isSynchronous: false });
    const pooler = await startPostgresPooler(pair.primaryUrl, 1);
    t.after(pooler.close);
    const store = await connectDatabase(pooler.url, die, { connections: 1 });
    t.after(() => store.close());
    const ledger = createLedger(store);
    const payOut = (orderId: string) => ledger.openPayout({ ...PAYOUT, orderId, start: { by: 'us', id: orderId } });
    assert.equal((await payOut('before')).maySend, true);
    await pair.caughtUp();
    pair.stopReplication();
    assert.equal((await payOut('lost')).maySend, true);
    await pair.promote();
    await pooler.moveTo(pair.standbyUrl);
    await assert.rejects(payOut('lost'), LookUpNeeded);
    await pooler.moveTo(pair.primaryUrl);
    await assert.rejects(payOut('too late'), { kind: 'unavailable' });
  });

  it('a standby that commits waited for has lost nothing', async (t) => {
    const { open, tookOver } = await promoted(t, true);
    const next = await open();
    assert.deepEqual([await next.ledger.wasRestoredLately(), tookOver()], [false, 0]);
  });

  it('the primary that was replaced is not used behind the address once the promoted server was', async (t) => {
    const { pair, open } = await promoted(t, false);
    const { store } = await open();
    await raise(store, 'after');
    pair.address.cut();
    pair.address.moveTo(pair.primaryUrl);
    await assert.rejects(raise(store, 'too late'), { kind: 'unavailable' });
    const [old, newer] = [await connected(t, pair.primaryUrl), await connected(t, pair.standbyUrl)];
    const ordersOf = async (server: Client) =>
      (await server.query<{ order_id: string }>('select order_id from orders order by 1')).rows.map(
        (row) => row.order_id,
      );
    assert.deepEqual([await ordersOf(old), await ordersOf(newer)], [['before'], ['after', 'before']]);
  });
});

async function warnings(t: TestContext, url: string): Promise<string[]> {
  const store = await connectDatabase(url, die);
  t.after(() => store.close());
  return (await store.warnings()).map(({ warning }) => warning);
}

async function connected(t: TestContext, url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  t.after(() => client.end());
  return client;
}
