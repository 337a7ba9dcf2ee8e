// Claims the transactions whose check is due, with a lease, and plans checks again after a clock step. When a check is
// due is decided in protocol/schedule.ts; what it saw is applied in observations.ts.
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

/** One in this many checks goes to the transaction that has been due longest, so that rings cannot starve it. */
const LONGEST_DUE_SHARE = 5;
const REPLAN_PAGE_SIZE = 200;

/** Whether anything is due. Reads without a lock, because usually nothing is. */
export async function isAnyDue(db: Db, now: number): Promise<boolean> {
  const due = await db.selectFrom('transactions').select('id').where('next_check_at', '<=', now).limit(1).execute();
  return due.length > 0;
}

/** `claimed`: how many were claimed before; decides whose turn it is. */
export async function claimChecks(
  ctx: WriteContext,
  limit: number,
  leaseMs: number,
  claimed: number,
): Promise<Claim[]> {
  const longest = Math.floor((claimed + limit) / LONGEST_DUE_SHARE) - Math.floor(claimed / LONGEST_DUE_SHARE);
  const rung = await dueRows(ctx, limit - longest, leaseMs, 'rung');
  const swept = await dueRows(
    ctx,
    limit - rung.length,
    leaseMs,
    'longest',
    rung.map(({ id }) => id),
  );
  const rows = [...rung, ...swept];
  const leaseUntil = ctx.now + leaseMs;
  for (const row of rows) {
    const check: Check = { at: ctx.now, rung: hasUnansweredRing({ rings: row.rings, ringsAnswered: row.rings_heard }) };
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
  limit: number,
  leaseMs: number,
  lane: 'rung' | 'longest',
  excluded: readonly string[] = [],
): Promise<Pick<TransactionRow, 'id' | 'rings' | 'rings_heard' | 'checks'>[]> {
  if (limit <= 0) return Promise.resolve([]);
  let due = tx
    .selectFrom('transactions')
    .select(['id', 'rings', 'rings_heard', 'checks'])
    .where('next_check_at', 'is not', null)
    .where('next_check_at', '<=', now)
    // A lease longer than any we give was written by another clock.
    .where((eb) => eb.or([eb('lease_until', '<=', now), eb('lease_until', '>', now + leaseMs)]))
    .limit(limit);
  if (excluded.length > 0) due = due.where('id', 'not in', excluded);
  due =
    lane === 'rung'
      ? due.where('rung_at', '>', now - RUNG_LATELY_MS).orderBy('rung_at', 'desc')
      : due.orderBy('next_check_at');
  return (store.skipsLocked ? due.forUpdate().skipLocked() : due).execute();
}

/** Makes uncertain what an earlier process of the same host and port was sending when it died. */
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
    await raise(ctx, id, 'uncertain', { detail: 'the process restarted during the call' });
    await plan(ctx, id);
  }
}

/**
 * After a clock step: plans open transactions again and restarts each wait that may end one. Takes one page, after the
 * id `after`; returns the page's last id, or undefined if it was the last page.
 */
export async function replan(ctx: WriteContext, after: string): Promise<string | undefined> {
  const rows = await ctx.tx
    .selectFrom('transactions')
    .select('id')
    .where('next_check_at', 'is not', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(REPLAN_PAGE_SIZE)
    .execute();
  for (const { id } of rows) await restartWaits(ctx, id);
  return rows.length < REPLAN_PAGE_SIZE ? undefined : rows.at(-1)?.id;
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
      // Keeps how long it is valid, counted from a start that is never in the future.
      expires_at: eb(past('sent_at'), '+', eb('expires_at', '-', eb.ref('sent_at'))),
      sent_at: past('sent_at'),
      created_at: past('created_at'),
    }))
    .where('id', '=', id)
    .execute();
  await plan(ctx, id);
}

/** Plans again what is planned further ahead than any wait: another clock, ahead of this one, did it. */
export async function bringChecksForward(ctx: WriteContext): Promise<void> {
  const rows = await ctx.tx
    .selectFrom('transactions')
    .select('id')
    .where('next_check_at', '>', ctx.now + LONGEST_WAIT_MS)
    .limit(REPLAN_PAGE_SIZE)
    .execute();
  for (const { id } of rows) await plan(ctx, id);
}
