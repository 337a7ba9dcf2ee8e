// Turns rows into the port's records, and has the draft of one write, which the rules change.
import { STAGES, TYPES, stageOf, type Stage, type Transaction, type Source } from '../../protocol/transaction.ts';
import type { Metadata, QrCode } from '../../protocol/wire.ts';
import type { Order } from '../model.ts';
import type { HistoryRow, OrderRow, TransactionRow, IpnRow, WebhookRow } from '../schema/tables.ts';
import { changedColumns, type Change, type Changes, type Loaded } from '../store.ts';

/** `rows`: what belongs to the order, by attempt. */
export function toOrder(order: OrderRow, rows: readonly TransactionRow[], history: readonly HistoryRow[]): Order {
  const transactions = toTransactions(rows, history);
  return {
    orderId: order.order_id,
    amountMinor: order.amount_minor,
    currency: order.currency,
    version: order.version,
    paidBy: order.paid_by,
    closed: order.closed_at === null ? null : { at: order.closed_at, reason: order.close_reason },
    seen: order.seen_iat === null ? null : { iat: order.seen_iat, terms: order.seen_terms ?? '' },
    payments: transactions.filter(({ type }) => TYPES[type].paysOrder),
    refunds: transactions.filter(({ type }) => TYPES[type].isRefund).toSorted((a, b) => a.createdAt - b.createdAt),
  };
}

/** Keeps the order of the rows. */
export function toTransactions(rows: readonly TransactionRow[], history: readonly HistoryRow[]): Transaction[] {
  const byId = Map.groupBy(history, ({ transaction_id: id }) => id);
  return rows.map((row) => toTransaction(row, byId.get(row.id) ?? []));
}

/** `history`: of this transaction, in any order. */
export function toTransaction(row: TransactionRow, history: readonly HistoryRow[]): Transaction {
  return {
    ...toTransactionState(row),
    history: history.toSorted(byTime).map(({ at, event, source, detail }) => ({ at, event, source, detail })),
  };
}

/** Stages from the same millisecond keep the order of their ranks. */
function byTime(a: HistoryRow, b: HistoryRow): number {
  return a.at - b.at || rankOf(a) - rankOf(b) || a.n - b.n;
}

function rankOf({ event }: HistoryRow): number {
  return event === 'created' ? 0 : (STAGES[event as Stage]?.rank ?? STAGES.succeeded.rank + 1);
}

export function toTransactionState(row: TransactionRow): Omit<Transaction, 'history'> {
  const { id, type, attempt, asked, method, currency, customer, payer, note } = row;
  return {
    id,
    type,
    orderId: row.order_id,
    attempt,
    refundOf: row.refund_of,
    asked,
    method,
    amountMinor: row.amount_minor,
    settledMinor: row.settled_minor,
    currency,
    customer,
    payer,
    note,
    metadata: row.metadata === null ? null : (JSON.parse(row.metadata) as Metadata),
    fingerprint: row.fingerprint,
    startId: row.start_id,
    stage: stageOf(row.rank),
    endedBy: row.ended_by,
    version: row.version,
    answer: row.answer,
    seen: row.found_at !== null || row.answer === 'identified' || row.answer === 'accepted',
    resolved: row.resolved,
    paymentId: row.payment_id,
    checkoutUrl: row.checkout_url,
    qr: row.qr === null ? null : (JSON.parse(row.qr) as QrCode),
    appUrl: row.app_url,
    expiresAt: row.expires_at,
    late: row.late === 1,
    surplus: row.surplus === 1,
    afterClose: row.after_close === 1,
    mismatch: row.mismatch === 1,
    conflict: row.conflict === 1,
    needsReview: row.needs_review === 1,
    checking: isChecking(row),
    failedAt: row.failed_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    erasedAt: row.erased_at,
  };
}

/** Whether a SUCCESS was reported that pays nothing until a person has decided. */
export function isChecking({
  success_seen,
  needs_review,
  rank,
}: Pick<TransactionRow, 'success_seen' | 'needs_review' | 'rank'>): boolean {
  return success_seen === 1 && needs_review === 1 && rank < STAGES.succeeded.rank;
}

// One write: copies of the loaded rows, which the rules change in memory, and the rows that they add. The store saves
// what differs from the loaded rows, all or nothing. The rules are therefore plain functions on rows: they run no
// statement and wait for nothing.

export interface Draft {
  /** The database's clock when the rows were loaded, ms since 1970. */
  readonly now: number;
  /** How often that clock has stepped. */
  readonly clockSteps: number;
  /** The cause of the write, for the history. */
  readonly source: Source;
  /** The database's random id, part of each webhook's id. */
  readonly databaseId: string;
  /** Of fingerprints whose personal data was erased. */
  readonly fingerprintKey: string;
  /** ORDER_ID_PREFIX, put before every id at the gateway. */
  readonly idPrefix: string;
  readonly orders: Change<OrderRow>[];
  readonly transactions: Change<TransactionRow>[];
  readonly loadedHistory: readonly HistoryRow[];
  /** Added by this write. */
  readonly history: HistoryRow[];
  readonly webhooks: WebhookRow[];
  ipn: IpnRow | undefined;
  readonly prompts: Loaded['prompts'];
  readonly restoredAt: number;
}

type WriteContext = Pick<Draft, 'now' | 'clockSteps' | 'source' | 'databaseId' | 'fingerprintKey' | 'idPrefix'>;

export function createDraft(loaded: Loaded, context: WriteContext): Draft {
  const copied = <Row>(before: Row): Change<Row> => ({ before, after: { ...before } });
  return {
    ...context,
    orders: loaded.orders.map(copied),
    transactions: loaded.transactions.map(copied),
    loadedHistory: loaded.history,
    history: [],
    webhooks: [],
    ipn: undefined,
    prompts: loaded.prompts,
    restoredAt: loaded.restoredAt,
  };
}

export function changesOf({ orders, transactions, history, webhooks, ipn }: Draft): Changes {
  return {
    orders: orders.filter(isChanged),
    transactions: transactions.filter(isChanged),
    history,
    webhooks,
    ipn,
  };
}

function isChanged<Row extends object>(change: Change<Row>): boolean {
  return changedColumns(change).length > 0;
}

export function findOrder({ orders }: Draft, orderId: string): OrderRow | undefined {
  return orders.find(({ after }) => after.order_id === orderId)?.after;
}

export function findTransaction({ transactions }: Draft, id: string): TransactionRow | undefined {
  return transactions.find(({ after }) => after.id === id)?.after;
}

type NewOrder = Pick<OrderRow, 'order_id' | 'amount_minor' | 'currency' | 'version'>;

export function addOrder({ orders }: Draft, given: NewOrder & Partial<OrderRow>): OrderRow {
  const unseen = { paid_by: null, seen_iat: null, seen_terms: null, closed_at: null, close_reason: null };
  const row: OrderRow = { ...unseen, ...given };
  orders.push({ before: undefined, after: row });
  return row;
}

/** The order's payments, by attempt. */
export function paymentsOf({ transactions }: Draft): TransactionRow[] {
  return transactions.map(({ after }) => after).filter(({ type }) => TYPES[type].paysOrder);
}

export function addTransaction({ transactions }: Draft, row: TransactionRow): TransactionRow {
  transactions.push({ before: undefined, after: row });
  return row;
}

/** All history of a transaction, also what this write added. */
export function historyOf({ loadedHistory, history }: Draft, id: string): HistoryRow[] {
  return [...loadedHistory, ...history].filter(({ transaction_id }) => transaction_id === id);
}
