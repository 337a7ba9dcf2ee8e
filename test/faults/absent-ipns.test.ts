// IPNs that are missing, reversed and tripled, 26 hours late, earlier than the answer to the start, or earlier than the
// row. The clock only moves by hand, so that days pass in seconds and the results do not depend on the machine. Each
// transaction settles as the gateway reports it, soon after an IPN.
import { H, M, S } from '../backend-proxy/time.ts';
import type { Clients } from './clients.ts';
import { createManualClock } from './manual-clock.ts';
import { readDatabase } from './database-reader.ts';
import { RANK } from './compare-records.ts';
import type { Random } from './random.ts';
import { serveInProcessProxy, createEnvironment, settle, type Environment } from './environment.ts';
import { leaksIn } from './canary-secrets.ts';
import { each, size, faultTest, until, type FaultTest } from './fault-test.ts';

const COUNT = size(40, 600);
const AT_ONCE = 16;
/** The proxy sends 8 payouts at once, so this many answers can be held back while all requests arrive. */
const HELD_AT_ONCE = 8;
const LIMITS = { withinMs: size(120_000, 900_000) };
const BY_IPN_ALONE = { paths: { status: null } };

faultTest('No IPNs at all: every payment and payout still settles', LIMITS, async (t) => {
  const setup = await open(t);
  await setup.environment.gateway.control('faults', { ipn: { never: true } });
  await setup.startAll();
  await setup.proxy.pass(20 * S);
  await setup.decide();
  // The checks of the first half hour are frequent enough to settle all transactions.
  await setup.proxy.pass(30 * M);
  return setup.conclude();
});

faultTest(
  'IPNs in reverse order, three times each: all transactions settle as if the IPNs had come in order',
  LIMITS,
  async (t) => {
    const setup = await open(t);
    await setup.environment.gateway.control('faults', { ipn: { reverse: true, repeat: 3 } });
    await setup.startAll();
    await setup.proxy.pass(20 * S);
    await setup.decide();
    // The sandbox collects IPNs for a second and sends the last first. Two checks 30 s apart end a failed payout.
    await setup.proxy.pass(M);
    return setup.conclude();
  },
);

for (const [mode, profile] of [
  ['with a status check', {}],
  ['by the IPN alone, without a status check', BY_IPN_ALONE],
] as const) {
  faultTest(`IPNs 26 hours late: the waiting transactions settle, ${mode}`, LIMITS, async (t) => {
    const setup = await open(t, profile);
    await setup.environment.gateway.control('faults', { ipn: { never: true } });
    await setup.startAll();
    await setup.proxy.pass(30 * S);
    await setup.decide();
    await setup.proxy.pass(26 * H);
    await setup.environment.gateway.control('faults', {});
    for (const { orderId, status } of await setup.environment.gateway.transactions()) {
      if (status === 'SUCCESS' || status === 'FAILED') await setup.environment.gateway.act(orderId, 'ipn');
    }
    await setup.proxy.pass(M);
    return setup.conclude();
  });
}

faultTest('IPNs before the answer and before the row: none is lost', LIMITS, async (t) => {
  const setup = await open(t);
  const { environment, proxy } = setup;
  for (const order of setup.orders) await sendEarly(order.orderId, setup.clients.sendIpn);
  await environment.gateway.control('faults', { pay: { delayMs: 5 * S }, payout: { delayMs: 5 * S } });
  const lowered: string[] = [];
  let settledBeforeTheAnswer = 0;
  for (let from = 0; from < setup.starts.length; from += HELD_AT_ONCE) {
    const wave = setup.starts.slice(from, from + HELD_AT_ONCE);
    const starting = setup.startAll(wave, HELD_AT_ONCE);
    await arrived(environment, from + wave.length);
    await setup.decide();
    await proxy.pass(2 * S);
    const before = await endsIn(environment);
    settledBeforeTheAnswer = before.size;
    environment.clock.advance(5 * S);
    await environment.gateway.sandbox.tick();
    await starting;
    const after = await endsIn(environment);
    lowered.push(...[...before].filter((id) => !after.has(id)).map((id) => `the answer reverted the end of ${id}`));
  }
  // A payment that nobody decides on needs review in the end: none is left.
  await setup.decide(0);
  await proxy.pass(M);
  const { problems, counts } = await setup.conclude();
  const unserved = counts.needReview + counts.answersLost > 0 ? ['not every answer came after its IPN'] : [];
  return { problems: { ...problems, diverged: lowered, unserved }, counts: { ...counts, settledBeforeTheAnswer } };
});

