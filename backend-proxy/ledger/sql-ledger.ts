// The ledger over any store, by subject: each method is one write, which loads the rows that it decides on, applies a
// rule to them and saves what changed (access.ts), or one read. In rules/, start.ts and refunds.ts decide
// what may start, settle.ts raises a stage and says how the POST ended, observations.ts what a check saw, decisions.ts
// what a person or the merchant decides, and checks.ts what is checked next.
import { Refusal } from '../errors.ts';
import { PAYS_BY } from '../protocol/methods.ts';
import { RESTORED_LATELY_MS } from '../protocol/schedule.ts';
import { TYPES, type Transaction, type TransactionType } from '../protocol/transaction.ts';
import type { Method } from '../protocol/wire.ts';
import { Access, PAGE_SIZE, type LedgerOptions } from './access.ts';
import { applyFact } from './rules/settle.ts';
import { closeOrder, applyResolution, contraryReport, expectedOf } from './rules/decisions.ts';
import { claimAtOnce, claimNow, isTurnOfLongestDue, recover, sharesOf, receiveIpn } from './rules/checks.ts';
import {
  bringChecksForward,
  claimChecks,
  dueByStep,
  dueByTime,
  prolongChecks,
  readAbandoned,
  deleteOldUnmatched,
  markUnmatchedReported,
  readNewIpns,
  readUnmatchedIpns,
} from './queries/work.ts';
import {
  findOrder,
  findTransaction,
  historyOf,
  type Draft,
  toOrder,
  toTransaction,
  toTransactions,
} from './rules/records.ts';
import type {
  Checks,
  Claim,
  ClosedOrder,
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
import { findOrRestore, openPayment, storeTerms, openPayout } from './rules/start.ts';
import { applyObservation, applyProvenUnknown } from './rules/observations.ts';
import {
  differenceOf,
  ownerIn,
  readMeta,
  readRestoredAt,
  stepsIn,
  prefixesIn,
  writeOwner,
  writePrefix,
  writeRestoredAt,
  writeSteps,
  type Meta,
  readCounts,
  readNewestFound,
  readOfOrder,
  readToSendBack,
} from './queries/reading.ts';
import { openRefund, recordFound } from './rules/refunds.ts';
import type { Store, Subject } from './store.ts';
import { readTransactions } from './queries/transaction-list.ts';
import {
  MAX_WEBHOOK_WAIT_MS,
  bringWebhooksForward,
  claimWebhooks,
  prolongWebhooks,
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
    ...checks(access, ownership),
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
  /** By the database's clock; before, this process cannot have sent anything. */
  since = Number.MAX_SAFE_INTEGER;
  mismatch: string | undefined;

  compare(meta: Meta): void {
    if (this.ours !== undefined) this.mismatch = differenceOf(this.ours, ownerIn(meta));
  }

  refuseOther(): void {
    if (this.mismatch === undefined) return;
    throw new Refusal('unavailable', 'Payments cannot start at the moment; try again.');
  }
}

function starts(access: Access, ownership: Ownership): Starts {
  const payoutId = (orderId: string): string => access.idPrefix + orderId;
  return {
    async openPayment(payment, limits) {
      ownership.refuseOther();
      return access.write('shopper', subjectOfStart(payment, limits), (draft, taken) => {
        const { row, isNew, maySend } = openPayment(draft, payment, limits, taken);
        const opened = toTransaction(row, historyOf(draft, row.id));
        return { isNew, maySend, payment: opened, order: orderIn(draft, row.order_id) as Order, now: draft.now };
      });
    },
    async openPayout(payout, source = 'merchant') {
      ownership.refuseOther();
      const id = payoutId(payout.orderId);
      return access.write(source, subjectOfOpening('PAYOUT', payout.orderId, id), (draft, taken) => {
        const { row, maySend } = openPayout(draft, payout, id, taken);
        return { maySend, payout: toTransaction(row, historyOf(draft, row.id)) };
      });
    },
    async openRefund(refund, source = 'merchant') {
      ownership.refuseOther();
      return access.write(source, { order: refund.orderId, restored: true }, (draft, taken) => {
        const { row, payment, maySend } = openRefund(draft, refund, taken);
        return { maySend, refund: toTransaction(row, historyOf(draft, row.id)), method: payment.method as Method };
      });
    },
    recordFound: (refunds, source = 'merchant') =>
      access.write(source, { order: refunds.orderId }, (draft, taken) => recordFound(draft, refunds, taken)),
    async payoutIds(orderId) {
      const prefixes = prefixesIn(await access.read(readMeta));
      return [...new Set([access.idPrefix, ...prefixes])].map((prefix) => prefix + orderId);
    },
    recordUnsent: ({ type, orderId }, start, fact) =>
      access.write('answer', subjectOfOpening(type, orderId, payoutId(orderId)), (draft) => {
        const row = draft.transactions.find(({ after }) => after.start_id === start.id)?.after;
        if (row !== undefined) applyFact(draft, row, fact);
        return row !== undefined;
      }),
    closeOrder: (closing) =>
      access.write('merchant', { order: closing.orderId }, (draft) => {
        closeOrder(draft, closing);
        return orderIn(draft, closing.orderId) as ClosedOrder;
      }),
    recordTerms: (seen) => access.write('shopper', { order: seen.orderId }, (draft) => void storeTerms(draft, seen)),
    record: (transaction, fact) =>
      access.write('answer', subjectOf(transaction), (draft) => {
        applyFact(draft, findOrRestore(draft, transaction), fact);
        return { order: orderIn(draft, transaction.orderId), now: draft.now };
      }),
  };
}

function checks(access: Access, ownership: Ownership): Checks {
  const { store, steps } = access;
  let claimed = 0;
  return {
    async claimChecks(limit, leaseMs) {
      // Even if nothing may be claimed: an idle proxy must not start a payment at another gateway.
      const { now: at, meta, checkAt, checkSteps } = await access.look();
      ownership.compare(meta);
      await access.shareSteps(meta);
      if (ownership.mismatch !== undefined) return [];
      const claims: Claim[] = [];
      const due = [
        ...(checkAt <= at ? [dueByTime(at)] : []),
        ...(checkSteps < steps.count ? [dueByStep(at, steps.count)] : []),
      ];
      for (const each of due) {
        const rest = limit - claims.length;
        if (rest <= 0) break;
        const taken = await claimChecks(store, each, leaseMs, sharesOf(rest, claimed));
        claimed += taken.length;
        claims.push(...taken);
      }
      return claims;
    },
    async prolongChecks(claims, leaseMs) {
      const until = (await access.time()) + leaseMs;
      const held = new Set((await store.execute(prolongChecks(store, claims, until))).map(({ id }) => id));
      for (const claim of claims) if (held.has(claim.transaction.id)) claim.leaseUntil = until;
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
    claimCheck: (transactionId, leaseMs) =>
      access.write('merchant', { alone: [transactionId] }, (draft) => {
        const row = findTransaction(draft, transactionId);
        return row && ownership.mismatch === undefined ? claimAtOnce(draft, row, leaseMs) : undefined;
      }),
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
      const ids = await access.read((db) => readAbandoned(db, sentBy, ownership.since));
      // Each alone: what somebody holds is found by its time.
      await Promise.allSettled(ids.map((id) => access.writeEach('restart', { transactions: [id] }, recover)));
      // What was queued in the future was queued before a step of the clock that no process saw.
      const at = await access.time();
      await access.executeInPages(bringWebhooksForward(store, at, 0, PAGE_SIZE, at));
    },
  };
}

function reviews(access: Access): Reviews {
  return {
    preview: async (transactionId, resolution) =>
      access.preview('person', await subjectById(access, transactionId), (draft) => {
        const row = findTransaction(draft, transactionId);
        if (row === undefined) return undefined;
        const transaction = toTransaction(row, historyOf(draft, row.id));
        const expected = expectedOf(draft, row);
        const gatewayReports = contraryReport(row, resolution.status);
        applyResolution(draft, row, { ...resolution, gatewayReports: gatewayReports ?? undefined });
        return { transaction, expected, webhook: draft.webhooks[0]?.type ?? null, gatewayReports };
      }),
    resolve: async (transactionId, resolution, expected, source = 'person') =>
      access.write(source, await subjectById(access, transactionId), (draft) => {
        const row = findTransaction(draft, transactionId);
        if (row === undefined) return undefined;
        applyResolution(draft, row, resolution, expected);
        return toTransaction(row, historyOf(draft, row.id));
      }),
  };
}

function ipns(access: Access): Ipns {
  return {
    newIpns: (transactionId) => access.read((db) => readNewIpns(db, transactionId)),
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
    async counts() {
      const at = await access.time();
      return access.read((db) => readCounts(db, at));
    },
    toSendBack: (limit) => access.read((db) => readToSendBack(db, limit)),
    watch: access.watch.add,
    onWrite: (listener) => void (access.onWrite = listener),
  };
}

function webhooks(access: Access): WebhookQueue {
  const { store, steps } = access;
  let stepsSeen = 0;

  /** Each step makes the waiting ones due, by whichever process is first. If it dies halfway, by the next one. */
  async function bringForward(at: number): Promise<void> {
    const meta = await readMeta(store.db);
    stepsSeen = await access.shareSteps(meta);
    const before = stepsIn(meta, 'webhook_steps');
    if (before >= stepsSeen) return;
    await access.executeInPages(bringWebhooksForward(store, at, 0, PAGE_SIZE));
    await writeSteps(store, 'webhook_steps', before, stepsSeen);
  }

  return {
    async claimWebhooks(limit, leaseMs) {
      const { now: at, webhookAt } = await access.look();
      const isStepNew = steps.count > stepsSeen;
      if (isStepNew) await bringForward(at);
      return limit > 0 && (isStepNew || webhookAt <= at) ? claimWebhooks(store, at, limit, leaseMs) : [];
    },
    async prolongWebhooks(claimed, leaseMs) {
      await store.execute(prolongWebhooks(store, claimed, await access.time(), leaseMs));
    },
    async recordDelivery(attempt, delivery) {
      const at = 'afterMs' in delivery ? await access.time() : 0;
      return (await store.execute(recordDelivery(store.db, attempt, delivery, at))).length > 0;
    },
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
    owner: () => access.read(async (db) => ownerIn(await readMeta(db))),
    async setOwner(owner) {
      await writeOwner(store, owner);
      await writePrefix(store, access.idPrefix);
      ownership.ours = owner;
      ownership.since = await access.time();
    },
    ownerMismatch: () => ownership.mismatch,
    // Clamped to now: the latest time wins, so a future one could never be corrected.
    recordRestore: async (at) => writeRestoredAt(store, Math.min(at, await access.time())),
    async wasRestoredLately(withinMs = RESTORED_LATELY_MS) {
      const at = await access.time();
      return at - (await access.read(readRestoredAt)) < withinMs;
    },
  };
}

function erasing(access: Access): Erasure {
  const { store } = access;
  return {
    async erase(orderId, { sendsWebhooks }, source = 'merchant') {
      const { fingerprintKey } = await access.identity();
      const request = { at: await access.time(), source, fingerprintKey, sendsWebhooks } as const;
      const all = { ...request, changedBefore: Number.MAX_SAFE_INTEGER, payersBefore: Number.MAX_SAFE_INTEGER };
      const hasAny = await access.read(() => eraseOrder(store, orderId, all));
      await store.shrink();
      return hasAny ? access.read((db) => readOfOrder(db, orderId)) : undefined;
    },
    async erasePage({ afterMs, payersMs, sendsWebhooks }, next) {
      const [{ fingerprintKey }, at] = [await access.identity(), await access.time()];
      const due = { at, source: 'clock', fingerprintKey, changedBefore: at - afterMs } as const;
      return access.read(() => erasePage(store, next, { ...due, payersBefore: at - payersMs, sendsWebhooks }));
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
      await access.executeInPages(bringWebhooksForward(store, at, MAX_WEBHOOK_WAIT_MS, PAGE_SIZE));
      await access.executeInPages(bringChecksForward(store, at, PAGE_SIZE));
    },
    ping: () => access.read(() => store.ping()),
    freeBytes: () => store.freeBytes(),
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

function subjectOfOpening(type: TransactionType, orderId: string, payoutId: string): Subject {
  return TYPES[type].isOfOrder ? { order: orderId } : { payout: orderId, id: payoutId };
}

async function subjectById(access: Access, transactionId: string): Promise<Subject> {
  const alone = await access.load({ alone: [transactionId] });
  const [row] = alone.transactions;
  return row === undefined ? { alone: [] } : subjectOf({ id: row.id, type: row.type, orderId: row.order_id });
}

/** What belongs to an order is decided on with the whole of it. */
function subjectOf({ id, type, orderId }: Pick<Transaction, 'id' | 'type' | 'orderId'>): Subject {
  return TYPES[type].isOfOrder ? { order: orderId } : { transactions: [id] };
}

function orderIn(draft: Draft, orderId: string): Order | undefined {
  const order = findOrder(draft, orderId);
  if (order === undefined) return undefined;
  const rows = draft.transactions.map(({ after }) => after).filter((row) => row.order_id === orderId);
  return toOrder(order, rows, [...draft.loadedHistory, ...draft.history]);
}
