// Lists and counts for merchants and operators. Each list is a range of an index, and each total is kept, so that the
// cost does not grow with the database. What shoppers wait for is read by the store's `load`.
import type { Transaction, TransactionType } from '../protocol/transaction.ts';
import { STAGES, TRANSACTION_TYPES, stageOf } from '../protocol/transaction.ts';
import type { Status } from '../protocol/wire.ts';
import type { Counts, TransactionQuery } from './ledger.ts';
import { toTransactions } from './records.ts';
import type { Db } from './store.ts';
import type { TransactionRow } from './tables.ts';
import { sql } from 'kysely';

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
  query: TransactionQuery,
): Promise<{ transactions: Transaction[]; nextCursor: string | null }> {
  const { limit } = query;
  const found = await Promise.all(rangesOf(query).map((range) => readRange(db, query, range)));
  const rows = found
    .flat()
    .toSorted(byPosition)
    .slice(0, limit + 1);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const nextCursor = rows.length > limit && last !== undefined ? `${last.updated_at}~${last.id}` : null;
  return { transactions: await withHistory(db, page), nextCursor };
}

type Range = { type: TransactionType; rank: number } | undefined;

/**
 * A filtered list merges the ranges of an index by type and rank. A list of all, or of the few that need review, is a
 * range of an index by time.
 */
function rangesOf({ type, status, needsReview }: TransactionQuery): Range[] {
  if ((type === undefined && status === undefined) || needsReview) return [undefined];
  const types = type === undefined ? TRANSACTION_TYPES : [type];
  return types.flatMap((each) => ranksShownAs(status).map((rank) => ({ type: each, rank })));
}

function readRange(db: Db, query: TransactionQuery, range: Range): Promise<TransactionRow[]> {
  const { updatedSince, status, type, needsReview, cursor, limit } = query;
  let rows = db
    .selectFrom('transactions')
    .selectAll()
    .orderBy('updated_at')
    .orderBy('id')
    .limit(limit + 1);
  if (range !== undefined) rows = rows.where('type', '=', range.type).where('rank', '=', range.rank);
  else if (type !== undefined) rows = rows.where('type', '=', type);
  if (range === undefined && status !== undefined) rows = rows.where('rank', 'in', ranksShownAs(status));
  // A literal, because a partial index covers it.
  if (needsReview !== undefined) rows = rows.where('needs_review', '=', sql.lit(needsReview ? 1 : 0));
  if (updatedSince !== undefined) rows = rows.where('updated_at', '>=', updatedSince);
  const position = cursor === undefined ? undefined : parseCursor(cursor);
  if (position !== undefined) {
    rows = rows.where(sql<boolean>`(updated_at, id) > (${position.updatedAt}, ${position.id})`);
  }
  return rows.execute();
}

function byPosition(a: TransactionRow, b: TransactionRow): number {
  return a.updated_at - b.updated_at || (a.id < b.id ? -1 : 1);
}

/** The position in a cursor, or undefined if it is not one of ours. */
export function parseCursor(cursor: string): { updatedAt: number; id: string } | undefined {
  const match = /^([0-9]{1,15})~(.{1,100})$/s.exec(cursor);
  return match === null ? undefined : { updatedAt: Number(match[1]), id: match[2] ?? '' };
}

/** Numbers that grow with the database are kept by triggers; the others are counted by partial indexes. */
export async function readCounts(db: Db, now: number): Promise<Counts> {
  const count = db.fn.countAll<number>().as('count');
  const sums = await db
    .selectFrom('counts')
    .select(['name', sql<number>`cast(sum(count) as bigint)`.as('count')])
    .groupBy('name')
    .execute();
  const kept = new Map(sums.map(({ name, count: sum }) => [name, sum]));
  const due = await db
    .selectFrom('transactions')
    .select(count)
    .where('next_check_at', '<=', now)
    .executeTakeFirstOrThrow();
  const review = db.selectFrom('transactions').select(count).where('needs_review', '=', sql.lit(1));
  const unmatched = db.selectFrom('ipns').select(count).where('matched', '=', sql.lit(0));
  return {
    transactions: countsByStatus(kept),
    needReview: (await review.executeTakeFirstOrThrow()).count,
    unmatchedIpns: (await unmatched.executeTakeFirstOrThrow()).count,
    checks: [
      { state: 'planned', count: kept.get('planned') ?? 0 },
      { state: 'due', count: due.count },
    ],
    webhooks: (['pending', 'delivered', 'dead'] as const).flatMap((state) => {
      const sum = kept.get(state) ?? 0;
      return sum > 0 ? [{ state, count: sum }] : [];
    }),
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
  return toTransactions(rows, await db.selectFrom('history').selectAll().where('transaction_id', 'in', ids).execute());
}
