// A kill at every step of the whole proxy, where commit-kill.test.ts has the ledger alone: one payment from its start to its
// webhook and one payout, while strace kills the process (SIGKILL) at its n-th write or fsync of the books. What matters here
// is what stands between two commits: a call to the gateway, an answer, a webhook. After a restart all settle, once.
import { join } from 'node:path';
import { createClients, type Clients } from './clients.ts';
import type { TestGateway } from './gateway.ts';
import { openOwnProxy } from './own-proxy.ts';
import { startProxy } from './processes.ts';
import { setScene, settle } from './scene.ts';
import { leaksIn } from './secrets.ts';
import { isLong, trial, until, type Trial } from './trial.ts';

const CALLS = { write: 'pwrite64', sync: 'fsync,fdatasync' } as const;
/** More than one run makes: those that do not come kill nothing, and are not counted. */
const MOST = { write: 240, sync: 40 } as const;
/** In the short run, of each kind: chance chooses, and the seed repeats it. */
const CHOSEN = 2;
/** Where nobody listens: the clients wait. */
const NOWHERE = 'http://127.0.0.1:9';

type Kind = keyof typeof CALLS;

trial(
  'a kill at any write or fsync of the whole proxy leaves what settles, with nothing lost and nothing sent twice',
  { withinMs: isLong ? 3_600_000 : 300_000, needs: ['strace', 'linux'] },
  async (t) => {
    const problems: Record<string, string[]> = { crashed: [] };
    const counts = { runs: 0, killed: 0, atStart: 0 };
    for (const kind of ['write', 'sync'] as const) {
      for (const n of pointsOf(kind, t)) {
        const run = await killAt(t, kind, n);
        counts.runs += 1;
        if (run.killed) counts.killed += 1;
        if (run.atStart) counts.atStart += 1;
        for (const [name, found] of Object.entries(run.problems)) {
          problems[name] = [...(problems[name] ?? []), ...found.map((what) => `${kind} ${n}: ${what}`)];
        }
        // Past the last one there is: neither do the later ones come.
        if (!run.killed) break;
      }
    }
    if (counts.killed === 0) problems['crashed']?.push('nothing was ever killed');
    return { problems, counts };
  },
);

/** In order, so that the first that does not come is the end; in the short run from the part that always comes. */
function pointsOf(kind: Kind, { random }: Trial): number[] {
  const all = Array.from({ length: MOST[kind] }, (_, n) => n + 1);
  if (isLong) return all;
  return random
    .shuffled(all.slice(0, MOST[kind] / 4))
    .slice(0, CHOSEN)
    .toSorted((a, b) => a - b);
}

async function killAt(t: Trial, kind: Kind, n: number) {
  const scene = await setScene(t);
  const { gateway, merchant, databaseUrl, dir, clock } = scene;
  const settings = { databaseUrl, gatewayUrl: gateway.url, webhookUrl: merchant.url };
  // The tables are there: how they are made is the other test's.
  await (await openOwnProxy({ ...settings, clock })).close();
  const files = ['', '-wal'].flatMap((suffix) => ['-P', join(dir, `payments.db${suffix}`)]);
  const inject = ['-e', `trace=${CALLS[kind]}`, '-e', `inject=${CALLS[kind]}:signal=KILL:when=${n}`];
  const under = ['strace', '-f', '-qq', '-o', join(dir, 'trace'), ...files, ...inject];
  let url = NOWHERE;
  const clients = createClients(() => url);
  t.defer(clients.close);
  const life = live(clients, gateway);
  let lived = false;
  void life.then(
    () => (lived = true),
    () => (lived = true),
  );

  const first = await startProxy({ ...settings, under }).catch((error: unknown) => String(error));
  if (typeof first !== 'string') {
    t.defer(first.kill9);
    url = first.url;
    await until('it is killed, or all is done', () => first.hasEnded() || (lived && merchant.told.size > 0), 200_000);
  }
  const killed = typeof first === 'string' || first.hasEnded();
  if (typeof first !== 'string' && !killed) await first.kill9();
  const second = await startProxy(settings);
  t.defer(second.kill9);
  url = second.url;
  await life;
  await second.end();
  const { problems } = await settle(scene, clients);
  const output = second.output() + (typeof first === 'string' ? first : first.output());
  const paid = [...merchant.told.values()].filter(({ type }) => type === 'payment.succeeded');
  const untold = paid.length === 1 ? [] : [`the merchant was told of ${paid.length} payments`];
  await clients.close();
  return {
    killed,
    atStart: typeof first === 'string',
    problems: { ...problems, leaked: leaksIn(output), differing: [...(problems.differing ?? []), ...untold] },
  };
}

/** Each step is persisted in, as the shopper's, the merchant's and the gateway's software do. */
async function live(clients: Clients, gateway: TestGateway): Promise<void> {
  const order = { orderId: 'step-1', amount: '10.10', currency: 'EUR' };
  await clients.startPayment(order, { method: 'QR' }, 'first');
  let { orderId } = order;
  // A kill between "sending" and the call leaves a payment that the gateway never had: the shopper chooses again.
  if ((await gateway.transactions()).length === 0) {
    await clients.startPayment(order, { method: 'JETGO' }, 'second');
    orderId = `${orderId}-2`;
  }
  await gateway.act(orderId, 'approve');
  await clients.sendIpn(JSON.stringify({ orderId, type: 'PAY', amount: 10.1, currency: 'EUR', status: 'SUCCESS' }));
  await until('the order is shown as paid', async () => (await clients.view(order)).paid, 200_000);
  await clients.startPayout({ orderId: 'step-out', amount: 3, currency: 'EUR', customer: '12345678' });
}
