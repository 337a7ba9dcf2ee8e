// The ledger over any store, by subject: each method is one write, which loads the rows that it decides on, applies a
// rule to them and saves what changed (access.ts), or one read. In rules/, payments.ts and payouts.ts decide what may
// start, transitions.ts raises a stage, answers.ts says how the POST ended, observations.ts what a check saw,
// resolutions.ts what a person decides, and checks.ts what is checked next.
import { performance } from 'node:perf_hooks';
import { sql } from 'kysely';
import { Refusal } from '../errors.ts';
import { PAYS_BY } from '../protocol/methods.ts';
import { TYPES, type Transaction } from '../protocol/transaction.ts';
import { Access, PAGE_SIZE, type LedgerOptions } from './access.ts';
import { applyFact } from './rules/answers.ts';
import { claimNow, isTurnOfLongestDue, recover, restartWaits, sharesOf } from './rules/checks.ts';
import { claimChecks, isCheckDue, readAbandoned, readPlanned, readPlannedTooFar } from './queries/checks.ts';
import { createStepDetector } from './clock-step.ts';
import { readCounted } from './queries/counted-page.ts';
import { findOrder, findTransaction, historyOf, type Draft } from './rules/draft.ts';
import { deleteOldUnmatched, markUnmatchedReported, readIpns, readUnmatchedIpns } from './queries/ipns.ts';
import type {
  Checks,
  Database,
  DatabaseOwner,
  Erasure,
  Ipns,
  Ledger,
  NewPayment,
  Order,
  OrderAt,
  Owners,
  PaymentLimits,
  Reads,
  Reviews,
  Starts,
  WebhookQueue,
} from './ledger.ts';
import { eraseOrder, erasePage } from './queries/erasing.ts';
import { receiveIpn } from './rules/ipns.ts';
import { findOrRestore } from './rules/new-transaction.ts';
import { applyObservation, applyProvenUnknown } from './rules/observations.ts';
import {
  RESTORED_LATELY_MS,
  differenceOf,
  readOwner,
  readRestoredAt,
  writeOwner,
  writeRestoredAt,
} from './queries/owner.ts';
import { openPayment, storeTerms } from './rules/payments.ts';
import { openPayout } from './rules/payouts.ts';
import { readCounts, readNewestFound, readOfOrder } from './queries/reading.ts';
import { toOrder, toTransaction, toTransactions } from './rules/records.ts';
import { applyResolution, expectedOf } from './rules/resolutions.ts';
import type { Db, Store, Subject } from './store.ts';
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

export function createLedger(store: Store, options: LedgerOptions = {}): Ledger {
  const access = new Access(store, options);
  const ownership = new Ownership();
  return {
    ...starts(access, ownership),
    ...checks(access, ownership, options.elapsed ?? options.now ?? (() => performance.now())),
    ...reviews(access),
    ...ipns(access),
    ...reads(access),
    ...webhooks(access),
    ...owners(access, ownership),
    ...erasing(access),
    ...database(access),
  };
}

/** Another process may give the database another owner; then this one starts nothing more. */
class Ownership {
  ours: DatabaseOwner | undefined;
  mismatch: string | undefined;

  async compare(db: Db): Promise<void> {
    if (this.ours !== undefined) this.mismatch = differenceOf(this.ours, await readOwner(db));
  }

  refuseOther(): void {
    if (this.mismatch === undefined) return;
    throw new Refusal('unavailable', 'Payments cannot start at the moment; try again.');
  }
}

function starts(access: Access, ownership: Ownership): Starts {
  const { idPrefix } = access;
  return {
    async openPayment(payment, limits) {
      ownership.refuseOther();
      return access.write('shopper', subjectOfStart(payment, limits), (draft, taken) => {
        const { row, isNew, maySend } = openPayment(draft, payment, limits, taken);
        const opened = toTransaction(row, historyOf(draft, row.id));
        return { isNew, maySend, payment: opened, order: orderIn(draft, row.order_id) as Order, now: draft.now };
      });
    },
    async openPayout(payout) {
      ownership.refuseOther();
      const id = idPrefix + payout.orderId;
      return access.write('merchant', { payout: payout.orderId, id }, (draft, taken) => {
        const row = openPayout(draft, payout, id, taken);
        return toTransaction(row, historyOf(draft, row.id));
      });
    },
    recordTerms: (seen) => access.write('shopper', { order: seen.orderId }, (draft) => void storeTerms(draft, seen)),
    record: (transaction, fact, source) =>
      access.write(source, subjectOf(transaction), (draft) => {
        const found = findTransaction(draft, transaction.id);
        const row = fact.stage === 'sending' ? found : findOrRestore(draft, transaction);
        const isRaised = row !== undefined && applyFact(draft, row, fact);
        return { isRaised, order: orderIn(draft, transaction.orderId), now: draft.now };
      }),
  };
}

