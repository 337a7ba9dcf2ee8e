// Kills the whole proxy at every step. It creates its tables and runs one payment from its start to its webhook and
// one payout, while strace kills the process (SIGKILL) at its nth write or fsync of the database's files. If the power
// fails as well, unsynced bytes are cut off or replaced by garbage. The states between two commits matter, too: a call
// to the gateway, an answer, a webhook. A run without a kill shows which calls there are. The short run kills each
// commit before its first write, when it is lost, and at its fsync, when it may be stored, and cuts the power at some
// other writes. The database must then be whole. The restarted proxy runs in this process, so that leases and limits
// can pass at once. All transactions must settle, once. strace rather than hooks, so that the tested code is the code
// that runs.
import { open as openFile, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createClients, type Clients } from './clients.ts';
import type { TestGateway } from './sandbox-gateway.ts';
import { startProxy, type Running } from './processes.ts';
import { serveInProcessProxy, createEnvironment, settle, type Environment } from './environment.ts';
import { leaksIn } from './canary-secrets.ts';
import type { Random } from './random.ts';
import { each, isLong, faultTest, until, type Findings, type FaultTest } from './fault-test.ts';

const CALLS = ['pwrite64', 'fsync', 'fdatasync', 'ftruncate', 'unlink'] as const;
const FILES = ['', '-wal', '-journal'];
const AT_ONCE = 3;
/** Power cuts of the short run at any write, also in the middle of a commit. */
const MORE_CUTS = 4;
/** No two runs are identical, so a point of one may be missing in the other; most are not. */
const MIN_KILLED = 0.75;
/** Nothing listens here, so the clients keep retrying. */
const NOWHERE = 'http://127.0.0.1:9';
/** The clock advances only while nothing happens for this long, and then far enough for a lease to end. */
const QUIET_MS = 400;
const JUMP_MS = 60_000;

interface Point {
  call: (typeof CALLS)[number];
  /** Which call of its kind, from 1. */
  n: number;
  cutsPower: boolean;
}

