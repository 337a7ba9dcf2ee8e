// An upgrade and the way back on one SQLite file: two copies of this version as real processes, of which the newer has
// more steps.
import { createEnvironment, settle } from '../faults/environment.ts';
import { faultTest } from '../faults/fault-test.ts';
import { startProxy, type Running } from '../faults/processes.ts';
import { startMixedLoad } from '../upgrade/mixed-load.ts';

const NEWER = '../upgrade/newer-proxy.ts';
const ORDERS = 4;

faultTest(
  'This version, a newer one and this one again run on one SQLite file: nothing is lost, nothing doubled',
  { withinMs: 300_000 },
  async (t) => {
    const environment = await createEnvironment(t);
    const { gateway, merchant, databaseUrl } = environment;
    await gateway.control('faults', { ipn: { never: true } });
    const run = async (file?: string): Promise<Running> => {
      const settings = { databaseUrl, gatewayUrl: gateway.url, webhookUrl: merchant.url };
      const running = await startProxy({ ...settings, ...(file !== undefined && { file }) });
      t.defer(() => running.kill9());
      return running;
    };

    let running = await run();
    const load = startMixedLoad(gateway, [running.url]);
    t.defer(() => load.clients.close());
    await load.liveThrough(ORDERS);
    for (const file of [NEWER, undefined]) {
      // The one before serves while the next one starts, and the newer one changes its tables.
      const next = await run(file);
      await load.liveThrough(ORDERS);
      load.serveBy([next.url]);
      await running.end();
      running = next;
      await load.liveThrough(ORDERS);
    }
    await load.end();
    await running.end();
    const { problems, database } = await settle(environment, load.clients);
    const { unavailable } = load.clients.records;
    const warned = running.output().includes('changed by a newer version');
    return {
      problems: {
        ...problems,
        unserved: unavailable > 0 ? [`callers got 503 ${unavailable} times`] : [],
        crashed: warned ? [] : ['the newer version changed no table'],
      },
      counts: { paid: database.orders.filter(({ paid_by }) => paid_by !== null).length },
    };
  },
);
