// The right report comes late or contradicts an earlier one: a status check that lags or is down, FAILED that becomes
// SUCCESS, a restored database, another account, another prefix. A payout that the gateway made is reported FAILED only
// if the gateway said so twice, none is sent twice, and a contradiction is reported at once.
import { copyFileSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { H, M } from '../backend-proxy/time.ts';
import { startIntermediary } from './http-intermediary.ts';
import type { Clients } from './clients.ts';
import { createManualClock } from './manual-clock.ts';
import { readDatabase, type TransactionRow } from './database-reader.ts';
import { startGateway } from './sandbox-gateway.ts';
import { RANK } from './compare-records.ts';
import { startProxy } from './processes.ts';
import { serveInProcessProxy, serveProxy, createEnvironment, settle, type Environment } from './environment.ts';
import { SECRETS } from './canary-secrets.ts';
import { each, size, faultTest, type FaultTest } from './fault-test.ts';

const LIMITS = { withinMs: size(120_000, 900_000) };
const COUNT = size(12, 200);
/** After unanswered checks the next one may be this far away. */
const MAX_PAUSE_MS = 16 * M;

faultTest('A status check that lags five minutes: no payout that the gateway made ends', LIMITS, async (t) => {
  const { environment, clients, proxy, start } = await open(t, { lostShare: 0.5 });
  // Transactions found earlier prove the path, so that "unknown" would count.
  await start('before');
  await proxy.pass(10 * M);
  await environment.gateway.control('faults', { status: { lagMs: 5 * M }, ipn: { never: true } });
  await start('lag');
  await environment.gateway.approvePayments();
  // About as often as the worker runs, because checks that only prove the path have no due time in the database.
  for (let ms = 0; ms < 6 * M; ms += 5_000) await proxy.pass(5_000);
  await proxy.pass(26 * H);
  const failed = await failedPayouts(environment);
  await proxy.close();
  return conclude(environment, clients, failed);
});

faultTest(
  'A status check that is down for an hour while IPNs come: all transactions settle once it is back',
  LIMITS,
  async (t) => {
    const { environment, clients, proxy, start } = await open(t, { lostShare: 0.2 });
    await environment.gateway.control('faults', { status: { status: 503 } });
    await start('down');
    await environment.gateway.approvePayments();
    await proxy.pass(H);
    const early = await settledIn(environment);
    await environment.gateway.control('faults', {});
    await proxy.pass(MAX_PAUSE_MS);
    const settled = await settledIn(environment);
    const slow = (await environment.gateway.transactions())
      .filter(({ orderId, status }) => status === 'SUCCESS' && !settled.has(orderId))
      .map(({ orderId }) => `${orderId} is not settled ${MAX_PAUSE_MS / M} minutes after`);
    await proxy.close();
    return conclude(environment, clients, [...slow, ...[...early].map((id) => `${id} was settled without a report`)]);
  },
);

faultTest(
  'A payout that the gateway reports FAILED twice and then SUCCESS: both are reported at once',
  LIMITS,
  async (t) => {
    let reported: 'FAILED' | undefined = 'FAILED';
    const { environment, clients, proxy, start } = await open(t, { lostShare: 0, payoutStatus: () => reported });
    await start('turns');
    await environment.gateway.approvePayments();
    await proxy.pass(2 * M);
    const sent = count(environment, 'payout.failed');
    reported = undefined;
    for (const { orderId, type } of await environment.gateway.transactions())
      if (type === 'PAYOUT') await environment.gateway.act(orderId, 'ipn');
    await proxy.pass(5_000);
    const payouts = COUNT >> 1;
    const unsent = [
      ...missing(environment, 'payout.failed', payouts, sent),
      ...missing(environment, 'payout.succeeded', payouts),
      ...missing(environment, 'payout.conflict', payouts),
      ...missing(environment, 'payout.needs_review', payouts),
    ];
    await proxy.close();
    const concluded = await conclude(environment, clients, unsent);
    return { ...concluded, counts: { ...concluded.counts, reportedFailed: sent } };
  },
);

faultTest('A restored database: payouts requested again are not sent again', LIMITS, async (t) => {
  const { environment, clients, proxy, start, gatewayUrl } = await open(t, { lostShare: 0.2 });
  await start('kept');
  await proxy.pass(M);
  const path = environment.databaseUrl.slice('file:'.length);
  const copy = `${environment.dir}/copy.db`;
  const database = new DatabaseSync(path);
  database.exec(`vacuum into '${copy}'`);
  database.close();
  await start('gone', 'payouts');
  await proxy.close();
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  copyFileSync(copy, path);

  const later = await serveInProcessProxy(t, environment, { gatewayUrl, restoredAt: environment.clock.now() });
  const { clients: again } = later;
  await payOut(again, 'gone');
  await payOut(again, 'fresh');
  await later.pass(M);
  const fresh = (await environment.gateway.transactions()).filter(({ orderId }) => orderId.startsWith('fresh')).length;
  await later.close();
  clients.records.payouts.clear();
  const concluded = await conclude(environment, again, []);
  return { ...concluded, counts: { ...concluded.counts, freshOnesSent: fresh } };
});

faultTest('A changed ORDER_ID_PREFIX: no payout is sent again and no started payment is lost', LIMITS, async (t) => {
  const { environment, clients, proxy, start, gatewayUrl } = await open(t, { lostShare: 0.3 });
  await start('same');
  await proxy.close();
  const later = await serveInProcessProxy(t, environment, { gatewayUrl, idPrefix: 'new-' });
  const { clients: again } = later;
  await payOut(again, 'same');
  await payOut(again, 'other');
  const repeated = (await environment.gateway.transactions()).filter(({ orderId }) => orderId.startsWith('new-same'));
  await environment.gateway.approvePayments();
  await later.close();
  const twice = repeated.map(({ orderId }) => `${orderId} was sent again under another prefix`);
  return conclude(environment, clients, twice);
});

faultTest('A key of another account: the proxy does not start on the database', LIMITS, async (t) => {
  const environment = await createEnvironment(t);
  const { gateway, databaseUrl } = environment;
  const { proxy, clients } = await serveProxy(t, environment);
  await gateway.control('ipn-url', { url: `${proxy.url}/ipn/${SECRETS.ipnSecret}` });
  const order = { orderId: 'account-1', amount: '3.00', currency: 'EUR' };
  await clients.startPayment(order, { method: 'QR' }, 'first');
  await gateway.act(order.orderId, 'approve');
  for (let tries = 0; tries < 600 && !(await clients.view(order)).paid; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 100));
  await proxy.end();
  const key = 'another-account-s-key-0123';
  const other = await startGateway({ clock: environment.clock, apiKey: key });
  t.defer(other.close);
  const reported = await startProxy({ databaseUrl, gatewayUrl: other.url, env: { GATEWAY_API_KEY: key } }).then(
    async (running) => (await running.kill9(), 'it started'),
    (error: unknown) => String(error),
  );
  const wrong = reported.includes('the key belongs to another account') ? [] : [reported];
  return conclude(environment, clients, wrong);
});

