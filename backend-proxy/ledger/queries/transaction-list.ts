// Lists of transactions for merchants and operators, and how one page is read of several ranges of an index.
// Each page is a range of an index, or some ranges merged, so that its cost does not grow with the database.
import { sql, type RawBuilder, type SelectQueryBuilder } from 'kysely';
import { STAGES, TRANSACTION_TYPES, stageOf, type Transaction } from '../../protocol/transaction.ts';
import type { Status } from '../../protocol/wire.ts';
import type { TransactionPage, TransactionQuery, TransactionSort } from '../model.ts';
import { toTransactions } from '../rules/records.ts';
import { HAS_FAILED, IS_OPEN, NEEDS_REVIEW } from '../schema/schema.ts';
import type { TransactionRow, Tables } from '../schema/tables.ts';
import type { Db, Store } from '../store.ts';

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

/** A transaction's place in a list, and what filters look at. */
type Listed = Position & Pick<TransactionRow, 'type' | 'rank' | 'needs_review'>;

/** How many rows that a filter leaves out one page may look at. */
const MAX_EXAMINED = 100;

/**
 * The cursor is the position of the last row that was looked at, so a page may be short of its limit, or empty, before
 * the last. A list by creation has each transaction once, however it changes meanwhile. In a list by last change a
 * transaction that changes appears again; with several processes a change may be committed shortly after a later one,
 * so a merchant that reconciles should ask again from a minute before the last change seen.
 */
export async function readTransactions({ db }: Store, query: TransactionQuery): Promise<TransactionPage> {
  const { limit, orderId, sort = 'updatedAt' } = query;
  const { listed, isWhole } = orderId === undefined ? await readRanges(db, query) : await readOfOrder(db, query);
  const matching = listed.filter((row) => matches(query, row));
  const page = matching.slice(0, limit);
  const last = matching.length > limit ? page.at(-1) : isWhole ? undefined : listed.at(-1);
  return {
    transactions: await withHistory(db, await readRows(db, query, page), query.successOnly),
    nextCursor: last === undefined ? null : `${SORTINGS[sort].letter}${last.at}~${last.id}`,
  };
}

interface Found {
  /** From the start of the page, in order. */
  listed: Listed[];
  /** Whether nothing comes after them. */
  isWhole: boolean;
}

async function readRanges(db: Db, query: TransactionQuery): Promise<Found> {
  const { column, direction } = SORTINGS[query.sort ?? 'updatedAt'];
  const { start, end } = boundsOf(query);
  const by = sql.ref(column);
  const inBounds =
    direction === 'asc'
      ? sql<boolean>`(${by}, id) > (${start.at}, ${start.id}) and ${by} < ${end}`
      : sql<boolean>`(${by}, id) < (${start.at}, ${start.id}) and ${by} >= ${end}`;
  const { conditions, isExact } = rangesOf(query);
  const most = query.limit + (isExact ? 1 : MAX_EXAMINED);
  const next = db
    .selectFrom('transactions')
    .select([`${column} as at`, 'id', 'type', 'rank', 'needs_review'])
    .where(inBounds)
    .orderBy(column, direction)
    .orderBy('id', direction)
    .limit(most);
  const pages = mergedPages(
    db,
    conditions.map((condition) => next.where(condition)),
  );
  const listed = await pages.orderBy('at', direction).orderBy('id', direction).limit(most).execute();
  return { listed, isWhole: listed.length < most };
}

const OPEN_STATUSES = new Set<Status>(
  Object.values(STAGES).flatMap(({ rank, status }) => (rank < STAGES.replaced.rank ? [status] : [])),
);

interface Ranges {
  /** Each is a range of an index: the smallest that has all that match. */
  conditions: RawBuilder<boolean>[];
  /** Whether nothing else is in them. */
  isExact: boolean;
}

