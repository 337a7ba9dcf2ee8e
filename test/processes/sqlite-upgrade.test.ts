// An upgrade and the way back on one SQLite file, with the released version before and this one as real processes.
import assert from 'node:assert/strict';
import { Kysely, SqliteDialect } from 'kysely';
import { DatabaseSync } from 'node:sqlite';
import { createStatements } from '../../backend-proxy/ledger/sqlite/statements.ts';
import { upgradeSqlite } from '../../backend-proxy/ledger/sqlite/steps.ts';
import type { Step } from '../../backend-proxy/ledger/schema/steps.ts';
import type { Tables } from '../../backend-proxy/ledger/schema/tables.ts';
import { createEnvironment, settle } from '../faults/environment.ts';
import { faultTest } from '../faults/fault-test.ts';
import { startProxy, type Running } from '../faults/processes.ts';
import { startMixedLoad } from '../upgrade/mixed-load.ts';
import { NEWER_STEPS, NEWER_VERSION } from '../upgrade/newer-steps.ts';
import { unpackProxy } from '../upgrade/released-proxy.ts';

const BEFORE = '0.1.0';
const ORDERS = 4;

faultTest(
  `Version ${BEFORE}, this one and ${BEFORE} again run on one SQLite file: nothing is lost, nothing doubled`,
  { withinMs: 120_000 },
  async (t) => {
    const environment = await createEnvironment(t);
    const { gateway, merchant, databaseUrl } = environment;
    const { program, remove } = unpackProxy(BEFORE);
    t.defer(remove);
    await gateway.control('faults', { ipn: { never: true } });
    const run = async (file?: string): Promise<Running> => {
      const settings = { databaseUrl, gatewayUrl: gateway.url, webhookUrl: merchant.url };
      const running = await startProxy({ ...settings, ...(file !== undefined && { file }) });
      t.defer(() => running.kill9());
      return running;
    };

    let running = await run(program);
    const load = startMixedLoad(gateway, [running.url]);
    t.defer(() => load.clients.close());
    await load.liveThrough(ORDERS);
    for (const file of [undefined, program]) {
      // The one before serves while the next one changes its tables.
      const next = await run(file);
      load.serveBy([next.url]);
      await running.end();
      running = next;
      await load.liveThrough(ORDERS);
    }
    await change(databaseUrl, NEWER_STEPS);
    await load.liveThrough(ORDERS);
    for (const file of [undefined, program]) {
      await running.end();
      running = await run(file);
      load.serveBy([running.url]);
      await load.liveThrough(ORDERS);
    }
    await load.end();
    await running.end();
    const { problems, database } = await settle(environment, load.clients);
    const { unavailable } = load.clients.records;

    await change(databaseUrl, [...NEWER_STEPS, { name: '2999-03', compatibleWith: NEWER_VERSION, change: () => [] }]);
    await assert.rejects(run(), /written by payment-proxy 99\.0\.0; it needs at least 99\.0\.0/);
    await assert.rejects(run(program), /The ledger could not be migrated/);
    return {
      problems: { ...problems, unserved: unavailable > 0 ? [`callers got 503 ${unavailable} times`] : [] },
      counts: { paid: database.orders.filter(({ paid_by }) => paid_by !== null).length },
    };
  },
);

/** As an invented newer version would. */
async function change(databaseUrl: string, steps: readonly Step[]): Promise<void> {
  const database = new DatabaseSync(databaseUrl.slice('file:'.length), { timeout: 5_000 });
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: createStatements(database).forKysely }) });
  await upgradeSqlite(db, { log: () => undefined, steps, version: NEWER_VERSION });
  await db.destroy();
}
