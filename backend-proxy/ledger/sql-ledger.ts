// The ledger over any store: each method is one write, which loads the rows that it decides on, applies a rule to them
// and saves what changed, or one read. The rules are in payments.ts and payouts.ts (what may start), transitions.ts
// (what raises a stage), answers.ts (how the POST ended), observations.ts (what a check saw), resolutions.ts (what a
// person decides), checks.ts (what is checked next), ipns.ts, webhooks.ts and owner.ts.
import { performance } from 'node:perf_hooks';
import { sql, type CompiledQuery } from 'kysely';
import { Refusal, unavailable } from '../errors.ts';
import { PAYS_BY } from '../protocol/methods.ts';
import { TYPES, type Source, type Transaction } from '../protocol/transaction.ts';
import { applyFact } from './rules/answers.ts';
import { claimNow, isTurnOfLongestDue, recover, restartWaits, sharesOf } from './rules/checks.ts';
import { claimChecks, isCheckDue, readAbandoned, readPlanned, readPlannedTooFar } from './queries/checks.ts';
import { createStepDetector } from './clock-step.ts';
import { readCounted } from './queries/counted-page.ts';
import { changesOf, createDraft, findOrder, findTransaction, historyOf, type Draft } from './rules/draft.ts';
import { deleteOldUnmatched, markUnmatchedReported, readIpns, readUnmatchedIpns } from './queries/ipns.ts';
import { eventsOf } from './events.ts';
import type { DatabaseOwner, Ledger, NewPayment, Order, OrderAt, PaymentLimits } from './ledger.ts';
import { eraseOrder, erasePage } from './queries/erasing.ts';
import { receiveIpn } from './rules/ipns.ts';
import { findOrRestore } from './rules/new-transaction.ts';
import { applyObservation, applyProvenUnknown } from './rules/observations.ts';
import {
  RESTORED_LATELY_MS,
  differenceOf,
  readIdentity,
  readOwner,
  readRestoredAt,
  writeOwner,
  writeRestoredAt,
  type Identity,
} from './queries/owner.ts';
import { openPayment, storeTerms } from './rules/payments.ts';
import { openPayout } from './rules/payouts.ts';
import { readCounts, readNewestFound, readOfOrder } from './queries/reading.ts';
import { toOrder, toTransaction } from './rules/records.ts';
import { applyResolution } from './rules/resolutions.ts';
import type { Db, Store, Subject } from './store.ts';
import type { TransactionRow } from './schema/tables.ts';
import { readTransactions } from './queries/transaction-list.ts';
import { plan } from './rules/transitions.ts';
import {
  bringWebhooksForward,
  claimWebhooks,
  isWebhookDue,
  readWebhook,
  readWebhooks,
  recordDelivery,
  redeliver,
} from './queries/webhooks.ts';
import { createWatch } from './watch.ts';

