// Reads rows and returns the port's records. Changes nothing.
import { STAGES, stageOf, type Stage, type Transaction, type TransactionType } from '../protocol/transaction.ts';
import type { QrCode, Status } from '../protocol/wire.ts';
import type { Counts, Order, TransactionQuery, WebhookState } from './ledger.ts';
import type { TransactionRow } from './schema.ts';
import type { Db } from './store.ts';

export async function readOrder(db: Db, orderId: string): Promise<Order | undefined> {
  const order = await db.selectFrom('orders').selectAll().where('order_id', '=', orderId).executeTakeFirst();
  if (order === undefined) return undefined;
  return {
    orderId,
    amountMinor: order.amount_minor,
    currency: order.currency,
    version: order.version,
    paidBy: order.paid_by,
    seen: order.seen_iat === null ? null : { iat: order.seen_iat, terms: order.seen_terms ?? '' },
    payments: await withHistory(db, await readPaymentRows(db, orderId)),
  };
}

/** The versions of the orders that have a transaction stamped at or after this time. */
export async function readChangedSince(db: Db, since: number): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('transactions')
    .innerJoin('orders', 'orders.order_id', 'transactions.order_id')
    .select(['orders.order_id', 'orders.version'])
    .distinct()
    .where('transactions.updated_at', '>=', since)
    .execute();
  return new Map(rows.map(({ order_id, version }) => [order_id, version]));
}

/** An order's payments, oldest first. */
export function readPaymentRows(db: Db, orderId: string): Promise<TransactionRow[]> {
  return db
    .selectFrom('transactions')
    .selectAll()
    .where('order_id', '=', orderId)
    .where('type', '=', 'PAY')
    .orderBy('attempt')
    .execute();
}

export async function readTransaction(db: Db, id: string): Promise<Transaction | undefined> {
  return (await readTransactionsById(db, [id])).get(id);
}

export async function readTransactionsById(db: Db, ids: readonly string[]): Promise<Map<string, Transaction>> {
  if (ids.length === 0) return new Map();
  const rows = await db.selectFrom('transactions').selectAll().where('id', 'in', ids).execute();
  return new Map((await withHistory(db, rows)).map((transaction) => [transaction.id, transaction]));
}

export async function readPayout(db: Db, orderId: string): Promise<Transaction | undefined> {
  const rows = await db
    .selectFrom('transactions')
    .selectAll()
    .where('order_id', '=', orderId)
    .where('type', '=', 'PAYOUT')
    .execute();
  return (await withHistory(db, rows))[0];
}

/** The transaction of this type that a status check found most recently: the gateway knows it. */
export async function readNewestFound(db: Db, type: TransactionType): Promise<Transaction | undefined> {
  const rows = await db
    .selectFrom('transactions')
    .selectAll()
    .where('type', '=', type)
    .where('found_at', 'is not', null)
    .orderBy('found_at', 'desc')
    .limit(1)
    .execute();
  return (await withHistory(db, rows))[0];
}

/**
 * Oldest change first; the cursor is the last row's position. With several processes a change may be committed shortly
 * after a later one, so a merchant that reconciles should ask again from a minute before the last change seen.
 */
export async function readTransactions(
  db: Db,
  { updatedSince, status, type, needsReview, cursor, limit }: TransactionQuery,
): Promise<{ transactions: Transaction[]; nextCursor: string | null }> {
  let query = db
    .selectFrom('transactions')
    .selectAll()
    .orderBy('updated_at')
    .orderBy('id')
    .limit(limit + 1);
  if (updatedSince !== undefined) query = query.where('updated_at', '>=', updatedSince);
  if (needsReview !== undefined) query = query.where('needs_review', '=', needsReview ? 1 : 0);
  if (type !== undefined) query = query.where('type', '=', type);
  if (status !== undefined) query = query.where('rank', 'in', ranksShownAs(status));
  const position = cursor === undefined ? undefined : parseCursor(cursor);
  if (position !== undefined) {
    query = query.where((eb) =>
      eb.or([
        eb('updated_at', '>', position.updatedAt),
        eb.and([eb('updated_at', '=', position.updatedAt), eb('id', '>', position.id)]),
      ]),
    );
  }
  const rows = await query.execute();
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? `${last.updated_at}~${last.id}` : null;
  return { transactions: await withHistory(db, page), nextCursor };
}

