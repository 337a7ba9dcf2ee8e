// The ledger over any store: runs each method in one transaction and calls the watchers after its commit. The rules are
// in create.ts (what may start), transitions.ts (what a fact changes), observations.ts (how a check becomes facts),
// resolutions.ts (what a person decides), checks.ts (what is checked next) and owner.ts (which gateway it belongs to).
import { performance } from 'node:perf_hooks';
import { Refusal, unavailable } from '../errors.ts';
import type { Source } from '../protocol/transaction.ts';
import { RESTORED_LATELY_MS, differenceOf, readOwner, readRestoredAt, writeOwner, writeRestoredAt } from './owner.ts';
import { claimChecks, bringChecksForward, isAnyDue, recover, replan } from './checks.ts';
import type { WriteContext } from './context.ts';
import { deleteOldUnmatched, readIpns, readUnmatchedIpns, receiveIpn, reportUnmatched } from './ipns.ts';
import type { DatabaseOwner, Ledger } from './ledger.ts';
import { applyProvenUnknown, applyObservation } from './observations.ts';
import { restoreTransaction, openPayment, openPayout, storeTerms } from './create.ts';
import { claimWebhooks, dueWebhooks, bringWebhooksForward, listWebhooks, recordDelivery, redeliver } from './outbox.ts';
import { applyFact } from './transitions.ts';
import { readCounts, readNewestFound, readOrder, readPayout, readTransaction, readTransactions } from './queries.ts';
import { applyResolution } from './resolutions.ts';
import type { Db, Store } from './store.ts';
import { createWatch } from './watch.ts';

/** Between two claims, the database's clock and a monotonic one may differ by this much. */
const STEP_MS = 60_000;

interface LedgerOptions {
  /** Replaces the store's clock in tests. */
  now?: () => number;
  /** A monotonic clock in ms; in tests by default `now`, which never steps. */
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
  let lastReading: { time: number; elapsed: number } | undefined;
  let claimed = 0;

  /** Runs one transaction. Watchers of the orders it touched are called only after its commit. */
  async function write<T>(source: Source, op: (ctx: WriteContext) => Promise<T>): Promise<T> {
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
    if (transaction === undefined) throw new Error(`Transaction ${id} was written but cannot be found`);
    return transaction;
  }

  function refuseOtherOwner(): void {
    if (mismatch !== undefined) throw new Refusal('unavailable', 'Payments cannot start at the moment; try again.');
  }

  /** Compares the wall clock with a monotonic one; if they diverge, plans all waits again. */
  async function detectClockStep(at: number): Promise<void> {
    const reading = { time: at, elapsed: elapsed() };
    const step =
      lastReading === undefined ? 0 : reading.time - lastReading.time - (reading.elapsed - lastReading.elapsed);
    if (Math.abs(step) <= STEP_MS) {
      lastReading = reading;
      return;
    }
    let after: string | undefined = '';
    while (after !== undefined) {
      const from: string = after;
      after = await write('clock', (ctx) => replan(ctx, from));
    }
    await write('clock', bringWebhooksForward);
    // Last: if planning fails, the next call detects the step again.
    lastReading = reading;
  }

  return {
    async openPayment(payment, limits) {
      refuseOtherOwner();
      const { id, isNew } = await write('shopper', (ctx) => openPayment(ctx, store, payment, limits));
      const order = await read((tables) => readOrder(tables, payment.orderId));
      const opened = order?.payments.find((each) => each.id === id);
      if (order === undefined || opened === undefined) throw new Error(`Payment ${id} was written but cannot be found`);
      return { isNew, payment: opened, order };
    },
    async openPayout(payout) {
      refuseOtherOwner();
      return readKnown(await write('merchant', (ctx) => openPayout(ctx, payout)));
    },
    async recordTerms(seen, order) {
      const isNewer = seen.iat !== null && (order?.seen?.iat ?? -1) < seen.iat;
      if (isNewer) await write('shopper', (ctx) => storeTerms(ctx, seen));
    },
    record: (transaction, fact, source) =>
      write(source, async (ctx) => {
        if (fact.stage !== 'sending') await restoreTransaction(ctx, transaction);
        return applyFact(ctx, transaction.id, fact);
      }),
    observe: (claim, observation) =>
      write('check', async (ctx) => {
        await applyObservation(ctx, claim, observation);
        return ctx.now;
      }),
    recordUnknown: (unknown) => write('check', (ctx) => applyProvenUnknown(ctx, unknown)),
    newestFound: (type) => read((tables) => readNewestFound(tables, type)),
    async resolve(transactionId, resolution) {
      const isKnown = await write('person', (ctx) => applyResolution(ctx, transactionId, resolution));
      return isKnown ? readKnown(transactionId) : undefined;
    },
    receiveIpn: (ipn) => write('check', (ctx) => receiveIpn(ctx, ipn)),
    ipnReadings: (transactionId) => read((tables) => readIpns(tables, transactionId)),
    unmatchedIpns: (limit) => read((tables) => readUnmatchedIpns(tables, limit)),
    reportUnmatched: (olderThanMs) => write('clock', (ctx) => reportUnmatched(ctx, olderThanMs)),

    order: (orderId) => read((tables) => readOrder(tables, orderId)),
    payout: (orderId) => read((tables) => readPayout(tables, orderId)),
    transactions: (query) => read((tables) => readTransactions(tables, query)),
    watch: watch.add,

    async claimChecks(limit, leaseMs) {
      const at = await time();
      await detectClockStep(at);
      // Even if nothing is due: an idle proxy must not start a payment at another gateway.
      if (ourOwner !== undefined) mismatch = differenceOf(ourOwner, await readOwner(db));
      if (mismatch !== undefined || !(await isAnyDue(db, at))) return [];
      const claims = await write('check', (ctx) => claimChecks(ctx, limit, leaseMs, claimed));
      claimed += claims.length;
      return claims;
    },
    async claimWebhooks(limit, leaseMs) {
      const due = await dueWebhooks(db, await time(), 1).execute();
      return due.length === 0 ? [] : write('check', (ctx) => claimWebhooks(ctx, limit, leaseMs));
    },
    recordDelivery: (id, delivery) => store.write((tx) => recordDelivery(tx, id, delivery)),
    webhooks: (state, limit) => read((tables) => listWebhooks(tables, state, limit)),
    redeliver: (id) => write('merchant', ({ tx, now: at }) => redeliver(tx, at, id)),

    recover: (sentBy) => write('restart', (ctx) => recover(ctx, sentBy)),
    owner: () => read(readOwner),
    async setOwner(owner) {
      await store.write((tx) => writeOwner(tx, owner));
      ourOwner = owner;
    },
    ownerMismatch: () => mismatch,
    // Clamped to now: the latest time wins, so a future one could never be corrected.
    recordRestore: (at) => write('clock', (ctx) => writeRestoredAt(ctx.tx, Math.min(at, ctx.now))),
    wasRestoredLately: async () => (await time()) - (await read(readRestoredAt)) < RESTORED_LATELY_MS,
    time,
    async clockOffset() {
      const before = Date.now();
      const databaseTime = await read(() => store.time());
      return databaseTime - (before + Date.now()) / 2;
    },
    databaseWarnings: () => store.warnings(),
    async prune() {
      await write('clock', async (ctx) => {
        await deleteOldUnmatched(ctx);
        await bringChecksForward(ctx);
        await bringWebhooksForward(ctx);
      });
    },
    counts: async () => {
      const at = await time();
      return read((tables) => readCounts(tables, at));
    },
    // Writes, because a full or missing disk may answer reads for a long time.
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
