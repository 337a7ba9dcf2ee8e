// The ledger over any store: each method one transaction, and after its commit the watchers. The rules are in create.ts (what
// may be begun), transitions.ts (what a fact changes), observations.ts (what a check makes a fact), resolutions.ts (a person's word),
// checks.ts (what is asked about next) and owner.ts (whose books these are); this file only puts them into transactions.
import { performance } from 'node:perf_hooks';
import { Refusal, unavailable } from '../errors.ts';
import type { Source } from '../protocol/transaction.ts';
import { WENT_BACK_MS, differenceOf, readOwner, readWentBack, writeOwner, writeWentBack } from './owner.ts';
import { claimChecks, bringChecksForward, isAnyDue, recover, replan } from './checks.ts';
import type { WriteContext } from './context.ts';
import { deleteOldUnmatched, readIpns, readUnmatchedIpns, receiveIpn, reportUnmatched } from './ipns.ts';
import type { DatabaseOwner, Ledger } from './ledger.ts';
import { applyBelievedUnknown, applyObservation } from './observations.ts';
import { restoreTransaction, openPayment, openPayout, seeTerms } from './create.ts';
import { claimWebhooks, dueWebhooks, bringWebhooksForward, listWebhooks, recordDelivery, redeliver } from './outbox.ts';
import { applyFact } from './transitions.ts';
import { readCounts, readNewestFound, readOrder, readPayout, readTransaction, readTransactions } from './queries.ts';
import { applyResolution } from './resolutions.ts';
import type { Db, Store } from './store.ts';
import { createWatch } from './watch.ts';

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
  let ourOwner: DatabaseOwner | undefined;
  let mismatch: string | undefined;
  let lastLook: { time: number; elapsed: number } | undefined;
  let taken = 0;

  /** One transaction; those who watch what it touched are called after its commit, and not at all without one. */
  async function post<T>(source: Source, op: (ctx: WriteContext) => Promise<T>): Promise<T> {
    let touched = new Set<string>();
    const result = await store.write(async (tx, at) => {
      touched = new Set();
      return op({ tx, store, now: now?.() ?? at, source, touched, idPrefix });
    });
    watch.changed([...touched]);
    return result;
  }

  async function read<T>(op: (db: Db) => Promise<T>): Promise<T> {
    return op(db).catch((error: unknown) => {
      throw unavailable(error);
    });
  }

  async function readKnown(id: string) {
    const transaction = await read((tables) => readTransaction(tables, id));
    if (transaction === undefined) throw new Error(`Transaction ${id} was written and is not there`);
    return transaction;
  }

  function refuseOtherOwner(): void {
    if (mismatch !== undefined) throw new Refusal('unavailable', 'Payments are not started here just now; try again.');
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
      after = await post('clock', (ctx) => replan(ctx, from));
    }
    await post('clock', bringWebhooksForward);
    // Last: where it could not be written, the next look finds the step again.
    lastLook = look;
  }

  return {
    async openPayment(payment, limits) {
      refuseOtherOwner();
      const { id, isNew } = await post('shopper', (ctx) => openPayment(ctx, store, payment, limits));
      const order = await read((tables) => readOrder(tables, payment.orderId));
      const opened = order?.payments.find((each) => each.id === id);
      if (order === undefined || opened === undefined) throw new Error(`Payment ${id} was written and is not there`);
      return { isNew, payment: opened, order };
    },
    async openPayout(payout) {
      refuseOtherOwner();
      return readKnown(await post('merchant', (ctx) => openPayout(ctx, payout)));
    },
    async see(seen, order) {
      const isNewer = seen.iat !== null && (order?.seen?.iat ?? -1) < seen.iat;
      if (isNewer) await post('shopper', (ctx) => seeTerms(ctx, seen));
    },
    record: (transaction, fact, source) =>
      post(source, async (ctx) => {
        if (fact.stage !== 'sending') await restoreTransaction(ctx, transaction);
        return applyFact(ctx, transaction.id, fact);
      }),
    observe: (claim, observation) =>
      post('check', async (ctx) => {
        await applyObservation(ctx, claim, observation);
        return ctx.now;
      }),
    believe: (unknown) => post('check', (ctx) => applyBelievedUnknown(ctx, unknown)),
    newestFound: (type) => read((tables) => readNewestFound(tables, type)),
    async resolve(transactionId, resolution) {
      const isKnown = await post('person', (ctx) => applyResolution(ctx, transactionId, resolution));
      return isKnown ? readKnown(transactionId) : undefined;
    },
    receiveIpn: (ipn) => post('check', (ctx) => receiveIpn(ctx, ipn)),
    ipnReadings: (transactionId) => read((tables) => readIpns(tables, transactionId)),
    unmatchedIpns: (limit) => read((tables) => readUnmatchedIpns(tables, limit)),
    reportUnmatched: (olderThanMs) => post('clock', (ctx) => reportUnmatched(ctx, olderThanMs)),

    order: (orderId) => read((tables) => readOrder(tables, orderId)),
    payout: (orderId) => read((tables) => readPayout(tables, orderId)),
    transactions: (query) => read((tables) => readTransactions(tables, query)),
    watch: watch.add,

    async claimChecks(most, leaseMs) {
      const at = await time();
      await noticeStep(at);
      // Also where nothing is due: an idle proxy must not start a payment at another gateway.
      if (ourOwner !== undefined) mismatch = differenceOf(ourOwner, await readOwner(db));
      if (mismatch !== undefined || !(await isAnyDue(db, at))) return [];
      const claims = await post('check', (ctx) => claimChecks(ctx, most, leaseMs, taken));
      taken += claims.length;
      return claims;
    },
    async claimWebhooks(most, leaseMs) {
      const due = await dueWebhooks(db, await time(), 1).execute();
      return due.length === 0 ? [] : post('check', (ctx) => claimWebhooks(ctx, most, leaseMs));
    },
    recordDelivery: (id, delivery) => store.write((tx) => recordDelivery(tx, id, delivery)),
    webhooks: (state, limit) => read((tables) => listWebhooks(tables, state, limit)),
    redeliver: (id) => post('merchant', ({ tx, now: at }) => redeliver(tx, at, id)),

    recover: (sentBy) => post('restart', (ctx) => recover(ctx, sentBy)),
    owner: () => read(readOwner),
    async setOwner(owner) {
      await store.write((tx) => writeOwner(tx, owner));
      ourOwner = owner;
    },
    ownerMismatch: () => mismatch,
    // A time that lies ahead counts as now: the latest wins, so nothing else would ever end it.
    wentBack: (at) => post('clock', (ctx) => writeWentBack(ctx.tx, Math.min(at, ctx.now))),
    wentBackLately: async () => (await time()) - (await read(readWentBack)) < WENT_BACK_MS,
    time,
    async clockOffset() {
      const before = Date.now();
      const databaseTime = await read(() => store.time());
      return databaseTime - (before + Date.now()) / 2;
    },
    async prune() {
      await post('clock', async (ctx) => {
        await deleteOldUnmatched(ctx);
        await bringChecksForward(ctx);
        await bringWebhooksForward(ctx);
      });
    },
    counts: async () => {
      const at = await time();
      return read((tables) => readCounts(tables, at));
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
