// Counts for operators, which are kept, so that the cost does not grow with the database; and the newest transaction
// that the gateway knows. What shoppers wait for is read by the store's `load`.
import { sql } from 'kysely';
import type { Transaction, TransactionType } from '../../protocol/transaction.ts';
import { STAGES, stageOf } from '../../protocol/transaction.ts';
import type { Status } from '../../protocol/wire.ts';
import type { Counts } from '../ledger.ts';
import type { Db } from '../store.ts';
import { withHistory } from './transaction-list.ts';

/** Due checks are counted up to this many: a higher number says no more, and takes longer to count. */
const MAX_DUE = 100_000;

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
    .selectFrom(due.limit(MAX_DUE).as('due'))
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
