// Between the proxy and PostgreSQL, the answer to a save is lost after the server has committed it: for each save of a
// start and of a payout, for an IPN, and for the claim of a check. The callers notice nothing: no 503, no payment
// without means to pay, no payout that is never sent, no check that waits for a lost lease to end.
import { isSave, nth, startPostgresRelay, type PostgresRelay } from '../postgres/relay.ts';
import { whyNoPostgres } from '../postgres/server.ts';
import type { Clients } from './clients.ts';
import type { TestGateway } from './sandbox-gateway.ts';
import { createEnvironment, createPostgresDatabase, serveProxy, settle } from './environment.ts';
import { leaksIn } from './canary-secrets.ts';
import { size, faultTest, until } from './fault-test.ts';

const ROUNDS = size(1, 20);
/** A start or a payout has two saves: the row with the permission to send, and the answer. */
const SAVES = [1, 2];
/** The claim of a check, by an IPN's save or by itself. */
const CLAIMS = 'checks = ';
/** The lease of a lost claim lasts 45 s. */
const PAID_WITHIN_MS = 20_000;

faultTest(
  'A save whose answer is lost: its outcome is looked up before the caller is answered',
  { withinMs: size(180_000, 600_000), impossible: whyNoPostgres },
  async (t) => {
    const environment = await createEnvironment(t);
    const { gateway } = environment;
    const { databaseUrl } = await createPostgresDatabase(t);
    const relay = await startPostgresRelay(databaseUrl);
    t.defer(relay.close);
    const { proxy, clients } = await serveProxy(t, environment, { databaseUrl: relay.url });
    const findings = { problems: [] as string[], lost: 0 };
    const test = { clients, gateway, relay, findings };

    for (let round = 0; round < ROUNDS; round += 1) {
      for (const k of SAVES) {
        await start(`start-${round}-${k}`, k, test);
        await payOut(`payout-${round}-${k}`, k, test);
      }
      await payWithIpn(`ipn-${round}`, (statement) => isSave(statement) && statement.includes(`ipn-${round}`), test);
      await payWithIpn(`claim-${round}`, (statement) => statement.includes(CLAIMS), test);
    }
    await proxy.end();

    const { problems } = await settle(environment, clients, { databaseUrl });
    const { unavailable } = clients.records;
    if (unavailable > 0) findings.problems.push(`callers got 503 ${unavailable} times`);
    const all = ROUNDS * (2 + 2 + 1 + 1);
    if (findings.lost !== all) findings.problems.push(`${findings.lost} answers were lost, not ${all}`);
    return {
      problems: { ...problems, unserved: findings.problems, leaked: leaksIn(proxy.output()) },
      counts: { lostAnswers: findings.lost },
    };
  },
);

interface SaveTest {
  clients: Clients;
  gateway: TestGateway;
  relay: PostgresRelay;
  findings: { problems: string[]; lost: number };
}

/** Loses the answer to one statement; the returned function counts it if it was lost. */
function lose({ relay, findings }: SaveTest, isTarget: (statement: string) => boolean): () => void {
  const wasLost = relay.loseAnswer('applied', isTarget);
  return () => {
    if (wasLost()) findings.lost += 1;
  };
}

/** Loses the answer to the `k`th save whose parameters contain this id. */
function loseSave(id: string, k: number, test: SaveTest): () => void {
  return lose(
    test,
    nth(k, (statement) => isSave(statement) && statement.includes(id)),
  );
}

async function start(orderId: string, k: number, test: SaveTest): Promise<void> {
  const { clients, gateway, findings } = test;
  const count = loseSave(orderId, k, test);
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

async function payOut(orderId: string, k: number, test: SaveTest): Promise<void> {
  const { clients, gateway, findings } = test;
  const count = loseSave(orderId, k, test);
  const { status } = await clients.startPayout({ orderId, amount: 5, currency: 'EUR', customer: '12345678' });
  count();
  if (status !== 202) findings.problems.push(`${orderId} was answered ${status}`);
  if (gateway.sandbox.processor.transaction(orderId) === undefined) findings.problems.push(`${orderId} was never sent`);
}

/** A paid order with a single IPN, of which one answer is lost: to the IPN's save, or to the check's claim. */
async function payWithIpn(orderId: string, isTarget: (statements: string) => boolean, test: SaveTest): Promise<void> {
  const { clients, gateway, findings } = test;
  const order = { orderId, amount: '4.20', currency: 'EUR' };
  await clients.startPayment(order, { method: 'QR' }, 'first');
  await gateway.act(orderId, 'approve');
  const count = lose(test, isTarget);
  const rangAt = performance.now();
  await clients.sendIpn(JSON.stringify({ orderId, type: 'PAY', status: 'SUCCESS' }));
  await until(`${orderId} is shown as paid`, async () => (await clients.view(order)).paid, 60_000);
  count();
  const tookMs = performance.now() - rangAt;
  if (tookMs > PAID_WITHIN_MS) findings.problems.push(`${orderId} was shown as paid after ${Math.round(tookMs)} ms`);
}
