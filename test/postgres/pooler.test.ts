// The PostgreSQL store behind a transaction pooler that swaps connections and does not know prepared statements.
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { connectDatabase } from '../../backend-proxy/ledger/connect.ts';
import { createLedger } from '../../backend-proxy/ledger/sql-ledger.ts';
import type { Store } from '../../backend-proxy/ledger/store.ts';
import { LIMITS, payment } from '../backend-proxy/ledger/ledger-kit.ts';
import { raise } from '../backend-proxy/ledger/order-writes.ts';
import { startPostgresPooler, type PostgresPooler } from '../postgres-pooler.ts';
import { startPostgres, whyNoPostgres, type PostgresServer } from '../postgres-server.ts';

const why = whyNoPostgres();
const die = (error: unknown): never => assert.fail(String(error));

describe('PostgreSQL: a transaction pooler', { skip: why === undefined ? false : `skipped: ${why}` }, () => {
  let server: PostgresServer;

  before(async () => {
    server = await startPostgres();
  });
  after(() => server.end());

  async function started(t: TestContext, connections: number): Promise<PostgresPooler> {
    const pooler = await startPostgresPooler(await server.createDatabase(), connections);
    t.after(pooler.close);
    return pooler;
  }

  async function opened(t: TestContext, { url }: PostgresPooler, connections = 1): Promise<Store> {
    const store = await connectDatabase(url, die, { connections });
    t.after(() => store.close());
    return store;
  }

  it('a proxy whose prepared statements a pooler loses names none any more, and fails no write', async (t) => {
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