/** The position in a cursor, or undefined if it is not one of ours. */
export function parseCursor(cursor: string): { updatedAt: number; id: string } | undefined {
  const match = /^([0-9]{1,15})~(.{1,100})$/s.exec(cursor);
  return match === null ? undefined : { updatedAt: Number(match[1]), id: match[2] ?? '' };
}

/** Each count uses an index, so that metrics stay cheap in a large database. */
export async function readCounts(db: Db, now: number): Promise<Counts> {
  const count = db.fn.countAll<number>().as('count');
  const stages = await db
    .selectFrom('transactions')
    .select(['type', 'rank', 'needs_review', count])
    .groupBy(['type', 'rank', 'needs_review'])
    .execute();
  const byStatus = new Map<string, { type: TransactionType; status: Status; count: number }>();
  let needReview = 0;
  for (const row of stages) {
    const { status } = STAGES[stageOf(row.rank)];
    const key = `${row.type} ${status}`;
    const sum = byStatus.get(key)?.count ?? 0;
    byStatus.set(key, { type: row.type, status, count: sum + row.count });
    if (row.needs_review === 1) needReview += row.count;
  }
  const planned = db.selectFrom('transactions').select(count).where('next_check_at', 'is not', null);
  const unmatched = await db.selectFrom('ipns').select(count).where('matched', '=', 0).executeTakeFirstOrThrow();
  const webhooks = await db.selectFrom('webhooks').select(['state', count]).groupBy('state').execute();
  return {
    transactions: [...byStatus.values()],
    needReview,
    unmatchedIpns: unmatched.count,
    checks: [
      { state: 'planned', ...(await planned.executeTakeFirstOrThrow()) },
      { state: 'due', ...(await planned.where('next_check_at', '<=', now).executeTakeFirstOrThrow()) },
    ],
    webhooks: webhooks.map(({ state, count: many }): { state: WebhookState; count: number } => ({
      state,
      count: many,
    })),
  };
}

function ranksShownAs(status: TransactionQuery['status']): number[] {
  return Object.values(STAGES).flatMap((stage) => (stage.status === status ? [stage.rank] : []));
}

async function withHistory(db: Db, rows: TransactionRow[]): Promise<Transaction[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const entries = await db.selectFrom('history').selectAll().where('transaction_id', 'in', ids).orderBy('at').execute();
  // Stages from the same millisecond keep the order of their ranks.
  const order = (event: string) => STAGES[event as Stage]?.rank ?? Infinity;
  entries.sort((a, b) => a.at - b.at || order(a.event) - order(b.event) || a.n - b.n);
  return rows.map((row) => ({
    ...toTransaction(row),
    history: entries
      .filter(({ transaction_id }) => transaction_id === row.id)
      .map(({ at, event, source, detail }) => ({ at, event, source, detail })),
  }));
}

function toTransaction(row: TransactionRow): Omit<Transaction, 'history'> {
  const { id, type, attempt, asked, method, currency, customer, note } = row;
  return {
    id,
    type,
    orderId: row.order_id,
    attempt,
    asked,
    method,
    amountMinor: row.amount_minor,
    currency,
    customer,
    note,
    fingerprint: row.fingerprint,
    stage: stageOf(row.rank),
    endedBy: row.ended_by,
    version: row.version,
    answer: row.answer,
    paymentId: row.payment_id,
    checkoutUrl: row.checkout_url,
    qr: row.qr === null ? null : (JSON.parse(row.qr) as QrCode),
    appUrl: row.app_url,
    expiresAt: row.expires_at,
    late: row.late === 1,
    surplus: row.surplus === 1,
    mismatch: row.mismatch === 1,
    conflict: row.conflict > 0,
    needsReview: row.needs_review === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
