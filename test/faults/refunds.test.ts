// Refunds, for which a duplicate call costs money: three in ten answers of the gateway are lost, the proxy is killed,
// and its database is restored between them. The merchant asks for random parts of each payment, several at once,
// repeats some with their keys, and all of them after the restore. Each payment was made by another wallet than the one
// that was typed. Never more may go back than came in, none twice, and none to a wallet that did not pay.
import { join } from 'node:path';
import { backup, restore } from '../../backend-proxy/commands/backup.ts';
import { LAG_MS } from '../../backend-proxy/protocol/schedule.ts';
import { SECRETS, leaksIn } from './canary-secrets.ts';
import { createClients, type ClientRecords } from './clients.ts';
import { RANK } from './compare-records.ts';
import { readDatabase } from './database-reader.ts';
import { createEnvironment, settle } from './environment.ts';
import { startFaultProxy, type Fault } from './fault-proxy.ts';
import { each, faultTest, size, until } from './fault-test.ts';
import { killAlong, restartFigures, startKillableProxy } from './killable-proxy.ts';
import type { Random } from './random.ts';
import type { GatewayTransaction } from './sandbox-gateway.ts';

const PAYMENTS = size(40, 400);
const REFUNDS = size(120, 1_000);
const KILLS = size(2, 20);
/** After so many refunds the database is copied, and after so many it is replaced by that copy. */
const COPIED_AFTER = Math.floor(REFUNDS * 0.2);
const RESTORED_AFTER = Math.floor(REFUNDS * 0.5);
const SENDERS = 12;
const LOST_SHARE = 0.3;
const [ADA, BRUNO] = ['12345678', '23456789'];
const PROFILE = new URL('../../demo/sandbox-profile.json', import.meta.url).pathname;

interface Wanted {
  key: string;
  orderId: string;
  body: { amount?: number };
}

