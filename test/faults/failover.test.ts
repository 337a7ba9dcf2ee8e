// The database's primary is lost under load and its synchronous standby is promoted, behind an address that moves. No
// caller was answered with what is then gone, nothing is sent twice, and both proxies recover without a restart. That a
// silent connection is dropped is in test/postgres/connections.test.ts.
import { startPostgresPair } from '../postgres/pair.ts';
import { whyNoPostgres } from '../postgres/server.ts';
import { leaksIn, withPassword } from './canary-secrets.ts';
import { createClients, type Clients } from './clients.ts';
import { createEnvironment, settle } from './environment.ts';
import { size, faultTest, until } from './fault-test.ts';
import { startProxy } from './processes.ts';
import type { TestGateway } from './sandbox-gateway.ts';

const SENDERS = 12;
/** Before the primary is lost, and again after the promotion. */
const ORDERS = size(12, 200);
const REFUSALS = 10;
const WAITING_COMMITS = 5;

faultTest(
  'A synchronous standby promoted under load: nothing acknowledged is lost and nothing is sent twice',
  { withinMs: size(180_000, 900_000), impossible: whyNoPostgres },
  async (t) => {
    const environment = await createEnvironment(t);
    const { gateway, merchant } = environment;
    const pair = await startPostgresPair(t, { isSynchronous: true });
    const settings = { databaseUrl: withPassword(pair.address.url), gatewayUrl: gateway.url, webhookUrl: merchant.url };
    const proxies = await Promise.all([startProxy(settings), startProxy(settings)]);
    t.defer(() => Promise.all(proxies.map((proxy) => proxy.kill9())));
    let turn = 0;
    const clients = createClients(() => proxies[(turn += 1) % 2]?.url ?? '');
    t.defer(clients.close);
    const { records } = clients;
    const refusals = (more: number) => {
      const count = records.unavailable + more;
      return until(`${more} more requests are refused`, () => records.unavailable >= count);
    };
    await gateway.control('faults', { ipn: { never: true } });
    const load = startLoad(clients, gateway);
    await load.moreDone(ORDERS);

    // From here on each commit is only in the primary, so none may be acknowledged.
    pair.stopReplication();
    await until('commits wait for the standby', async () => (await pair.waitingCommits()) >= WAITING_COMMITS);
    await pair.killPrimary();
    await refusals(REFUSALS);
    // The standby answers, and takes no writes yet.
    pair.moveAddress();
    await refusals(REFUSALS);
    await pair.promote();
    const writableAt = performance.now();
    await load.moreDone(ORDERS);
    await load.end();
    await Promise.all(proxies.map((proxy) => proxy.end()));

    const { problems, database } = await settle(environment, clients, { databaseUrl: pair.standbyUrl });
    const isLate = records.lastUnavailableAt > writableAt;
    return {
      problems: {
        ...problems,
        unserved: isLate ? ['a request sent after the promotion was refused'] : [],
        leaked: leaksIn(proxies.map((proxy) => proxy.output()).join('\n')),
      },
      counts: {
        transactions: database.transactions.length,
        paid: database.orders.filter(({ paid_by }) => paid_by !== null).length,
        needReview: database.transactions.filter(({ needs_review }) => needs_review === 1).length,
        refused: records.unavailable,
        answeredAndNeverSent: load.neverSent(),
      },
    };
  },
);

/** Each sender has one order after another, from its start to "paid", each with a payout. */
function startLoad(clients: Clients, gateway: TestGateway) {
  let asked = 0;
  let done = 0;
  let neverSent = 0;
  let isOver = false;

  async function live(orderId: string): Promise<void> {
    const order = { orderId, amount: '4.20', currency: 'EUR' };
    await Promise.all([
      clients.startPayment(order, { method: 'QR' }, 'first'),
      clients.startPayout({ orderId: `${orderId}-out`, amount: 5, currency: 'EUR', customer: '12345678' }),
    ]);
    // A start whose "sending" was committed without an answer is never sent.
    if (gateway.sandbox.processor.transaction(orderId) === undefined) {
      neverSent += 1;
      return;
    }
    await gateway.act(orderId, 'approve');
    await clients.sendIpn(JSON.stringify({ orderId, type: 'PAY', status: 'SUCCESS' }));
    // A check that was being claimed at the failover comes again when its lease ends, 45 s later: settle() sees it.
    await until(`${orderId} is shown as paid`, async () => isOver || (await clients.view(order)).paid, 120_000);
  }

  const working = Promise.all(
    Array.from({ length: SENDERS }, async () => {
      while (!isOver) {
        await live(`load-${(asked += 1)}`);
        done += 1;
      }
    }),
  );
  working.catch(() => undefined);
  return {
    async moreDone(more: number): Promise<void> {
      const count = done + more;
      await Promise.race([until(`${more} more orders are done`, () => done >= count, 300_000), working]);
    },
    neverSent: () => neverSent,
    end() {
      isOver = true;
      return working;
    },
  };
}
