// The database's primary is lost under load and its synchronous standby is promoted, behind an address that moves. No
// caller was answered with what is then gone, nothing is sent twice, and both proxies recover without a restart.
import { whyNoPostgres } from '../postgres/server.ts';
import type { Clients } from './clients.ts';
import { settle } from './environment.ts';
import { openFailover, type Failover } from './failover-setup.ts';
import type { TestGateway } from './sandbox-gateway.ts';
import { isLong, size, faultTest, until, type FaultTest, type Findings } from './fault-test.ts';

const LIMITS = { withinMs: size(180_000, 900_000), impossible: whyNoPostgres };
const SENDERS = 12;
/** Before the primary is lost, and again after the promotion. */
const ORDERS = size(12, 200);
const REFUSALS = 10;
const WAITING_COMMITS = 5;
/** A silent connection is dropped after 12 s; the rest is for a busy machine. */
const RECOVERED_WITHIN_MS = 40_000;

faultTest(
  'A synchronous standby promoted under load: nothing acknowledged is lost and nothing is sent twice',
  LIMITS,
  (t) =>
    run(t, async ({ pair, clients: { records } }) => {
      // From here on each commit is only in the primary, so none may be acknowledged.
      pair.stopReplication();
      await until('commits wait for the standby', async () => (await pair.waitingCommits()) >= WAITING_COMMITS);
      await pair.killPrimary('reset');
      await refusals(records, REFUSALS);
      // The standby answers, and takes no writes yet.
      pair.moveAddress();
      await refusals(records, REFUSALS);
      await pair.promote();
      const writableAt = performance.now();
      return () => (records.lastUnavailableAt > writableAt ? ['a request sent after the promotion was refused'] : []);
    }),
);

// Half a minute: database-outage.test.ts has a host that vanishes and comes back, for each run.
if (isLong)
  faultTest('A primary that vanishes without a word: both proxies recover after the promotion', LIMITS, (t) =>
    run(t, async ({ pair, clients: { records } }) => {
      await pair.killPrimary('silent');
      await pair.promote();
      pair.moveAddress();
      const movedAt = performance.now();
      return () => {
        const refusedForMs = Math.round(records.lastUnavailableAt - movedAt);
        return refusedForMs > RECOVERED_WITHIN_MS ? [`requests were refused for ${refusedForMs} ms`] : [];
      };
    }),
  );

/** `fail` does the failover and returns what checks the recovery at the end. */
async function run(t: FaultTest, fail: (failover: Failover) => Promise<() => string[]>): Promise<Findings> {
  const failover = await openFailover(t);
  const { environment, pair, clients } = failover;
  const load = startLoad(clients, environment.gateway);
  await load.moreDone(ORDERS);
  const lateIn = await fail(failover);
  await load.moreDone(ORDERS);
  await load.end();
  const leaked = await failover.endProxies();
  const { problems, database } = await settle(environment, clients, { databaseUrl: pair.standbyUrl });
  return {
    problems: { ...problems, unserved: lateIn(), leaked },
    counts: {
      transactions: database.transactions.length,
      paid: database.orders.filter(({ paid_by }) => paid_by !== null).length,
      needReview: database.transactions.filter(({ needs_review }) => needs_review === 1).length,
      refused: clients.records.unavailable,
      answeredAndNeverSent: load.neverSent(),
    },
  };
}

function refusals(records: Clients['records'], more: number): Promise<void> {
  const count = records.unavailable + more;
  return until(`${more} more requests are refused`, () => records.unavailable >= count);
}

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
