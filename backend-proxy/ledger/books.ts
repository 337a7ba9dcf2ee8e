// The ledger over any store: each method one transaction, and after its commit the watchers. The rules are in
// opening.ts (what may be begun), posting.ts (what a fact changes) and observing.ts (what a check makes a fact); this file
// only puts them into transactions.
import { unavailable } from '../errors.ts';
import { STAGES, type Source } from '../protocol/transaction.ts';
import type { IpnReading } from '../protocol/verify.ts';
import type { Ledger, StoredIpn } from './ledger.ts';
import { postObservation } from './observing.ts';
import { openPayment, openPayout } from './opening.ts';
import { claimWebhooks, dueWebhooks, listWebhooks, recordDelivery, redeliver } from './outbox.ts';
import { plan, postFact, raise, type Posting } from './posting.ts';
import { readCounts, readOrder, readTransaction, readTransactions } from './reading.ts';
import type { Books, Store } from './store.ts';
import { createWatch } from './watch.ts';

const UNMATCHED_KEPT_MS = 7 * 24 * 3_600_000;
const CHECKS_KEPT = 5;

export function createLedger(store: Store, now: () => number = Date.now): Ledger {
  const { db } = store;
  const watch = createWatch(store);

  /** One transaction; those who watch what it touched are called after its commit, and not at all without one. */
  async function post<T>(source: Source, op: (p: Posting) => Promise<T>): Promise<T> {
    let touched = new Set<string>();
    const result = await store.write(async (tx) => {
      touched = new Set();
      return op({ tx, now: now(), source, touched });
    });
    watch.changed([...touched]);
    return result;
  }

  async function read<T>(op: (db: Books) => Promise<T>): Promise<T> {
    return op(db).catch((error: unknown) => {
      throw unavailable(error);
    });
  }

  return {
    async openPayment(payment, limits) {
      const id = await post('shopper', (p) => openPayment(p, store, payment, limits));
      const order = await read((books) => readOrder(books, payment.orderId));
      if (order === undefined) throw new Error(`Order ${payment.orderId} was written and is not there`);
      return { opened: order.payments.find((opened) => opened.id === id), order };
    },
    async openPayout(payout) {
      const opened = await post('merchant', (p) => openPayout(p, payout));
      const stored = await read((books) => readTransaction(books, payout.id));
      if (stored === undefined) throw new Error(`Payout ${payout.id} was written and is not there`);
      return { opened, payout: stored };
    },
    record: (id, fact, source) => post(source, (p) => postFact(p, id, fact)),
    observe: (id, observation) => post('check', (p) => postObservation(p, id, observation)),
    receiveIpn: (ipn) => post('check', (p) => receiveIpn(p, ipn)),
    async ipnReadings(id) {
      const rows = await read((books) =>
        books.selectFrom('ipns').select('reading').where('order_id', '=', id).orderBy('first_at').execute(),
      );
      // Those written before a customer was kept have none.
      return rows.flatMap(({ reading }) =>
        reading === null ? [] : [{ customer: null, ...(JSON.parse(reading) as Omit<IpnReading, 'customer'>) }],
      );
    },

    order: (orderId) => read((books) => readOrder(books, orderId)),
    async payout(id) {
      const found = await read((books) => readTransaction(books, id));
      return found?.type === 'PAYOUT' ? found : undefined;
    },
    transactions: (query) => read((books) => readTransactions(books, query)),
    watch: watch.add,

    async claimChecks(most, leaseMs) {
      // Looked up first without a lock: nearly always there is nothing, and nothing should cost no one their turn.
      const due = await dueChecks(db, now(), 1).execute();
      return due.length === 0 ? [] : store.write((tx) => claimChecks(tx, now(), most, leaseMs));
    },
    async claimWebhooks(most, leaseMs) {
      const due = await dueWebhooks(db, now(), 1).execute();
      return due.length === 0 ? [] : store.write((tx) => claimWebhooks(tx, now(), most, leaseMs));
    },
    recordDelivery: (id, delivery) => store.write((tx) => recordDelivery(tx, id, delivery)),
    webhooks: (state, limit) => read((books) => listWebhooks(books, state, limit)),
    redeliver: (id) => store.write((tx) => redeliver(tx, now(), id)),

    recover: () => post('restart', recover),
    async prune() {
      const before = now() - UNMATCHED_KEPT_MS;
      await store.write((tx) => tx.deleteFrom('ipns').where('matched', '=', 0).where('last_at', '<', before).execute());
    },
    counts: () => read((books) => readCounts(books, now())),
    // A transaction that writes: a disk that is full or gone answers reads for a long time.
    ping: () =>
      store.write(async (tx) => {
        await tx.updateTable('orders').set({ version: 0 }).where('order_id', '=', '').execute();
      }),
    async close() {
      watch.close();
      await store.close();
    },
  };
}

async function receiveIpn(p: Posting, { id, body, reading }: StoredIpn): Promise<void> {
  const orderId = reading?.orderId ?? null;
  await p.tx
    .insertInto('ipns')
    .values({
      id,
      order_id: orderId,
      reading: reading === undefined ? null : JSON.stringify(reading),
      body,
      matched: 0,
      seen: 1,
      first_at: p.now,
      last_at: p.now,
    })
    .onConflict((c) => c.column('id').doUpdateSet((eb) => ({ seen: eb('ipns.seen', '+', 1), last_at: p.now })))
    .execute();
  if (orderId === null) return;
  const { numUpdatedRows } = await p.tx
    .updateTable('transactions')
    .set({ rung_at: p.now })
    .where('id', '=', orderId)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return;
  await p.tx.updateTable('ipns').set({ matched: 1 }).where('id', '=', id).execute();
  await plan(p, orderId);
}

function dueChecks(db: Books, now: number, most: number) {
  return (
    db
      .selectFrom('transactions')
      .select('id')
      .where('next_check_at', '<=', now)
      .where('lease_until', '<=', now)
      // Those that an IPN rang for first: somebody waits before a screen for them, and a sweep of hundreds can wait its turn.
      .orderBy((eb) => eb.case().when('rung_at', 'is', null).then(1).else(0).end())
      .orderBy('next_check_at')
      .limit(most)
  );
}

async function claimChecks(tx: Books, now: number, most: number, leaseMs: number) {
  const rows = await tx
    .updateTable('transactions')
    .set({ lease_until: now + leaseMs })
    .where('id', 'in', dueChecks(tx, now, most))
    // Again, outside the list: where two claim at once, the second waits for the first and then finds its lease here.
    .where('lease_until', '<=', now)
    .returning(['id', 'checks'])
    .execute();
  for (const { id, checks } of rows) {
    const kept = [...(JSON.parse(checks) as number[]), now].slice(-CHECKS_KEPT);
    await tx
      .updateTable('transactions')
      .set({ checks: JSON.stringify(kept) })
      .where('id', '=', id)
      .execute();
  }
  const claimed = await Promise.all(rows.map(({ id }) => readTransaction(tx, id)));
  return claimed.filter((transaction) => transaction !== undefined);
}

async function recover(p: Posting): Promise<void> {
  const rows = await p.tx.selectFrom('transactions').select('id').where('rank', '=', STAGES.sending.rank).execute();
  for (const { id } of rows) {
    if ((await raise(p, id, 'uncertain', 'found being sent at start')) !== undefined) await plan(p, id);
  }
}
