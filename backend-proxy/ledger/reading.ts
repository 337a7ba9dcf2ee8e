// Lists and counts for merchants and operators. Each list is a range of an index, and each total is kept, so that the
// cost does not grow with the database. What shoppers wait for is read by the store's `load`.
import { sql, type SelectQueryBuilder } from 'kysely';
import type { Transaction, TransactionType } from '../protocol/transaction.ts';
import { STAGES, TRANSACTION_TYPES, stageOf } from '../protocol/transaction.ts';
import type { Status } from '../protocol/wire.ts';
import type { Counts, TransactionQuery } from './ledger.ts';
import { toTransactions } from './records.ts';
import type { Db, Store } from './store.ts';
import type { Tables, TransactionRow } from './tables.ts';

/** Due checks are counted up to this many: a higher number says no more, and takes longer to count. */
const MOST_DUE = 100_000;

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

/** Every payment of an order, or the payout. */
export async function readOfOrder(db: Db, orderId: string): Promise<Transaction[]> {
  const rows = await db.selectFrom('transactions').selectAll().where('order_id', '=', orderId).execute();
  return withHistory(
    db,
    rows.toSorted((a, b) => a.attempt - b.attempt),
  );
}

/**
 * Oldest change first; the cursor is the last row's position. With several processes a change may be committed shortly
 * after a later one, so a merchant that reconciles should ask again from a minute before the last change seen.
 */
export async function readTransactions(
  { db, among }: Store,
  query: TransactionQuery,
): Promise<{ transactions: Transaction[]; nextCursor: string | null }> {
  const { limit } = query;
  const { updatedAt, id } = startOf(query);
  const next = db
    .selectFrom('transactions')
    .select(['updated_at', 'id'])
    .where(sql<boolean>`(updated_at, id) > (${updatedAt}, ${id})`)
    .orderBy('updated_at')
    .orderBy('id')
    .limit(limit + 1);
  const ranges = rangesOf(query).map(({ type, rank, review }) =>
    next.where('type', '=', type).where('rank', '=', rank).where('needs_review', '=', review),
  );
  const merged =
    ranges.length === 0
      ? next
      : mergedPages(db, ranges)
          .orderBy('updated_at')
          .orderBy('id')
          .limit(limit + 1);
  // The index has what decides on the page, so only the page's rows are read.
  const listed = db.selectFrom(merged.as('page')).select('id');
  const rows = await db
    .selectFrom('transactions')
    .selectAll()
    .where(sql<boolean>`id ${among(listed)}`)
    .orderBy('updated_at')
    .orderBy('id')
    .execute();
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? `${last.updated_at}~${last.id}` : null;
  return { transactions: await withHistory(db, page), nextCursor };
}

/**
 * Pages of ranges of one index, in one statement. Each is limited by itself: PostgreSQL would read all of a range to
 * sort it, because it does not see that the ranges are in order.
 */
export function mergedPages<Row>(db: Db, pages: readonly SelectQueryBuilder<Tables, never, Row>[]) {
  const [first, ...others] = pages.map((page) => db.selectFrom(page.as('page')).selectAll());
  if (first === undefined) throw new RangeError('There is no page to read');
  return others.reduce((merged, page) => merged.unionAll(page), first);
}

/** The position after which the page begins: the later of the two. */
function startOf({ updatedSince = 0, cursor }: TransactionQuery): { updatedAt: number; id: string } {
  const position = cursor === undefined ? undefined : parseCursor(cursor);
  return position !== undefined && position.updatedAt >= updatedSince ? position : { updatedAt: updatedSince, id: '' };
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

/** The position in a cursor, or undefined if it is not one of ours. */
export function parseCursor(cursor: string): { updatedAt: number; id: string } | undefined {
  const match = /^([0-9]{1,15})~(.{1,100})$/s.exec(cursor);
  return match === null ? undefined : { updatedAt: Number(match[1]), id: match[2] ?? '' };
}

/** Kept by triggers, except those that are due: with time a planned check becomes due without a write. */
export async function readCounts(db: Db, now: number): Promise<Counts> {
  const sums = await db
    .selectFrom('counts')
    .select(['name', sql<number>`cast(sum(count) as bigint)`.as('count')])
    .groupBy('name')
    .execute();
  const kept = new Map(sums.map(({ name, count }) => [name, count]));
  const due = db.selectFrom('transactions').select('id').where('next_check_at', '<=', now).orderBy('next_check_at');
  const { count } = await db
    .selectFrom(due.limit(MOST_DUE).as('due'))
    .select(db.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const oldest = await db
    .selectFrom('webhooks')
    .select('created_at')
    // As a parameter: a literal would fit the index by the next attempt, and the rows would be sorted.
    .where('state', '=', 'pending')
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
  return {
    transactions: countsByStatus(kept),
    needReview: kept.get('review') ?? 0,
    unmatchedIpns: kept.get('unmatched') ?? 0,
    checks: [
      { state: 'planned', count: kept.get('planned') ?? 0 },
      { state: 'due', count },
    ],
    webhooks: (['pending', 'delivered', 'dead'] as const).flatMap((state) => {
      const sum = kept.get(state) ?? 0;
      return sum > 0 ? [{ state, count: sum }] : [];
    }),
    oldestPendingWebhookMs: oldest === undefined ? 0 : Math.max(0, now - oldest.created_at),
  };
}

function countsByStatus(kept: ReadonlyMap<string, number>): Counts['transactions'] {
  const sums = new Map<string, { type: TransactionType; status: Status; count: number }>();
  for (const [name, count] of kept) {
    const [type, rank] = name.split(' ') as [TransactionType, string | undefined];
    if (rank === undefined || count === 0) continue;
    const { status } = STAGES[stageOf(Number(rank))];
    const key = `${type} ${status}`;
    sums.set(key, { type, status, count: (sums.get(key)?.count ?? 0) + count });
  }
  return [...sums.values()];
}

function ranksShownAs(status: Status | undefined): number[] {
  return Object.values(STAGES).flatMap((stage) =>
    status === undefined || stage.status === status ? [stage.rank] : [],
  );
}

async function withHistory(db: Db, rows: TransactionRow[]): Promise<Transaction[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  // Filled up to a power of two, so that pages of any length are a few statements, each prepared once.
  const filled = Array.from({ length: 2 ** Math.ceil(Math.log2(ids.length)) }, (_, at) => ids[at] ?? ids[0] ?? '');
  return toTransactions(
    rows,
    await db.selectFrom('history').selectAll().where('transaction_id', 'in', filled).execute(),
  );
}
