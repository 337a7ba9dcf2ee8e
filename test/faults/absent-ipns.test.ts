// The doorbell misbehaves: no IPN at all, all of them backwards and three times, 26 hours late, before the answer to the
// start, before there is even a row. The clock stands and is moved by hand, so that days cost seconds and nothing depends
// on the machine. Each settles as the gateway says, and soon where something rang.
import { createClients, type Clients } from './clients.ts';
import { createStandingClock } from './manual-clock.ts';
import { readDatabase } from './database-reader.ts';
import { RANK } from './compare-records.ts';
import type { Random } from './random.ts';
import { serveOwnProxy, setScene, settle, type Scene } from './environment.ts';
import { leaksIn } from './canary-secrets.ts';
import { each, size, trial, until, type Findings, type Trial } from './fault-test.ts';

const COUNT = size(40, 600);
const AT_ONCE = 16;
/** The proxy has 64 connections to the gateway: so many answers can be held back at once. */
const HELD_AT_ONCE = 60;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const LIMITS = { withinMs: size(120_000, 900_000) };
const BY_IPN_ALONE = { paths: { status: null } };

trial('with no IPN at all every payment and payout still settles', LIMITS, async (t) => {
  const stage = await open(t);
  await stage.scene.gateway.control('faults', { ipn: { never: true } });
  await stage.startAll();
  await stage.proxy.pass(20 * SECOND_MS);
  await stage.decide();
  // The checks of the first half hour are close enough to find all of these.
  await stage.proxy.pass(30 * MINUTE_MS);
  return stage.conclude();
});

trial('IPNs that come backwards, three times each, settle as if they had come in order', LIMITS, async (t) => {
  const stage = await open(t);
  await stage.scene.gateway.control('faults', { ipn: { reverse: true, repeat: 3 } });
  await stage.startAll();
  await stage.proxy.pass(20 * SECOND_MS);
  await stage.decide();
  // The sandbox gathers for a second, then sends last first; a payout counts as failed when two checks 30 s apart agree.
  await stage.proxy.pass(MINUTE_MS);
  return stage.conclude();
});

for (const [mode, profile] of [
  ['verified by a status check', {}],
  ['alone, in the mode without one', BY_IPN_ALONE],
] as const) {
  trial(`IPNs 26 hours late settle what waited for them, ${mode}`, LIMITS, async (t) => {
    const stage = await open(t, profile);
    await stage.scene.gateway.control('faults', { ipn: { never: true } });
    await stage.startAll();
    await stage.proxy.pass(30 * SECOND_MS);
    await stage.decide();
    await stage.proxy.pass(26 * HOUR_MS);
    await stage.scene.gateway.control('faults', {});
    for (const { orderId, status } of await stage.scene.gateway.transactions()) {
      if (status === 'SUCCESS' || status === 'FAILED') await stage.scene.gateway.act(orderId, 'ipn');
    }
    await stage.proxy.pass(MINUTE_MS);
    return stage.conclude();
  });
}

trial('IPNs that come before the answer, and before the row, are not lost', LIMITS, async (t) => {
  const stage = await open(t);
  const { scene, proxy } = stage;
  for (const order of stage.orders) await sendEarly(order.orderId, stage.clients.sendIpn);
  await scene.gateway.control('faults', { pay: { delayMs: 5 * SECOND_MS }, payout: { delayMs: 5 * SECOND_MS } });
  const lowered: string[] = [];
  let settledBeforeTheAnswer = 0;
  for (let from = 0; from < stage.starts.length; from += HELD_AT_ONCE) {
    const wave = stage.starts.slice(from, from + HELD_AT_ONCE);
    const starting = stage.startAll(wave, HELD_AT_ONCE);
    await arrived(scene, from + wave.length);
    await stage.decide();
    await proxy.pass(2 * SECOND_MS);
    const before = await endsIn(scene);
    settledBeforeTheAnswer = before.size;
    scene.clock.advance(5 * SECOND_MS);
    await scene.gateway.sandbox.tick();
    await starting;
    const after = await endsIn(scene);
    lowered.push(...[...before].filter((id) => !after.has(id)).map((id) => `the answer undid the end of ${id}`));
  }
  await proxy.pass(MINUTE_MS);
  const { problems, counts } = await stage.conclude();
  return { problems: { ...problems, diverged: lowered }, counts: { ...counts, settledBeforeTheAnswer } };
});

