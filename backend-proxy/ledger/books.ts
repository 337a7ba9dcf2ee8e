// The ledger over any store: each method one transaction, and after its commit the watchers. The rules are in opening.ts (what
// may be begun), posting.ts (what a fact changes), observing.ts (what a check makes a fact), resolving.ts (a person's word),
// checks.ts (what is asked about next) and binding.ts (whose books these are); this file only puts them into transactions.
import { performance } from 'node:perf_hooks';
import { Refusal, unavailable } from '../errors.ts';
import type { Source } from '../protocol/transaction.ts';
import { WENT_BACK_MS, differenceOf, readBinding, readWentBack, writeBinding, writeWentBack } from './binding.ts';
import { claimChecks, hastenChecks, isAnyDue, receiveIpn, recover, replan } from './checks.ts';
import type { Binding, Ledger } from './ledger.ts';
import { postBelieved, postObservation } from './observing.ts';
import { insertAnew, openPayment, openPayout, seeTerms } from './opening.ts';
import { claimWebhooks, dueWebhooks, hastenWebhooks, listWebhooks, recordDelivery, redeliver } from './outbox.ts';
import { postFact, type Posting } from './posting.ts';
import {
  readCounts,
  readNewestFound,
  readOrder,
  readPayout,
  readTransaction,
  readTransactions,
  readUnmatchedIpns,
  toReading,
} from './reading.ts';
import { postResolution } from './resolving.ts';
import type { Books, Store } from './store.ts';
import { createWatch } from './watch.ts';

const UNMATCHED_KEPT_MS = 7 * 24 * 3_600_000;
/** Between two looks the clock of the books and one that never steps may differ by this much. */
const STEP_MS = 60_000;

interface LedgerOptions {
  /** In place of the store's clock, for tests. */
  now?: () => number;
  /** Milliseconds by a clock that is never set; for tests the same as `now`, whose time never steps. */
  elapsed?: () => number;
  /** Put before every id at the gateway. */
  idPrefix?: string;
}

