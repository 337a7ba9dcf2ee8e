// An upgrade and the way back on one PostgreSQL, under load all the time: two copies of this version as real processes,
// of which the newer has more steps. It makes them while somebody's open transaction is in its way.
import assert from 'node:assert/strict';
import { Client } from 'pg';
import { createEnvironment, settle } from '../faults/environment.ts';
import { faultTest, size } from '../faults/fault-test.ts';
import { startProxy, type Running } from '../faults/processes.ts';
import { startPostgres, whyNoPostgres } from './server.ts';
import { paidOnStream, startMixedLoad } from '../upgrade/mixed-load.ts';

const NEWER = '../upgrade/newer-proxy.ts';
/** Each is a caller who has to repeat his request. */
const MAX_503 = 5;
const ORDERS = size(4, 200);
const STREAM_WITHIN_MS = 20_000;

faultTest(
  'This version and a newer one share a PostgreSQL through an upgrade and back: nothing is lost, nothing doubled',
  { withinMs: size(300_000, 900_000), impossible: whyNoPostgres },
  async (t) => {
    const environment = await createEnvironment(t);
    const { gateway, merchant } = environment;
    const postgres = await startPostgres();
    t.defer(postgres.end);
    const databaseUrl = await postgres.createDatabase();
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

    let before = await run();
    const load = startMixedLoad(gateway, [before.url]);
    t.defer(() => load.clients.close());
    await load.liveThrough(ORDERS);
    const longestAlone = load.longestStartMs();

    const holder = new Client({ connectionString: databaseUrl });
    await holder.connect();
    t.defer(() => holder.end());
    await holder.query('begin; lock table transactions in row exclusive mode');
    const starting = run(NEWER);
    await load.liveThrough(ORDERS);
    const longestHeldUp = load.longestStartMs();
    await holder.query('commit');
    const newer = await starting;
    const longestUpgrade = load.longestStartMs();
    load.serveBy([before.url, newer.url]);
    await load.liveThrough(ORDERS);
    await seenAtBoth('stream-1', before, newer);

    load.serveBy([newer.url]);
    await stop(before);
    before = await run();
    assert.match(before.output(), /changed by a newer version/);
    load.serveBy([before.url, newer.url]);
    await load.liveThrough(ORDERS);
    await seenAtBoth('stream-2', newer, before);

    load.serveBy([before.url]);
    await stop(newer);
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
        unserved: unavailable > MAX_503 ? [`callers got 503 ${unavailable} times`] : [],
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