faultTest(
  `${REFUNDS} refunds of ${PAYMENTS} payments with three in ten answers lost, ${KILLS} kills and a restore`,
  { withinMs: size(300_000, 1_800_000) },
  async (t) => {
    const environment = await createEnvironment(t);
    const { gateway, merchant, databaseUrl, dir } = environment;
    const network = await startFaultProxy(gateway.url, ({ path }) => faultFor(path, t.random));
    t.defer(network.close);
    const settings = { databaseUrl, gatewayUrl: network.url, webhookUrl: merchant.url };
    const proxy = await startKillableProxy(t, { ...settings, env: { GATEWAY_PROFILE: PROFILE } });
    const clients = createClients(() => proxy.url);
    t.defer(clients.close);
    await gateway.control('ipn-url', { url: `${proxy.url}/ipn/${SECRETS.ipnSecret}` });

    const payers = new Map<string, string>();
    const amounts = new Map<string, number>();
    const payments = Array.from({ length: PAYMENTS }, (_, n) => ({ orderId: `paid-${n}`, currency: 'EUR' }));
    await each(payments, SENDERS, async (order) => {
      const [payer, typed] = t.random.chance(0.8) ? [ADA, BRUNO] : [BRUNO, ADA];
      const amount = t.random.between(1, 6);
      payers.set(order.orderId, payer ?? '');
      amounts.set(order.orderId, amount);
      const start = { method: 'CHECKOUT', customer: typed ?? '' };
      await clients.startPayment({ ...order, amount: String(amount) }, start, 'first');
      await gateway.act(order.orderId, 'approve', payer);
    });
    await until('all are paid', async () => (await readDatabase(databaseUrl)).orders.every(({ paid_by }) => paid_by));

    let done = 0;
    const send = async ({ orderId, body, key }: Wanted) => {
      await clients.refund(orderId, body, key);
      if (t.random.chance(0.3)) await clients.refund(orderId, body, key);
      done += 1;
    };
    const wanted = refundsOf(t.random);
    const env = { DATABASE_URL: databaseUrl };
    const copy = join(dir, 'backup.db');
    const command = { args: [copy], env, print: () => undefined };
    await each(wanted.slice(0, COPIED_AFTER), SENDERS, send);
    await backup(command);
    const before = wanted.slice(COPIED_AFTER, RESTORED_AFTER);
    const half = { all: REFUNDS - COPIED_AFTER, done: () => done - COPIED_AFTER };
    const kills = Math.floor(KILLS / 2);
    await Promise.all([
      each(before, SENDERS, send),
      killAlong([proxy], kills, { ...half, all: RESTORED_AFTER - COPIED_AFTER }),
    ]);
    await proxy.killAndRestart(() => restore(command, () => Date.now() - LAG_MS));
    // A merchant repeats what the restore may have lost, among its new requests.
    const after = [...before, ...wanted.slice(RESTORED_AFTER)].toSorted(() => t.random.next() - 0.5);
    done = 0;
    await Promise.all([
      each(after, SENDERS, send),
      killAlong([proxy], KILLS - kills, { all: after.length, done: () => done }),
    ]);
    await proxy.end();

    const { problems, database } = await settle(environment, clients);
    const sent = (await gateway.transactions()).filter(({ type }) => type === 'PAYOUT');
    const found = compareMoney(sent, amounts, payers, clients.records);
    const refunds = database.transactions.filter(({ type }) => type === 'REFUND');
    const review = refunds.filter(({ needs_review }) => needs_review === 1).length;
    const succeeded = refunds.filter(({ rank }) => rank === RANK.succeeded).length;
    return {
      problems: {
        ...problems,
        doubled: [...(problems.doubled ?? []), ...found.doubled],
        // What was delivered before the restore comes again under its id, about the row that was written again.
        forged: (problems.forged ?? []).filter((what) => !what.endsWith('came with other bytes')),
        astray: found.astray,
        leaked: leaksIn(proxy.output()),
        unserved: succeeded === 0 ? ['no refund succeeded'] : [],
      },
      counts: {
        refunds: REFUNDS,
        accepted: [...clients.records.refunds.values()].filter(({ accepted }) => accepted !== undefined).length,
        atGateway: sent.length,
        succeeded,
        needReview: review,
        answersLost: [...network.counts].reduce((sum, [kind, count]) => sum + (kind === 'none' ? 0 : count), 0),
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

/** A tenth ask for all that is left. */
function refundsOf(random: Random): Wanted[] {
  return Array.from({ length: REFUNDS }, (_, n) => ({
    key: `refund-${n}`,
    orderId: `paid-${random.between(0, PAYMENTS - 1)}`,
    body: random.chance(0.1) ? {} : { amount: random.between(1, 2) },
  }));
}

/** By the gateway's account alone. */
function compareMoney(
  sent: readonly GatewayTransaction[],
  amounts: ReadonlyMap<string, number>,
  payers: ReadonlyMap<string, string>,
  { refunds }: ClientRecords,
): { doubled: string[]; astray: string[] } {
  const doubled: string[] = [];
  const astray = sent.flatMap(({ orderId, customer }) =>
    customer === payers.get(paymentOf(orderId)) ? [] : [`${orderId} went to ${customer}, who did not pay`],
  );
  for (const [payment, ofPayment] of Map.groupBy(sent, ({ orderId }) => paymentOf(orderId))) {
    const sum = ofPayment.reduce((total, { amount, status }) => total + (status === 'FAILED' ? 0 : Number(amount)), 0);
    const brought = amounts.get(payment) ?? 0;
    if (sum > brought) doubled.push(`${sum} went back of ${payment}, which brought ${brought}`);
    const asked = [...refunds.values()].filter(
      ({ orderId, accepted }) => orderId === payment && accepted !== undefined,
    );
    if (ofPayment.length > asked.length) {
      doubled.push(`${ofPayment.length} refunds of ${payment} were sent, and ${asked.length} were asked for`);
    }
  }
  return { doubled, astray };
}

function paymentOf(refundId: string): string {
  return refundId.replace(/-r\d+$/, '');
}