export function createLedger(store: Store, options: LedgerOptions = {}): Ledger {
  const { now, elapsed = now ?? (() => performance.now()), idPrefix = '' } = options;
  const { db } = store;
  const watch = createWatch(store);
  const time = now === undefined ? () => read(() => store.time()) : () => Promise.resolve(now());
  let bound: Binding | undefined;
  let difference: string | undefined;
  let lastLook: { time: number; elapsed: number } | undefined;
  let taken = 0;

  /** One transaction; those who watch what it touched are called after its commit, and not at all without one. */
  async function post<T>(source: Source, op: (p: Posting) => Promise<T>): Promise<T> {
    let touched = new Set<string>();
    const result = await store.write(async (tx, at) => {
      touched = new Set();
      return op({ tx, store, now: now?.() ?? at, source, touched, idPrefix });
    });
    watch.changed([...touched]);
    return result;
  }

  async function read<T>(op: (db: Books) => Promise<T>): Promise<T> {
    return op(db).catch((error: unknown) => {
      throw unavailable(error);
    });
  }

  async function readKnown(id: string) {
    const transaction = await read((books) => readTransaction(books, id));
    if (transaction === undefined) throw new Error(`Transaction ${id} was written and is not there`);
    return transaction;
  }

  function refuseWrongBooks(): void {
    if (difference !== undefined)
      throw new Refusal('unavailable', 'Payments are not started here just now; try again.');
  }

  /** The wall clock against one that never steps: where they part, all that waits is planned anew. */
  async function noticeStep(at: number): Promise<void> {
    const look = { time: at, elapsed: elapsed() };
    const step = lastLook === undefined ? 0 : look.time - lastLook.time - (look.elapsed - lastLook.elapsed);
    if (Math.abs(step) <= STEP_MS) {
      lastLook = look;
      return;
    }
    let after: string | undefined = '';
    while (after !== undefined) {
      const from: string = after;
      after = await post('clock', (p) => replan(p, from));
    }
    await post('clock', hastenWebhooks);
    // Last: where it could not be written, the next look finds the step again.
    lastLook = look;
  }

  return {
    async openPayment(payment, limits) {
      refuseWrongBooks();
      const { id, isNew } = await post('shopper', (p) => openPayment(p, store, payment, limits));
      const order = await read((books) => readOrder(books, payment.orderId));
      const opened = order?.payments.find((each) => each.id === id);
      if (order === undefined || opened === undefined) throw new Error(`Payment ${id} was written and is not there`);
      return { isNew, payment: opened, order };
    },
    async openPayout(payout) {
      refuseWrongBooks();
      return readKnown(await post('merchant', (p) => openPayout(p, payout)));
    },
    async see(seen, order) {
      const isNewer = seen.iat !== null && (order?.seen?.iat ?? -1) < seen.iat;
      if (isNewer) await post('shopper', (p) => seeTerms(p, seen));
    },
    record: (transaction, fact, source) =>
      post(source, async (p) => {
        if (fact.stage !== 'sending') await insertAnew(p, transaction);
        return postFact(p, transaction.id, fact);
      }),
    observe: (claim, observation) =>
      post('check', async (p) => {
        await postObservation(p, claim, observation);
        return p.now;
      }),
    believe: (unknown) => post('check', (p) => postBelieved(p, unknown)),
    newestFound: (type) => read((books) => readNewestFound(books, type)),
    async resolve(id, resolution) {
      const isKnown = await post('person', (p) => postResolution(p, id, resolution));
      return isKnown ? readKnown(id) : undefined;
    },
    receiveIpn: (ipn) => post('check', (p) => receiveIpn(p, ipn)),
    async ipnReadings(id) {
      const rows = await read((books) =>
        books.selectFrom('ipns').select('reading').where('order_id', '=', id).orderBy('first_at').execute(),
      );
      return rows.flatMap(({ reading }) => (reading === null ? [] : [toReading(reading)]));
    },
    unmatchedIpns: (limit) => read((books) => readUnmatchedIpns(books, limit)),
    tellUnmatched: (olderThanMs) =>
      post('clock', async ({ tx, now: at }) => {
        const { numUpdatedRows } = await tx
          .updateTable('ipns')
          .set({ told: 1 })
          .where('matched', '=', 0)
          .where('told', '=', 0)
          .where('reading', 'is not', null)
          .where('first_at', '<=', at - olderThanMs)
          .executeTakeFirst();
        return Number(numUpdatedRows);
      }),

    order: (orderId) => read((books) => readOrder(books, orderId)),
    payout: (orderId) => read((books) => readPayout(books, orderId)),
    transactions: (query) => read((books) => readTransactions(books, query)),
    watch: watch.add,

    async claimChecks(most, leaseMs) {
      const at = await time();
      await noticeStep(at);
      // Also where nothing is due: an idle proxy must not start a payment at another gateway.
      if (bound !== undefined) difference = differenceOf(bound, await readBinding(db));
      if (difference !== undefined || !(await isAnyDue(db, at))) return [];
      const claims = await post('check', (p) => claimChecks(p, most, leaseMs, taken));
      taken += claims.length;
      return claims;
    },
    async claimWebhooks(most, leaseMs) {
      const due = await dueWebhooks(db, await time(), 1).execute();
      return due.length === 0 ? [] : post('check', (p) => claimWebhooks(p, most, leaseMs));
    },
    recordDelivery: (id, delivery) => store.write((tx) => recordDelivery(tx, id, delivery)),
    webhooks: (state, limit) => read((books) => listWebhooks(books, state, limit)),
    redeliver: (id) => post('merchant', ({ tx, now: at }) => redeliver(tx, at, id)),

    recover: (sentBy) => post('restart', (p) => recover(p, sentBy)),
    binding: () => read(readBinding),
    async bind(binding) {
      await store.write((tx) => writeBinding(tx, binding));
      bound = binding;
    },
    wrongBooks: () => difference,
    // A time that lies ahead counts as now: the latest wins, so nothing else would ever end it.
    wentBack: (at) => post('clock', (p) => writeWentBack(p.tx, Math.min(at, p.now))),
    isBack: async () => (await time()) - (await read(readWentBack)) < WENT_BACK_MS,
    time,
    async clockOffset() {
      const before = Date.now();
      const books = await read(() => store.time());
      return books - (before + Date.now()) / 2;
    },
    async prune() {
      await post('clock', async (p) => {
        const before = p.now - UNMATCHED_KEPT_MS;
        await p.tx.deleteFrom('ipns').where('matched', '=', 0).where('last_at', '<', before).execute();
        await hastenChecks(p);
        await hastenWebhooks(p);
      });
    },
    counts: async () => {
      const at = await time();
      return read((books) => readCounts(books, at));
    },
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
