// A standby that lagged is promoted: the last rows that were acknowledged are gone, and the gateway and the merchant
// know them. Told by DATABASE_RESTORED, the proxies send no payout twice. Answers that they held meanwhile are stored
// with new rows, IPNs of lost payments are reported, and webhooks keep their ids.
import { request } from 'undici';
import type { WebhookType } from '../../backend-proxy/protocol/merchant-view.ts';
import { whyNoPostgres } from '../postgres/server.ts';
import { RANK } from './compare-records.ts';
import { SECRETS } from './canary-secrets.ts';
import { readDatabase } from './database-reader.ts';
import { settle } from './environment.ts';
import { openFailover, type Failover } from './failover-setup.ts';
import { startIntermediary } from './http-intermediary.ts';
import { each, size, faultTest, until, type FaultTest, type Findings } from './fault-test.ts';

const LIMITS = { withinMs: size(300_000, 900_000), impossible: whyNoPostgres };
const COUNT = size(6, 100);
/** Each keeps a connection to the gateway, of which a proxy has a limited number. */
const HELD = 6;
const AT_ONCE = 8;
const WALLET = '12345678';

faultTest(
  'A lagging standby, promoted and told: no payout is sent twice, and each lost payment is reported',
  LIMITS,
  (t) => run(t, { isTold: true }),
);

faultTest(
  'A lagging standby, promoted without DATABASE_RESTORED: a payout sent twice is refused by the gateway and needs review',
  LIMITS,
  (t) => run(t, { isTold: false }),
);

