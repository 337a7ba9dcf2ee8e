// Two stores on one PostgreSQL, as two proxies: writes of the same rows at once, and the permission to send whose
// answer was lost.
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { Refusal } from '../../backend-proxy/errors.ts';
import { connectDatabase } from '../../backend-proxy/ledger/connect.ts';
import type { Ledger } from '../../backend-proxy/ledger/ledger.ts';
import type { NewPayment } from '../../backend-proxy/ledger/model.ts';
import { createLedger } from '../../backend-proxy/ledger/ledger.ts';
import { BARE_READING, LEASE_MS, LIMITS, PAYOUT, payment } from '../backend-proxy/ledger/ledger-kit.ts';
import { raise } from '../backend-proxy/ledger/order-writes.ts';
import { isSave, startPostgresRelay, type LostAnswer } from './relay.ts';
import { startPostgres, whyNoPostgres, type PostgresServer } from './server.ts';

const why = whyNoPostgres();
const die = (error: unknown): never => assert.fail(String(error));
const TOKEN = { iat: null, terms: 'terms' };
const ipn = (id: string, transactionId: string) => ({
  id,
  body: id,
  reading: { ...BARE_READING, transactionId },
});

describe('PostgreSQL: two proxies', { skip: why === undefined ? false : `skipped: ${why}` }, () => {
  let server: PostgresServer;
  let url: string;
  let admin: Client;

  before(async () => {
    server = await startPostgres();
    url = await server.createDatabase();
    admin = new Client({ connectionString: url });
    await admin.connect();
    // By their snapshot, writes would not see what another one has committed before they got its lock.
    await admin.query(`alter database ${url.split('/').at(-1)} set default_transaction_isolation = 'repeatable read'`);
  });
  after(async () => {
    await admin.end();
    await server.end();
  });

  async function opened(t: TestContext, at = url): Promise<Ledger> {
    const ledger = createLedger(await connectDatabase(at, die));
    t.after(() => ledger.close());
    return ledger;
  }

  let starts = 0;
  /** A start by a call of its own. */
  const start = (ledger: Ledger, given: Partial<NewPayment>) =>
    ledger.openPayment({ ...payment(given), ...TOKEN, start: { by: 'host:1', id: `start-${(starts += 1)}` } }, LIMITS);

  const payOut = (ledger: Ledger, orderId: string) =>
    ledger.openPayout({ ...PAYOUT, orderId, start: { by: 'host:1', id: `start-${(starts += 1)}` } });

  /** Counts the refusals by kind. */
  async function outcomes<T>(work: readonly Promise<T>[]): Promise<{ done: T[]; refused: string[] }> {
    const settled = await Promise.allSettled(work);
    return {
      done: settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])),
      refused: settled.flatMap((each) => (each.status === 'rejected' ? [(each.reason as Refusal).kind] : [])),
    };
  }

  const times = <T>(n: number, work: (n: number) => T): T[] => Array.from({ length: n }, (_, at) => work(at));

  it('of 200 starts of one order at once, five are permitted one POST each, and the others are refused', async (t) => {
    const both = [await opened(t), await opened(t)] as const;
    const { done, refused } = await outcomes(times(200, (n) => start(both[n % 2]!, { orderId: 'many' })));
    assert.deepEqual(new Set(refused), new Set(['too_many_payments']));
    assert.deepEqual(done.map(({ payment: { id } }) => id).toSorted(), [
      'many',
      'many-2',
      'many-3',
      'many-4',
      'many-5',
    ]);
    assert.ok(done.every(({ maySend, isNew }) => maySend && isNew));
    const order = await both[0].order('many');
    const stages = order?.payments.map(({ stage }) => stage);
    assert.deepEqual(stages, ['replaced', 'replaced', 'replaced', 'replaced', 'sending']);
  });

  it('of 60 starts with one key at once, one is permitted the one POST', async (t) => {
    const both = [await opened(t), await opened(t)] as const;
    const same = { orderId: 'clicked', idempotencyKey: 'click' };
    const { done, refused } = await outcomes(times(60, (n) => start(both[n % 2]!, same)));
    assert.deepEqual(refused, []);
    assert.deepEqual([...new Set(done.map(({ payment: { id } }) => id))], ['clicked']);
    assert.equal(done.filter(({ maySend }) => maySend).length, 1);
    assert.equal(done.filter(({ isNew }) => isNew).length, 1);
  });

  it('of 60 payouts with one order id at once, one row is written and one call may send it', async (t) => {
    const both = [await opened(t), await opened(t)] as const;
    const { done } = await outcomes(times(60, (n) => payOut(both[n % 2]!, 'P')));
    assert.equal(done.length, 60);
    assert.equal(done.filter(({ maySend }) => maySend).length, 1);
  });

  it('writes of one order at once are all made, however often they have to be decided again', async (t) => {
    const stores = [await connectDatabase(url, die), await connectDatabase(url, die)];
    t.after(() => Promise.all(stores.map((store) => store.close())));
    await raise(stores[0]!, 'raised');
    const seen = await Promise.all(times(100, (n) => raise(stores[n % 2]!, 'raised')));
    assert.deepEqual(
      seen.toSorted((a, b) => Number(a) - Number(b)),
      times(100, (n) => n),
    );
  });

  it('two proxies that claim checks at once never claim the same', async (t) => {
    const both = [await opened(t), await opened(t)] as const;
    await admin.query('update transactions set next_check_at = null');
    for (let n = 0; n < 60; n += 1) await start(both[n % 2]!, { orderId: `due-${n}` });
    await admin.query("update transactions set next_check_at = 0, ipn_received_at = 0 where id like 'due-%'");
    const claims = (await Promise.all(times(12, (n) => both[n % 2]!.claimChecks(10, LEASE_MS)))).flat();
    const ids = claims.map(({ transaction }) => transaction.id);
    assert.equal(new Set(ids).size, ids.length);
    while (ids.length < 60) {
      const more = await both[0].claimChecks(10, LEASE_MS);
      if (more.length === 0) break;
      ids.push(...more.map(({ transaction }) => transaction.id));
    }
    assert.equal(ids.length, 60);
    assert.equal(new Set(ids).size, 60);
  });

  it('prompts of one wallet by two proxies at once never pass its limits', async (t) => {
    const both = [await opened(t), await opened(t)] as const;
    const prompt = (n: number, customer: string, customerReference: string) =>
      start(both[n % 2]!, { orderId: `${customer}-${n}`, method: 'DIRECT', customer, customerReference });
    const { perCustomer, inAll } = LIMITS.directPerWallet;
    const own = await outcomes(times(30, (n) => prompt(n, '111111', 'one')));
    assert.equal(own.done.length, perCustomer);
    const all = await outcomes(times(30, (n) => prompt(n, '222222', `each-${n}`)));
    assert.equal(all.done.length, inAll);
    assert.deepEqual(new Set([...own.refused, ...all.refused]), new Set(['too_many_prompts']));
  });

  const HOW: Record<string, (answered: Promise<unknown>) => LostAnswer> = {
    'was applied': () => 'applied',
    'never arrived': () => 'unsent',
    'arrives after everything else': (answered) => ({ after: answered }),
  };
  for (const [what, how] of Object.entries(HOW)) {
    it(`a permission whose answer is lost and that ${what} is given to one of two callers`, async (t) => {
      const relay = await startPostgresRelay(url);
      t.after(relay.close);
      const [one, other] = [await opened(t, relay.url), await opened(t)];
      const permits = (ledger: Ledger, orderId: string) =>
        start(ledger, { orderId, idempotencyKey: 'retried' }).then(({ maySend }) => maySend);
      const permitsPayout = (ledger: Ledger, orderId: string) => payOut(ledger, orderId).then(({ maySend }) => maySend);
      // Before the other's repeat, and after it.
      for (const waitMs of [0, 300]) {
        const id = `${what} ${waitMs}`;
        await start(other, { orderId: `known ${id}` });
        for (const call of [
          (ledger: Ledger) => permits(ledger, `new ${id}`),
          (ledger: Ledger) => permits(ledger, `known ${id}`),
          (ledger: Ledger) => permitsPayout(ledger, `payout ${id}`),
        ]) {
          const answered = Promise.withResolvers<void>();
          const wasLost = relay.loseAnswer(how(answered.promise), isSave);
          const first = call(one);
          while (!wasLost()) await sleep(1);
          await sleep(waitMs);
          const permitted = [await call(other), await first];
          answered.resolve();
          await sleep(100);
          assert.equal(permitted.filter(Boolean).length, 1, String(permitted));
        }
      }
    });
  }

  for (const [kind, open] of Object.entries({
    payment: (ledger: Ledger, orderId: string) => start(ledger, { orderId }),
    payout: payOut,
  })) {
    it(`the permission to send a ${kind} is kept although its answer was lost and an IPN came before the repeat`, async (t) => {
      const relay = await startPostgresRelay(url);
      t.after(relay.close);
      const [one, other] = [await opened(t, relay.url), await opened(t)];
      const orderId = `paid-${kind}`;
      const wasLost = relay.loseAnswer('applied', isSave);
      const opening = open(one, orderId);
      while (!wasLost()) await sleep(1);
      await other.receiveIpn(ipn(`before-${kind}`, orderId));
      assert.equal((await opening).maySend, true);
    });
  }

  it('a row that somebody holds delays no claim, start or delivery of another, and no step of the clock', async (t) => {
    let stepped = 0;
    const store = await connectDatabase(url, die);
    const ledger = createLedger(store, { now: () => Date.now() + stepped, elapsed: Date.now });
    t.after(() => ledger.close());
    const ids = ['held', 'free'];
    await admin.query('delete from webhooks');
    for (const orderId of ids) {
      const { payment: sent } = await start(ledger, { orderId });
      await ledger.record(sent, { stage: 'uncertain', answer: 'lost', detail: 'reset' });
      await start(ledger, { orderId: `sending ${orderId}` });
    }
    const others = `order_id <> all($1) and order_id not like 'sending %'`;
    await admin.query(`update transactions set next_check_at = null where ${others}`, [ids]);
    await admin.query('update transactions set next_check_at = 0 where order_id = any($1)', [ids]);
    await admin.query(
      `insert into webhooks select id, id, order_id, 'payment.failed', '{}', 'pending', 0, 0, 0, null, 0
      from transactions where order_id = any($1)`,
      [ids],
    );
    const holder = new Client({ connectionString: url });
    await holder.connect();
    t.after(() => holder.end());
    await holder.query(`begin; update transactions set version = version where order_id like '%held';
      update webhooks set attempts = attempts where order_id = 'held';
      update meta set value = value where key = 'clock_steps'`);
    const claimed = async () =>
      (await ledger.claimChecks(1_000, LEASE_MS)).flatMap(({ transaction: { id } }) =>
        /held|free/.test(id) ? [id] : [],
      );

    assert.deepEqual(await claimed(), ['free']);
    assert.deepEqual(
      (await ledger.claimWebhooks(10, LEASE_MS)).map(({ id }) => id),
      ['free'],
    );
    await ledger.recover('host:1');
    const stages = ids.map(async (id) => (await ledger.order(`sending ${id}`))?.payments[0]?.stage);
    assert.deepEqual(await Promise.all(stages), ['sending', 'uncertain']);
    stepped = 3_600_000;
    assert.deepEqual((await claimed()).toSorted(), ['free', 'sending free']);
    await ledger.prune();
    assert.deepEqual(
      (await ledger.claimWebhooks(10, LEASE_MS)).map(({ id }) => id),
      ['free'],
    );
  });
});
