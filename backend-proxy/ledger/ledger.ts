// The ledger: payments, payouts and refunds over any store, by subject. Each method is one write, which loads the rows
// that it decides on, applies a rule to them and saves what changed (access.ts), or one read. A write is one durable
// transaction: once its promise resolves, the change survives a kill -9, and nothing is reported before. In rules/,
// payments.ts and outgoing.ts decide what may start, and payments.ts closes orders; settle.ts raises a stage and says how
// the POST ended, observations.ts what a check saw, resolution.ts what a person decides, and checks.ts what is next.
import { Refusal } from '../errors.ts';
import { PAYS_BY, type Method } from '../protocol/wire.ts';
import { RESTORED_LATELY_MS } from '../protocol/schedule.ts';
import type { Warning } from '../protocol/log.ts';
import type { MerchantSource } from '../protocol/merchant-key.ts';
import { TYPES, type GatewayType, type Transaction, type TransactionType } from '../protocol/transaction.ts';
import { Access, PAGE_SIZE, type LedgerOptions } from './access.ts';
import { applyFact } from './rules/settle.ts';
import { applyResolution, contraryReport, expectedOf } from './rules/resolution.ts';
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
  Claim,
  ClosedOrder,
  Closing,
  Counts,
  DatabaseOwner,
  Delivery,
  ErasedPage,
  Expected,
  Fact,
  FoundRefunds,
  LedgerEvent,
  NewIpn,
  NewPayment,
  NewPayout,
  NewRefund,
  Observation,
  OpenedPayment,
  OpenedPayout,
  OpenedRefund,
  Order,
  OrderAt,
  PaymentLimits,
  Preview,
  ProvenUnknown,
  Resolution,
  Retention,
  Start,
  StoredIpn,
  Sums,
  TokenTerms,
  TransactionPage,
  TransactionQuery,
  UnmatchedIpn,
  Webhook,
  WebhookPage,
  WebhookRange,
  WebhookState,
} from './model.ts';
import { eraseOrder, erasePage } from './queries/erasing.ts';
import { closeOrder, findOrRestore, openPayment, storeTerms } from './rules/payments.ts';
import { applyObservation, applyProvenUnknown } from './rules/observations.ts';
import {
  differenceOf,
  ownerIn,
  readMeta,
  readRestoredAt,
  prefixesIn,
  writeOwner,
  writePrefix,
  writeRestoredAt,
  type Meta,
  readCounts,
  readNewestFound,
  readOfOrder,
  readSums,
  readOwed,
} from './queries/reading.ts';
import { openPayout, openRefund, recordFound } from './rules/outgoing.ts';
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