/** Rows that one statement changes, so that no write waits long for another. */
const PAGE_SIZE = 100;

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
  const time = now === undefined ? () => read(() => store.time()) : () => Promise.resolve(now());
  const watch = createWatch(store, time);
  const steps = createStepDetector(elapsed, planAllAgain);
  let identity: Identity | undefined;
  let ourOwner: DatabaseOwner | undefined;
  let mismatch: string | undefined;
  let claimed = 0;
  let onWrite: Parameters<Ledger['onWrite']>[0] = () => undefined;

  /** Runs one write. Watchers and the listener are called only after its commit. */
  async function write<T>(
    source: Source,
    subject: Subject,
    apply: (draft: Draft, taken: ReadonlySet<string>) => T,
  ): Promise<T> {
    const own = await ownIdentity();
    const startedAt = performance.now();
    const decided = await store.write(subject, (loaded, taken) => {
      const draft = createDraft(loaded, { now: now?.() ?? loaded.now, source, ...own, idPrefix });
      const result = apply(draft, taken);
      const changes = changesOf(draft);
      return { changes, result: { result, draft, versions: versionsRaised(changes.orders) } };
    });
    watch.changed(decided.versions);
    onWrite(performance.now() - startedAt, eventsOf(decided.draft));
    return decided.result;
  }

  const ownIdentity = async (): Promise<Identity> => (identity ??= await read(readIdentity));

  async function read<T>(op: (db: Db) => Promise<T>): Promise<T> {
    return op(db).catch((error: unknown) => {
      throw error instanceof Refusal ? error : unavailable(error);
    });
  }

  function writeEach(source: Source, subject: Subject, apply: (draft: Draft, row: TransactionRow) => void) {
    return write(source, subject, (draft) => {
      for (const { after } of draft.transactions) apply(draft, after);
    });
  }

  /** Runs a statement that changes at most PAGE_SIZE rows until it finds fewer; returns how many it changed in all. */
  async function executeInPages(page: CompiledQuery): Promise<number> {
    for (let changed = 0; ;) {
      const { length } = await store.execute(page);
      changed += length;
      if (length < PAGE_SIZE) return changed;
    }
  }

  async function orderAt(orderId: string): Promise<OrderAt> {
    const loaded = await read(() => store.load({ order: orderId }));
    const [order] = loaded.orders;
    return {
      order: order && toOrder(order, loaded.transactions, loaded.history),
      now: now?.() ?? loaded.now,
    };
  }

  function refuseOtherOwner(): void {
    if (mismatch !== undefined) throw new Refusal('unavailable', 'Payments cannot start at the moment; try again.');
  }

  async function planAllAgain(at: number): Promise<void> {
    for (let ids = await read(() => readPlanned(db, '')); ids.length > 0;) {
      await writeEach('clock', { alone: ids }, restartWaits);
      const last = ids.at(-1) ?? '';
      ids = await read(() => readPlanned(db, last));
    }
    await executeInPages(bringWebhooksForward(store, at, PAGE_SIZE));
  }

  return {
    async openPayment(payment, limits) {
      refuseOtherOwner();
      return write('shopper', subjectOfStart(payment, limits), (draft, taken) => {
        const { row, isNew, maySend } = openPayment(draft, payment, limits, taken);
        const opened = toTransaction(row, historyOf(draft, row.id));
        return { isNew, maySend, payment: opened, order: orderIn(draft, row.order_id) as Order, now: draft.now };
      });
    },
    async openPayout(payout) {
      refuseOtherOwner();
      const id = idPrefix + payout.orderId;
      return write('merchant', { payout: payout.orderId, id }, (draft, taken) => {
        const row = openPayout(draft, payout, id, taken);
        return toTransaction(row, historyOf(draft, row.id));
      });
    },
    recordTerms: (seen) => write('shopper', { order: seen.orderId }, (draft) => void storeTerms(draft, seen)),
    record: (transaction, fact, source) =>
      write(source, subjectOf(transaction), (draft) => {
        const found = findTransaction(draft, transaction.id);
        const row = fact.stage === 'sending' ? found : findOrRestore(draft, transaction);
        const isRaised = row !== undefined && applyFact(draft, row, fact);
        return { isRaised, order: orderIn(draft, transaction.orderId), now: draft.now };
      }),
    observe: (claim, observation) =>
      write('check', subjectOf(claim.transaction), (draft) => {
        const row = findTransaction(draft, claim.transaction.id);
        if (row !== undefined) applyObservation(draft, row, claim, observation);
        return draft.now;
      }),
    recordUnknown: (unknown) =>
      writeEach('check', { transactions: [unknown.transactionId] }, (draft, row) =>
        applyProvenUnknown(draft, row, unknown),
      ),
    newestFound: (type) => read((tables) => readNewestFound(tables, type)),
    resolve: (transactionId, resolution, expected) =>
      write('person', { transactions: [transactionId] }, (draft) => {
        const row = findTransaction(draft, transactionId);
        if (row === undefined) return undefined;
        applyResolution(draft, row, resolution, expected);
        return toTransaction(row, historyOf(draft, row.id));
      }),
    async receiveIpn(ipn, leaseMs) {
      const id = ipn.reading?.transactionId;
      const received = await write('check', { alone: id === undefined ? [] : [id] }, (draft) => {
        const row = id === undefined ? undefined : findTransaction(draft, id);
        const isMatched = receiveIpn(draft, ipn, row);
        const mayClaim = row !== undefined && mismatch === undefined && !isTurnOfLongestDue(claimed);
        return { isMatched, claim: mayClaim && leaseMs ? claimNow(draft, row, leaseMs) : undefined };
      });
      if (received.claim !== undefined) claimed += 1;
      return received;
    },
    ipnReadings: (transactionId) => read((tables) => readIpns(tables, transactionId)),
    unmatchedIpns: (limit) => read((tables) => readUnmatchedIpns(tables, limit)),
    async reportUnmatched(olderThanMs) {
      return executeInPages(markUnmatchedReported(store, (await time()) - olderThanMs, PAGE_SIZE));
    },

    order: async (orderId) => (await orderAt(orderId)).order,
    orderAt,
    async payout(orderId) {
      const { transactions, history } = await read(() => store.load({ payout: orderId, id: idPrefix + orderId }));
      const row = transactions.find((each) => TYPES[each.type].isPayout && each.order_id === orderId);
      return (
        row &&
        toTransaction(
          row,
          history.filter(({ transaction_id: id }) => id === row.id),
        )
      );
    },
    async transaction(transactionId) {
      const { transactions, history } = await read(() => store.load({ transactions: [transactionId] }));
      const [row] = transactions;
      return row && toTransaction(row, history);
    },
    transactions: (query) => read(() => readTransactions(store, query)),
    counted: (query) => read((tables) => readCounted(tables, query)),
    watch: watch.add,
    onWrite: (listener) => void (onWrite = listener),

    async claimChecks(limit, leaseMs) {
      const at = await time();
      await steps.detect(at);
      // Even if nothing is due: an idle proxy must not start a payment at another gateway.
      if (ourOwner !== undefined) mismatch = differenceOf(ourOwner, await readOwner(db));
      if (mismatch !== undefined || limit <= 0 || !(await isCheckDue(db, at))) return [];
      const claims = await claimChecks(store, at, leaseMs, sharesOf(limit, claimed));
      claimed += claims.length;
      return claims;
    },
    async claimWebhooks(limit, leaseMs) {
      const at = await time();
      return (await isWebhookDue(db, at)) ? claimWebhooks(store, at, limit, leaseMs) : [];
    },
    recordDelivery: async (id, delivery) => void (await store.execute(recordDelivery(db, id, delivery))),
    webhook: (id) => read((tables) => readWebhook(tables, id)),
    webhooks: (state, limit, range) => read((tables) => readWebhooks(tables, state, limit, range)),
    redeliver: async (id) => {
      const at = await time();
      return read(() => redeliver(store, at, id));
    },

    async recover(sentBy) {
      let ids: string[];
      do {
        ids = await read(() => readAbandoned(db, sentBy));
        await writeEach('restart', { transactions: ids }, recover);
      } while (ids.length > 0);
    },
    owner: () => read(readOwner),
    async setOwner(owner) {
      await writeOwner(store, owner);
      ourOwner = owner;
    },
    ownerMismatch: () => mismatch,
    // Clamped to now: the latest time wins, so a future one could never be corrected.
    recordRestore: async (at) => writeRestoredAt(store, Math.min(at, await time())),
    wasRestoredLately: async () => (await time()) - (await read(readRestoredAt)) < RESTORED_LATELY_MS,
    time,
    async clockOffset() {
      const before = Date.now();
      const databaseTime = await read(() => store.time());
      return databaseTime - (before + Date.now()) / 2;
    },
    databaseWarnings: () => store.warnings(),
    async prune() {
      const at = await time();
      await executeInPages(deleteOldUnmatched(store, at, PAGE_SIZE));
      await executeInPages(bringWebhooksForward(store, at, PAGE_SIZE));
      await writeEach('clock', { alone: await read(() => readPlannedTooFar(db, at)) }, plan);
    },
    async erase(orderId, { sendsWebhooks }) {
      const { fingerprintKey } = await ownIdentity();
      const erasing = { at: await time(), source: 'merchant', fingerprintKey, sendsWebhooks } as const;
      const all = { ...erasing, changedBefore: Number.MAX_SAFE_INTEGER };
      const hasAny = await read(() => eraseOrder(store, orderId, all));
      await store.shrink();
      return hasAny ? read((tables) => readOfOrder(tables, orderId)) : undefined;
    },
    async erasePage({ afterMs, sendsWebhooks }, next) {
      const [{ fingerprintKey }, at] = [await ownIdentity(), await time()];
      const erasing = { at, source: 'clock', fingerprintKey, changedBefore: at - afterMs, sendsWebhooks } as const;
      return read(() => erasePage(store, next, erasing));
    },
    shrink: () => store.shrink(),
    counts: async () => {
      const at = await time();
      return read((tables) => readCounts(tables, at));
    },
    // Writes, because a full or missing disk may answer reads for a long time.
    ping: async () => void (await store.execute(sql`update orders set version = 0 where order_id = ''`.compile(db))),
    async close() {
      watch.close();
      await store.close();
    },
  };
}

function subjectOfStart(payment: NewPayment, { directPerWallet }: PaymentLimits): Subject {
  const { orderId, customer, method } = payment;
  if (PAYS_BY[method] !== 'prompt' || customer === null) return { order: orderId };
  return { order: orderId, prompts: { customer, limit: directPerWallet.inAll } };
}

/** A payment is decided on with its whole order. */
function subjectOf({ id, type, orderId }: Pick<Transaction, 'id' | 'type' | 'orderId'>): Subject {
  return TYPES[type].paysOrder ? { order: orderId } : { transactions: [id] };
}

function orderIn(draft: Draft, orderId: string): Order | undefined {
  const order = findOrder(draft, orderId);
  if (order === undefined) return undefined;
  const payments = draft.transactions.map(({ after }) => after).filter((row) => row.order_id === orderId);
  return toOrder(order, payments, [...draft.loadedHistory, ...draft.history]);
}

function versionsRaised(orders: ReturnType<typeof changesOf>['orders']): Map<string, number> {
  const raised = orders.filter(({ before, after }) => after.version > (before?.version ?? 0));
  return new Map(raised.map(({ after }) => [after.order_id, after.version]));
}
