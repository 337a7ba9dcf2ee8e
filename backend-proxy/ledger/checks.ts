// Which transactions are asked about next, and by whom: claims with a lease, rings, and what a step of the clock plans anew.
// When a check is due is protocol/schedule.ts's to say; what it saw is observations.ts's to post.
import { sql } from 'kysely';
import {
  LONGEST_WAIT_MS,
  RUNG_LATELY_MS,
  CHECKS_PER_MINUTE,
  hasUnansweredRing,
  type Check,
} from '../protocol/schedule.ts';
import { STAGES } from '../protocol/transaction.ts';
import type { WriteContext } from './context.ts';
import type { Claim } from './ledger.ts';
import { plan, raise, touchOrderOf } from './transitions.ts';
import { readTransactionsById } from './queries.ts';
import type { TransactionRow } from './schema.ts';
import type { Db } from './store.ts';

/** One check in so many goes to the one that is due longest, so that rings without end starve nobody. */
const LONGEST_DUE_SHARE = 5;
const REPLANNED_AT_ONCE = 200;

/** Whether anything is due; asked without a lock, because nearly always nothing is. */
export async function isAnyDue(db: Db, now: number): Promise<boolean> {
  const due = await db.selectFrom('transactions').select('id').where('next_check_at', '<=', now).limit(1).execute();
  return due.length > 0;
}

/** `taken`: how many were claimed before, which says whose turn it is. */
export async function claimChecks(ctx: WriteContext, most: number, leaseMs: number, taken: number): Promise<Claim[]> {
  const longest = Math.floor((taken + most) / LONGEST_DUE_SHARE) - Math.floor(taken / LONGEST_DUE_SHARE);
  const rung = await dueRows(ctx, most - longest, leaseMs, 'rung');
  const swept = await dueRows(
    ctx,
    most - rung.length,
    leaseMs,
    'longest',
    rung.map(({ id }) => id),
  );
  const rows = [...rung, ...swept];
  const leaseUntil = ctx.now + leaseMs;
  for (const row of rows) {
    const check: Check = { at: ctx.now, rung: hasUnansweredRing({ rings: row.rings, ringsHeard: row.rings_heard }) };
    const checks = [...(JSON.parse(row.checks) as Check[]), check].slice(-CHECKS_PER_MINUTE);
    await ctx.tx
      .updateTable('transactions')
      .set({ lease_until: leaseUntil, checks: JSON.stringify(checks) })
      .where('id', '=', row.id)
      .execute();
  }
  const transactions = await readTransactionsById(
    ctx.tx,
    rows.map(({ id }) => id),
  );
  return rows.flatMap(({ id, rings }) => {
    const transaction = transactions.get(id);
    return transaction ? [{ transaction, beganAt: ctx.now, leaseUntil, rings }] : [];
  });
}

function dueRows(
  { tx, store, now }: WriteContext,
  most: number,
  leaseMs: number,
  lane: 'rung' | 'longest',
  except: readonly string[] = [],
): Promise<Pick<TransactionRow, 'id' | 'rings' | 'rings_heard' | 'checks'>[]> {
  if (most <= 0) return Promise.resolve([]);
  let due = tx
    .selectFrom('transactions')
    .select(['id', 'rings', 'rings_heard', 'checks'])
    .where('next_check_at', 'is not', null)
    .where('next_check_at', '<=', now)
    // A lease that lasts longer than any was taken by another clock.
    .where((eb) => eb.or([eb('lease_until', '<=', now), eb('lease_until', '>', now + leaseMs)]))
    .limit(most);
  if (except.length > 0) due = due.where('id', 'not in', except);
  due =
    lane === 'rung'
      ? due.where('rung_at', '>', now - RUNG_LATELY_MS).orderBy('rung_at', 'desc')
      : due.orderBy('next_check_at');
  return (store.skipsLocked ? due.forUpdate().skipLocked() : due).execute();
}

/** What an earlier process of the same host and port was sending when it died. */
export async function recover(ctx: WriteContext, sentBy: string): Promise<void> {
  const rows = await ctx.tx
    .selectFrom('transactions')
    .select(['id', 'type', 'order_id', 'rank'])
    .where('sent_by', '=', sentBy)
    .where('answer', 'is', null)
    .where('rank', '<', STAGES.declined.rank)
    .execute();
  for (const { id, type, order_id } of rows) {
    await ctx.tx.updateTable('transactions').set({ answer: 'lost', lost_at: ctx.now }).where('id', '=', id).execute();
    await touchOrderOf(ctx, { type, order_id });
    await raise(ctx, id, 'uncertain', { detail: 'found being sent at start' });
    await plan(ctx, id);
  }
}

/**
 * The clock has stepped: what is open is planned anew, and each wait that would end something begins again. One page of them, after
 * `after`; the last id of it, or undefined when there are no more.
 */
export async function replan(ctx: WriteContext, after: string): Promise<string | undefined> {
  const rows = await ctx.tx
    .selectFrom('transactions')
    .select('id')
    .where('next_check_at', 'is not', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(REPLANNED_AT_ONCE)
    .execute();
  for (const { id } of rows) await restartWaits(ctx, id);
  return rows.length < REPLANNED_AT_ONCE ? undefined : rows.at(-1)?.id;
}

async function restartWaits(ctx: WriteContext, id: string): Promise<void> {
  const past = (column: 'sent_at' | 'created_at') =>
    sql<number>`case when ${sql.ref(column)} > ${ctx.now} then ${ctx.now} else ${sql.ref(column)} end`;
  await ctx.tx
    .updateTable('transactions')
    .set((eb) => ({
      waits_from: ctx.now,
      unknown_at: null,
      failed_at: null,
      // How long it is good for stays; from when it is counted is a past time, which never lies ahead.
      expires_at: eb(past('sent_at'), '+', eb('expires_at', '-', eb.ref('sent_at'))),
      sent_at: past('sent_at'),
      created_at: past('created_at'),
    }))
    .where('id', '=', id)
    .execute();
  await plan(ctx, id);
}

/** What is planned further ahead than any wait is, by a clock that was ahead. */
export async function bringChecksForward(ctx: WriteContext): Promise<void> {
  const rows = await ctx.tx
    .selectFrom('transactions')
    .select('id')
    .where('next_check_at', '>', ctx.now + LONGEST_WAIT_MS)
    .limit(REPLANNED_AT_ONCE)
    .execute();
  for (const { id } of rows) await plan(ctx, id);
}
