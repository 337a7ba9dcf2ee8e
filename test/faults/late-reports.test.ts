// The truth comes late, or is another than what was said before: a status check that lags or is down, FAILED that becomes SUCCESS,
// books that went back, another account, another prefix. No payout is told FAILED that the gateway made unless the gateway
// itself said so twice, none is sent twice, and the contrary is told at once.
import { copyFileSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { startBox } from './http-intermediary.ts';
import { createClients, type Clients } from './clients.ts';
import { createStandingClock } from './manual-clock.ts';
import { readDatabase } from './database-reader.ts';
import { startGateway } from './sandbox-gateway.ts';
import { RANK } from './compare-records.ts';
import { startProxy } from './processes.ts';
import { serveOwnProxy, setScene, settle, type Scene } from './environment.ts';
import { SECRETS } from './canary-secrets.ts';
import { each, size, trial, type Trial } from './fault-test.ts';

const LIMITS = { withinMs: size(120_000, 900_000) };
const COUNT = size(12, 200);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** After checks without an answer the next one may be so far away. */
const LONGEST_PAUSE_MS = 16 * MINUTE_MS;

trial('a status check that lags five minutes ends no payout that the gateway made', LIMITS, async (t) => {
  const { scene, clients, proxy, start } = await open(t, { lostShare: 0.5 });
  // What was found before proves the path: "unknown" would be believed.
  await start('before');
  await proxy.pass(10 * MINUTE_MS);
  await scene.gateway.control('faults', { status: { lagMs: 5 * MINUTE_MS }, ipn: { never: true } });
  await start('lag');
  await approveAll(scene);
  // As often as a process looks, or nearly: the questions on purpose are not on the books' agenda.
  for (let ms = 0; ms < 6 * MINUTE_MS; ms += 5_000) await proxy.pass(5_000);
  await proxy.pass(26 * HOUR_MS);
  const failed = await failedPayouts(scene);
  await proxy.close();
  return conclude(scene, clients, failed);
});

trial(
  'a status check that is down for an hour while IPNs come settles all of it when it is back',
  LIMITS,
  async (t) => {
    const { scene, clients, proxy, start } = await open(t, { lostShare: 0.2 });
    await scene.gateway.control('faults', { status: { status: 503 } });
    await start('down');
    await approveAll(scene);
    await proxy.pass(HOUR_MS);
    const early = await settledIn(scene);
    await scene.gateway.control('faults', {});
    await proxy.pass(LONGEST_PAUSE_MS);
    const settled = await settledIn(scene);
    const slow = (await scene.gateway.transactions())
      .filter(({ orderId, status }) => status === 'SUCCESS' && !settled.has(orderId))
      .map(({ orderId }) => `${orderId} is not settled ${LONGEST_PAUSE_MS / MINUTE_MS} minutes after`);
    await proxy.close();
    return conclude(scene, clients, [...slow, ...[...early].map((id) => `${id} was settled by nobody's word`)]);
  },
);

trial('a payout that the gateway calls FAILED twice and then SUCCESS is told as that at once', LIMITS, async (t) => {
  let said: 'FAILED' | undefined = 'FAILED';
  const { scene, clients, proxy, start } = await open(t, { lostShare: 0, saidOfPayouts: () => said });
  await start('turns');
  await approveAll(scene);
  await proxy.pass(2 * MINUTE_MS);
  const told = count(scene, 'payout.failed');
  said = undefined;
  for (const { orderId, type } of await scene.gateway.transactions())
    if (type === 'PAYOUT') await scene.gateway.act(orderId, 'ipn');
  await proxy.pass(5_000);
  const payouts = COUNT >> 1;
  const untold = [
    ...missing(scene, 'payout.failed', payouts, told),
    ...missing(scene, 'payout.succeeded', payouts),
    ...missing(scene, 'payout.conflict', payouts),
    ...missing(scene, 'payout.needs_review', payouts),
  ];
  await proxy.close();
  const concluded = await conclude(scene, clients, untold);
  return { ...concluded, counts: { ...concluded.counts, toldFailed: told } };
});

trial('payouts asked for again after the books went back are not sent again', LIMITS, async (t) => {
  const { scene, clients, proxy, start, gatewayUrl } = await open(t, { lostShare: 0.2 });
  await start('kept');
  await proxy.pass(MINUTE_MS);
  const path = scene.databaseUrl.slice('file:'.length);
  const copy = `${scene.dir}/copy.db`;
  const books = new DatabaseSync(path);
  books.exec(`vacuum into '${copy}'`);
  books.close();
  await start('gone', 'payouts');
  await proxy.close();
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  copyFileSync(copy, path);

  const later = await serveOwnProxy(t, scene, { gatewayUrl, wentBackAt: scene.clock.now() });
  const again = createClients(() => later.url, scene.clock.now);
  t.defer(again.close);
  await payOut(again, 'gone');
  await payOut(again, 'fresh');
  await later.pass(MINUTE_MS);
  const fresh = (await scene.gateway.transactions()).filter(({ orderId }) => orderId.startsWith('fresh')).length;
  await later.close();
  clients.book.payouts.clear();
  const concluded = await conclude(scene, again, []);
  return { ...concluded, counts: { ...concluded.counts, freshOnesSent: fresh } };
});

trial('another prefix sends no payout again and loses nothing that was begun', LIMITS, async (t) => {
  const { scene, clients, proxy, start, gatewayUrl } = await open(t, { lostShare: 0.3 });
  await start('same');
  await proxy.close();
  const later = await serveOwnProxy(t, scene, { gatewayUrl, idPrefix: 'new-' });
  const again = createClients(() => later.url, scene.clock.now);
  t.defer(again.close);
  await payOut(again, 'same');
  await payOut(again, 'other');
  const repeated = (await scene.gateway.transactions()).filter(({ orderId }) => orderId.startsWith('new-same'));
  await approveAll(scene);
  await later.close();
  const twice = repeated.map(({ orderId }) => `${orderId} was sent again under another prefix`);
  return conclude(scene, clients, twice);
});

trial('a proxy with the key of another account does not start on these books', LIMITS, async (t) => {
  const scene = await setScene(t);
  const { gateway, merchant, databaseUrl } = scene;
  const proxy = await startProxy({ databaseUrl, gatewayUrl: gateway.url, webhookUrl: merchant.url });
  t.defer(proxy.kill9);
  await gateway.control('ipn-url', { url: `${proxy.url}/ipn/${SECRETS.ipnSecret}` });
  const clients = createClients(() => proxy.url);
  t.defer(clients.close);
  const order = { orderId: 'account-1', amount: '3.00', currency: 'EUR' };
  await clients.startPayment(order, { method: 'QR' }, 'first');
  await gateway.act(order.orderId, 'approve');
  for (let tries = 0; tries < 600 && !(await clients.view(order)).paid; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 100));
  await proxy.end();
  const key = 'another-account-s-key-0123';
  const other = await startGateway({ clock: scene.clock, apiKey: key });
  t.defer(other.close);
  const said = await startProxy({ databaseUrl, gatewayUrl: other.url, env: { GATEWAY_API_KEY: key } }).then(
    async (running) => (await running.kill9(), 'it started'),
    (error: unknown) => String(error),
  );
  const wrong = said.includes('the key is of another account') ? [] : [said];
  return conclude(scene, clients, wrong);
});

