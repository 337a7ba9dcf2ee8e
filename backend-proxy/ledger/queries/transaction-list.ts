// Lists of transactions for merchants and operators. Each page is a range of an index, or some ranges merged, so that
// its cost does not grow with the database.
import { sql } from 'kysely';
import { STAGES, TRANSACTION_TYPES, stageOf, type Transaction } from '../../protocol/transaction.ts';
import type { Status } from '../../protocol/wire.ts';
import type { TransactionPage, TransactionQuery, TransactionSort } from '../ledger.ts';
import { mergedPages } from './merged-pages.ts';
import { toTransactions } from '../rules/records.ts';
import type { Db, Store } from '../store.ts';
import type { TransactionRow } from '../schema/tables.ts';

interface Sorting {
  column: 'updated_at' | 'created_at';
  direction: 'asc' | 'desc';
  /** First letter of its cursors, so that no list takes the cursor of another. */
  letter: string;
}

const SORTINGS: Record<TransactionSort, Sorting> = {
  updatedAt: { column: 'updated_at', direction: 'asc', letter: '' },
  createdAt: { column: 'created_at', direction: 'asc', letter: 'c' },
  '-createdAt': { column: 'created_at', direction: 'desc', letter: 'n' },
};

/** Later than any time: 15 digits, as in a cursor. */
const END_OF_TIME = 999_999_999_999_999;

interface Position {
  at: number;
  id: string;
}

/**
 * The cursor is the last row's position. A list by creation has each transaction once, however it changes meanwhile. In
 * a list by last change a transaction that changes appears again; with several processes a change may be committed
 * shortly after a later one, so a merchant that reconciles should ask again from a minute before the last change seen.
 */
export async function readTransactions(store: Store, query: TransactionQuery): Promise<TransactionPage> {
  const { limit, sort = 'updatedAt' } = query;
  const { column, letter } = SORTINGS[sort];
  const rows = query.orderId === undefined ? await readRange(store, query) : await readOfOrder(store.db, query);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? `${letter}${last[column]}~${last.id}` : null;
  return { transactions: await withHistory(store.db, page, query.successOnly), nextCursor };
}

/** Up to one row more than the limit. */
function readRange({ db, sql: { among } }: Store, query: TransactionQuery): Promise<TransactionRow[]> {
  const { column, direction } = SORTINGS[query.sort ?? 'updatedAt'];
  const { start, end } = boundsOf(query);
  const by = sql.ref(column);
  const inBounds =
    direction === 'asc'
      ? sql<boolean>`(${by}, id) > (${start.at}, ${start.id}) and ${by} < ${end}`
      : sql<boolean>`(${by}, id) < (${start.at}, ${start.id}) and ${by} >= ${end}`;
  const most = query.limit + 1;
  const next = db
    .selectFrom('transactions')
    .select([column, 'id'])
    .where(inBounds)
    .orderBy(column, direction)
    .orderBy('id', direction)
    .limit(most);
  const ranges = rangesOf(query).map(({ type, rank, review }) =>
    next.where('type', '=', type).where('rank', '=', rank).where('needs_review', '=', review),
  );
  const merged =
    ranges.length === 0
      ? next
      : mergedPages(db, ranges).orderBy(column, direction).orderBy('id', direction).limit(most);
  // The index has the columns that select the page, so only the page's rows are read.
  const listed = db.selectFrom(merged.as('page')).select('id');
  return db
    .selectFrom('transactions')
    .selectAll()
    .where(sql<boolean>`id ${among(listed)}`)
    .orderBy(column, direction)
    .orderBy('id', direction)
    .execute();
}

/** An order has a payout and at most some twenty payments, so they are all read. The index by order has no time. */
async function readOfOrder(db: Db, query: TransactionQuery): Promise<TransactionRow[]> {
  const { orderId = '', type, status, needsReview, sort = 'updatedAt', limit } = query;
  const { column, direction } = SORTINGS[sort];
  const { start, end } = boundsOf(query);
  const sign = direction === 'asc' ? 1 : -1;
  const isAfterStart = (row: TransactionRow) => sign * (row[column] - start.at || compare(row.id, start.id)) > 0;
  const isBeforeEnd = (row: TransactionRow) => (direction === 'asc' ? row[column] < end : row[column] >= end);
  const rows = await db.selectFrom('transactions').selectAll().where('order_id', '=', orderId).execute();
  return rows
    .filter(
      (row) =>
        isAfterStart(row) &&
        isBeforeEnd(row) &&
        (type === undefined || row.type === type) &&
        (status === undefined || STAGES[stageOf(row.rank)].status === status) &&
        (needsReview === undefined || row.needs_review === Number(needsReview)),
    )
    .toSorted((a, b) => sign * (a[column] - b[column] || compare(a.id, b.id)))
    .slice(0, limit + 1);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** The position after which the page begins, and the time at which the list ends. */
function boundsOf(query: TransactionQuery): { start: Position; end: number } {
  const { updatedSince = 0, createdFrom = 0, createdBefore = END_OF_TIME, sort = 'updatedAt', cursor } = query;
  const position = cursor === undefined ? undefined : parseCursor(cursor, sort);
  if (sort === '-createdAt') {
    const isEarlier = position !== undefined && position.at < createdBefore;
    return { start: isEarlier ? position : { at: createdBefore, id: '' }, end: createdFrom };
  }
  const [first, end] = sort === 'createdAt' ? [createdFrom, createdBefore] : [updatedSince, END_OF_TIME];
  const isLater = position !== undefined && position.at >= first;
  return { start: isLater ? position : { at: first, id: '' }, end };
}

/** The position in a cursor, or undefined if it is not one of a list in this order. */
function parseCursor(cursor: string, sort: TransactionSort): Position | undefined {
  const match = /^([a-z]?)([0-9]{1,15})~(.{1,100})$/s.exec(cursor);
  return match === null || match[1] !== SORTINGS[sort].letter
    ? undefined
    : { at: Number(match[2]), id: match[3] ?? '' };
}

/** Whether the cursor can be one of a list in this order. */
export function isCursorOf(cursor: string, sort: TransactionSort): boolean {
  return parseCursor(cursor, sort) !== undefined;
}

/** A filtered list consists of ranges of one index; a list of all is a range of an index by time. */
function rangesOf({ type, status, needsReview }: TransactionQuery) {
  if (type === undefined && status === undefined && needsReview === undefined) return [];
  const types = type === undefined ? TRANSACTION_TYPES : [type];
  const reviews = needsReview === undefined ? [0, 1] : [needsReview ? 1 : 0];
  return types.flatMap((each) =>
    ranksShownAs(status).flatMap((rank) => reviews.map((review) => ({ type: each, rank, review }))),
  );
}

function ranksShownAs(status: Status | undefined): number[] {
  return Object.values(STAGES).flatMap((stage) =>
    status === undefined || stage.status === status ? [stage.rank] : [],
  );
}

export async function withHistory(db: Db, rows: TransactionRow[], successOnly = false): Promise<Transaction[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  // Filled up to a power of two, so that pages of any length are a few statements, each prepared once.
  const filled = Array.from({ length: 2 ** Math.ceil(Math.log2(ids.length)) }, (_, at) => ids[at] ?? ids[0] ?? '');
  const all = db.selectFrom('history').selectAll().where('transaction_id', 'in', filled);
  const history = successOnly ? all.where('event', '=', sql.lit('succeeded')) : all;
  return toTransactions(rows, await history.execute());
}
