// The stored IPNs: those of a transaction, and those that match nothing, which are reported and in the end deleted.
import { sql } from 'kysely';
import { DAY_MS } from '../../protocol/durations.ts';
import type { IpnReading } from '../../protocol/verify.ts';
import type { NewIpn, UnmatchedIpn } from '../ledger.ts';
import type { Db, Store } from '../store.ts';

const UNMATCHED_KEPT_MS = 7 * DAY_MS;

/** Newest first. */
export async function readUnmatchedIpns(db: Db, limit: number): Promise<UnmatchedIpn[]> {
  const rows = await db
    .selectFrom('ipns')
    .select(['reading', 'seen', 'first_at', 'last_at'])
    .where('matched', '=', sql.lit(0))
    .where('reading', 'is not', null)
    .orderBy('first_at', 'desc')
    .limit(limit)
    .execute();
  return rows.flatMap(({ reading, seen, first_at: firstAt, last_at: lastAt }) =>
    reading === null ? [] : [{ reading: JSON.parse(reading) as IpnReading, seen, firstAt, lastAt }],
  );
}

/** What came, or was repeated, since the last answered check of a transaction, in that order. By count, not by time. */
export async function readNewIpns(db: Db, transactionId: string): Promise<NewIpn[]> {
  const rows = await db
    .selectFrom('ipns as i')
    .innerJoin('transactions as t', 't.id', 'i.transaction_id')
    .select(['i.reading', 'i.n'])
    .where('i.transaction_id', '=', transactionId)
    .whereRef('i.n', '>', 't.ipns_answered')
    .execute();
  return rows
    .toSorted((a, b) => a.n - b.n)
    .flatMap(({ reading, n }) => (reading === null ? [] : [{ reading: JSON.parse(reading) as IpnReading, n }]));
}

/** Marks a page of the unmatched IPNs older than this that were not reported yet; returns them. */
export function markUnmatchedReported({ db, sql: { among } }: Store, firstBefore: number, limit: number) {
  const unreported = db
    .selectFrom('ipns')
    .select('id')
    .where('matched', '=', sql.lit(0))
    .where('reported', '=', sql.lit(0))
    .where('reading', 'is not', null)
    .where('first_at', '<=', firstBefore)
    .orderBy('first_at')
    .limit(limit);
  const update = db
    .updateTable('ipns')
    .set({ reported: 1 })
    .where(sql<boolean>`id ${among(unreported)}`);
  return update.returning('id').compile();
}

/** Deletes a page of IPNs that matched nothing for too long; returns them. */
export function deleteOldUnmatched({ db, sql: { among } }: Store, now: number, limit: number) {
  const old = db
    .selectFrom('ipns')
    .select('id')
    .where('matched', '=', sql.lit(0))
    .where('last_at', '<', now - UNMATCHED_KEPT_MS)
    .orderBy('last_at')
    .limit(limit);
  return db
    .deleteFrom('ipns')
    .where(sql<boolean>`id ${among(old)}`)
    .returning('id')
    .compile();
}
