// Several proxies share a database: two on one SQLite file, four on one PostgreSQL that are killed in turn. Every
// start, payout and IPN is sent to two of them at once, as a double click, a load balancer's retry or an impatient
// gateway does. Each counts once, and no caller gets an error because the database is busy.
import { whyNoPostgres } from '../postgres/server.ts';
import { createClients, type Clients } from './clients.ts';
import type { TestGateway } from './sandbox-gateway.ts';
import { killAlong, startKillableProxy } from './killable-proxy.ts';
import type { Random } from './random.ts';
import { createEnvironment, createPostgresDatabase, settle, type Environment } from './environment.ts';
import { leaksIn, withPassword } from './canary-secrets.ts';
import { each, size, faultTest, until, type Findings, type FaultTest } from './fault-test.ts';

const LIMITS = { withinMs: size(300_000, 1_800_000) };
const SENDERS = 12;

faultTest('Two proxies on one SQLite file: every start, payout and IPN counts once', LIMITS, async (t) => {
  const environment = await createEnvironment(t);
  return run(t, environment, { databaseUrl: environment.databaseUrl, processes: 2, kills: 0, orders: size(30, 1_500) });
});

faultTest(
  'Four proxies on one PostgreSQL, killed in turn: every start, payout and IPN counts once',
  { ...LIMITS, impossible: whyNoPostgres },
  async (t) => {
    const environment = await createEnvironment(t);
    const { databaseUrl } = await createPostgresDatabase(t);
    return run(t, environment, {
      databaseUrl: withPassword(databaseUrl),
      processes: 4,
      kills: size(2, 4),
      orders: size(30, 1_500),
    });
  },
);

interface Settings {
  databaseUrl: string;
  processes: number;
  kills: number;
  orders: number;
}

async function run(
  t: FaultTest,
  environment: Environment,
  { databaseUrl, processes, kills, orders: count }: Settings,
): Promise<Findings> {
  const { gateway, merchant } = environment;
  const settings = { databaseUrl, gatewayUrl: gateway.url, webhookUrl: merchant.url };
  // All start at once on an empty database and create its tables together.
  const proxies = await Promise.all(Array.from({ length: processes }, () => startKillableProxy(t, settings)));
  let turn = 0;
  const clients = createClients(() => proxies[(turn += 1) % proxies.length]?.url ?? '');
  t.defer(clients.close);
  await gateway.control('faults', { ipn: { never: true } });

  const orders = ordersOf(count, t.random);
  let done = 0;
  const working = each(orders, SENDERS, async (order) => {
    await live(order, clients, gateway);
    done += 1;
  });
  await Promise.all([working, killAlong(proxies, kills, { all: count, done: () => done })]);
  await Promise.all(proxies.map((proxy) => proxy.end()));

  const { problems, database } = await settle(environment, clients, { databaseUrl });
  const { unavailable } = clients.records;
  const busy = unavailable > 0 ? [`callers got 503 ${unavailable} times`] : [];
  return {
    problems: { ...problems, unserved: busy, leaked: leaksIn(proxies.map((proxy) => proxy.output()).join('\n')) },
    counts: {
      processes,
      kills: proxies.reduce((sum, { restartsMs }) => sum + restartsMs.length, 0),
      payments: database.transactions.filter(({ type }) => type === 'PAY').length,
      payouts: database.transactions.filter(({ type }) => type === 'PAYOUT').length,
      paid: database.orders.filter(({ paid_by }) => paid_by !== null).length,
      surplus: database.transactions.filter(({ surplus }) => surplus === 1).length,
    },
  };
}

interface Order {
  orderId: string;
  amount: string;
  currency: string;
  /** The shopper changes to another method. */
  again: boolean;
  /** And may pay with both. */
  paysBoth: boolean;
}

function ordersOf(count: number, random: Random): Order[] {
  return Array.from({ length: count }, (_, n) => ({
    orderId: `shared-${n}`,
    amount: `${random.between(1, 50)}.00`,
    currency: 'EUR',
    again: random.chance(0.3),
    paysBoth: random.chance(0.3),
  }));
}

/**
 * One order from start to payment, with each call sent twice at once; the processes take turns, so that the two calls
 * reach different ones.
 */
async function live({ again, paysBoth, ...order }: Order, clients: Clients, gateway: TestGateway): Promise<void> {
  const { orderId } = order;
  await twice(() => clients.startPayment(order, { method: 'QR' }, 'first'));
  if (again) await twice(() => clients.startPayment(order, { method: 'JETGO' }, 'second'));
  const payout = { orderId: `${orderId}-out`, amount: 5, currency: 'EUR', customer: '12345678' };
  await twice(() => clients.startPayout(payout));
  const ids = [orderId, `${orderId}-2`].filter((id) => gateway.sandbox.processor.transaction(id) !== undefined);
  for (const id of paysBoth ? ids : ids.slice(-1)) {
    await gateway.act(id, 'approve');
    await twice(() => clients.sendIpn(JSON.stringify({ orderId: id, type: 'PAY', status: 'SUCCESS' })));
  }
  if (ids.length === 0) return;
  // Where a killed proxy did not get the gateway's answer, a person judges.
  const isShown = async () => {
    const { paid, checking } = await clients.view(order);
    return paid || checking;
  };
  await until(`${orderId} is shown as paid or checked`, isShown, 200_000);
}

async function twice(ask: () => Promise<unknown>): Promise<void> {
  await Promise.all([ask(), ask()]);
}
