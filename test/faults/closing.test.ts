// A shop closes its orders in the moment in which their shoppers pay, through two proxies on one database that are
// killed meanwhile. Each order ends closed or paid, never both: what a page, the merchant and its webhooks are told
// agrees with that, and what is paid after the closing is reported as after_close.
import { setTimeout as wait } from 'node:timers/promises';
import { whyNoPostgres } from '../postgres/server.ts';
import { createClients, type Clients } from './clients.ts';
import { killAlong, startKillableProxy } from './killable-proxy.ts';
import { createEnvironment, createPostgresDatabase, settle, type Environment } from './environment.ts';
import { leaksIn, withPassword } from './canary-secrets.ts';
import { each, size, faultTest, type FaultTest, type Findings } from './fault-test.ts';

const ORDERS = size(200, 2_000);
const KILLS = size(1, 6);
const SENDERS = 48;
/** All orders are decided within this time. */
const WITHIN_MS = size(2_000, 15_000);
/** About as long as a check of one takes, so that either may be first. */
const APART_MS = 30;
const LIMITS = { withinMs: size(300_000, 1_200_000) };
const IN_ALL = `${ORDERS} closings against as many successes: an order is closed or paid, never both`;

faultTest(`On SQLite, ${IN_ALL}`, LIMITS, async (t) => {
  const environment = await createEnvironment(t);
  return run(t, environment, environment.databaseUrl);
});

faultTest(`On PostgreSQL, ${IN_ALL}`, { ...LIMITS, impossible: whyNoPostgres }, async (t) => {
  const environment = await createEnvironment(t);
  return run(t, environment, withPassword((await createPostgresDatabase(t)).databaseUrl));
});

async function run(t: FaultTest, environment: Environment, databaseUrl: string): Promise<Findings> {
  const { gateway, merchant } = environment;
  const settings = { databaseUrl, gatewayUrl: gateway.url, webhookUrl: merchant.url };
  const proxies = [await startKillableProxy(t, settings), await startKillableProxy(t, settings)];
  let turn = 0;
  const clients = createClients(() => proxies[(turn += 1) % proxies.length]?.url ?? '');
  t.defer(clients.close);
  await gateway.control('faults', { ipn: { never: true } });

  const orders = Array.from({ length: ORDERS }, (_, n) => ({ orderId: `race-${n}`, amount: '10.10', currency: 'EUR' }));
  await each(orders, SENDERS, async (order) => void (await clients.startPayment(order, { method: 'QR' }, 'first')));
  let done = 0;
  const both: string[] = [];
  const race = async (order: (typeof orders)[number]) => {
    const { orderId } = order;
    const ifUnpaid = t.random.chance(0.3);
    const [paysAfter, closesAfter] = [t.random.between(0, APART_MS), t.random.between(0, APART_MS)];
    await wait(t.random.between(0, WITHIN_MS));
    await Promise.all([
      wait(paysAfter)
        .then(() => gateway.act(orderId, 'approve'))
        .then(() => sendIpn(clients, orderId)),
      wait(closesAfter).then(() => clients.closeOrder(orderId, { ifUnpaid })),
    ]);
    const { paid, closed } = await clients.view(order);
    if (paid && closed) both.push(`${orderId} is shown as closed and as paid`);
    done += 1;
  };
  await Promise.all([each(orders, ORDERS, race), killAlong(proxies, KILLS, { all: ORDERS, done: () => done })]);
  await Promise.all(proxies.map((proxy) => proxy.end()));

  const { problems, database } = await settle(environment, clients, { databaseUrl });
  const counts = {
    closed: database.orders.filter(({ closed_at }) => closed_at !== null).length,
    paid: database.orders.filter(({ paid_by }) => paid_by !== null).length,
    afterClose: database.transactions.filter(({ after_close }) => after_close === 1).length,
  };
  const untried = Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [`no order was ${name}`] : []));
  return {
    problems: {
      ...problems,
      differing: [...(problems.differing ?? []), ...both],
      unserved: untried,
      leaked: leaksIn(proxies.map((proxy) => proxy.output()).join('\n')),
    },
    counts: { orders: ORDERS, ...counts },
  };
}

const sendIpn = (clients: Clients, orderId: string) =>
  clients.sendIpn(JSON.stringify({ orderId, type: 'PAY', status: 'SUCCESS' }));