function checks(access: Access, ownership: Ownership, elapsed: () => number): Checks {
  const { store } = access;
  const steps = createStepDetector(elapsed, (at) => planAllAgain(access, at));
  let claimed = 0;
  return {
    async claimChecks(limit, leaseMs) {
      const at = await access.time();
      await steps.detect(at);
      // Even if nothing is due: an idle proxy must not start a payment at another gateway.
      await ownership.compare(store.db);
      if (ownership.mismatch !== undefined || limit <= 0 || !(await isCheckDue(store.db, at))) return [];
      const claims = await claimChecks(store, at, leaseMs, sharesOf(limit, claimed));
      claimed += claims.length;
      return claims;
    },
    async receiveIpn(ipn, leaseMs) {
      const id = ipn.reading?.transactionId;
      const received = await access.write('check', { alone: id === undefined ? [] : [id] }, (draft) => {
        const row = id === undefined ? undefined : findTransaction(draft, id);
        const isMatched = receiveIpn(draft, ipn, row);
        const mayClaim = row !== undefined && ownership.mismatch === undefined && !isTurnOfLongestDue(claimed);
        return { isMatched, claim: mayClaim && leaseMs ? claimNow(draft, row, leaseMs) : undefined };
      });
      if (received.claim !== undefined) claimed += 1;
      return received;
    },
    observe: (claim, observation) =>
      access.write('check', subjectOf(claim.transaction), (draft) => {
        const row = findTransaction(draft, claim.transaction.id);
        if (row !== undefined) applyObservation(draft, row, claim, observation);
        return draft.now;
      }),
    recordUnknown: (unknown) =>
      access.writeEach('check', { transactions: [unknown.transactionId] }, (draft, row) =>
        applyProvenUnknown(draft, row, unknown),
      ),
    newestFound: (type) => access.read((db) => readNewestFound(db, type)),
    async recover(sentBy) {
      let ids: string[];
      do {
        ids = await access.read((db) => readAbandoned(db, sentBy));
        await access.writeEach('restart', { transactions: ids }, recover);
      } while (ids.length > 0);
    },
  };
}

async function planAllAgain(access: Access, at: number): Promise<void> {
  for (let ids = await access.read((db) => readPlanned(db, '')); ids.length > 0;) {
    await access.writeEach('clock', { alone: ids }, restartWaits);
    const last = ids.at(-1) ?? '';
    ids = await access.read((db) => readPlanned(db, last));
  }
  await access.executeInPages(bringWebhooksForward(access.store, at, PAGE_SIZE));
}

function reviews(access: Access): Reviews {
  return {
    preview: (transactionId, resolution) =>
      access.preview('person', { transactions: [transactionId] }, (draft) => {
        const row = findTransaction(draft, transactionId);
        if (row === undefined) return undefined;
        const transaction = toTransaction(row, historyOf(draft, row.id));
        const expected = expectedOf(draft, row);
        applyResolution(draft, row, resolution);
        return { transaction, expected, webhook: draft.webhooks[0]?.type ?? null };
      }),
    resolve: (transactionId, resolution, expected) =>
      access.write('person', { transactions: [transactionId] }, (draft) => {
        const row = findTransaction(draft, transactionId);
        if (row === undefined) return undefined;
        applyResolution(draft, row, resolution, expected);
        return toTransaction(row, historyOf(draft, row.id));
      }),
  };
}

function ipns(access: Access): Ipns {
  return {
    ipnReadings: (transactionId) => access.read((db) => readIpns(db, transactionId)),
    unmatchedIpns: (limit) => access.read((db) => readUnmatchedIpns(db, limit)),
    async reportUnmatched(olderThanMs) {
      const firstBefore = (await access.time()) - olderThanMs;
      return access.executeInPages(markUnmatchedReported(access.store, firstBefore, PAGE_SIZE));
    },
  };
}

