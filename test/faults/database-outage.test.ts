// PostgreSQL stops responding, or a read-only server answers at its address for a while. The proxy recovers by itself
// soon after the address is right again, under load and without a restart.
import { describe } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { request } from 'undici';
import { startPostgresRelay } from '../postgres/relay.ts';
import { whyNoPostgres } from '../postgres/server.ts';
import { signOrder } from './clients.ts';
import { readDatabase } from './database-reader.ts';
import { createEnvironment, createPostgresDatabase, serveProxy, type Environment } from './environment.ts';
import { leaksIn } from './canary-secrets.ts';
import { size, faultTest, until, type FaultTest } from './fault-test.ts';

const AWAY_MS = size(2_000, 60_000);
/** A silent connection is dropped after 12 s; the rest is for reconnecting on a busy machine. */
const RECOVERED_WITHIN_MS = 18_000;
/** The proxy counts as recovered after this many successful answers in a row. */
const IN_A_ROW = 10;
const READ_ONLY_MS = size(2_000, 10_000);
const WRITABLE_WITHIN_MS = 5_000;
const START_EVERY_MS = 100;

// Side by side, because most of the time is spent waiting.
describe('a database that is away', { concurrency: true }, () => {
  faultTest(
    'A database host that stops responding: the proxy recovers within seconds once the host is back',
    { withinMs: size(180_000, 300_000), impossible: whyNoPostgres },
    async (t) => {
      const environment = await createEnvironment(t);
      const { databaseUrl } = await createPostgresDatabase(t);
      const relay = await startPostgresRelay(databaseUrl);
      t.defer(relay.close);
      const { proxy, load } = await runUnderLoad(t, environment, relay.url);

      await until('starts are answered', () => load.inARow() >= IN_A_ROW);
      relay.vanish();
      await sleep(AWAY_MS);
      relay.comeBack();
      load.resetCount();
      const backAt = performance.now();
      await until('starts are answered again', () => load.inARow() >= IN_A_ROW, 120_000);
      const recoveredMs = Math.round(performance.now() - backAt);
      const late =
        recoveredMs > RECOVERED_WITHIN_MS ? [`the proxy recovered only ${recoveredMs} ms after the host was back`] : [];
      return conclude(environment, databaseUrl, proxy, load, late, { recoveredMs });
    },
  );

  faultTest(
    'An address that leads to a read-only server for a while: no connection stays there',
    { withinMs: size(180_000, 300_000), impossible: whyNoPostgres },
    async (t) => {
      const environment = await createEnvironment(t);
      const { databaseUrl } = await createPostgresDatabase(t);
      const { proxy, load } = await runUnderLoad(t, environment, databaseUrl);
      const admin = new Client({ connectionString: databaseUrl.replace(/[^/]+$/, 'postgres') });
      await admin.connect();
      t.defer(() => admin.end());
      const name = databaseUrl.split('/').at(-1);

      await until('starts are answered', () => load.inARow() >= IN_A_ROW);
      // From now on each new connection is read-only, and stays so.
      await admin.query(`alter database ${name} set default_transaction_read_only = on`);
      await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
      await until('starts are refused', () => load.inARow() === 0);
      await sleep(READ_ONLY_MS);
      await admin.query(`alter database ${name} reset default_transaction_read_only`);
      load.resetCount();
      const writableAt = performance.now();
      await until('starts are answered again', () => load.inARow() >= IN_A_ROW, 60_000);
      const recoveredMs = Math.round(performance.now() - writableAt);
      const late =
        recoveredMs > WRITABLE_WITHIN_MS
          ? [`starts succeeded only ${recoveredMs} ms after the server was writable`]
          : [];
      return conclude(environment, databaseUrl, proxy, load, late, { recoveredMs });
    },
  );
});

type Running = Awaited<ReturnType<typeof runUnderLoad>>;

/** A real proxy, and shoppers who arrive continuously and do not retry. */
async function runUnderLoad(t: FaultTest, environment: Environment, databaseUrl: string) {
  const { proxy } = await serveProxy(t, environment, { databaseUrl });
  const taken: string[] = [];
  let refused = 0;
  const problems: string[] = [];
  let inARow = 0;
  let asked = 0;
  let countedFrom = 0;
  let ended = false;

  async function start(): Promise<void> {
    const number = (asked += 1);
    const order = { orderId: `away-${number}`, amount: '4.20', currency: 'EUR' };
    const answer = await request(`${proxy.url}/order/payments`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${signOrder(order, Date.now())}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': 'first',
      },
      body: '{"method":"QR"}',
    });
    const text = await answer.body.text();
    if (answer.statusCode === 201) taken.push(order.orderId);
    else if (answer.statusCode === 503) refused += 1;
    else problems.push(`a start was answered ${answer.statusCode} ${text}`);
    if (number > countedFrom) inARow = answer.statusCode === 201 ? inARow + 1 : 0;
  }

  const working = (async () => {
    const starts: Promise<void>[] = [];
    while (!ended) {
      starts.push(start());
      const healthy = await request(`${proxy.url}/healthz`);
      await healthy.body.dump();
      if (healthy.statusCode !== 200) problems.push(`/healthz was answered ${healthy.statusCode}`);
      await sleep(START_EVERY_MS);
    }
    await Promise.all(starts);
  })();
  working.catch(() => undefined);
  t.defer(() => (ended = true));
  const load = {
    taken,
    refused: () => refused,
    problems,
    /** Counts only requests sent since the last reset. */
    inARow: () => inARow,
    resetCount() {
      countedFrom = asked;
      inARow = 0;
    },
    async end() {
      ended = true;
      await working;
    },
  };
  return { proxy, load };
}

async function conclude(
  environment: Environment,
  databaseUrl: string,
  proxy: Running['proxy'],
  load: Running['load'],
  late: string[],
  counts: Record<string, number>,
) {
  await load.end();
  if (proxy.hasEnded()) late.push('the proxy has ended');
  await proxy.end();
  const rows = new Set((await readDatabase(databaseUrl)).transactions.map(({ id }) => id));
  const sent = await environment.gateway.transactions();
  return {
    problems: {
      lost: [
        ...load.taken.filter((id) => !rows.has(id)).map((id) => `${id} was accepted and is not in the database`),
        ...sent
          .filter(({ orderId }) => !rows.has(orderId))
          .map(({ orderId }) => `${orderId} was sent and is not in the database`),
      ],
      doubled: sent
        .filter(({ createRequests }) => createRequests > 1)
        .map(({ orderId }) => `${orderId} was sent twice`),
      unserved: [...load.problems, ...late],
      leaked: leaksIn(proxy.output()),
    },
    counts: { ...counts, taken: load.taken.length, refused: load.refused() },
  };
}
