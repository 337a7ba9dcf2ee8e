// Two shops share one account at the gateway and use the same order ids; and a shop that lost its database starts again
// with ids it has used. The gateway knows an id only once, and its reports do not say which shop it belongs to: no
// payment may be credited with another's money, and each shopper can still pay with another attempt.
import { D, M } from '../backend-proxy/time.ts';
import type { Clients, ShopperOrder } from './clients.ts';
import { createManualClock } from './manual-clock.ts';
import { readDatabase } from './database-reader.ts';
import { RANK } from './compare-records.ts';
import { serveInProcessProxy, createEnvironment, settle, type Environment } from './environment.ts';
import { each, size, faultTest, type FaultTest } from './fault-test.ts';

const LIMITS = { withinMs: size(120_000, 600_000) };
const COUNT = size(5, 100);

for (const refusalStatus of [409, 400]) {
  faultTest(
    `Colliding order ids, refused with ${refusalStatus}: no order is paid with another shop's money`,
    LIMITS,
    async (t) => {
      const environment = await createEnvironment(t, createManualClock());
      await environment.gateway.control('faults', { pay: { refusalStatus }, payout: { refusalStatus } });
      const first = await openShop(t, environment, 'first');
      const second = await openShop(t, { ...environment, databaseUrl: `file:${environment.dir}/second.db` }, 'second');
      await first.start('once');
      const ofFirst = await idsOf(first.environment);
      await second.start('once');
      await environment.gateway.approvePayments();
      await Promise.all([first.proxy.pass(M), second.proxy.pass(M)]);
      const early = await paidWith(second.environment, ofFirst);
      await disownMarked(second);
      // The shopper tries again, under an unused id.
      await second.start('again');
      await environment.gateway.approvePayments();
      return conclude([first, second], ofFirst, early);
    },
  );
}

faultTest(
  'A database that was lost and replaced by an empty one: no earlier payment counts as a new one',
  LIMITS,
  async (t) => {
    const environment = await createEnvironment(t, createManualClock());
    const first = await openShop(t, environment, 'first');
    await first.start('once');
    const ofFirst = await idsOf(environment);
    await environment.gateway.approvePayments();
    await first.proxy.pass(M);
    const anew = await openShop(t, { ...environment, databaseUrl: `file:${environment.dir}/anew.db` }, 'anew');
    await anew.start('once');
    await anew.proxy.pass(D);
    const early = await paidWith(anew.environment, ofFirst);
    await disownMarked(anew);
    await anew.start('again');
    await environment.gateway.approvePayments();
    return conclude([first, anew], ofFirst, early);
  },
);

faultTest('Two shops with different prefixes: they never collide, whatever answers are lost', LIMITS, async (t) => {
  const environment = await createEnvironment(t, createManualClock());
  const first = await openShop(t, environment, 'first', 'one-');
  const second = await openShop(
    t,
    { ...environment, databaseUrl: `file:${environment.dir}/second.db` },
    'second',
    'two-',
  );
  await environment.gateway.control('faults', {
    pay: { dropAnswer: true },
    payout: { dropAnswer: true },
    times: 2 * COUNT,
  });
  await first.start('once');
  const ofFirst = await idsOf(first.environment);
  await second.start('once');
  await environment.gateway.approvePayments();
  return conclude([first, second], ofFirst, []);
});

interface Shop {
  environment: Environment;
  clients: Clients;
  proxy: Awaited<ReturnType<typeof serveInProcessProxy>>;
  idPrefix: string;
  start(key: string): Promise<void>;
}

async function openShop(t: FaultTest, environment: Environment, name: string, idPrefix = ''): Promise<Shop> {
  const proxy = await serveInProcessProxy(t, environment, { idPrefix });
  const { clients } = proxy;
  const start = (key: string) =>
    each(ordersOf(), 4, async (order) => {
      await clients.startPayment(order, { method: 'QR' }, `${name}-${key}`);
      const payout = { orderId: `${order.orderId}-out`, amount: 5, currency: 'EUR', customer: '12345678' };
      await clients.startPayout(payout);
    });
  return { environment, clients, proxy, idPrefix, start };
}

/** The same ids, amounts and currencies in every shop. */
function ordersOf(): ShopperOrder[] {
  return Array.from({ length: COUNT }, (_, n) => ({ orderId: `order-${n}`, amount: '12.00', currency: 'EUR' }));
}

async function idsOf({ databaseUrl }: Environment): Promise<ReadonlySet<string>> {
  return new Set((await readDatabase(databaseUrl)).transactions.map(({ id }) => id));
}

/** Nothing starts while a marked payment was seen SUCCESS: a person ends it first. */
async function disownMarked({ environment, clients }: Shop): Promise<void> {
  const { transactions } = await readDatabase(environment.databaseUrl);
  const marked = transactions.filter(({ answer, needs_review }) => answer === 'duplicate' && needs_review === 1);
  await each(marked, 4, ({ id }) => clients.resolve(id, 'FAILED'));
}

/** Payments in this database that count the first shop's payments as their own. */
async function paidWith({ databaseUrl }: Environment, ofFirst: ReadonlySet<string>): Promise<string[]> {
  const { transactions } = await readDatabase(databaseUrl);
  const taken = transactions.filter(({ id, rank }) => ofFirst.has(id) && rank === RANK.succeeded);
  return taken.map(({ id }) => `${id} succeeded with another shop's payment`);
}

async function conclude([first, second]: readonly [Shop, Shop], ofFirst: ReadonlySet<string>, early: string[]) {
  await Promise.all([first.proxy.close(), second.proxy.close()]);
  const problems = { lost: [] as string[], doubled: [] as string[], forged: early, open: [] as string[] };
  const settled = [];
  for (const { environment, clients, idPrefix } of [first, second]) {
    const { problems: found, database } = await settle(environment, clients, { idPrefix });
    settled.push(database);
    problems.open.push(...(found.open ?? []));
  }
  problems.forged.push(...(await paidWith(second.environment, ofFirst)));
  for (const { orders, transactions } of settled) {
    const judged = new Set(transactions.filter((row) => row.needs_review === 1).map((row) => row.order_id));
    const unpaid = orders.filter(({ paid_by, order_id }) => paid_by === null && !judged.has(order_id));
    problems.lost.push(...unpaid.map(({ order_id }) => `${order_id}: its shopper paid, and nobody judges it`));
  }
  const [, ours] = settled;
  const marked = ours?.transactions.filter(({ answer }) => answer === 'duplicate') ?? [];
  const unseen = marked.filter(({ rank, needs_review }) => rank <= RANK.pending && needs_review === 0);
  problems.open.push(...unseen.map(({ id }) => `${id} needs no review`));
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