faultTest(
  'A kill at any write or fsync of the whole proxy, with or without a power cut: the database is whole, ' +
    'all transactions settle, none is lost and none is sent twice',
  { withinMs: isLong ? 3_600_000 : 300_000, needs: ['strace', 'linux'] },
  async (t) => {
    const undisturbed = await runKilled(t, undefined);
    const cuts = undisturbed.points.map((point) => ({ ...point, cutsPower: true }));
    const points = isLong
      ? [...undisturbed.points, ...cuts]
      : [
          ...endsOfCommits(undisturbed.points).map((point) => ({ ...point, cutsPower: t.random.chance(0.5) })),
          ...t.random.shuffled(cuts).slice(0, MORE_CUTS),
        ];
    const problems: Record<string, string[]> = { crashed: [] };
    const counts = { points: points.length, killed: 0, bytesCut: 0 };
    await each(points, AT_ONCE, async (point) => {
      const run = await runKilled(t, point);
      if (run.wasKilled) counts.killed += 1;
      counts.bytesCut += run.bytesCut;
      const what = `${point.call} ${point.n}${point.cutsPower ? ' with a power cut' : ''}`;
      for (const [kind, found] of Object.entries(run.problems)) {
        problems[kind] = [...(problems[kind] ?? []), ...found.map((problem) => `${what}: ${problem}`)];
      }
    });
    const isEnough = counts.killed > 0 && counts.killed >= points.length * MIN_KILLED;
    if (!isEnough) problems['crashed']?.push(`only ${counts.killed} runs were killed`);
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

/** One run, in two processes if it is killed at the point. Without a point, returns the calls that it made. */
async function runWithin(t: FaultTest, point: Point | undefined) {
  const environment = await createEnvironment(t);
  const { gateway, merchant, clock, dir } = environment;
  let url = NOWHERE;
  const clients = createClients(() => url, clock.now);
  t.defer(clients.close);
  const work = createWork(clients, gateway);

  const first = await startTraced(environment, point).catch((error: unknown) => String(error));
  if (typeof first !== 'string') {
    t.defer(first.kill9);
    url = first.url;
    await until(
      'the proxy is killed, or all is done',
      () => first.hasEnded() || (work.isOver() && merchant.webhooks.size > 0),
    );
  }
  const wasKilled = typeof first === 'string' ? first.includes('SIGKILL') : first.hasEnded();
  if (typeof first !== 'string') await first.kill9();
  const path = join(dir, 'payments.db');
  const trace = await readFile(join(dir, 'trace'), 'utf8');
  const bytesCut = point?.cutsPower ? await cutPower(path, syncedLength(trace), t.random) : 0;
  const second = await serveInProcessProxy(t, environment);
  const damage = damageIn(path);
  url = second.url;
  while (!work.isOver()) {
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    if (!work.isOver()) await second.pass(JUMP_MS);
  }
  await work.end;
  await second.close();
  const problems = await judge(environment, clients, [
    typeof first === 'string' ? first : first.output(),
    ...second.log,
  ]);
  return { wasKilled, bytesCut, problems: { ...problems, crashed: damage }, points: callsIn(trace) };
}

function startTraced({ gateway, merchant, databaseUrl, dir }: Environment, point?: Point): Promise<Running> {
  const settings = { databaseUrl, gatewayUrl: gateway.url, webhookUrl: merchant.url };
  const files = FILES.flatMap((suffix) => ['-P', join(dir, `payments.db${suffix}`)]);
  const kill = point ? ['-e', `inject=${point.call}:signal=KILL:when=${point.n}`] : [];
  const options = ['-f', '-qq', '-y', '-s', '0', '-o', join(dir, 'trace')];
  const under = ['strace', ...options, ...files, '-e', `trace=${CALLS.join(',')}`, ...kill];
  return startProxy({ ...settings, under });
}

/** Counted per kind, as strace counts. */
function callsIn(trace: string): Point[] {
  const counts = { pwrite64: 0, fsync: 0, fdatasync: 0, ftruncate: 0, unlink: 0 };
  return [...trace.matchAll(/^\d+ +(\w+)\(/gm)].map(([, name]) => {
    const call = name as Point['call'];
    return { call, n: (counts[call] += 1), cutsPower: false };
  });
}

/** Removes all or part of the unsynced bytes from the write-ahead log, and puts garbage at the end of the rest. */
async function cutPower(path: string, synced: number, random: Random): Promise<number> {
  const length = await stat(`${path}-wal`).then(
    ({ size }) => size,
    () => 0,
  );
  await rm(`${path}-shm`, { force: true });
  if (length <= synced) return 0;
  const kept = random.between(synced, length);
  const file = await openFile(`${path}-wal`, 'r+');
  await file.truncate(kept);
  if (kept > synced) await file.write(random.bytes(1), 0, 1, random.between(synced, kept - 1));
  await file.close();
  return length - kept;
}

/** How many bytes of the write-ahead log were on disk at the kill. */
function syncedLength(trace: string): number {
  let written = 0;
  let synced = 0;
  for (const line of trace.split('\n').filter((entry) => entry.includes('-wal>'))) {
    const write = /pwrite64\(.*, (\d+), (\d+)\) = \d+$/.exec(line);
    if (write) written = Math.max(written, Number(write[1]) + Number(write[2]));
    if (/f(data)?sync\(.*\) += 0$/.test(line)) synced = written;
  }
  return synced;
}

/** What is wrong with the file, and rows that only a part of a commit leaves behind. */
function damageIn(path: string): string[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const checks = database.prepare('pragma integrity_check').all();
    const halves = database
      .prepare('select id from transactions where id not in (select transaction_id from history)')
      .all();
    const isWhole = checks.length === 1 && checks[0]?.['integrity_check'] === 'ok';
    return [...(isWhole ? [] : [JSON.stringify(checks)]), ...halves.map(({ id }) => `${String(id)} has no history`)];
  } finally {
    database.close();
  }
}

async function judge(environment: Environment, clients: Clients, output: string[]): Promise<Findings['problems']> {
  const { problems } = await settle(environment, clients);
  const paid = [...environment.merchant.webhooks.values()].filter(({ type }) => type === 'payment.succeeded');
  const missing = paid.length === 1 ? [] : [`the merchant received ${paid.length} webhooks about a paid order`];
  return { ...problems, leaked: leaksIn(output.join('\n')), differing: [...(problems.differing ?? []), ...missing] };
}

function createWork(clients: Clients, gateway: TestGateway) {
  let over = false;
  const end = payAndPayOut(clients, gateway);
  void end.then(
    () => (over = true),
    () => (over = true),
  );
  return { end, isOver: () => over };
}

/** Each step is retried until it succeeds, as shoppers, merchants and the gateway do. */
async function payAndPayOut(clients: Clients, gateway: TestGateway): Promise<void> {
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
  const isPaid = async () => {
    const { paid, checking } = await clients.view(order);
    // Killed before it had the gateway's answer, the proxy cannot know who was shown the code: a person does.
    if (checking) await clients.resolve(orderId, 'SUCCESS');
    return paid;
  };
  await until('the order is shown as paid', isPaid, 200_000);
  await clients.startPayout({ orderId: 'step-out', amount: 3, currency: 'EUR', customer: '12345678' });
}
