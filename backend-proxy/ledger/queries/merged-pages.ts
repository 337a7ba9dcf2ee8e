// A page of several ranges of one index, read in one statement.
import type { SelectQueryBuilder } from 'kysely';
import type { Db } from '../store.ts';
import type { Tables } from '../schema/tables.ts';

/**
 * Each range is limited by itself: PostgreSQL would read all of a range to sort it, because it does not see that the
 * ranges are in order.
 */
export function mergedPages<Row>(db: Db, pages: readonly SelectQueryBuilder<Tables, never, Row>[]) {
  const [first, ...others] = pages.map((page) => db.selectFrom(page.as('page')).selectAll());
  if (first === undefined) throw new RangeError('There is no page to read');
  return others.reduce((merged, page) => merged.unionAll(page), first);
}
