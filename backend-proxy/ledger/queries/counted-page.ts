// What totals are made of: transactions with the time at which they count, page by page in the order of that time.
import { sql } from 'kysely';
import { STAGES, TRANSACTION_TYPES, stageOf, type TransactionType } from '../../protocol/transaction.ts';
import type { Method } from '../../protocol/wire.ts';
import type { Counted, CountedBasis, CountedQuery } from '../ledger.ts';
import { mergedPages } from './merged-pages.ts';
import type { Db } from '../store.ts';

/** `at`: when it succeeded, or when it was created. `of`: its type, method, currency, amount and rank in one text. */
interface Row {
  at: number;
  id: string;
  of: string;
}

const OF = sql<string>`t.type || ' ' || coalesce(t.method, '-') || ' ' || t.currency || ' ' || t.amount_minor || ' ' || t.rank`;

const READ = {
  // One text, and not a join: PostgreSQL would read all transactions to join a page of them.
  paid: (db, { after, before, limit }) =>
    db
      .selectFrom('history as h')
      .select(['h.at', 'h.transaction_id as id'])
      .select(sql<string>`(select ${OF} from transactions t where t.id = h.transaction_id)`.as('of'))
      .where('h.event', '=', sql.lit('succeeded'))
      .where(sql<boolean>`(h.at, h.transaction_id) > (${after.at}, ${after.id}) and h.at < ${before}`)
      .orderBy('h.at')
      .orderBy('h.transaction_id')
      .limit(limit)
      .execute(),
  created: (db, { after, before, limit }) => {
    const next = db
      .selectFrom('transactions as t')
      .select(['t.created_at as at', 't.id', OF.as('of')])
      .where(sql<boolean>`(t.created_at, t.id) > (${after.at}, ${after.id}) and t.created_at < ${before}`)
      .orderBy('t.created_at')
      .orderBy('t.id')
      .limit(limit);
    const pages = mergedPages(
      db,
      TRANSACTION_TYPES.map((type) => next.where('t.type', '=', type)),
    );
    return pages.orderBy('at').orderBy('id').limit(limit).execute();
  },
} satisfies Record<CountedBasis, (db: Db, query: CountedQuery) => Promise<Row[]>>;

export async function readCounted(db: Db, query: CountedQuery): Promise<Counted[]> {
  const rows = await READ[query.basis](db, query);
  return rows.map(({ at, id, of }) => {
    const [type, method, currency = '', amount, rank] = of.split(' ');
    return {
      at,
      id,
      type: type as TransactionType,
      method: method === '-' ? null : (method as Method),
      currency,
      amountMinor: Number(amount),
      status: STAGES[stageOf(Number(rank))].status,
    };
  });
}
