// One write: copies of the loaded rows, which the rules change in memory, and the rows that they add. The store saves
// what differs from the loaded rows, all or nothing. The rules are therefore plain functions on rows: they run no
// statement and wait for nothing.
import { TYPES, type Source } from '../../protocol/transaction.ts';
import { changedColumns, type Change, type Changes, type Loaded } from '../store.ts';
import type { HistoryRow, IpnRow, OrderRow, TransactionRow, WebhookRow } from '../schema/tables.ts';

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

export type WriteContext = Pick<Draft, 'now' | 'clockSteps' | 'source' | 'databaseId' | 'fingerprintKey' | 'idPrefix'>;

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