interface Situation {
  /** Of starts and payouts: how often the answer is lost; of these, one in four requests never arrives. */
  lostShare: number;
  /** What a check of a payout says in place of its status. */
  saidOfPayouts?: () => string | undefined;
}

async function open(t: Trial, { lostShare, saidOfPayouts }: Situation) {
  const scene = await setScene(t, createStandingClock());
  const box = await startBox(scene.gateway.url, ({ operation, orderId }) => {
    if (operation !== 'status')
      return t.random.chance(lostShare) ? { answer: 'none', isDone: t.random.chance(0.75) } : undefined;
    const said = orderId.includes('-out-') ? saidOfPayouts?.() : undefined;
    return said === undefined ? undefined : { fields: { status: said } };
  });
  t.defer(box.close);
  const proxy = await serveOwnProxy(t, scene, { gatewayUrl: box.url });
  const clients = createClients(() => proxy.url, scene.clock.now);
  t.defer(clients.close);
  async function start(name: string, what: 'both' | 'payouts' = 'both'): Promise<void> {
    if (what === 'both') await payIn(clients, name);
    await payOut(clients, name);
  }
  return { scene, clients, proxy, start, gatewayUrl: box.url };
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

async function approveAll({ gateway }: Scene): Promise<void> {
  for (const { orderId, type, status } of await gateway.transactions()) {
    if (type === 'PAY' && status !== 'SUCCESS') await gateway.act(orderId, 'approve');
  }
}

/** Payouts that the gateway has and that were told FAILED, whatever they were told later. */
async function failedPayouts({ databaseUrl, gateway }: Scene): Promise<string[]> {
  const made = (await gateway.transactions()).filter(({ type }) => type === 'PAYOUT').map(({ orderId }) => orderId);
  const { history } = await readDatabase(databaseUrl);
  const told = history.filter(({ transaction_id: id, event }) => made.includes(id) && FAILURES.has(event));
  return told.map(({ transaction_id: id, event }) => `${id} was told FAILED (${event}), and the gateway made it`);
}

const FAILURES: ReadonlySet<string> = new Set(['replaced', 'expired', 'rejected', 'not_created', 'declined']);

async function settledIn({ databaseUrl }: Scene): Promise<Set<string>> {
  const { transactions } = await readDatabase(databaseUrl);
  return new Set(transactions.filter(({ rank }) => rank === RANK.succeeded).map(({ id }) => id));
}

function count({ merchant }: Scene, type: string): number {
  return [...merchant.told.values()].filter((webhook) => webhook.type === type).length;
}

function missing(scene: Scene, type: string, expected: number, told = count(scene, type)): string[] {
  return told === expected ? [] : [`${told} of ${expected} ${type} were told`];
}

async function conclude(scene: Scene, clients: Clients, wrong: readonly string[]) {
  const { problems, database } = await settle(scene, clients);
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
