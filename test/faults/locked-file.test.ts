// Another process holds the write lock of the SQLite file, such as a person at a prompt or a backup tool. Meanwhile
// health checks, views and streams are answered, writes wait or get 503, and all work continues once the lock is
// released.
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { createClients, signOrder, type ShopperOrder } from './clients.ts';
import { startProxy } from './processes.ts';
import { createEnvironment, settle } from './environment.ts';
import { leaksIn } from './canary-secrets.ts';
import { each, size, faultTest } from './fault-test.ts';

/** Longer than the 5 s after which a write is refused. */
const HELD_MS = size(7_000, 20_000);
const ASKED_EVERY_MS = 25;
/** An answer takes a few ms; the rest is for a busy machine. A process that blocked on the lock would take 5 s. */
const ANSWERED_WITHIN_MS = 1_500;
const STARTS = size(20, 200);
const IPNS = size(40, 400);

faultTest(
  `A write lock held on the SQLite file for ${HELD_MS / 1000} s: health checks, views and streams go on`,
  { withinMs: size(120_000, 240_000) },
  async (t) => {
    const environment = await createEnvironment(t);
    const { gateway, merchant, databaseUrl } = environment;
    const proxy = await startProxy({ databaseUrl, gatewayUrl: gateway.url, webhookUrl: merchant.url });
    t.defer(proxy.kill9);
    const clients = createClients(() => proxy.url);
    t.defer(clients.close);
    const known = { orderId: 'locked-known', amount: '4.20', currency: 'EUR' };
    await clients.startPayment(known, { method: 'QR' }, 'first');
    const stream = await openStream(proxy.url, known);

    const holder = new DatabaseSync(databaseUrl.slice('file:'.length));
    t.defer(() => holder.close());
    holder.exec('begin immediate');
    let isHeld = true;
    const watched = [
      watchAnswers(() => isHeld, `${proxy.url}/healthz`),
      watchAnswers(() => isHeld, `${proxy.url}/order`, known),
    ];
    const work = each([...starts(clients), ...ipns(clients)], STARTS + IPNS, (send) => send());
    work.catch(() => undefined);
    await sleep(HELD_MS);
    const refused = clients.records.unavailable;
    holder.exec('rollback');
    isHeld = false;
    const figures = await Promise.all(watched.map((watch) => watch.done));
    await work;

    const problems = figures.flatMap(({ slowestMs, wrong }) => [
      ...wrong,
      ...(slowestMs > ANSWERED_WITHIN_MS ? [`an answer took ${slowestMs} ms`] : []),
    ]);
    if (refused === 0) problems.push('no write was refused');
    if (stream.hasEnded()) problems.push('the stream ended');
    stream.close();
    if (proxy.hasEnded()) problems.push('the proxy has ended');
    await proxy.end();
    const settled = await settle(environment, clients);
    const [health, views] = figures;
    return {
      problems: { ...settled.problems, unserved: problems, leaked: leaksIn(proxy.output()) },
      counts: { refused, health: health?.count ?? 0, slowestMs: health?.slowestMs ?? 0, views: views?.count ?? 0 },
    };
  },
);

function starts({ startPayment }: ReturnType<typeof createClients>): (() => Promise<void>)[] {
  return Array.from({ length: STARTS }, (_, n) => async () => {
    const order = { orderId: `locked-${n}`, amount: '4.20', currency: 'EUR' };
    await startPayment(order, { method: 'QR' }, 'first');
  });
}

function ipns({ sendIpn }: ReturnType<typeof createClients>): (() => Promise<void>)[] {
  return Array.from(
    { length: IPNS },
    (_, n) => () => sendIpn(JSON.stringify({ orderId: `unknown-${n}`, type: 'PAY', status: 'SUCCESS' })),
  );
}

/** Sends request after request without waiting for the previous answer. */
function watchAnswers(goesOn: () => boolean, url: string, order?: ShopperOrder) {
  const headers: Record<string, string> = order ? { Authorization: `Bearer ${signOrder(order, Date.now())}` } : {};
  const found = { count: 0, slowestMs: 0, wrong: [] as string[] };
  async function ask(): Promise<void> {
    const askedAt = performance.now();
    const answer = await request(url, { headers });
    await answer.body.dump();
    found.count += 1;
    found.slowestMs = Math.max(found.slowestMs, Math.round(performance.now() - askedAt));
    if (answer.statusCode !== 200) found.wrong.push(`${new URL(url).pathname} was answered ${answer.statusCode}`);
  }
  const done = (async () => {
    const asked: Promise<void>[] = [];
    while (goesOn()) {
      asked.push(ask());
      await sleep(ASKED_EVERY_MS);
    }
    await Promise.all(asked);
    return found;
  })();
  done.catch(() => undefined);
  return { done };
}

async function openStream(url: string, order: ShopperOrder) {
  const headers = { Authorization: `Bearer ${signOrder(order, Date.now())}`, Accept: 'text/event-stream' };
  const { body } = await request(`${url}/order/events`, { headers, bodyTimeout: 0 });
  let ended = false;
  body.on('error', () => undefined).once('close', () => (ended = true));
  body.resume();
  return { hasEnded: () => ended, close: () => body.destroy() };
}
