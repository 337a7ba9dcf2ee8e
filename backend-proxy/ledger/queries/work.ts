// Claims the checks that are due; the stored IPNs; a wallet's prompts; and what an idle worker looks at.
// A claim has a lease. When a check is due is decided in protocol/schedule.ts, what is done about it in
// ../rules/checks.ts.
import { sql, type RawBuilder } from 'kysely';
import { DAY_MS, CALL_OVER_MS } from '../../protocol/durations.ts';
import { PROMPT_METHODS } from '../../protocol/wire.ts';
import { CHECKS_KEPT, MAX_CHECK_WAIT_MS, RECENT_IPN_MS } from '../../protocol/schedule.ts';
import { STAGES } from '../../protocol/transaction.ts';
import type { IpnReading } from '../../protocol/verify.ts';
import type { Claim, NewIpn, UnmatchedIpn } from '../model.ts';
import { longestLease, toClaim, type Shares } from '../rules/checks.ts';
import type { TransactionRow } from '../schema/tables.ts';
import type { Db, Store } from '../store.ts';
import type { Meta } from './reading.ts';

/** At most this many, with a recent IPN or just sent, are examined; the others are found as longest due. */
const MAX_EXAMINED = 1_000;

/** Why a check is due at a time: a range of one index, which is in this order. */
interface Due {
  now: number;
  is: RawBuilder<unknown>;
  by: RawBuilder<unknown>;
}

export function dueByTime(now: number): Due {
  return { now, is: sql`next_check_at <= ${now}`, by: sql`next_check_at` };
}

/** Planned before the last of `steps` steps of the clock. */
export function dueByStep(now: number, steps: number): Due {
  return { now, is: sql`next_check_at is not null and clock_steps < ${steps}`, by: sql`clock_steps` };
}

/** The highest count of steps that a planned check was written with. */
export async function readStepsUsed(db: Db): Promise<number> {
  const planned = db.selectFrom('transactions').select('clock_steps').where('next_check_at', 'is not', null);
  const last = await planned.orderBy('clock_steps', 'desc').limit(1).executeTakeFirst();
  return last?.clock_steps ?? 0;
}

/**
 * Claims in one statement, so that no other process claims the same. Claims whose answer is lost are freed, or their
 * checks would wait for the lease to end.
 */
export async function claimChecks(
  store: Store,
  { now, is, by }: Due,
  leaseMs: number,
  shares: Shares,
): Promise<Claim[]> {
  const leaseUntil = now + leaseMs;
  const isFree = sql`${is} and (lease_until <= ${now} or lease_until > ${now + longestLease(leaseMs)})`;
  const claim = sql<TransactionRow>`
    with recent as materialized (
      select id from (
        select id, next_check_at, clock_steps, lease_until from transactions
        where next_check_at is not null and ipn_received_at > ${now - RECENT_IPN_MS} order by ipn_received_at desc limit ${MAX_EXAMINED}
      ) as newest where ${isFree} limit ${shares.recent}
    ), swept as (
      select id from transactions where ${isFree} and id not in (select id from recent)
      order by ${by} limit (select ${shares.inAll} - count(*) from recent)
    )
    update transactions set lease_until = ${leaseUntil}, checks = ${store.sql.checksWith(now, CHECKS_KEPT)}
    where id ${store.sql.among(sql`(
      select id from transactions
      where id ${store.sql.among(sql`(select id from recent union all select id from swept)`)} and ${isFree}
      ${store.sql.skipsLocked ? sql`for update skip locked` : sql``}
    )`)} returning *`;
  const free = sql`update transactions set lease_until = 0 where ${is} and lease_until = ${leaseUntil}`;
  const rows = await store.execute(claim.compile(store.db), free.compile(store.db));
  return rows.map((row) => toClaim(row, now));
}

