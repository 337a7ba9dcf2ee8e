// Something between the proxy and the gateway answers in its place: each 4xx and 5xx in the words of firewalls, load
// balancers and frameworks, before or after the request reached the gateway, for payments, payouts and status checks;
// also a wrong status path. A payout that the gateway has is never reported FAILED, none is sent twice, and a person is
// asked about what cannot be settled.
import { H } from '../backend-proxy/time.ts';
import {
  everyIntermediaryAnswer,
  startIntermediary,
  INTERMEDIARIES,
  type IntermediaryAction,
  type Operation,
} from './http-intermediary.ts';
import type { Clients } from './clients.ts';
import { createManualClock } from './manual-clock.ts';
import { readDatabase } from './database-reader.ts';
import { RANK } from './compare-records.ts';
import type { Random } from './random.ts';
import { serveInProcessProxy, createEnvironment, settle, type Environment } from './environment.ts';
import { leaksIn } from './canary-secrets.ts';
import { each, isLong, size, faultTest } from './fault-test.ts';

const LIMITS = { withinMs: size(120_000, 1_800_000) };
const AT_ONCE = 16;
const SHORT_CASES = 40;
const COUNT = size(12, 200);

interface Case {
  id: string;
  operation: 'pay' | 'payout';
  action: IntermediaryAction;
}

faultTest(
  "An intermediary answers a start or a payout in the gateway's place: it ends nothing that the gateway has",
  LIMITS,
  async (t) => {
    const environment = await createEnvironment(t, createManualClock());
    const cases = casesOf(t.random);
    const actions = new Map(cases.map(({ id, action }) => [id, action]));
    const strikesChecks = (operation: Operation) => operation === 'status' && t.random.chance(0.2);
    const intermediary = await startIntermediary(environment.gateway.url, ({ operation, orderId }) =>
      strikesChecks(operation)
        ? { answer: t.random.pick([...STATUS_ANSWERS]), reachesGateway: false }
        : operation === 'status'
          ? undefined
          : actions.get(orderId),
    );
    t.defer(intermediary.close);
    const proxy = await serveInProcessProxy(t, environment, { gatewayUrl: intermediary.url });
    const { clients } = proxy;
    // These prove that the status path is right.
    await startAll(clients, [{ id: 'foreign-proof', operation: 'pay', action: undefined }]);
    await startAll(clients, [{ id: 'foreign-proof-out', operation: 'payout', action: undefined }]);
    await startAll(clients, cases);
    await environment.gateway.approvePayments();
    await proxy.pass(H);
    await proxy.close();

    const { problems, database } = await settle(environment, clients);
    const ofRank = (rank: number) => database.transactions.filter((row) => row.rank === rank).length;
    return {
      problems: { ...problems, leaked: leaksIn(proxy.log.join('\n')) },
      counts: {
        cases: cases.length,
        atGateway: (await environment.gateway.transactions()).length,
        succeeded: ofRank(RANK.succeeded),
        notCreated: ofRank(RANK.not_created),
        needReview: database.transactions.filter(({ needs_review }) => needs_review === 1).length,
      },
    };
  },
);

for (const [when, isFoundBefore] of [
  ['from the start', false],
  ['after it was right', true],
] as const) {
  faultTest(
    `A status path that is wrong ${when}: nothing ends, and all transactions settle once the path is right`,
    LIMITS,
    async (t) => {
      const environment = await createEnvironment(t, createManualClock());
      let isWrong = !isFoundBefore;
      const intermediary = await startIntermediary(environment.gateway.url, ({ operation }) => {
        if (operation === 'status') {
          const say = t.random.pick([
            INTERMEDIARIES.springBoot,
            INTERMEDIARIES.kong,
            INTERMEDIARIES.nestJs,
            INTERMEDIARIES.djangoRest,
          ]);
          return isWrong ? { answer: { status: 404, body: say(404) }, reachesGateway: false } : undefined;
        }
        return t.random.chance(0.6) ? { answer: 'none', reachesGateway: t.random.chance(0.5) } : undefined;
      });
      t.defer(intermediary.close);
      const proxy = await serveInProcessProxy(t, environment, { gatewayUrl: intermediary.url });
      const { clients } = proxy;
      await environment.gateway.control('faults', { ipn: { never: true } });
      if (isFoundBefore) {
        await startAll(clients, transactionsNamed('before'));
        await proxy.pass(60_000);
        isWrong = true;
      }
      await startAll(clients, transactionsNamed('path'));
      await environment.gateway.approvePayments();
      await proxy.pass(25 * H);
      const ended = await endedWrongly(environment, isFoundBefore ? 'before' : 'none');
      isWrong = false;
      // Each transaction that has not ended is checked again at least once a day.
      await proxy.pass(25 * H);
      await proxy.close();
      const { problems, database } = await settle(environment, clients);
      return {
        problems: { ...problems, forged: [...(problems.forged ?? []), ...ended] },
        counts: {
          transactions: database.transactions.length,
          needReviewAtEnd: database.transactions.filter(({ needs_review }) => needs_review === 1).length,
          warnings: proxy.log.filter((line) => line.includes('the status path or the API key is wrong')).length,
        },
      };
    },
  );
}

const STATUS_ANSWERS: readonly [{ status: number; body: string }, ...{ status: number; body: string }[]] = [
  { status: 502, body: INTERMEDIARIES.nginx(502) },
  { status: 403, body: INTERMEDIARIES.cloudflare(403) },
  { status: 429, body: INTERMEDIARIES.kong(429) },
  { status: 404, body: INTERMEDIARIES.nginx(404) },
  { status: 500, body: INTERMEDIARIES.springBoot(500) },
];

/** All cases in the long run, a random selection in the short one. */
function casesOf(random: Random): Case[] {
  const all = everyIntermediaryAnswer().flatMap((answer) =>
    (['pay', 'payout'] as const).flatMap((operation) =>
      [true, false].map((reachesGateway) => ({ operation, action: { answer, reachesGateway } })),
    ),
  );
  const chosen = isLong ? all : random.shuffled(all).slice(0, SHORT_CASES);
  return chosen.map((one, n) => ({ ...one, id: `foreign-${n}` }));
}

function transactionsNamed(name: string): Case[] {
  return Array.from({ length: COUNT }, (_, n) => ({
    id: `${name}-${n}`,
    operation: n % 2 === 0 ? 'pay' : 'payout',
    action: undefined,
  }));
}

async function startAll(clients: Clients, cases: readonly Case[]): Promise<void> {
  await each(cases, AT_ONCE, async ({ id, operation }) => {
    if (operation === 'pay') {
      await clients.startPayment({ orderId: id, amount: '7.50', currency: 'EUR' }, { method: 'QR' }, 'first');
      return;
    }
    await clients.startPayout({ orderId: id, amount: 7, currency: 'EUR', customer: '12345678' });
    // The merchant's server repeats its request, whatever the answer.
    await clients.startPayout({ orderId: id, amount: 7, currency: 'EUR', customer: '12345678' });
  });
}

/** Nothing that was sent may end by a wrong path, and a day later each payout needs a review. */
async function endedWrongly({ databaseUrl }: Environment, settledBefore: string): Promise<string[]> {
  const { transactions } = await readDatabase(databaseUrl);
  return transactions.flatMap(({ id, type, rank, needs_review }) => {
    if (id.startsWith(settledBefore)) return [];
    if (rank > RANK.pending) return [`${id} ended (rank ${rank}) by a wrong path`];
    return type === 'PAYOUT' && needs_review === 0 ? [`${id} needs no review`] : [];
  });
}
