// Two proxies on the same database whose clocks differ by 50 ms, 3 s, and on PostgreSQL by 40 s, and clocks that step
// by 5 s and by an hour, back and forward, while they work. Each paid order is shown within its normal time, nothing
// ends before its real time, and two checks that must agree are really that far apart, as measured by the intermediary,
// whose clock is right.
import { describe } from 'node:test';
import { startPostgres, whyNoPostgres } from '../postgres/server.ts';
import { H } from '../backend-proxy/time.ts';
import { startIntermediary } from './http-intermediary.ts';
import { createClients } from './clients.ts';
import { createRunningClock } from './manual-clock.ts';
import { readDatabase } from './database-reader.ts';
import { RANK } from './compare-records.ts';
import { startProxy, type Running } from './processes.ts';
import { createEnvironment, settle } from './environment.ts';
import { SECRETS } from './canary-secrets.ts';
import { each, isLong, size, faultTest, until, type Findings, type FaultTest } from './fault-test.ts';

const LIMITS = { withinMs: size(180_000, 900_000) };
const COUNT = size(8, 60);
/** From the approval to the view that shows it: normally well under a second; the rest is for a busy machine. */
const SHOWN_WITHIN_MS = 8_000;
const APART_MS = 30_000;
const BETWEEN_STEPS_MS = size(1_500, 8_000);

/** Two processes on one host share its clock, so the short run of SQLite has no payouts; PostgreSQL's has. */
const PAYOUTS = size(0, COUNT);
const APART: Situation[] = [50, 3_000].map((ms) => ({
  name: `sqlite${ms}ms`,
  offsets: [0, ms],
  steps: [],
  payouts: PAYOUTS,
}));
/** The host's clock: both processes step with it. */
const STEPS: Situation = {
  name: 'steps',
  offsets: [0, 0],
  payouts: PAYOUTS,
  steps: [5_000, 0, H, 0, -H, 0],
};

// Side by side, because most of the time is spent waiting.
describe('two clocks', { concurrency: true }, () => {
  faultTest(
    'Two proxies on one SQLite file whose clocks differ or step: each paid order is shown in time and nothing ends early',
    LIMITS,
    // Side by side, because most of the time is spent waiting.
    async (t) =>
      merged(await Promise.all([...APART.slice(isLong ? 0 : 1), STEPS].map((situation) => run(t, situation)))),
  );

  faultTest(
    'Two proxies on one PostgreSQL whose clocks differ: each paid order is shown in time and nothing ends early',
    { ...LIMITS, impossible: whyNoPostgres },
    async (t) => {
      const postgres = await startPostgres();
      t.defer(postgres.end);
      const situations = (isLong ? [50, 3_000, 40_000] : [40_000]).map(async (ms) =>
        run(t, {
          name: `postgres${ms}ms`,
          offsets: [0, ms],
          steps: [],
          payouts: COUNT,
          databaseUrl: await postgres.createDatabase(),
        }),
      );
      return merged(await Promise.all(situations));
    },
  );
});

function merged(all: readonly Findings[]): Findings {
  const kinds = new Set(all.flatMap(({ problems }) => Object.keys(problems) as (keyof Findings['problems'])[]));
  return {
    problems: Object.fromEntries([...kinds].map((kind) => [kind, all.flatMap(({ problems }) => problems[kind] ?? [])])),
    counts: Object.assign({}, ...all.map(({ counts }) => counts)) as Findings['counts'],
  };
}

interface Situation {
  name: string;
  /** Each process's clock minus the real time, in ms. */
  offsets: readonly [number, number];
  /** The offsets to which the clocks step, one after the other, while payments go on. */
  steps: readonly number[];
  /** How many payouts, all reported FAILED. */
  payouts: number;
  databaseUrl?: string;
}