async function open(t: Trial, profile: object = {}) {
  const scene = await setScene(t, createStandingClock());
  const proxy = await serveOwnProxy(t, scene, { profile });
  const clients = createClients(() => proxy.url, scene.clock.now);
  t.defer(clients.close);
  const orders = ordersOf(t.random);
  const payouts = payoutsOf(t.random);
  const starts = t.random.shuffled([
    ...orders.map((order) => () => startPayment(clients, order)),
    ...payouts.map((payout) => () => clients.startPayout(payout)),
  ]);

  return {
    scene,
    proxy,
    clients,
    orders,
    payouts,
    starts,
    startAll: (some = starts, atOnce = AT_ONCE) => each(some, atOnce, async (start) => void (await start())),
    /** Some are paid, some declined; some wait for ever, so that a CHECKOUT among them expires. Payouts end by themselves. */
    async decide(): Promise<void> {
      for (const { orderId, type, status } of await scene.gateway.transactions()) {
        if (type === 'PAYOUT' || status === 'SUCCESS' || status === 'FAILED' || t.random.chance(0.15)) continue;
        await scene.gateway.act(orderId, t.random.chance(0.7) ? 'approve' : 'decline');
      }
    },
    /** What has ended at the gateway has to be settled by now; then the days pass. */
    async conclude(): Promise<Findings> {
      const late = await unsettled(scene, profile === BY_IPN_ALONE);
      await proxy.close();
      const { problems, database } = await settle(scene, clients);
      return {
        problems: { ...problems, open: [...(problems.open ?? []), ...late], leaked: leaksIn(proxy.log.join('\n')) },
        counts: {
          payments: orders.length,
          payouts: payouts.length,
          ipns: database.ipns.reduce((sum, { seen }) => sum + seen, 0),
          late: database.transactions.filter((row) => row.late === 1).length,
          needReview: database.transactions.filter((row) => row.needs_review === 1).length,
        },
      };
    },
  };
}

function startPayment(clients: Clients, { method, ...order }: ReturnType<typeof ordersOf>[0]) {
  return clients.startPayment(order, { method }, 'first');
}

function ordersOf(random: Random) {
  return Array.from({ length: COUNT }, (_, n) => ({
    orderId: `bell-${n}`,
    amount: `${random.between(1, 99)}.00`,
    currency: random.pick(['EUR', 'USD']),
    method: random.pick(['QR', 'JETGO', 'CHECKOUT']),
  }));
}

function payoutsOf(random: Random) {
  return Array.from({ length: COUNT >> 1 }, (_, n) => ({
    orderId: `bell-payout-${n}`,
    amount: random.between(1, 99),
    currency: 'EUR',
    customer: random.chance(0.2) ? '99999999' : '12345678',
  }));
}

/** What ended at the gateway and is not settled here. */
/** Without a status check a payout's FAILED is a person's to settle. */
async function unsettled({ databaseUrl, gateway }: Scene, isWeaker: boolean): Promise<string[]> {
  const { transactions } = await readDatabase(databaseUrl);
  const rows = new Map(transactions.map((row) => [row.id, row]));
  return (await gateway.transactions()).flatMap(({ orderId, status, type }) => {
    const { rank = -1, needs_review } = rows.get(orderId) ?? {};
    const isForPerson = isWeaker && type === 'PAYOUT' && needs_review === 1;
    const isSettled =
      status === 'SUCCESS' ? rank === RANK.succeeded : status !== 'FAILED' || rank === RANK.declined || isForPerson;
    return isSettled ? [] : [`${orderId} is ${status} at the gateway and still has rank ${rank}`];
  });
}

async function endsIn({ databaseUrl }: Scene): Promise<Set<string>> {
  const { transactions } = await readDatabase(databaseUrl);
  return new Set(transactions.filter(({ rank }) => rank >= RANK.declined).map(({ id }) => id));
}

/** Waits, in the machine's time, until the gateway has them all; their answers are held back. */
async function arrived({ gateway }: Scene, count: number): Promise<void> {
  await until(`${count} requests have arrived`, async () => (await gateway.transactions()).length === count);
}

/** An IPN for an order that nobody has started yet; it will be, and then this one has rung. */
async function sendEarly(orderId: string, sendIpn: (body: string) => Promise<void>): Promise<void> {
  await sendIpn(JSON.stringify({ orderId, type: 'PAY', status: 'SUCCESS' }));
}