export function createLedger(store: Store, options: LedgerOptions = {}) {
  const access = new Access(store, options);
  const ownership = new Ownership();
  return {
    ...starts(access, ownership),
    ...claiming(access, ownership),
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

/** Refuses by throwing a Refusal; throws one of kind `unavailable` if the database cannot be used. */
export type Ledger = ReturnType<typeof createLedger>;

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

/** What is written before and after the one POST of a transaction. */
function starts(access: Access, ownership: Ownership) {
  const payoutId = (orderId: string): string => access.idPrefix + orderId;
  return {
    /** Writes the payment's row, or finds the one written with the same key. Replaces the order's open payment. */
    async openPayment(payment: NewPayment & TokenTerms, limits: PaymentLimits): Promise<OpenedPayment> {
      ownership.refuseOther();
      return access.write('shopper', subjectOfStart(payment, limits), (draft, taken) => {
        const { row, isNew, maySend } = openPayment(draft, payment, limits, taken);
        const opened = toTransaction(row, historyOf(draft, row.id));
        return { isNew, maySend, payment: opened, order: orderIn(draft, row.order_id) as Order, now: draft.now };
      });
    },
    /** Writes the payout's row, or finds the one of the same payout. */
    async openPayout(payout: NewPayout, source: MerchantSource = 'merchant'): Promise<OpenedPayout> {
      ownership.refuseOther();
      const id = payoutId(payout.orderId);
      return access.write(source, subjectOfOpening('PAYOUT', payout.orderId, id), (draft, taken) => {
        const { row, maySend } = openPayout(draft, payout, id, taken);
        return { maySend, payout: toTransaction(row, historyOf(draft, row.id)) };
      });
    },
    /** Writes the refund's row, or finds the one written with the same key. */
    async openRefund(refund: NewRefund, source: MerchantSource | 'person' = 'merchant'): Promise<OpenedRefund> {
      ownership.refuseOther();
      return access.write(source, { order: refund.orderId, restored: true }, (draft, taken) => {
        const { row, payment, maySend } = openRefund(draft, refund, taken);
        return { maySend, refund: toTransaction(row, historyOf(draft, row.id)), method: payment.method as Method };
      });
    },
    /** Writes the rows of refunds that a restored database has lost. */
    recordFound: (refunds: FoundRefunds, source: MerchantSource | 'person' = 'merchant'): Promise<void> =>
      access.write(source, { order: refunds.orderId }, (draft, taken) => recordFound(draft, refunds, taken)),
    /** The ids at the gateway that a payout may have: the one of today first, then those under earlier prefixes. */
    async payoutIds(orderId: string): Promise<string[]> {
      const prefixes = prefixesIn(await access.read(readMeta));
      return [...new Set([access.idPrefix, ...prefixes])].map((prefix) => prefix + orderId);
    },
    /** Records that this start has sent nothing; false if there is no such row (yet). */
    recordUnsent: (
      { type, orderId }: Pick<Transaction, 'type' | 'orderId'>,
      start: Start,
      fact: Fact,
    ): Promise<boolean> =>
      access.write('answer', subjectOfOpening(type, orderId, payoutId(orderId)), (draft) => {
        const row = draft.transactions.find(({ after }) => after.start_id === start.id)?.after;
        if (row !== undefined) applyFact(draft, row, fact);
        return row !== undefined;
      }),
    /** Closes an order that is not paid, started or not; again it changes nothing. */
    closeOrder: (closing: Closing): Promise<ClosedOrder> =>
      access.write('merchant', { order: closing.orderId }, (draft) => {
        closeOrder(draft, closing);
        return orderIn(draft, closing.orderId) as ClosedOrder;
      }),
    /** Stores the terms of a token if it is newer than those known; started payments do not change. */
    recordTerms: (seen: TokenTerms): Promise<void> =>
      access.write('shopper', { order: seen.orderId }, (draft) => void storeTerms(draft, seen)),
    /**
     * Returns the order as it then is. If a restored database has lost the row, writes it again from `transaction`, but
     * changes nothing if another call has taken its id meanwhile.
     */
    record: (transaction: Transaction, fact: Fact): Promise<OrderAt> =>
      access.write('answer', subjectOf(transaction), (draft) => {
        const row = findOrRestore(draft, transaction);
        if (row.start_id === transaction.startId) applyFact(draft, row, fact);
        return { order: orderIn(draft, transaction.orderId), now: draft.now };
      }),
  };
}

/** Which transactions are checked, each by one process at a time. */
function claiming(access: Access, ownership: Ownership) {
  const { store, steps } = access;
  let claimed = 0;
  return {
    /**
     * Claims transactions whose check is due, each exclusively for `leaseMs`. Those with a recent IPN come first, the
     * newest IPN before older ones; one in five goes to the one due longest.
     */
    async claimChecks(limit: number, leaseMs: number): Promise<Claim[]> {
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
    /** Keeps claims for another `leaseMs`, except those that another process has claimed since. */
    async prolongChecks(claims: readonly Claim[], leaseMs: number): Promise<void> {
      const until = (await access.time()) + leaseMs;
      const held = new Set((await store.execute(prolongChecks(store, claims, until))).map(({ id }) => id));
      for (const claim of claims) if (held.has(claim.transaction.id)) claim.leaseUntil = until;
    },
    /**
     * Stores the IPN and requests a check in the same commit. With `leaseMs` that commit also claims the check, if it is
     * due and free.
     */
    async receiveIpn(ipn: StoredIpn, leaseMs?: number): Promise<{ isMatched: boolean; claim: Claim | undefined }> {
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
    /**
     * Claims the check of a transaction whether or not it is due; undefined if one is under way, if the last minute had
     * as many as it may have without an IPN, or if there is no such transaction.
     */
    claimCheck: (transactionId: string, leaseMs: number): Promise<Claim | undefined> =>
      access.write('merchant', { alone: [transactionId] }, (draft) => {
        const row = findTransaction(draft, transactionId);
        return row && ownership.mismatch === undefined ? claimAtOnce(draft, row, leaseMs) : undefined;
      }),
  };
}

/** What a check saw. */
function checks(access: Access, ownership: Ownership) {
  const { store } = access;
  return {
    /**
     * Ends a check: applies the observation and the clock's rules, and plans the next check. Returns when it ended, by
     * the database's clock.
     */
    observe: (claim: Claim, observation: Observation): Promise<number> =>
      access.write('check', subjectOf(claim.transaction), (draft) => {
        const row = findTransaction(draft, claim.transaction.id);
        if (row !== undefined) applyObservation(draft, row, claim, observation);
        return draft.now;
      }),
    /** Records a proven "unknown"; two of them may end the transaction. */
    recordUnknown: (unknown: ProvenUnknown): Promise<void> =>
      access.writeEach('check', { transactions: [unknown.transactionId] }, (draft, row) =>
        applyProvenUnknown(draft, row, unknown),
      ),
    /** The transaction of this type at the gateway that a status check found last; undefined if none ever was. */
    newestFound: (type: GatewayType): Promise<Transaction | undefined> =>
      access.read((db) => readNewestFound(db, type)),
    /**
     * Makes uncertain what an earlier process of the same host and port was sending when it died, and makes due what was
     * queued before a step of the clock that no process saw.
     */
    async recover(sentBy: string): Promise<void> {
      const ids = await access.read((db) => readAbandoned(db, sentBy, ownership.since));
      // Each alone: what somebody holds is found by its time.
      await Promise.allSettled(ids.map((id) => access.writeEach('restart', { transactions: [id] }, recover)));
      // What was queued in the future was queued before a step of the clock that no process saw.
      const at = await access.time();
      await access.executeInPages(bringWebhooksForward(store, at, 0, PAGE_SIZE, at));
    },
  };
}

/** What a person decides. */
function reviews(access: Access) {
  return {
    /** What `resolve` would do. Refuses if no review is needed; undefined if there is no such transaction. */
    preview: async (transactionId: string, resolution: Resolution): Promise<Preview | undefined> =>
      access.preview('person', await subjectById(access, transactionId), (draft) => {
        const row = findTransaction(draft, transactionId);
        if (row === undefined) return undefined;
        const transaction = toTransaction(row, historyOf(draft, row.id));
        const expected = expectedOf(draft, row);
        const gatewayReports = contraryReport(row, resolution.status);
        applyResolution(draft, row, { ...resolution, gatewayReports: gatewayReports ?? undefined });
        return { transaction, expected, webhook: draft.webhooks[0]?.type ?? null, gatewayReports };
      }),
    /**
     * Records how a person resolved a review; refuses if none is needed, if it is no longer as `expected`, or if the
     * gateway reports the contrary and `gatewayReports` does not say so. Undefined if there is no such transaction.
     */
    resolve: async (
      transactionId: string,
      resolution: Resolution,
      expected?: Expected,
      source: MerchantSource | 'person' = 'person',
    ): Promise<Transaction | undefined> =>
      access.write(source, await subjectById(access, transactionId), (draft) => {
        const row = findTransaction(draft, transactionId);
        if (row === undefined) return undefined;
        applyResolution(draft, row, resolution, expected);
        return toTransaction(row, historyOf(draft, row.id));
      }),
  };
}

/** The IPNs as they were received. */
function ipns(access: Access) {
  return {
    /** Those that no check has answered, by their number. */
    newIpns: (transactionId: string): Promise<NewIpn[]> => access.read((db) => readNewIpns(db, transactionId)),
    unmatchedIpns: (limit: number): Promise<UnmatchedIpn[]> => access.read((db) => readUnmatchedIpns(db, limit)),
    /** Counts unmatched IPNs older than this, each only once. */
    async reportUnmatched(olderThanMs: number): Promise<number> {
      const firstBefore = (await access.time()) - olderThanMs;
      return access.executeInPages(markUnmatchedReported(access.store, firstBefore, PAGE_SIZE));
    },
  };
}

/** What others see of it, and when it changes. */
function reads(access: Access) {
  const { store, idPrefix } = access;

  async function orderAt(orderId: string): Promise<OrderAt> {
    const { orders, transactions, history, now } = await access.load({ order: orderId });
    const [order] = orders;
    return { order: order && toOrder(order, transactions, history), now };
  }

  return {
    /** The order and the database's clock, read together. */
    orderAt,
    order: async (orderId: string): Promise<Order | undefined> => (await orderAt(orderId)).order,
    /** By the merchant's order id. */
    async payout(orderId: string): Promise<Transaction | undefined> {
      const { transactions, history } = await access.load({ payout: orderId, id: idPrefix + orderId });
      const row = transactions.find((each) => TYPES[each.type].isPayout && each.order_id === orderId);
      return toTransactions(row === undefined ? [] : [row], history)[0];
    },
    /** By its id at the gateway. */
    async transaction(transactionId: string): Promise<Transaction | undefined> {
      const { transactions, history } = await access.load({ transactions: [transactionId] });
      return toTransactions(transactions, history)[0];
    },
    transactions: (query: TransactionQuery): Promise<TransactionPage> =>
      access.read(() => readTransactions(store, query)),
    async counts(): Promise<Counts> {
      const at = await access.time();
      return access.read((db) => readCounts(db, at));
    },
    /** Of what was created since this time, and of what is open. */
    sums: (since: number): Promise<Sums> => access.read((db) => readSums(db, since)),
    /** Payments that pay no order, of which something is neither refunded nor settled, newest first. */
    owed: (limit: number): Promise<Transaction[]> => access.read((db) => readOwed(db, limit)),
    /**
     * Calls back after each commit that changed the order, from any process, with the new version (undefined: not known).
     */
    watch: access.watch.add,
    /**
     * Calls back after each write of this process, within the work that asked for it: how long the write took, and what
     * its commit changed.
     */
    onWrite: (listener: (ms: number, events: LedgerEvent[]) => void): void => void (access.onWrite = listener),
  };
}

/** The webhooks to send, and those that were sent. */
function webhooks(access: Access) {
  const { store, steps } = access;
  let stepsSeen: number | undefined;

  return {
    async claimWebhooks(limit: number, leaseMs: number): Promise<Webhook[]> {
      // Steps before this process began are another one's.
      await access.identity();
      stepsSeen ??= steps.count;
      const { now: at, webhookAt } = await access.look();
      const { count } = steps;
      const isStepNew = count > stepsSeen;
      // Each process makes the waiting ones due: when they were due is not known by this clock.
      if (isStepNew) await access.executeInPages(bringWebhooksForward(store, at, 0, PAGE_SIZE));
      stepsSeen = count;
      return limit > 0 && (isStepNew || webhookAt <= at) ? claimWebhooks(store, at, limit, leaseMs) : [];
    },
    async prolongWebhooks(claimed: readonly Webhook[], leaseMs: number): Promise<void> {
      await store.execute(prolongWebhooks(store, claimed, await access.time(), leaseMs));
    },
    /**
     * Records how a claimed attempt ended, unless it failed and a later one has begun or delivered; returns whether it
     * did.
     */
    async recordDelivery(attempt: Pick<Webhook, 'id' | 'attempts'>, delivery: Delivery): Promise<boolean> {
      const at = 'afterMs' in delivery ? await access.time() : 0;
      return (await store.execute(recordDelivery(store.db, attempt, delivery, at))).length > 0;
    },
    webhook: (id: string): Promise<Webhook | undefined> => access.read((db) => readWebhook(db, id)),
    /** Newest first. */
    webhooks: (state: WebhookState | undefined, limit: number, range?: WebhookRange): Promise<WebhookPage> =>
      access.read((db) => readWebhooks(db, state, limit, range)),
    /** Makes it due now and resets its attempts; undefined if there is none. Refuses if its body is erased. */
    async redeliver(id: string): Promise<Webhook | undefined> {
      const at = await access.time();
      return access.read(() => redeliver(store, at, id));
    },
  };
}

/** Which gateway the database belongs to, and whether it has lost anything. */
function owners(access: Access, ownership: Ownership) {
  const { store } = access;
  return {
    /** The database's owner, as written at the first start; undefined before. */
    owner: (): Promise<DatabaseOwner | undefined> => access.read(async (db) => ownerIn(await readMeta(db))),
    /**
     * Writes the owner, and the prefix of ids. If another process then writes another owner, this process starts no more
     * payments or payouts.
     */
    async setOwner(owner: DatabaseOwner): Promise<void> {
      await writeOwner(store, owner);
      await writePrefix(store, access.idPrefix);
      ownership.ours = owner;
      ownership.since = await access.time();
    },
    /** Why nothing may be started at the moment, or undefined. */
    ownerMismatch: (): string | undefined => ownership.mismatch,
    // Clamped to now: the latest time wins, so a future one could never be corrected.
    /**
     * The database lost what was committed before `at` (a restore, a lagging standby): payouts are checked before they
     * are sent.
     */
    recordRestore: async (at: number): Promise<void> => writeRestoredAt(store, Math.min(at, await access.time())),
    /** Whether that was within the last 7 days. */
    async wasRestoredLately(): Promise<boolean> {
      const at = await access.time();
      return at - (await access.read(readRestoredAt)) < RESTORED_LATELY_MS;
    },
  };
}

/** Personal data is erased; amounts and stages stay. */
function erasing(access: Access) {
  const { store } = access;
  return {
    /**
     * Erases the personal data of an order's payments, or of a payout, and returns them. Refuses (`not_ended`) if one of
     * them may still change; undefined if there is none.
     */
    async erase(
      orderId: string,
      { sendsWebhooks }: Pick<Retention, 'sendsWebhooks'>,
      source: MerchantSource = 'merchant',
    ): Promise<Transaction[] | undefined> {
      const { fingerprintKey } = await access.identity();
      const request = { at: await access.time(), source, fingerprintKey, sendsWebhooks } as const;
      const all = { ...request, changedBefore: Number.MAX_SAFE_INTEGER, payersBefore: Number.MAX_SAFE_INTEGER };
      const hasAny = await access.read(() => eraseOrder(store, orderId, all));
      await store.shrink();
      return hasAny ? access.read((db) => readOfOrder(db, orderId)) : undefined;
    },
    /** Erases a page of transactions, beginning at `next` of the page before. */
    async erasePage({ afterMs, payersMs, sendsWebhooks }: Retention, next: string | null): Promise<ErasedPage> {
      const [{ fingerprintKey }, at] = [await access.identity(), await access.time()];
      const due = { at, source: 'clock', fingerprintKey, changedBefore: at - afterMs } as const;
      return access.read(() => erasePage(store, next, { ...due, payersBefore: at - payersMs, sendsWebhooks }));
    },
    /** Returns a little of the unused space to the file system; false if there is none. */
    shrink: (): Promise<boolean> => store.shrink(),
  };
}

/** The database itself. */
function database(access: Access) {
  const { store } = access;
  return {
    /** The database's clock, ms since 1970. */
    time: (): Promise<number> => access.time(),
    /** How far the database's clock is ahead of this process's, ms. */
    async clockOffset(): Promise<number> {
      const before = Date.now();
      const databaseTime = await access.read(() => store.time());
      return databaseTime - (before + Date.now()) / 2;
    },
    /** What an operator should change about the database. */
    databaseWarnings: (): Promise<Warning[]> => store.warnings(),
    /** Deletes IPNs that matched nothing for 7 days, and moves up what another clock planned too far ahead. */
    async prune(): Promise<void> {
      const at = await access.time();
      await access.executeInPages(deleteOldUnmatched(store, at, PAGE_SIZE));
      await access.executeInPages(bringWebhooksForward(store, at, MAX_WEBHOOK_WAIT_MS, PAGE_SIZE));
      await access.executeInPages(bringChecksForward(store, at, PAGE_SIZE));
    },
    /** Throws if the database cannot be written. */
    ping: (): Promise<void> => access.read(() => store.ping()),
    /** On the disk of the database file; undefined if the database is not a file here. */
    freeBytes: (): number | undefined => store.freeBytes(),
    async close(): Promise<void> {
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
