// A kill at every step of the whole proxy, where commit-kill.test.ts has the ledger alone: one payment from its start to its
// webhook and one payout, while strace kills the process (SIGKILL) at its n-th write or fsync of the books. What matters here
// is what stands between two commits: a call to the gateway, an answer, a webhook. A calm run shows which calls there are; in
// the short run each commit is killed before its first write, when it is gone, and at its fsync, when it is there and nobody
// knows. The proxy that comes back is the one in this process, so that leases and limits pass at once. All settle, once.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClients, type Clients } from './clients.ts';
import type { TestGateway } from './sandbox-gateway.ts';
import { openInProcessProxy } from './in-process-proxy.ts';
import { startProxy, type Running } from './processes.ts';
import { serveInProcessProxy, createEnvironment, settle, type Environment } from './environment.ts';
import { leaksIn } from './canary-secrets.ts';
import { each, isLong, faultTest, until, type Findings, type FaultTest } from './fault-test.ts';

const CALLS = ['pwrite64', 'fsync', 'fdatasync'] as const;
const AT_ONCE = 3;
/** Two runs are never quite the same, and a point of one may not come in the other; but most do. */
const LEAST_KILLED = 0.75;
/** Where nobody listens: the clients wait. */
const NOWHERE = 'http://127.0.0.1:9';
/** Time stands nearly still while work is on its way, and jumps where it waits for a lease. */
const QUIET_MS = 400;
const JUMP_MS = 60_000;

interface Point {
  call: (typeof CALLS)[number];
  /** Which of its kind, from 1. */
  n: number;
}

faultTest(
  'a kill at any write or fsync of the whole proxy leaves what settles, with nothing lost and nothing sent twice',
  { withinMs: isLong ? 3_600_000 : 300_000, needs: ['strace', 'linux'] },
  async (t) => {
    const calm = await runKilled(t, undefined);
    const points = isLong ? calm.points : endsOfCommits(calm.points);
    const problems: Record<string, string[]> = { crashed: [] };
    const counts = { points: points.length, killed: 0 };
    await each(points, AT_ONCE, async (point) => {
      const run = await runKilled(t, point);
      if (run.wasKilled) counts.killed += 1;
      for (const [kind, found] of Object.entries(run.problems)) {
        problems[kind] = [...(problems[kind] ?? []), ...found.map((what) => `${point.call} ${point.n}: ${what}`)];
      }
    });
    const isEnough = counts.killed > 0 && counts.killed >= points.length * LEAST_KILLED;
    if (!isEnough) problems['crashed']?.push(`only ${counts.killed} were killed`);
    return { problems, counts };
  },
);

/** The first write of each commit, and its fsync. */
function endsOfCommits(points: readonly Point[]): Point[] {
  return points.filter((point, at) => point.call !== 'pwrite64' || points[at - 1]?.call !== 'pwrite64');
}

async function runKilled(t: FaultTest, point: Point | undefined) {
  const ends: (() => unknown)[] = [];
  try {
    return await runWithin({ ...t, defer: (end) => ends.push(end) }, point);
  } finally {
    for (const end of ends.toReversed()) await end();
  }
}

/** One life, in two processes where it is killed at the point; without one, the calls it makes. */
async function runWithin(t: FaultTest, point: Point | undefined) {
  const environment = await createEnvironment(t);
  const { gateway, merchant, clock, dir } = environment;
  let url = NOWHERE;
  const clients = createClients(() => url, clock.now);
  t.defer(clients.close);
  const life = createLife(clients, gateway);

  const first = await startTraced(environment, point).catch((error: unknown) => String(error));
  if (typeof first !== 'string') {
    t.defer(first.kill9);
    url = first.url;
    await until(
      'it is killed, or all is done',
      () => first.hasEnded() || (life.isOver() && merchant.webhooks.size > 0),
    );
  }
  const wasKilled = typeof first === 'string' ? first.includes('SIGKILL') : first.hasEnded();
  if (typeof first !== 'string') await first.kill9();
  const second = await serveInProcessProxy(t, environment);
  url = second.url;
  while (!life.isOver()) {
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    if (!life.isOver()) await second.pass(JUMP_MS);
  }
  await life.end;
  await second.close();
  const problems = await judge(environment, clients, [
    typeof first === 'string' ? first : first.output(),
    ...second.log,
  ]);
  return { wasKilled, problems, points: callsIn(await readFile(join(dir, 'trace'), 'utf8')) };
}

async function startTraced(
  { gateway, merchant, databaseUrl, dir, clock }: Environment,
  point?: Point,
): Promise<Running> {
  const settings = { databaseUrl, gatewayUrl: gateway.url, webhookUrl: merchant.url };
  // The tables are there: how they are made is the other test's.
  await (await openInProcessProxy({ ...settings, clock })).close();
  const files = ['', '-wal'].flatMap((suffix) => ['-P', join(dir, `payments.db${suffix}`)]);
  const kill = point ? ['-e', `inject=${point.call}:signal=KILL:when=${point.n}`] : [];
  const trace = ['strace', '-f', '-qq', '-o', join(dir, 'trace'), ...files, '-e', `trace=${CALLS.join(',')}`, ...kill];
  return startProxy({ ...settings, under: trace });
}

/** Counted as strace counts: each kind by itself. */
function callsIn(trace: string): Point[] {
  const counts = { pwrite64: 0, fsync: 0, fdatasync: 0 };
  return [...trace.matchAll(/^\d+ +(pwrite64|fsync|fdatasync)\(/gm)].map(([, name]) => {
    const call = name as Point['call'];
    return { call, n: (counts[call] += 1) };
  });
}

async function judge(environment: Environment, clients: Clients, output: string[]): Promise<Findings['problems']> {
  const { problems } = await settle(environment, clients);
  const paid = [...environment.merchant.webhooks.values()].filter(({ type }) => type === 'payment.succeeded');
  const missing = paid.length === 1 ? [] : [`the merchant was told of ${paid.length} payments`];
  return { ...problems, leaked: leaksIn(output.join('\n')), differing: [...(problems.differing ?? []), ...missing] };
}

function createLife(clients: Clients, gateway: TestGateway) {
  let over = false;
  const end = live(clients, gateway);
  void end.then(
    () => (over = true),
    () => (over = true),
  );
  return { end, isOver: () => over };
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
