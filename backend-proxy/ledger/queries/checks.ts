// Finds the transactions whose check is due and claims them with a lease, and those whose checks have to be planned
// again. When a check is due is decided in protocol/schedule.ts, what is done about it in ../rules/checks.ts.
import { sql } from 'kysely';
import { CHECKS_PER_MINUTE, MAX_WAIT_MS, RECENT_IPN_MS } from '../../protocol/schedule.ts';
import { STAGES } from '../../protocol/transaction.ts';
import type { Claim } from '../ledger.ts';
import { longestLease, toClaim, type Shares } from '../rules/checks.ts';
import type { Db, Store } from '../store.ts';
import type { TransactionRow } from '../schema/tables.ts';

/** At most this many with a recent IPN are examined; the others are found as longest due. */
const MAX_RECENT_IPNS = 1_000;
/** Rows in one write that plans checks again. */
const REPLAN_PAGE_SIZE = 50;

/** Whether anything is due. Reads without a lock, because usually nothing is. */
export async function isCheckDue(db: Db, now: number): Promise<boolean> {
  const first = idsIn(db).where('next_check_at', '<=', now).orderBy('next_check_at');
  return (await first.limit(1).execute()).length > 0;
}

/**
 * Claims in one statement, so that no other process claims the same. Claims whose answer is lost are freed, or their
 * checks would wait for the lease to end.
 */
export async function claimChecks(store: Store, now: number, leaseMs: number, shares: Shares): Promise<Claim[]> {
  const leaseUntil = now + leaseMs;
  const isFree = sql`next_check_at <= ${now} and (lease_until <= ${now} or lease_until > ${now + longestLease(leaseMs)})`;
  const claim = sql<TransactionRow>`
    with recent as materialized (
      select id from (
        select id, next_check_at, lease_until from transactions
        where next_check_at is not null and ipn_received_at > ${now - RECENT_IPN_MS} order by ipn_received_at desc limit ${MAX_RECENT_IPNS}
      ) as newest where ${isFree} limit ${shares.recent}
    ), swept as (
      select id from transactions where ${isFree} and id not in (select id from recent)
      order by next_check_at limit (select ${shares.inAll} - count(*) from recent)
    )
    update transactions set lease_until = ${leaseUntil}, checks = ${store.sql.checksWith(now, CHECKS_PER_MINUTE)}
    where id ${store.sql.among(sql`(
      select id from transactions
      where id ${store.sql.among(sql`(select id from recent union all select id from swept)`)} and ${isFree}
      ${store.sql.skipsLocked ? sql`for update skip locked` : sql``}
    )`)} returning *`;
  const free = sql`update transactions set lease_until = 0 where next_check_at <= ${now} and lease_until = ${leaseUntil}`;
  const rows = await store.execute(claim.compile(store.db), free.compile(store.db));
  return rows.map((row) => toClaim(row, now));
}

/** Transactions that an earlier process of the same host and port was sending when it died. */
export function readAbandoned(db: Db, sentBy: string): Promise<string[]> {
  const lost = idsIn(db).where('sent_by', '=', sentBy).where('answer', 'is', null);
  return readPage(lost.where('rank', '<', STAGES.declined.rank));
}

/** A page of transactions with a planned check, by id. */
export function readPlanned(db: Db, after: string): Promise<string[]> {
  return readPage(idsIn(db).where('next_check_at', 'is not', null).where('id', '>', after).orderBy('id'));
}

/** Checks planned further ahead than any wait, by another clock that is ahead of this one. */
export function readPlannedTooFar(db: Db, now: number): Promise<string[]> {
  return readPage(
    idsIn(db)
      .where('next_check_at', '>', now + MAX_WAIT_MS)
      .orderBy('next_check_at'),
  );
}

function idsIn(db: Db) {
  return db.selectFrom('transactions').select('id');
}

async function readPage(query: ReturnType<typeof idsIn>): Promise<string[]> {
  const rows = await query.limit(REPLAN_PAGE_SIZE).execute();
  return rows.map(({ id }) => id);
}