async function open(t: FaultTest, profile: object = {}) {
  const environment = await createEnvironment(t, createManualClock());
  const proxy = await serveInProcessProxy(t, environment, { profile });
  const { clients } = proxy;
  const orders = ordersOf(t.random);
  const payouts = payoutsOf(t.random);
  const starts = t.random.shuffled([
    ...orders.map((order) => () => startPayment(clients, order)),
    ...payouts.map((payout) => () => clients.startPayout(payout)),
  ]);

  return {
    environment,
    proxy,
    clients,
    orders,
    payouts,
    starts,
    startAll: (some = starts, atOnce = AT_ONCE) => each(some, atOnce, async (start) => void (await start())),
    /**
     * Approves most payments, declines some and leaves this share, so that a CHECKOUT among them expires. Payouts end
     * by themselves.
     */
    async decide(left = 0.15): Promise<void> {
      for (const { orderId, type, status } of await environment.gateway.transactions()) {
        if (type === 'PAYOUT' || status === 'SUCCESS' || status === 'FAILED' || t.random.chance(left)) continue;
        await environment.gateway.act(orderId, t.random.chance(0.7) ? 'approve' : 'decline');
      }
    },
    /** Checks first that everything ended at the gateway is settled here, because settle() lets days pass. */
    async conclude() {
      const late = await unsettled(environment, profile === BY_IPN_ALONE);
      await proxy.close();
      const { problems, database } = await settle(environment, clients);
      return {
        problems: { ...problems, open: [...(problems.open ?? []), ...late], leaked: leaksIn(proxy.log.join('\n')) },
        counts: {
          payments: orders.length,
          payouts: payouts.length,
          ipns: database.ipns.reduce((sum, { seen }) => sum + seen, 0),
          late: database.transactions.filter((row) => row.late === 1).length,
          needReview: database.transactions.filter((row) => row.needs_review === 1).length,
          answersLost: database.transactions.filter((row) => row.answer === 'lost').length,
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
    orderId: `irregular-${n}`,
    amount: `${random.between(1, 99)}.00`,
    currency: random.pick(['EUR', 'USD']),
    method: random.pick(['QR', 'JETGO', 'CHECKOUT']),
  }));
}

function payoutsOf(random: Random) {
  return Array.from({ length: COUNT >> 1 }, (_, n) => ({
    orderId: `ipn-payout-${n}`,
    amount: random.between(1, 99),
    currency: 'EUR',
    customer: random.chance(0.2) ? '99999999' : '12345678',
  }));
}

/**
 * Transactions that ended at the gateway and are not settled here. Without a status check, a person settles a payout's
 * FAILED.
 */
async function unsettled({ databaseUrl, gateway }: Environment, isWeaker: boolean): Promise<string[]> {
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

async function endsIn({ databaseUrl }: Environment): Promise<Set<string>> {
  const { transactions } = await readDatabase(databaseUrl);
  return new Set(transactions.filter(({ rank }) => rank >= RANK.declined).map(({ id }) => id));
}

/** Waits, in real time, until the gateway has received all requests; it holds back their answers. */
async function arrived({ gateway }: Environment, count: number): Promise<void> {
  await until(`${count} requests have arrived`, async () => (await gateway.transactions()).length === count);
}

/** Sends an IPN for an order that has no row yet. It must count as received once the payment starts. */
async function sendEarly(orderId: string, sendIpn: (body: string) => Promise<void>): Promise<void> {
  await sendIpn(JSON.stringify({ orderId, type: 'PAY', status: 'SUCCESS' }));
}
