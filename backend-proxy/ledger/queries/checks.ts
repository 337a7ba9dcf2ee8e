// Claims the transactions whose check is due, with a lease, and plans checks again after a clock step. When a check is
// due is decided in protocol/schedule.ts; what it saw is applied in observations.ts.
import { sql } from 'kysely';
import {
  LONGEST_WAIT_MS,
  RECENT_IPN_MS,
  CHECKS_PER_MINUTE,
  hasUnansweredIpn,
  type Check,
} from '../../protocol/schedule.ts';
import { STAGES } from '../../protocol/transaction.ts';
import type { Draft } from '../rules/draft.ts';
import type { Claim } from '../ledger.ts';
import { toTransactionState } from './records.ts';
import type { Db, Store } from '../store.ts';
import type { TransactionRow } from '../schema/tables.ts';
import { plan, raise, showChange } from '../rules/transitions.ts';

/** One in this many checks goes to the transaction that has been due longest, so that IPNs cannot starve it. */
const LONGEST_DUE_SHARE = 5;
/** Of those with a recent IPN, only so many are looked through; what they hide is found as longest due. */
const MAX_RECENT_IPNS = 1_000;
/** Rows of one write that plans anew. */
export const REPLAN_PAGE_SIZE = 50;

/** Whether anything is due. Reads without a lock, because usually nothing is. */
export async function isCheckDue(db: Db, now: number): Promise<boolean> {
  const first = db.selectFrom('transactions').select('id').where('next_check_at', '<=', now).orderBy('next_check_at');
  return (await first.limit(1).execute()).length > 0;
}

/**
 * A lease that ends later was written by another clock. Longer than any that we give, because `now` may have been read
 * some seconds before another process claimed.
 */
function longestLease(leaseMs: number): number {
  return 2 * leaseMs;
}

export interface Shares {
  /** At most so many of those with a recent IPN, the newest first. */
  recent: number;
  /** With them at most so many in all, the longest due first. */
  inAll: number;
}

/** Divides the checks between those with a recent IPN and the longest due; `claimed`: how many were claimed before. */
export function sharesOf(limit: number, claimed: number): Shares {
  const longest = Math.floor((claimed + limit) / LONGEST_DUE_SHARE) - Math.floor(claimed / LONGEST_DUE_SHARE);
  return { recent: limit - longest, inAll: limit };
}

/** Whether the next check is one that the longest due should have. */
export function isTurnOfLongestDue(claimed: number): boolean {
  return (claimed + 1) % LONGEST_DUE_SHARE === 0;
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
    update transactions set lease_until = ${leaseUntil}, checks = ${store.checksWith(now, CHECKS_PER_MINUTE)}
    where id ${store.among(sql`(
      select id from transactions
      where id ${store.among(sql`(select id from recent union all select id from swept)`)} and ${isFree}
      ${store.skipsLocked ? sql`for update skip locked` : sql``}
    )`)} returning *`;
  const free = sql`update transactions set lease_until = 0 where next_check_at <= ${now} and lease_until = ${leaseUntil}`;
  const rows = await store.execute(claim.compile(store.db), free.compile(store.db));
  return rows.map((row) => toClaim(row, now));
}

function toClaim(row: TransactionRow, beganAt: number): Claim {
  return {
    transaction: toTransactionState(row),
    beganAt,
    leaseUntil: row.lease_until,
    ipnsReceived: row.ipns_received,
  };
}

/** Claims the check of this row if it is due and nobody has claimed it. */
export function claimNow({ now }: Draft, row: TransactionRow, leaseMs: number): Claim | undefined {
  const isLeased = row.lease_until > now && row.lease_until <= now + longestLease(leaseMs);
  if (row.next_check_at === null || row.next_check_at > now || isLeased) return undefined;
  const check: Check = {
    at: now,
    byIpn: hasUnansweredIpn({ ipnsReceived: row.ipns_received, ipnsAnswered: row.ipns_answered }),
  };
  row.lease_until = now + leaseMs;
  row.checks = JSON.stringify([...(JSON.parse(row.checks) as Check[]), check].slice(-CHECKS_PER_MINUTE));
  return toClaim(row, now);
}

/** What an earlier process of the same host and port was sending when it died. */
export async function readAbandoned(db: Db, sentBy: string): Promise<string[]> {
  const rows = await db
    .selectFrom('transactions')
    .select('id')
    .where('sent_by', '=', sentBy)
    .where('answer', 'is', null)
    .where('rank', '<', STAGES.declined.rank)
    .limit(REPLAN_PAGE_SIZE)
    .execute();
  return rows.map(({ id }) => id);
}

/** Makes it uncertain, unless it was answered meanwhile. */
export function recover(draft: Draft, row: TransactionRow): void {
  if (row.answer !== null) return;
  row.answer = 'lost';
  row.lost_at = draft.now;
  showChange(draft, row);
  raise(draft, row, 'uncertain', { detail: 'the process restarted during the call' });
  plan(draft, row);
}

/** A page of transactions with a planned check, by id. */
export async function readPlanned(db: Db, after: string): Promise<string[]> {
  const rows = await db
    .selectFrom('transactions')
    .select('id')
    .where('next_check_at', 'is not', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(REPLAN_PAGE_SIZE)
    .execute();
  return rows.map(({ id }) => id);
}

/** After a clock step: plans the check again and restarts each wait that may end the transaction. */
export function restartWaits(draft: Draft, row: TransactionRow): void {
  const { now } = draft;
  row.waits_from = now;
  row.unknown_at = null;
  row.failed_at = null;
  if (row.sent_at !== null) {
    const sentAt = Math.min(row.sent_at, now);
    // Keeps how long it is valid, counted from a start that is never in the future.
    if (row.expires_at !== null) row.expires_at += sentAt - row.sent_at;
    row.sent_at = sentAt;
  }
  row.created_at = Math.min(row.created_at, now);
  plan(draft, row);
}

/** What is planned further ahead than any wait: another clock, ahead of this one, did it. */
export async function readPlannedTooFar(db: Db, now: number): Promise<string[]> {
  const rows = await db
    .selectFrom('transactions')
    .select('id')
    .where('next_check_at', '>', now + LONGEST_WAIT_MS)
    .orderBy('next_check_at')
    .limit(REPLAN_PAGE_SIZE)
    .execute();
  return rows.map(({ id }) => id);
}
