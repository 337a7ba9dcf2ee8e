// Something on the way answers for the gateway: each 4xx and 5xx, in the words of firewalls, balancers and frameworks, before or
// after the gateway took the request, for collections, payouts and status checks; and a status path that is wrong. No payout is
// told FAILED that the gateway has, none is sent twice, and what cannot be settled needs a person.
import { everyBoxAnswer, startBox, BOXES, type BoxDeed, type Operation } from './box.ts';
import { createClients, type Clients } from './clients.ts';
import { createStandingClock } from './clock.ts';
import { readDatabase } from './database.ts';
import { RANK } from './ledgers.ts';
import type { Random } from './random.ts';
import { serveOwnProxy, setScene, settle, type Scene } from './scene.ts';
import { leaksIn } from './secrets.ts';
import { each, isLong, size, trial } from './trial.ts';

const LIMITS = { withinMs: size(120_000, 1_800_000) };
const AT_ONCE = 16;
const SHORT_CASES = 40;
const HOUR_MS = 3_600_000;
const COUNT = size(12, 200);

interface Case {
  id: string;
  operation: 'pay' | 'payout';
  deed: BoxDeed;
}

trial('whoever answers a start or a payout in the place of the gateway ends nothing that it has', LIMITS, async (t) => {
  const scene = await setScene(t, createStandingClock());
  const cases = casesOf(t.random);
  const deeds = new Map(cases.map(({ id, deed }) => [id, deed]));
  const strikesChecks = (operation: Operation) => operation === 'status' && t.random.chance(0.2);
  const box = await startBox(scene.gateway.url, ({ operation, orderId }) =>
    strikesChecks(operation)
      ? { answer: t.random.pick([...STATUS_BOXES]), isDone: false }
      : operation === 'status'
        ? undefined
        : deeds.get(orderId),
  );
  t.defer(box.close);
  const proxy = await serveOwnProxy(t, scene, { gatewayUrl: box.url });
  const clients = createClients(() => proxy.url, scene.clock.now);
  t.defer(clients.close);
  // What proves that the status path is right.
  await startAll(clients, [{ id: 'foreign-proof', operation: 'pay', deed: undefined }]);
  await startAll(clients, [{ id: 'foreign-proof-out', operation: 'payout', deed: undefined }]);
  await startAll(clients, cases);
  await approveAll(scene);
  await proxy.pass(HOUR_MS);
  await proxy.close();

  const { problems, database } = await settle(scene, clients);
  const ofRank = (rank: number) => database.transactions.filter((row) => row.rank === rank).length;
  return {
    problems: { ...problems, leaked: leaksIn(proxy.log.join('\n')) },
    counts: {
      cases: cases.length,
      atGateway: (await scene.gateway.transactions()).length,
      succeeded: ofRank(RANK.succeeded),
      notCreated: ofRank(RANK.not_created),
      needReview: database.transactions.filter(({ needs_review }) => needs_review === 1).length,
    },
  };
});

for (const [when, isFoundBefore] of [
  ['from the start', false],
  ['after it was right', true],
] as const) {
  trial(`a status path that is wrong ${when} ends nothing, and once it is right all is settled`, LIMITS, async (t) => {
    const scene = await setScene(t, createStandingClock());
    let isWrong = !isFoundBefore;
    const box = await startBox(scene.gateway.url, ({ operation }) => {
      if (operation === 'status') {
        const say = t.random.pick([BOXES.springBoot, BOXES.kong, BOXES.nestJs, BOXES.djangoRest]);
        return isWrong ? { answer: { status: 404, body: say(404) }, isDone: false } : undefined;
      }
      return t.random.chance(0.6) ? { answer: 'none', isDone: t.random.chance(0.5) } : undefined;
    });
    t.defer(box.close);
    const proxy = await serveOwnProxy(t, scene, { gatewayUrl: box.url });
    const clients = createClients(() => proxy.url, scene.clock.now);
    t.defer(clients.close);
    await scene.gateway.control('faults', { ipn: { never: true } });
    if (isFoundBefore) {
      await startAll(clients, transactionsNamed('before'));
      await proxy.pass(60_000);
      isWrong = true;
    }
    await startAll(clients, transactionsNamed('path'));
    await approveAll(scene);
    await proxy.pass(25 * HOUR_MS);
    const ended = await endedWrongly(scene, isFoundBefore ? 'before' : 'none');
    isWrong = false;
    // Each that has no end is asked about again at least once a day.
    await proxy.pass(25 * HOUR_MS);
    await proxy.close();
    const { problems, database } = await settle(scene, clients);
    return {
      problems: { ...problems, forged: [...(problems.forged ?? []), ...ended] },
      counts: {
        transactions: database.transactions.length,
        needReviewAtLast: database.transactions.filter(({ needs_review }) => needs_review === 1).length,
        saidSo: proxy.log.filter((line) => line.includes('the status path or the API key is wrong')).length,
      },
    };
  });
}

const STATUS_BOXES: readonly [{ status: number; body: string }, ...{ status: number; body: string }[]] = [
  { status: 502, body: BOXES.nginx(502) },
  { status: 403, body: BOXES.cloudflare(403) },
  { status: 429, body: BOXES.kong(429) },
  { status: 404, body: BOXES.nginx(404) },
  { status: 500, body: BOXES.springBoot(500) },
];

/** All of them in the long run; in the short one some, as chance has it. */
function casesOf(random: Random): Case[] {
  const all = everyBoxAnswer().flatMap((answer) =>
    (['pay', 'payout'] as const).flatMap((operation) =>
      [true, false].map((isDone) => ({ operation, deed: { answer, isDone } })),
    ),
  );
  const chosen = isLong ? all : random.shuffled(all).slice(0, SHORT_CASES);
  return chosen.map((one, n) => ({ ...one, id: `foreign-${n}` }));
}

function transactionsNamed(name: string): Case[] {
  return Array.from({ length: COUNT }, (_, n) => ({
    id: `${name}-${n}`,
    operation: n % 2 === 0 ? 'pay' : 'payout',
    deed: undefined,
  }));
}

async function startAll(clients: Clients, cases: readonly Case[]): Promise<void> {
  await each(cases, AT_ONCE, async ({ id, operation }) => {
    if (operation === 'pay') {
      await clients.startPayment({ orderId: id, amount: '7.50', currency: 'EUR' }, { method: 'QR' }, 'first');
      return;
    }
    await clients.startPayout({ orderId: id, amount: 7, currency: 'EUR', customer: '12345678' });
    // The merchant's server asks again, whatever it was told.
    await clients.startPayout({ orderId: id, amount: 7, currency: 'EUR', customer: '12345678' });
  });
}

async function approveAll({ gateway }: Scene): Promise<void> {
  for (const { orderId, type, status } of await gateway.transactions()) {
    if (type === 'PAY' && status !== 'SUCCESS') await gateway.act(orderId, 'approve');
  }
}

/** With a wrong path nothing that was sent may have ended, and a day later each payout waits for a person. */
async function endedWrongly({ databaseUrl }: Scene, settledBefore: string): Promise<string[]> {
  const { transactions } = await readDatabase(databaseUrl);
  return transactions.flatMap(({ id, type, rank, needs_review }) => {
    if (id.startsWith(settledBefore)) return [];
    if (rank > RANK.pending) return [`${id} has ended (rank ${rank}) by a wrong path`];
    return type === 'PAYOUT' && needs_review === 0 ? [`nobody is asked to look at ${id}`] : [];
  });
}