function rangesOf({ type, status, needsReview }: TransactionQuery): Ranges {
  const types = type === undefined ? TRANSACTION_TYPES : [type];
  const isOpenList = status !== undefined && OPEN_STATUSES.has(status);
  const ofTypes = (condition: RawBuilder<boolean>) =>
    types.map((each) => sql<boolean>`type = ${each} and ${condition}`);
  if (needsReview === true) return { conditions: ofTypes(sql.raw(NEEDS_REVIEW)), isExact: status === undefined };
  if (isOpenList) return { conditions: ofTypes(sql.raw(IS_OPEN)), isExact: false };
  // Most have succeeded, so the index of all serves them; an index of their own would cost each payment two pages.
  if (status === 'FAILED') return { conditions: ofTypes(sql.raw(HAS_FAILED)), isExact: needsReview === undefined };
  const conditions = types.map((each) => sql<boolean>`type = ${each}`);
  return { conditions, isExact: status === undefined && needsReview === undefined };
}

function matches({ type, status, needsReview }: TransactionQuery, row: Omit<Listed, keyof Position>): boolean {
  return (
    (type === undefined || row.type === type) &&
    (status === undefined || STAGES[stageOf(row.rank)].status === status) &&
    (needsReview === undefined || row.needs_review === Number(needsReview))
  );
}

/** In their order, without those that have changed meanwhile and do not match any more. */
async function readRows(db: Db, query: TransactionQuery, listed: readonly Listed[]): Promise<TransactionRow[]> {
  const ids = listed.map(({ id }) => id);
  const rows = await db.selectFrom('transactions').selectAll().where('id', 'in', filled(ids)).execute();
  const byId = new Map(rows.filter((row) => matches(query, row)).map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** An order has a payout and at most some twenty payments, so they are all read. The index by order has no time. */
async function readOfOrder(db: Db, query: TransactionQuery): Promise<Found> {
  const { orderId = '', sort = 'updatedAt' } = query;
  const { column, direction } = SORTINGS[sort];
  const { start, end } = boundsOf(query);
  const sign = direction === 'asc' ? 1 : -1;
  const isAfterStart = (row: Listed) => sign * (row.at - start.at || compare(row.id, start.id)) > 0;
  const isBeforeEnd = ({ at }: Listed) => (direction === 'asc' ? at < end : at >= end);
  const rows = db.selectFrom('transactions').select([`${column} as at`, 'id', 'type', 'rank', 'needs_review']);
  const listed = (await rows.where('order_id', '=', orderId).execute())
    .filter((row) => isAfterStart(row) && isBeforeEnd(row))
    .toSorted((a, b) => sign * (a.at - b.at || compare(a.id, b.id)));
  return { listed, isWhole: true };
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

export async function withHistory(db: Db, rows: TransactionRow[], successOnly = false): Promise<Transaction[]> {
  if (rows.length === 0) return [];
  const ids = filled(rows.map(({ id }) => id));
  const all = db.selectFrom('history').selectAll().where('transaction_id', 'in', ids);
  const history = successOnly ? all.where('event', '=', sql.lit('succeeded')) : all;
  return toTransactions(rows, await history.execute());
}

/** Up to a power of two, so that pages of any length are a few statements, each prepared once. */
function filled(ids: readonly string[]): string[] {
  return Array.from({ length: 2 ** Math.ceil(Math.log2(Math.max(1, ids.length))) }, (_, at) => ids[at] ?? ids[0] ?? '');
}

// A page of several ranges of one index, read in one statement.

/**
 * Each range is limited by itself: PostgreSQL would read all of a range to sort it, because it does not see that the
 * ranges are in order.
 */
export function mergedPages<Row>(db: Db, pages: readonly SelectQueryBuilder<Tables, never, Row>[]) {
  const [first, ...others] = pages.map((page) => db.selectFrom(page.as('page')).selectAll());
  if (first === undefined) throw new RangeError('There is no page to read');
  return others.reduce((merged, page) => merged.unionAll(page), first);
}