interface Situation {
  /** The share of starts and payouts whose answer is lost; one in four of these requests never arrives. */
  lostShare: number;
  /** The status that checks of a payout report in place of the real one. */
  payoutStatus?: () => string | undefined;
}

async function open(t: FaultTest, { lostShare, payoutStatus }: Situation) {
  const environment = await createEnvironment(t, createManualClock());
  const intermediary = await startIntermediary(environment.gateway.url, ({ operation, orderId }) => {
    if (operation !== 'status')
      return t.random.chance(lostShare) ? { answer: 'none', reachesGateway: t.random.chance(0.75) } : undefined;
    const reported = orderId.includes('-out-') ? payoutStatus?.() : undefined;
    return reported === undefined ? undefined : { fields: { status: reported } };
  });
  t.defer(intermediary.close);
  const proxy = await serveInProcessProxy(t, environment, { gatewayUrl: intermediary.url });
  const { clients } = proxy;
  async function start(name: string, what: 'both' | 'payouts' = 'both'): Promise<void> {
    if (what === 'both') await payIn(clients, name);
    await payOut(clients, name);
  }
  return { environment, clients, proxy, start, gatewayUrl: intermediary.url };
}

const numbers = (most: number) => Array.from({ length: most }, (_, n) => n);

async function payIn({ startPayment }: Clients, name: string): Promise<void> {
  await each(numbers(COUNT), 8, async (n) => {
    await startPayment({ orderId: `${name}-${n}`, amount: '9.00', currency: 'EUR' }, { method: 'JETGO' }, 'first');
  });
}

async function payOut({ startPayout }: Clients, name: string): Promise<void> {
  await each(numbers(COUNT >> 1), 8, async (n) => {
    await startPayout({ orderId: `${name}-out-${n}`, amount: 9, currency: 'EUR', customer: '12345678' });
  });
}

/** Payouts that the gateway has and that were reported FAILED at any time. */
async function failedPayouts({ databaseUrl, gateway }: Environment): Promise<string[]> {
  const made = (await gateway.transactions()).filter(({ type }) => type === 'PAYOUT').map(({ orderId }) => orderId);
  const { history } = await readDatabase(databaseUrl);
  const sent = history.filter(({ transaction_id: id, event }) => made.includes(id) && FAILURES.has(event));
  return sent.map(({ transaction_id: id, event }) => `${id} was reported FAILED (${event}), and the gateway made it`);
}

const FAILURES: ReadonlySet<string> = new Set(['replaced', 'expired', 'rejected', 'not_created', 'declined']);

/** Succeeded, or a payment that a person judges: its answer was lost, so nobody was shown its page. */
async function settledIn({ databaseUrl }: Environment): Promise<Set<string>> {
  const { transactions } = await readDatabase(databaseUrl);
  const isJudged = ({ type, answer, needs_review: review }: TransactionRow) =>
    type === 'PAY' && answer !== 'identified' && review === 1;
  return new Set(transactions.filter((row) => row.rank === RANK.succeeded || isJudged(row)).map(({ id }) => id));
}

function count({ merchant }: Environment, type: string): number {
  return [...merchant.webhooks.values()].filter((webhook) => webhook.type === type).length;
}

function missing(environment: Environment, type: string, expected: number, sent = count(environment, type)): string[] {
  return sent === expected ? [] : [`${sent} of ${expected} ${type} were sent`];
}

async function conclude(environment: Environment, clients: Clients, wrong: readonly string[]) {
  const { problems, database } = await settle(environment, clients);
  return {
    problems: { ...problems, differing: [...(problems.differing ?? []), ...wrong] },
    counts: {
      transactions: database.transactions.length,
      succeeded: database.transactions.filter(({ rank }) => rank === RANK.succeeded).length,
      wereNotCreated: database.history.filter(({ event }) => event === 'not_created').length,
      late: database.transactions.filter(({ late }) => late === 1).length,
      needReview: database.transactions.filter(({ needs_review }) => needs_review === 1).length,
    },
  };
}
