// An upgrade and the way back, with the released version before and this one as real processes on one PostgreSQL, under
// load all the time. Then a version that is newer than this one changes the tables, while somebody's open transaction
// is in its way.
import assert from 'node:assert/strict';
import { Kysely, PostgresDialect } from 'kysely';
import { Client, Pool } from 'pg';
import { upgradePostgres } from '../../backend-proxy/ledger/postgres/upgrade.ts';
import type { Tables } from '../../backend-proxy/ledger/schema/tables.ts';
import { createEnvironment, settle } from '../faults/environment.ts';
import { faultTest, size } from '../faults/fault-test.ts';
import { startProxy, type Running } from '../faults/processes.ts';
import { startPostgres, whyNoPostgres } from './server.ts';
import { paidOnStream, startMixedLoad } from '../upgrade/mixed-load.ts';
import { NEWER_STEPS, NEWER_VERSION } from '../upgrade/newer-steps.ts';
import { unpackProxy } from '../upgrade/released-proxy.ts';

const BEFORE = '0.1.0';
/** Each is a caller who has to repeat his request. */
const MOST_503 = 5;
const ORDERS = size(4, 200);
const STREAM_WITHIN_MS = 20_000;

faultTest(
  `Version ${BEFORE} and this one share a PostgreSQL through an upgrade and back: nothing is lost, nothing doubled`,
  { withinMs: size(120_000, 900_000), impossible: whyNoPostgres },
  async (t) => {
    const environment = await createEnvironment(t);
    const { gateway, merchant } = environment;
    const postgres = await startPostgres();
    t.defer(postgres.end);
    const databaseUrl = await postgres.createDatabase();
    const { program, remove } = unpackProxy(BEFORE);
    t.defer(remove);
    await gateway.control('faults', { ipn: { never: true } });

    const run = async (file?: string): Promise<Running> => {
      const settings = { databaseUrl, gatewayUrl: gateway.url, webhookUrl: merchant.url };
      const running = await startProxy({ ...settings, ...(file !== undefined && { file }) });
      t.defer(() => running.kill9());
      return running;
    };
    const outputs: string[] = [];
    const stop = async (proxy: Running) => {
      await proxy.end();
      outputs.push(proxy.output());
    };

    let before = await run(program);
    const load = startMixedLoad(gateway, [before.url]);
    t.defer(() => load.clients.close());
    await load.liveThrough(ORDERS);
    const longestAlone = load.longestStartMs();

    let current = await run();
    const longestUpgrade = load.longestStartMs();
    load.serveBy([before.url, current.url]);
    await load.liveThrough(ORDERS);
    await seenAtBoth('stream-1', before, current);

    load.serveBy([current.url]);
    await stop(before);
    before = await run(program);
    load.serveBy([before.url, current.url]);
    await load.liveThrough(ORDERS);

    const holder = new Client({ connectionString: databaseUrl });
    await holder.connect();
    t.defer(() => holder.end());
    await holder.query('begin; lock table transactions in row exclusive mode');
    load.longestStartMs();
    const upgrading = upgradeFurther(databaseUrl);
    await load.liveThrough(ORDERS);
    const longestHeldUp = load.longestStartMs();
    await holder.query('commit');
    await upgrading;
    await load.liveThrough(ORDERS);
    await seenAtBoth('stream-2', current, before);
    load.serveBy([before.url]);
    await stop(current);
    current = await run();
    assert.match(current.output(), /changed by a newer version/);
    load.serveBy([before.url, current.url]);
    await load.liveThrough(ORDERS);

    load.serveBy([before.url]);
    await stop(current);
    await stop(before);
    before = await run(program);
    load.serveBy([before.url]);
    await load.liveThrough(ORDERS);
    await load.end();
    await stop(before);

    const { problems, database } = await settle(environment, load.clients, { databaseUrl });
    const { unavailable } = load.clients.records;
    const failed = outputs
      .flatMap((output) => output.split('\n'))
      .filter((line) => /"level":"(error|fatal)"/.test(line));
    return {
      problems: {
        ...problems,
        unserved: unavailable > MOST_503 ? [`callers got 503 ${unavailable} times`] : [],
        crashed: failed,
      },
      counts: {
        payments: database.transactions.filter(({ type }) => type === 'PAY').length,
        payouts: database.transactions.filter(({ type }) => type === 'PAYOUT').length,
        paid: database.orders.filter(({ paid_by }) => paid_by !== null).length,
        unavailable,
        longestAlone,
        longestUpgrade,
        longestHeldUp,
      },
    };

    /** An order that is started at one and paid through the other is shown as paid by both their streams. */
    async function seenAtBoth(orderId: string, one: Running, other: Running): Promise<void> {
      const order = { orderId, amount: '3.00', currency: 'EUR' };
      await load.clients.startPayment(order, { method: 'QR' }, 'first');
      const signal = AbortSignal.timeout(STREAM_WITHIN_MS);
      const seen = [one, other].map(({ url }) => paidOnStream(url, order, signal));
      await gateway.act(orderId, 'approve');
      await load.clients.sendIpn(JSON.stringify({ orderId, type: 'PAY', status: 'SUCCESS' }));
      await Promise.all(seen);
    }
  },
);

async function upgradeFurther(url: string): Promise<void> {
  const db = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: new Pool({ connectionString: url, max: 1 }) }),
  });
  try {
    await upgradePostgres(url, db, { log: () => undefined, steps: NEWER_STEPS, version: NEWER_VERSION });
  } finally {
    await db.destroy();
  }
}
