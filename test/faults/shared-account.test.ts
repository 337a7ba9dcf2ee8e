// Two shops share one account at the gateway and number their orders alike; and a shop whose books were lost begins anew, with the
// ids it had before. The gateway knows an id only once, and its reports do not say whose it is: nothing may be paid by what
// another has paid, and each shopper still gets to pay by another try.
import { createClients, type Clients, type ShopperOrder } from './clients.ts';
import { createStandingClock } from './manual-clock.ts';
import { readDatabase } from './database-reader.ts';
import { RANK } from './compare-records.ts';
import { serveOwnProxy, setScene, settle, type Scene } from './environment.ts';
import { each, size, trial, type Trial } from './fault-test.ts';

const LIMITS = { withinMs: size(120_000, 600_000) };
const COUNT = size(5, 100);
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

for (const refusalStatus of [409, 400]) {
  trial(`order ids that collide, said as ${refusalStatus}, are paid with nobody else's money`, LIMITS, async (t) => {
    const scene = await setScene(t, createStandingClock());
    await scene.gateway.control('faults', { pay: { refusalStatus }, payout: { refusalStatus } });
    const first = await openShop(t, scene, 'first');
    const second = await openShop(t, { ...scene, databaseUrl: `file:${scene.dir}/second.db` }, 'second');
    await first.start('once');
    const ofFirst = await idsOf(first.scene);
    await second.start('once');
    await approveAll(scene);
    await Promise.all([first.proxy.pass(MINUTE_MS), second.proxy.pass(MINUTE_MS)]);
    const early = await paidWith(second.scene, ofFirst);
    // The shopper tries again, under an id that nobody has.
    await second.start('again');
    await approveAll(scene);
    return conclude([first, second], ofFirst, early);
  });
}

trial(
  'books that were lost and begun anew take nothing that was paid before for a payment of theirs',
  LIMITS,
  async (t) => {
    const scene = await setScene(t, createStandingClock());
    const first = await openShop(t, scene, 'first');
    await first.start('once');
    const ofFirst = await idsOf(scene);
    await approveAll(scene);
    await first.proxy.pass(MINUTE_MS);
    const anew = await openShop(t, { ...scene, databaseUrl: `file:${scene.dir}/anew.db` }, 'anew');
    await anew.start('once');
    await anew.proxy.pass(DAY_MS);
    const early = await paidWith(anew.scene, ofFirst);
    await anew.start('again');
    await approveAll(scene);
    return conclude([first, anew], ofFirst, early);
  },
);

trial('two shops with prefixes of their own never meet, whatever answers are lost', LIMITS, async (t) => {
  const scene = await setScene(t, createStandingClock());
  const first = await openShop(t, scene, 'first', 'one-');
  const second = await openShop(t, { ...scene, databaseUrl: `file:${scene.dir}/second.db` }, 'second', 'two-');
  await scene.gateway.control('faults', { pay: { dropAnswer: true }, payout: { dropAnswer: true }, times: 2 * COUNT });
  await first.start('once');
  const ofFirst = await idsOf(first.scene);
  await second.start('once');
  await approveAll(scene);
  return conclude([first, second], ofFirst, []);
});

interface Shop {
  scene: Scene;
  clients: Clients;
  proxy: Awaited<ReturnType<typeof serveOwnProxy>>;
  idPrefix: string;
  start(key: string): Promise<void>;
}

async function openShop(t: Trial, scene: Scene, name: string, idPrefix = ''): Promise<Shop> {
  const proxy = await serveOwnProxy(t, scene, { idPrefix });
  const clients = createClients(() => proxy.url, scene.clock.now);
  t.defer(clients.close);
  const start = (key: string) =>
    each(ordersOf(), 4, async (order) => {
      await clients.startPayment(order, { method: 'QR' }, `${name}-${key}`);
      const payout = { orderId: `${order.orderId}-out`, amount: 5, currency: 'EUR', customer: '12345678' };
      await clients.startPayout(payout);
    });
  return { scene, clients, proxy, idPrefix, start };
}

/** The same ids, amounts and currencies in every shop. */
function ordersOf(): ShopperOrder[] {
  return Array.from({ length: COUNT }, (_, n) => ({ orderId: `order-${n}`, amount: '12.00', currency: 'EUR' }));
}

async function idsOf({ databaseUrl }: Scene): Promise<ReadonlySet<string>> {
  return new Set((await readDatabase(databaseUrl)).transactions.map(({ id }) => id));
}

async function approveAll({ gateway }: Scene): Promise<void> {
  for (const { orderId, type, status } of await gateway.transactions()) {
    if (type === 'PAY' && status !== 'SUCCESS') await gateway.act(orderId, 'approve');
  }
}

/** What these books took from the first shop's. */
async function paidWith({ databaseUrl }: Scene, ofFirst: ReadonlySet<string>): Promise<string[]> {
  const { transactions } = await readDatabase(databaseUrl);
  const taken = transactions.filter(({ id, rank }) => ofFirst.has(id) && rank === RANK.succeeded);
  return taken.map(({ id }) => `${id} succeeded by what is another's`);
}

async function conclude([first, second]: readonly [Shop, Shop], ofFirst: ReadonlySet<string>, early: string[]) {
  await Promise.all([first.proxy.close(), second.proxy.close()]);
  const problems = { lost: [] as string[], doubled: [] as string[], forged: early, open: [] as string[] };
  const settled = [];
  for (const { scene, clients, idPrefix } of [first, second]) {
    const { problems: found, database } = await settle(scene, clients, { idPrefix });
    settled.push(database);
    problems.open.push(...(found.open ?? []));
  }
  problems.forged.push(...(await paidWith(second.scene, ofFirst)));
  for (const { orders } of settled) {
    const unpaid = orders.filter(({ paid_by }) => paid_by === null);
    problems.lost.push(...unpaid.map(({ order_id }) => `${order_id}: its own shopper paid, and it is not paid`));
  }
  const [, ours] = settled;
  const marked = ours?.transactions.filter(({ answer }) => answer === 'duplicate') ?? [];
  const unseen = marked.filter(({ rank, needs_review }) => rank <= RANK.pending && needs_review === 0);
  problems.open.push(...unseen.map(({ id }) => `nobody is asked to look at ${id}`));
  return {
    problems,
    counts: {
      orders: COUNT,
      marked: marked.length,
      needReview: marked.filter(({ needs_review }) => needs_review === 1).length,
      paid: ours?.orders.filter(({ paid_by }) => paid_by !== null).length ?? 0,
    },
  };
}
