// Stores IPNs as received, matches them to transactions, and deletes old ones that match nothing.
import type { IpnReading } from '../protocol/verify.ts';
import type { WriteContext } from './context.ts';
import type { StoredIpn, UnmatchedIpn } from './ledger.ts';
import type { Db } from './store.ts';
import { plan } from './transitions.ts';

const UNMATCHED_KEPT_MS = 7 * 24 * 3_600_000;

/**
 * Stores the IPN and requests a check. Rings are counted, so that no clock can make an earlier check look like the
 * answer.
 */
export async function receiveIpn(ctx: WriteContext, { id, body, reading }: StoredIpn): Promise<boolean> {
  const transactionId = reading?.transactionId ?? null;
  await ctx.tx
    .insertInto('ipns')
    .values({
      id,
      order_id: transactionId,
      reading: reading === undefined ? null : storedReading(reading),
      body,
      matched: 0,
      told: 0,
      seen: 1,
      first_at: ctx.now,
      last_at: ctx.now,
    })
    .onConflict((c) => c.column('id').doUpdateSet((eb) => ({ seen: eb('ipns.seen', '+', 1), last_at: ctx.now })))
    .execute();
  if (transactionId === null) return true;
  const { numUpdatedRows } = await ctx.tx
    .updateTable('transactions')
    .set((eb) => ({ rung_at: ctx.now, rings: eb('rings', '+', 1), unanswered: 0 }))
    .where('id', '=', transactionId)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await ctx.tx.updateTable('ipns').set({ matched: 1 }).where('id', '=', id).execute();
  await plan(ctx, transactionId);
  return true;
}

/** Newest first. */
export async function readUnmatchedIpns(db: Db, limit: number): Promise<UnmatchedIpn[]> {
  const rows = await db
    .selectFrom('ipns')
    .select(['reading', 'seen', 'first_at', 'last_at'])
    .where('matched', '=', 0)
    .where('reading', 'is not', null)
    .orderBy('first_at', 'desc')
    .limit(limit)
    .execute();
  return rows.flatMap(({ reading, seen, first_at: firstAt, last_at: lastAt }) =>
    reading === null ? [] : [{ reading: toReading(reading), seen, firstAt, lastAt }],
  );
}

/** Stored with the gateway's name for the id, as all versions have done. */
function storedReading({ transactionId, ...reading }: IpnReading): string {
  return JSON.stringify({ orderId: transactionId, ...reading });
}

/** Readings stored by the first version have no customer. */
function toReading(text: string): IpnReading {
  const { orderId, ...reading } = JSON.parse(text) as Omit<IpnReading, 'transactionId'> & { orderId: string };
  return { ...reading, customer: reading.customer ?? null, transactionId: orderId };
}

/** The readable IPNs of a transaction, oldest first. */
export async function readIpns(db: Db, transactionId: string): Promise<IpnReading[]> {
  const rows = await db
    .selectFrom('ipns')
    .select('reading')
    .where('order_id', '=', transactionId)
    .orderBy('first_at')
    .execute();
  return rows.flatMap(({ reading }) => (reading === null ? [] : [toReading(reading)]));
}

/** Marks the unmatched IPNs that are older than this and not yet reported; returns how many. */
export async function reportUnmatched({ tx, now }: WriteContext, olderThanMs: number): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('ipns')
    .set({ told: 1 })
    .where('matched', '=', 0)
    .where('told', '=', 0)
    .where('reading', 'is not', null)
    .where('first_at', '<=', now - olderThanMs)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

export async function deleteOldUnmatched({ tx, now }: WriteContext): Promise<void> {
  await tx
    .deleteFrom('ipns')
    .where('matched', '=', 0)
    .where('last_at', '<', now - UNMATCHED_KEPT_MS)
    .execute();
}