async function run(t: FaultTest, { isTold }: { isTold: boolean }): Promise<Findings> {
  const [held, torn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const failover = await openFailover(t, {
    isSynchronous: false,
    async through(gatewayUrl) {
      const intermediary = await startIntermediary(gatewayUrl, ({ operation, orderId }) => {
        const holding = orderId.startsWith('held-') ? held : orderId.startsWith('torn-') ? torn : undefined;
        return operation !== 'status' && holding !== undefined ? { until: holding.promise } : undefined;
      });
      t.defer(intermediary.close);
      return intermediary.url;
    },
  });
  const { environment, pair, clients } = failover;
  const { gateway, merchant } = environment;

  const unwarned = await notWarned(failover);
  await startAll(failover, [...named('kept'), ...named('open')]);
  await settleAll(failover, named('kept'));
  // The standby gets their first commit, with the permission to send, and not the second, with the answer.
  const tearing = startAll(failover, named('torn', HELD));
  await untilArrived(failover, named('torn', HELD));
  await pair.caughtUp();
  pair.stopReplication();
  torn.resolve();
  await tearing;
  await startAll(failover, named('gone'));
  await settleAll(failover, [...named('gone'), ...named('open')]);
  const inFlight = startAll(failover, named('held', HELD));
  await untilArrived(failover, named('held', HELD));
  const delivered = new Set(merchant.webhooks.keys());

  await pair.killPrimary('reset');
  await pair.promote();
  const { transactions } = await readDatabase(pair.standbyUrl);
  const kept = new Set(transactions.map(({ id }) => id));
  const lost = (await gateway.transactions()).filter(({ orderId }) => !kept.has(orderId));
  const count = 2 * (COUNT + HELD);
  if (lost.length !== count) throw new Error(`The standby lacks ${lost.length} transactions, not ${count}`);
  clients.records.ipns.clear();
  for (const id of named('gone')) clients.records.orders.delete(id);
  pair.moveAddress();
  held.resolve();
  await inFlight;
  if (isTold) await failover.restartProxies({ DATABASE_RESTORED: new Date().toISOString() });

  // All callers repeat what they did; half of the shoppers whose payment is lost start it again.
  await sendIpns(failover, named('gone'));
  const unreported = await notReported(failover, named('gone'));
  const again = named('gone').filter((_, n) => n % 2 === 0);
  const cut = ['held', 'torn'].flatMap((name) => named(name, HELD));
  await each([...['kept', 'gone', 'fresh'].flatMap((name) => named(name)), ...cut], AT_ONCE, (id) =>
    payOut(failover, id),
  );
  await each(again, AT_ONCE, (id) => pay(failover, id));
  await settlePayments(failover, named('held', HELD));
  // Whether their shoppers were shown a code is among what is lost, so a person decides.
  await settlePayments(failover, named('torn', HELD), 'payment.needs_review');
  await sendIpns(failover, named('open'));
  const leaked = await failover.endProxies();

  const { problems, database } = await settle(environment, clients, { databaseUrl: pair.standbyUrl });
  const payments = named('gone').flatMap(lostAt);
  const payouts = isTold ? [] : named('gone').flatMap((id) => lostAt(`${id}-out`));
  const repeated = [...delivered].map((id) => `${id} came with other bytes`);
  const expected = new Set([...payments, ...payouts, ...repeated]);
  const others = Object.fromEntries(
    Object.entries(problems).map(([kind, found]) => [kind, found.filter((what) => !expected.has(what))]),
  );
  const twice = (await gateway.transactions()).filter(({ createRequests }) => createRequests > 1);
  return {
    problems: { ...others, unserved: [...unwarned, ...unreported], leaked },
    counts: {
      lost: lost.length,
      payoutsSentTwice: twice.filter(({ type }) => type === 'PAYOUT').length,
      needReview: database.transactions.filter(({ needs_review }) => needs_review === 1).length,
      succeeded: database.transactions.filter(({ rank }) => rank === RANK.succeeded).length,
    },
  };
}

const named = (name: string, count = COUNT) => Array.from({ length: count }, (_, n) => `${name}-${n}`);

/** What the records must disagree about for a transaction whose row is lost. */
const lostAt = (id: string) => [
  `${id} is at the gateway and not in the database`,
  `${id} was sent to the gateway 2 times`,
  `the merchant received a false ${id.endsWith('-out') ? 'payout' : 'payment'}.succeeded of ${id}`,
];

async function untilArrived({ environment }: Failover, orderIds: readonly string[]): Promise<void> {
  const { processor } = environment.gateway.sandbox;
  const ids = orderIds.flatMap((id) => [id, `${id}-out`]);
  await until('the requests have arrived', () => ids.every((id) => processor.transaction(id) !== undefined));
}

async function startAll(failover: Failover, ids: readonly string[]): Promise<void> {
  await Promise.all(ids.flatMap((id) => [pay(failover, id), payOut(failover, id)]));
}

async function pay({ clients }: Failover, orderId: string): Promise<void> {
  await clients.startPayment({ orderId, amount: '4.20', currency: 'EUR' }, { method: 'QR' }, 'first');
}

async function payOut({ clients }: Failover, id: string): Promise<void> {
  await clients.startPayout({ orderId: `${id}-out`, amount: 5, currency: 'EUR', customer: WALLET });
}

async function sendIpns({ clients }: Failover, ids: readonly string[], type = 'PAY'): Promise<void> {
  await each(ids, AT_ONCE, (orderId) => clients.sendIpn(JSON.stringify({ orderId, type, status: 'SUCCESS' })));
}

/** Resolves when webhooks have reported all of them as paid, or as `type`. */
async function settlePayments(
  failover: Failover,
  ids: readonly string[],
  type: WebhookType = 'payment.succeeded',
): Promise<void> {
  await each(ids, AT_ONCE, (id) => failover.environment.gateway.act(id, 'approve'));
  await sendIpns(failover, ids);
  await heard(failover, type, ids);
}

/** Resolves when webhooks have reported the end of each payment and payout, so none is under way. */
async function settleAll(failover: Failover, ids: readonly string[]): Promise<void> {
  await settlePayments(failover, ids);
  const payouts = ids.map((id) => `${id}-out`);
  await sendIpns(failover, payouts, 'PAYOUT');
  await heard(failover, 'payout.succeeded', payouts);
}

async function heard({ environment }: Failover, type: string, ids: readonly string[]): Promise<void> {
  await until(`the merchant has a ${type} of each`, () => {
    const received = new Set(
      [...environment.merchant.webhooks.values()].map(({ type: told, data }) => `${told} ${data.orderId}`),
    );
    return ids.every((id) => received.has(`${type} ${id}`));
  });
}

/** Each proxy warns at its start and in /readyz that this standby may lag. */
async function notWarned({ proxies }: Failover): Promise<string[]> {
  const warning = 'A standby of the database is not synchronous';
  const said = proxies().map((proxy) => proxy.output());
  for (const { url } of proxies()) said.push(await (await request(`${url}/readyz`)).body.text());
  return said.filter((text) => !text.includes(warning)).map((text) => `no warning of the standby in ${text}`);
}

/** Each proxy lists and counts the lost payments whose IPN came, and a warning of each is in the logs. */
async function notReported({ proxies }: Failover, ids: readonly string[]): Promise<string[]> {
  const headers = { Authorization: `Bearer ${SECRETS.merchantApiKey}` };
  const read = async (url: string) => (await request(url, { headers })).body.text();
  const missing: string[] = [];
  for (const { url } of proxies()) {
    const listed = await read(`${url}/ipns?limit=200`);
    missing.push(...ids.filter((id) => !listed.includes(`"${id}"`)).map((id) => `${id} is not in GET /ipns`));
    const [, counted] = /^payment_proxy_unmatched_ipns (\d+)$/m.exec(await read(`${url}/metrics`)) ?? [];
    if (Number(counted) !== ids.length) missing.push(`the metrics count ${counted} unmatched IPNs, not ${ids.length}`);
  }
  const log = proxies().map((proxy) => proxy.output());
  const warnings = log.join('\n').split('an IPN matches no transaction in the database').length - 1;
  if (warnings !== ids.length) missing.push(`${warnings} warnings of ${ids.length} IPNs are in the log`);
  return missing;
}
