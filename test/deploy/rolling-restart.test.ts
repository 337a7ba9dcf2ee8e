// Two proxies on one PostgreSQL are restarted one after the other behind nginx while shoppers pay. No
// request fails, each stream comes back, and each start that was answered is in the database, and at the gateway once.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readDatabase } from '../faults/database-reader.ts';
import { createEnvironment } from '../faults/environment.ts';
import { size, until } from '../faults/fault-test.ts';
import { startProxy, type Running } from '../faults/processes.ts';
import { startPostgres, whyNoPostgres } from '../postgres/server.ts';
import { whyNoDebian } from '../debian-package.ts';
import { startNginx } from './nginx.ts';
import { createShoppers } from './shoppers.ts';

const why = whyNoDebian() ?? whyNoPostgres();
const AT_ONCE = 8;
/** Shoppers whose streams are open all the time. */
const WAITING = 20;
const ROUNDS = size(1, 10);
/** Between two restarts, so that there is a load on both proxies. */
const SHOPPERS_BETWEEN = 20;

it(
  'a rolling restart behind nginx loses no request, ends no stream for good, and sends nothing twice',
  { skip: why ?? false },
  async (t) => {
    const { gateway, merchant } = await createEnvironment({ defer: (end) => t.after(async () => void (await end())) });
    const postgres = await startPostgres();
    t.after(postgres.end);
    const databaseUrl = await postgres.createDatabase();
    const settings = { databaseUrl, gatewayUrl: gateway.url, webhookUrl: merchant.url };
    // The documented settings; 5 s is the default.
    const startOne = (at = 0): Promise<Running> =>
      startProxy({ ...settings, port: at, env: { TRUSTED_PROXIES: '1', DRAIN_SECONDS: '5' } });
    const proxies = [await startOne(), await startOne()];
    t.after(() => Promise.all(proxies.map((proxy) => proxy.kill9())));
    const { port, end } = await startNginx(proxies.map(({ url }) => new URL(url).host));
    t.after(end);

    const shoppers = createShoppers(port, gateway);
    const { counts, problems } = shoppers;
    const more = (): Promise<void> => {
      const paid = counts.paid + SHOPPERS_BETWEEN;
      return until('shoppers pay', () => counts.paid >= paid || problems.length > 0);
    };
    await shoppers.wait(WAITING);
    shoppers.come(AT_ONCE);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [at, proxy] of proxies.entries()) {
        await more();
        process.kill(proxy.pid, 'SIGTERM');
        assert.equal(await proxy.ended, '0', proxy.output().slice(-2_000));
        proxies[at] = await startOne(Number(new URL(proxy.url).port));
        await until('it is ready', async () => (await fetch(`${proxy.url}/readyz`)).ok);
      }
    }
    await more();
    await shoppers.leave();
    t.diagnostic(JSON.stringify(counts));

    assert.deepEqual(problems, []);
    assert.ok(counts.streams >= shoppers.started.size + WAITING * ROUNDS, 'not every stream was ended by a restart');
    const { transactions } = await readDatabase(databaseUrl);
    const keys = new Map(transactions.map((row) => [row.order_id, row.idempotency_key]));
    assert.deepEqual(
      [...shoppers.started].filter(([orderId, key]) => keys.get(orderId) !== key),
      [],
      'answered starts that the database does not have',
    );
    assert.equal(transactions.length, keys.size, 'an order has two payments');
    const sent = await gateway.transactions();
    const repeated = sent.filter(({ createRequests }) => createRequests !== 1);
    assert.deepEqual(repeated, []);
    assert.equal(sent.length, transactions.length);
  },
);
