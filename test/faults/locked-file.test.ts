// Another process holds the write lock of the SQLite file, such as a person at a prompt or a backup tool. Meanwhile
// health checks, views and streams are answered, writes wait or get 503, and all work continues once the lock is
// released.
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { signOrder, type Clients, type ShopperOrder } from './clients.ts';
import { createEnvironment, serveProxy, settle } from './environment.ts';
import { leaksIn } from './canary-secrets.ts';
import { each, size, faultTest, type FaultTest } from './fault-test.ts';

/** Longer than the 5 s after which a write is refused. */
const HELD_MS = size(6_000, 20_000);
const ASKED_EVERY_MS = 25;
/** More than the slowest answer of a proxy beside it, without a lock. One that blocked on the lock would take 5 s. */
const SLOWER_BY_AT_MOST_MS = 1_500;
const STARTS = size(20, 200);
const IPNS = size(40, 400);

faultTest(
  `A write lock held on the SQLite file for ${HELD_MS / 1000} s: health checks, views and streams go on`,
  { withinMs: 300_000 },
  async (t) => {
    const [locked, free] = await Promise.all([openProxy(t), openProxy(t)]);
    const holder = new DatabaseSync(locked.environment.databaseUrl.slice('file:'.length));
    t.defer(() => holder.close());
    holder.exec('begin immediate');
    let isHeld = true;
    const loads = [locked, free].map((opened) => startLoad(opened, () => isHeld));
    await sleep(HELD_MS);
    const refused = locked.clients.records.unavailable;
    holder.exec('rollback');
    isHeld = false;
    const [{ health, views, wrong }, beside] = (await Promise.all(loads)) as [Answered, Answered];

    const problems = [...wrong];
    const slowestMs = Math.max(health.slowestMs, views.slowestMs);
    const besideMs = Math.max(beside.health.slowestMs, beside.views.slowestMs);
    if (slowestMs > besideMs + SLOWER_BY_AT_MOST_MS)
      problems.push(`an answer took ${slowestMs} ms, not ${besideMs} ms`);
    if (refused === 0) problems.push('no write was refused');
    if (locked.stream.hasEnded()) problems.push('the stream ended');
    if (locked.proxy.hasEnded()) problems.push('the proxy has ended');
    for (const { stream, proxy } of [locked, free]) {
      stream.close();
      await proxy.end();
    }
    const settled = await settle(locked.environment, locked.clients);
    return {
      problems: { ...settled.problems, unserved: problems, leaked: leaksIn(locked.proxy.output()) },
      counts: { refused, health: health.count, views: views.count, slowestMs, besideMs },
    };
  },
);

type Opened = Awaited<ReturnType<typeof openProxy>>;

async function openProxy(t: FaultTest) {
  const environment = await createEnvironment(t);
  const { proxy, clients } = await serveProxy(t, environment);
  const known = { orderId: 'locked-known', amount: '4.20', currency: 'EUR' };
  await clients.startPayment(known, { method: 'QR' }, 'first');
  return { environment, proxy, clients, known, stream: await openStream(proxy.url, known) };
}

interface Answered {
  health: Watched;
  views: Watched;
  wrong: string[];
}

/** Watches answers while it `goesOn`, and resolves when all work is done. */
async function startLoad({ proxy, clients, known }: Opened, goesOn: () => boolean): Promise<Answered> {
  const [health, views] = await Promise.all([
    watchAnswers(goesOn, `${proxy.url}/healthz`),
    watchAnswers(goesOn, `${proxy.url}/order`, known),
    each([...starts(clients), ...ipns(clients)], STARTS + IPNS, (send) => send()),
  ]);
  return { health, views, wrong: [...health.wrong, ...views.wrong] };
}

function starts({ startPayment }: Clients): (() => Promise<void>)[] {
  return Array.from({ length: STARTS }, (_, n) => async () => {
    const order = { orderId: `locked-${n}`, amount: '4.20', currency: 'EUR' };
    await startPayment(order, { method: 'QR' }, 'first');
  });
}

function ipns({ sendIpn }: Clients): (() => Promise<void>)[] {
  return Array.from(
    { length: IPNS },
    (_, n) => () => sendIpn(JSON.stringify({ orderId: `unknown-${n}`, type: 'PAY', status: 'SUCCESS' })),
  );
}

interface Watched {
  count: number;
  slowestMs: number;
  wrong: string[];
}

/** Sends request after request without waiting for the previous answer. */
async function watchAnswers(goesOn: () => boolean, url: string, order?: ShopperOrder): Promise<Watched> {
  const headers: Record<string, string> = order ? { Authorization: `Bearer ${signOrder(order, Date.now())}` } : {};
  const found: Watched = { count: 0, slowestMs: 0, wrong: [] };
  async function ask(): Promise<void> {
    const askedAt = performance.now();
    const answer = await request(url, { headers });
    await answer.body.dump();
    found.count += 1;
    found.slowestMs = Math.max(found.slowestMs, Math.round(performance.now() - askedAt));
    if (answer.statusCode !== 200) found.wrong.push(`${new URL(url).pathname} was answered ${answer.statusCode}`);
  }
  const asked: Promise<void>[] = [];
  while (goesOn()) {
    asked.push(ask());
    await sleep(ASKED_EVERY_MS);
  }
  await Promise.all(asked);
  return found;
}

async function openStream(url: string, order: ShopperOrder) {
  const headers = { Authorization: `Bearer ${signOrder(order, Date.now())}`, Accept: 'text/event-stream' };
  const { body } = await request(`${url}/order/events`, { headers, bodyTimeout: 0 });
  let ended = false;
  body.on('error', () => undefined).once('close', () => (ended = true));
  body.resume();
  return { hasEnded: () => ended, close: () => body.destroy() };
}