async function run(t: FaultTest, { name, offsets, steps, payouts, databaseUrl: given }: Situation): Promise<Findings> {
  const environment = await createEnvironment(t, createRunningClock(), { refusesStale: true });
  const { gateway, merchant } = environment;
  const databaseUrl = given ?? environment.databaseUrl;
  const checks = new Map<string, number[]>();
  // The intermediary reports payouts as FAILED, so that two checks have to agree. It times them by its own, right
  // clock.
  const intermediary = await startIntermediary(gateway.url, ({ operation, orderId }) => {
    if (operation !== 'status' || !orderId.startsWith('declined')) return undefined;
    checks.set(orderId, [...(checks.get(orderId) ?? []), performance.now()]);
    return { fields: { status: 'FAILED' } };
  });
  t.defer(intermediary.close);
  const proxies: Running[] = [];
  for (const offsetMs of offsets) {
    const env = { CLOCK_OFFSET_MS: String(offsetMs) };
    const settings = { databaseUrl, gatewayUrl: intermediary.url, webhookUrl: merchant.url, env };
    const proxy = await startProxy({ ...settings, preload: './shifted-clock.ts' });
    t.defer(proxy.kill9);
    proxies.push(proxy);
  }
  let turn = 0;
  const next = () => proxies[(turn += 1) % proxies.length]?.url ?? '';
  // Valid for an hour more than the furthest clock is ahead.
  const clients = createClients(next, () => Date.now() + H);
  t.defer(clients.close);
  // IPNs go to one proxy; the other must learn of them as well.
  await gateway.control('ipn-url', { url: `${next()}/ipn/${SECRETS.ipnSecret}` });

  const slow: string[] = [];
  const waits: number[] = [];
  const payRound = async (round: string) => {
    await each(
      Array.from({ length: COUNT }, (_, n) => n),
      4,
      async (n) => {
        const order = { orderId: `clock-${round}-${n}`, amount: '8.00', currency: 'EUR' };
        await clients.startPayment(order, { method: n % 2 === 0 ? 'QR' : 'CHECKOUT' }, 'first');
        await gateway.act(order.orderId, 'approve');
        const from = performance.now();
        await until(`${order.orderId} is shown as paid`, async () => (await clients.view(order)).paid, 60_000);
        waits.push(performance.now() - from);
      },
    );
  };
  const startedAt = performance.now();
  await each(
    Array.from({ length: COUNT }, (_, n) => n),
    4,
    async (n) => {
      if (n < payouts)
        await clients.startPayout({ orderId: `declined-${n}`, amount: 8, currency: 'EUR', customer: '12345678' });
      // An unpaid CHECKOUT: it must not be shown as EXPIRED within these seconds, whatever the clocks say.
      await clients.startPayment(
        { orderId: `unpaid-${n}`, amount: '8.00', currency: 'EUR' },
        { method: 'CHECKOUT' },
        'k',
      );
    },
  );
  await payRound('before');
  for (const [n, offsetMs] of steps.entries()) {
    for (const proxy of proxies) proxy.send({ offsetMs });
    await new Promise((resolve) => setTimeout(resolve, BETWEEN_STEPS_MS));
    await payRound(`step${n}`);
  }
  await until('each payout is FAILED', async () => (await failedOf(databaseUrl)).length >= payouts, 240_000);
  const tookMs = performance.now() - startedAt;
  slow.push(...waits.filter((ms) => ms > SHOWN_WITHIN_MS).map((ms) => `an order was shown after ${Math.round(ms)} ms`));
  const early = [...checks].flatMap(([id, times]) => {
    const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
    return span < APART_MS ? [`${id} was FAILED after checks that were ${Math.round(span)} ms apart`] : [];
  });
  const { transactions } = await readDatabase(databaseUrl);
  const ended = transactions.filter(({ id, rank }) => id.startsWith('unpaid') && rank > RANK.pending);
  early.push(...ended.map(({ id, rank }) => `${id} has ended (rank ${rank}) ${Math.round(tookMs)} ms after it began`));
  await Promise.all(proxies.map((proxy) => proxy.end()));

  const { problems, database } = await settle(environment, clients, { databaseUrl });
  waits.sort((a, b) => a - b);
  return {
    problems: { ...problems, unserved: slow, differing: [...(problems.differing ?? []), ...early] },
    counts: {
      [`${name}Orders`]: waits.length,
      [`${name}ShownMs`]: [waits[waits.length >> 1] ?? 0, waits.at(-1) ?? 0].map(Math.round).join('..'),
      // The intermediary reports the payouts as FAILED, but the gateway has made them.
      [`${name}Conflicts`]: database.transactions.filter(({ conflict }) => conflict > 0).length,
    },
  };
}

async function failedOf(databaseUrl: string): Promise<string[]> {
  const { transactions } = await readDatabase(databaseUrl);
  return transactions.flatMap(({ id, type, rank }) => (type === 'PAYOUT' && rank === RANK.declined ? [id] : []));
}
