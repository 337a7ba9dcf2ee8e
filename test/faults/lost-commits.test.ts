// Between the proxy and PostgreSQL, the answer to a COMMIT is lost after the server has applied it: for each commit of
// a start and of a payout, for an IPN, and for the claim of a check. The callers notice nothing: no 503, no payment
// without means to pay, no payout that is never sent, no check that waits for a lost lease to end.
import { startPostgresRelay, type PostgresRelay } from '../postgres-relay.ts';
import { startPostgres, whyNoPostgres } from '../postgres-server.ts';
import { createClients, type Clients } from './clients.ts';
import type { TestGateway } from './sandbox-gateway.ts';
import { startProxy } from './processes.ts';
import { createEnvironment, settle } from './environment.ts';
import { leaksIn } from './canary-secrets.ts';
import { size, faultTest, until } from './fault-test.ts';

const ROUNDS = size(1, 20);
/** A start and a payout have up to three commits: the row, the permission to send, the answer. */
const COMMITS = [1, 2, 3];
/** The lease of a lost claim lasts 45 s. */
const PAID_WITHIN_MS = 20_000;

faultTest(
  'A commit whose answer is lost: its outcome is looked up before the caller is answered',
  { withinMs: size(180_000, 600_000), impossible: whyNoPostgres },
  async (t) => {
    const environment = await createEnvironment(t);
    const { gateway, merchant } = environment;
    const postgres = await startPostgres();
    t.defer(postgres.end);
    const databaseUrl = await postgres.createDatabase();
    const relay = await startPostgresRelay(databaseUrl);
    t.defer(relay.close);
    const proxy = await startProxy({ databaseUrl: relay.url, gatewayUrl: gateway.url, webhookUrl: merchant.url });
    t.defer(proxy.kill9);
    const clients = createClients(() => proxy.url);
    t.defer(clients.close);
    const findings = { problems: [] as string[], lost: 0 };
    const test = { clients, gateway, relay, findings };

    for (let round = 0; round < ROUNDS; round += 1) {
      for (const nth of COMMITS) {
        await start(`start-${round}-${nth}`, nth, test);
        await payOut(`payout-${round}-${nth}`, nth, test);
      }
      await payWithIpn(`ipn-${round}`, () => true, test);
      await payWithIpn(`claim-${round}`, (statements) => statements.includes('"checks"'), test);
    }
    await proxy.end();

    const { problems } = await settle(environment, clients, { databaseUrl });
    const { unavailable } = clients.records;
    if (unavailable > 0) findings.problems.push(`callers got 503 ${unavailable} times`);
    // The row and the answer are at least two commits.
    const least = ROUNDS * (2 + 2 + 1 + 1);
    if (findings.lost < least) findings.problems.push(`only ${findings.lost} commits were lost, of at least ${least}`);
    return {
      problems: { ...problems, unserved: findings.problems, leaked: leaksIn(proxy.output()) },
      counts: { lostAnswers: findings.lost },
    };
  },
);

interface CommitTest {
  clients: Clients;
  gateway: TestGateway;
  relay: PostgresRelay;
  findings: { problems: string[]; lost: number };
}

/** Loses the `nth` commit among those whose statements contain this id. */
function loseNth(
  { relay, findings }: CommitTest,
  id: string,
  nth: number,
  isTarget = (_statements: string) => true,
): () => void {
  let seen = 0;
  const hasLost = relay.loseCommit(
    'applied',
    (statements) => statements.includes(id) && isTarget(statements) && (seen += 1) === nth,
  );
  return () => {
    if (hasLost()) findings.lost += 1;
  };
}

async function start(orderId: string, nth: number, test: CommitTest): Promise<void> {
  const { clients, gateway, findings } = test;
  const count = loseNth(test, orderId, nth);
  const order = { orderId, amount: '4.20', currency: 'EUR' };
  const { status, text } = await clients.startPayment(order, { method: 'QR' }, 'first');
  count();
  const { payment } = JSON.parse(text) as { payment: { status: string; qr: unknown } | null };
  if (status !== 201) findings.problems.push(`${orderId} was answered ${status}`);
  if (payment?.qr === null || payment?.status !== 'PROCESSING')
    findings.problems.push(`${orderId} has nothing to pay with: ${text}`);
  const sent = gateway.sandbox.processor.transaction(orderId);
  if (sent === undefined) findings.problems.push(`${orderId} was never sent`);
}

async function payOut(orderId: string, nth: number, test: CommitTest): Promise<void> {
  const { clients, gateway, findings } = test;
  const count = loseNth(test, orderId, nth);
  const { status } = await clients.startPayout({ orderId, amount: 5, currency: 'EUR', customer: '12345678' });
  count();
  if (status !== 202) findings.problems.push(`${orderId} was answered ${status}`);
  if (gateway.sandbox.processor.transaction(orderId) === undefined) findings.problems.push(`${orderId} was never sent`);
}

/** A paid order with a single IPN, of which one commit is lost: the IPN's own or that of the check's claim. */
async function payWithIpn(orderId: string, isTarget: (statements: string) => boolean, test: CommitTest): Promise<void> {
  const { clients, gateway, findings } = test;
  const order = { orderId, amount: '4.20', currency: 'EUR' };
  await clients.startPayment(order, { method: 'QR' }, 'first');
  await gateway.act(orderId, 'approve');
  const count = loseNth(test, orderId, 1, isTarget);
  const rangAt = performance.now();
  await clients.sendIpn(JSON.stringify({ orderId, type: 'PAY', status: 'SUCCESS' }));
  await until(`${orderId} is shown as paid`, async () => (await clients.view(order)).paid, 60_000);
  count();
  const tookMs = performance.now() - rangAt;
  if (tookMs > PAID_WITHIN_MS) findings.problems.push(`${orderId} was shown as paid after ${Math.round(tookMs)} ms`);
}