/** Answers those that nobody else has claimed. */
export function prolongChecks({ db, sql: { among, skipsLocked } }: Store, claims: readonly Claim[], until: number) {
  const held = db
    .selectFrom('transactions')
    .select('id')
    .where(
      'id',
      'in',
      claims.map(({ transaction }) => transaction.id),
    )
    .where(
      'lease_until',
      'in',
      claims.map(({ leaseUntil }) => leaseUntil),
    );
  const update = db
    .updateTable('transactions')
    .set({ lease_until: until })
    .where(sql<boolean>`id ${among(skipsLocked ? held.forUpdate().skipLocked() : held)}`);
  return update.returning('id').compile();
}

/**
 * Transactions that an earlier process of the same host and port was sending when it died, `until` this one began. What
 * has no answer is planned for the end of its call, so of what is planned until then, these are among the last.
 */
export async function readAbandoned(db: Db, sentBy: string, until: number): Promise<string[]> {
  const newest = db
    .selectFrom('transactions')
    .select(['id', 'sent_by', 'sent_at', 'answer', 'rank'])
    .where('next_check_at', '<=', until + CALL_OVER_MS)
    .orderBy('next_check_at', 'desc')
    .limit(MAX_EXAMINED);
  const rows = await db
    .selectFrom(newest.as('newest'))
    .select('id')
    .where('sent_by', '=', sentBy)
    .where('sent_at', '<=', until)
    .where('answer', 'is', null)
    .where('rank', '<', STAGES.declined.rank)
    .execute();
  return rows.map(({ id }) => id);
}

/** Makes a page of checks due now that are planned further ahead than any wait, by another clock. */
export function bringChecksForward({ db, sql: { among, skipsLocked } }: Store, now: number, limit: number) {
  const tooFar = db
    .selectFrom('transactions')
    .select('id')
    .where('next_check_at', '>', now + MAX_CHECK_WAIT_MS)
    .orderBy('next_check_at')
    .limit(limit);
  const update = db
    .updateTable('transactions')
    .set({ next_check_at: now })
    .where(sql<boolean>`id ${among(skipsLocked ? tooFar.forUpdate().skipLocked() : tooFar)}`);
  return update.returning('id').compile();
}

// The stored IPNs: those of a transaction, and those that match nothing, which are reported and in the end deleted.

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

// Which payments may have sent a prompt to a wallet.

/** SQL: those in flight too; not those that were refused or never reached the gateway. */
export const MAY_HAVE_PROMPTED = `asked in (${PROMPT_METHODS.map((method) => `'${method}'`).join()})
  and rank not in (${STAGES.rejected.rank}, ${STAGES.not_created.rank}) and (answer is null or answer <> 'duplicate')`;

// What a worker looks at when nothing may be due: the clock, the rows of `meta` and the earliest times, in one
// statement, because an idle proxy asks it all day.

/** A time is Infinity where nothing is planned. */
export interface Look {
  /** The clock of the store. */
  now: number;
  meta: Meta;
  checkAt: number;
  /** The fewest steps of the clock with which a check was planned. */
  checkSteps: number;
  webhookAt: number;
}

export async function readLook({ db, sql: { clock } }: Pick<Store, 'db' | 'sql'>): Promise<Look> {
  const least = (column: string, rest: string) => sql`cast(min(${sql.ref(column)}) as text) from ${sql.raw(rest)}`;
  const planned = 'transactions where next_check_at is not null';
  const { rows } = await sql<{ name: string; value: string | null }>`
    select key as name, value from meta
    union all select ' now', cast(${clock()} as text)
    union all select ' check', ${least('next_check_at', planned)}
    union all select ' steps', ${least('clock_steps', planned)}
    union all select ' webhook', ${least('next_at', `webhooks where state = 'pending'`)}`.execute(db);
  const values = new Map(rows.map(({ name, value }) => [name, value]));
  const numberOf = (name: string) => Number(values.get(name) ?? Infinity);
  return {
    now: numberOf(' now'),
    meta: Object.fromEntries(values),
    checkAt: numberOf(' check'),
    checkSteps: numberOf(' steps'),
    webhookAt: numberOf(' webhook'),
  };
}
