// Payouts, for which a duplicate call costs money: three in ten answers of the gateway are lost, reset or cut, the
// proxy is repeatedly killed, and the merchant's server retries each payout until it is answered. At most one request
// for each may arrive at the gateway, and each payout ends as the gateway reports it, ends as never created, or needs a
// review.
import { createClients } from './clients.ts';
import { startFaultProxy, type Fault } from './fault-proxy.ts';
import { killAlong, restartFigures, startKillableProxy } from './killable-proxy.ts';
import type { Random } from './random.ts';
import { createEnvironment, settle } from './environment.ts';
import { leaksIn } from './canary-secrets.ts';
import { each, size, faultTest } from './fault-test.ts';

const PAYOUTS = size(150, 1_000);
const KILLS = size(3, 20);
const SENDERS = 24;
const LOST_SHARE = 0.3;

faultTest(
  `${PAYOUTS} payouts with three in ten answers lost and ${KILLS} kills: each is sent at most once`,
  { withinMs: size(300_000, 1_800_000) },
  async (t) => {
    const environment = await createEnvironment(t);
    const { gateway, merchant, databaseUrl } = environment;
    const network = await startFaultProxy(gateway.url, ({ path }) => faultFor(path, t.random));
    t.defer(network.close);
    const proxy = await startKillableProxy(t, { databaseUrl, gatewayUrl: network.url, webhookUrl: merchant.url });
    const clients = createClients(() => proxy.url);
    t.defer(clients.close);
    await gateway.control('ipn-url', { url: `${proxy.url}/ipn/none-arrives-because-the-secret-is-wrong` });

    let answered = 0;
    const paying = each(payoutsOf(t.random), SENDERS, async (payout) => {
      await clients.startPayout(payout);
      // The merchant's server repeats a request whose answer it may have missed, and gets the same payout.
      if (t.random.chance(0.3)) await clients.startPayout(payout);
      answered += 1;
    });
    await Promise.all([paying, killAlong([proxy], KILLS, { all: PAYOUTS, done: () => answered })]);
    await proxy.end();

    const { problems, database } = await settle(environment, clients);
    const ended = Object.groupBy(database.transactions, ({ rank }) => String(rank));
    return {
      problems: { ...problems, leaked: leaksIn(proxy.output()) },
      counts: {
        payouts: database.transactions.length,
        atGateway: (await gateway.transactions()).length,
        answersLost: [...network.counts].reduce((sum, [kind, count]) => sum + (kind === 'none' ? 0 : count), 0),
        ends: Object.entries(ended)
          .map(([rank, rows]) => `rank${rank}:${rows?.length}`)
          .join(','),
        needReview: database.transactions.filter(({ needs_review }) => needs_review === 1).length,
        ...restartFigures(proxy),
      },
    };
  },
);

function faultFor(path: string, random: Random): Fault {
  if (!path.endsWith('/payout') || !random.chance(LOST_SHARE)) return { kind: 'none' };
  const share = random.next();
  return random.pick<Fault>([{ kind: 'lost' }, { kind: 'reset' }, { kind: 'cut', share }]);
}

/** Some go to a wallet that does not exist: the gateway accepts them, and they fail. */
function payoutsOf(random: Random) {
  return Array.from({ length: PAYOUTS }, (_, n) => ({
    orderId: `payout-${n}`,
    amount: random.between(1, 500),
    currency: random.pick(['EUR', 'USD']),
    customer: random.chance(0.1) ? '99999999' : random.pick(['12345678', '23456789']),
  }));
}
