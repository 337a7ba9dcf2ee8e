// Thousands of IPNs, a third of them repeated, some forged, some for unknown orders, some not JSON, while the proxy is
// repeatedly killed (SIGKILL) and restarted on the same file. Every IPN answered 200 is stored, each payment ends as
// the gateway reports it with one webhook, and forged IPNs change nothing.
import { createClients, type Clients } from './clients.ts';
import type { TestGateway } from './sandbox-gateway.ts';
import { killAlong, restartFigures, startKillableProxy, type KillableProxy } from './killable-proxy.ts';
import type { Random } from './random.ts';
import { createEnvironment, settle } from './environment.ts';
import { leaksIn } from './canary-secrets.ts';
import { each, size, faultTest } from './fault-test.ts';

const IPNS = size(1_500, 10_000);
const PAYMENTS = size(300, 4_000);
const KILLS = size(4, 40);
const SENDERS = 48;

faultTest(
  `${IPNS} IPNs, a third repeated, and ${KILLS} kills of the proxy: none is lost`,
  { withinMs: size(180_000, 1_800_000) },
  async (t) => {
    const environment = await createEnvironment(t);
    const { gateway, merchant, databaseUrl } = environment;
    const proxy = await startKillableProxy(t, { databaseUrl, gatewayUrl: gateway.url, webhookUrl: merchant.url });
    const clients = createClients(() => proxy.url);
    t.defer(clients.close);

    await startPayments(clients, t.random);
    await endPayments(gateway, t.random);
    const bodies = await ipnBodies(gateway, t.random);
    await flood(clients, proxy, t.random.shuffled(withRepeats(bodies)));
    await proxy.end();

    const { problems, database } = await settle(environment, clients);
    const sent = [...clients.records.ipns.values()].reduce((sum, times) => sum + times, 0);
    return {
      problems: { ...problems, leaked: leaksIn(proxy.output()) },
      counts: { ipns: bodies.length, sent, kept: database.ipns.length, payments: PAYMENTS, ...restartFigures(proxy) },
    };
  },
);

async function startPayments(clients: Clients, random: Random): Promise<void> {
  const orders = Array.from({ length: PAYMENTS }, (_, n) => ({
    orderId: `flood-${n}`,
    amount: `${random.between(1, 900)}.${String(random.between(0, 99)).padStart(2, '0')}`,
    currency: random.pick(['EUR', 'USD']),
  }));
  await each(orders, SENDERS, async (order) => {
    const { status, text } = await clients.startPayment(
      order,
      { method: random.pick(['QR', 'JETGO', 'CHECKOUT']) },
      'first',
    );
    if (status !== 201) throw new Error(`A payment could not be started: ${status} ${text}`);
  });
}

/** Approves most payments, declines some, and leaves a few for which only forged IPNs come. */
async function endPayments(gateway: TestGateway, random: Random): Promise<void> {
  await gateway.control('faults', { ipn: { never: true } });
  for (const { orderId } of await gateway.transactions()) {
    if (random.chance(0.03)) continue;
    await gateway.act(orderId, random.chance(0.75) ? 'approve' : 'decline');
  }
}

/** One IPN for each payment, and up to the wanted number others: forged, for unknown orders, or not JSON. */
async function ipnBodies(gateway: TestGateway, random: Random): Promise<string[]> {
  const transactions = await gateway.transactions();
  const bodies = transactions.map(({ orderId, paymentId, type, amount, currency, status }) => {
    // A payment that has not ended has sent no IPN: this one is forged.
    const said = status === 'FAILED' ? 'FAILED' : 'SUCCESS';
    return `{"paymentId":${paymentId},"orderId":"${orderId}","type":"${type}","amount":${amount},"currency":"${currency}","status":"${said}","message":"${said}"}`;
  });
  while (bodies.length < IPNS) {
    const n = bodies.length;
    bodies.push(
      random.pick([
        `{"orderId":"unknown-${n}","type":"PAY","amount":10,"currency":"EUR","status":"SUCCESS"}`,
        `{"orderId":"flood-${random.between(0, PAYMENTS - 1)}","type":"PAYOUT","status":"SUCCESS","n":${n}}`,
        `{"orderId":"flood-${random.between(0, PAYMENTS - 1)}","type":"PAY","amount":0.01,"currency":"EUR","status":"SUCCESS","n":${n}}`,
        `not JSON ${n}`,
      ]),
    );
  }
  return bodies;
}

function withRepeats(bodies: readonly string[]): string[] {
  return [...bodies, ...bodies.filter((_, n) => n % 3 === 0)];
}

async function flood(clients: Clients, proxy: KillableProxy, bodies: readonly string[]): Promise<void> {
  let answered = 0;
  const sending = each(bodies, SENDERS, async (body) => {
    await clients.sendIpn(body);
    answered += 1;
  });
  await Promise.all([sending, killAlong([proxy], KILLS, { all: bodies.length, done: () => answered })]);
}