function reads(access: Access): Reads {
  const { store, idPrefix } = access;

  async function orderAt(orderId: string): Promise<OrderAt> {
    const { orders, transactions, history, now } = await access.load({ order: orderId });
    const [order] = orders;
    return { order: order && toOrder(order, transactions, history), now };
  }

  return {
    orderAt,
    order: async (orderId) => (await orderAt(orderId)).order,
    async payout(orderId) {
      const { transactions, history } = await access.load({ payout: orderId, id: idPrefix + orderId });
      const row = transactions.find((each) => TYPES[each.type].isPayout && each.order_id === orderId);
      return toTransactions(row === undefined ? [] : [row], history)[0];
    },
    async transaction(transactionId) {
      const { transactions, history } = await access.load({ transactions: [transactionId] });
      return toTransactions(transactions, history)[0];
    },
    transactions: (query) => access.read(() => readTransactions(store, query)),
    counted: (query) => access.read((db) => readCounted(db, query)),
    async counts() {
      const at = await access.time();
      return access.read((db) => readCounts(db, at));
    },
    watch: access.watch.add,
    onWrite: (listener) => void (access.onWrite = listener),
  };
}

function webhooks(access: Access): WebhookQueue {
  const { store } = access;
  return {
    async claimWebhooks(limit, leaseMs) {
      const at = await access.time();
      return (await isWebhookDue(store.db, at)) ? claimWebhooks(store, at, limit, leaseMs) : [];
    },
    recordDelivery: async (id, delivery) => void (await store.execute(recordDelivery(store.db, id, delivery))),
    webhook: (id) => access.read((db) => readWebhook(db, id)),
    webhooks: (state, limit, range) => access.read((db) => readWebhooks(db, state, limit, range)),
    async redeliver(id) {
      const at = await access.time();
      return access.read(() => redeliver(store, at, id));
    },
  };
}

function owners(access: Access, ownership: Ownership): Owners {
  const { store } = access;
  return {
    owner: () => access.read(readOwner),
    async setOwner(owner) {
      await writeOwner(store, owner);
      ownership.ours = owner;
    },
    ownerMismatch: () => ownership.mismatch,
    // Clamped to now: the latest time wins, so a future one could never be corrected.
    recordRestore: async (at) => writeRestoredAt(store, Math.min(at, await access.time())),
    async wasRestoredLately() {
      const at = await access.time();
      return at - (await access.read(readRestoredAt)) < RESTORED_LATELY_MS;
    },
  };
}

function erasing(access: Access): Erasure {
  const { store } = access;
  return {
    async erase(orderId, { sendsWebhooks }) {
      const { fingerprintKey } = await access.identity();
      const request = { at: await access.time(), source: 'merchant', fingerprintKey, sendsWebhooks } as const;
      const all = { ...request, changedBefore: Number.MAX_SAFE_INTEGER };
      const hasAny = await access.read(() => eraseOrder(store, orderId, all));
      await store.shrink();
      return hasAny ? access.read((db) => readOfOrder(db, orderId)) : undefined;
    },
    async erasePage({ afterMs, sendsWebhooks }, next) {
      const [{ fingerprintKey }, at] = [await access.identity(), await access.time()];
      const due = { at, source: 'clock', fingerprintKey, changedBefore: at - afterMs, sendsWebhooks } as const;
      return access.read(() => erasePage(store, next, due));
    },
    shrink: () => store.shrink(),
  };
}

function database(access: Access): Database {
  const { store } = access;
  return {
    time: () => access.time(),
    async clockOffset() {
      const before = Date.now();
      const databaseTime = await access.read(() => store.time());
      return databaseTime - (before + Date.now()) / 2;
    },
    databaseWarnings: () => store.warnings(),
    async prune() {
      const at = await access.time();
      await access.executeInPages(deleteOldUnmatched(store, at, PAGE_SIZE));
      await access.executeInPages(bringWebhooksForward(store, at, PAGE_SIZE));
      const ids = await access.read((db) => readPlannedTooFar(db, at));
      await access.writeEach('clock', { alone: ids }, plan);
    },
    // Writes, because a full or missing disk may answer reads for a long time.
    async ping() {
      await store.execute(sql`update orders set version = 0 where order_id = ''`.compile(store.db));
    },
    async close() {
      access.watch.close();
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
