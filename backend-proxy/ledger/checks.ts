// Which transactions are asked about next, and by whom: claims with a lease, rings, and what a step of the clock plans anew.
// When a check is due is protocol/schedule.ts's to say; what it saw is observing.ts's to post.
import { sql } from 'kysely';
import { LONGEST_WAIT_MS, RUNG_LATELY_MS, CHECKS_PER_MINUTE, isRinging, type Check } from '../protocol/schedule.ts';
import { STAGES } from '../protocol/transaction.ts';
import type { Claim, StoredIpn } from './ledger.ts';
import { plan, raise, touch, type Posting } from './posting.ts';
import { readTransactionsById } from './reading.ts';
import type { TransactionRow } from './schema.ts';
import type { Books } from './store.ts';

/** One check in so many goes to the one that is due longest, so that rings without end starve nobody. */
const LONGEST_DUE_SHARE = 5;
const REPLANNED_AT_ONCE = 200;

/** Whether anything is due; asked without a lock, because nearly always nothing is. */
export async function isAnyDue(db: Books, now: number): Promise<boolean> {
  const due = await db.selectFrom('transactions').select('id').where('next_check_at', '<=', now).limit(1).execute();
  return due.length > 0;
}

/** `taken`: how many were claimed before, which says whose turn it is. */
export async function claimChecks(p: Posting, most: number, leaseMs: number, taken: number): Promise<Claim[]> {
  const longest = Math.floor((taken + most) / LONGEST_DUE_SHARE) - Math.floor(taken / LONGEST_DUE_SHARE);
  const rung = await dueRows(p, most - longest, leaseMs, 'rung');
  const swept = await dueRows(
    p,
    most - rung.length,
    leaseMs,
    'longest',
    rung.map(({ id }) => id),
  );
  const rows = [...rung, ...swept];
  const leaseUntil = p.now + leaseMs;
  for (const row of rows) {
    const check: Check = { at: p.now, rung: isRinging({ rings: row.rings, ringsHeard: row.rings_heard }) };
    const checks = [...(JSON.parse(row.checks) as Check[]), check].slice(-CHECKS_PER_MINUTE);
    await p.tx
      .updateTable('transactions')
      .set({ lease_until: leaseUntil, checks: JSON.stringify(checks) })
      .where('id', '=', row.id)
      .execute();
  }
  const transactions = await readTransactionsById(
    p.tx,
    rows.map(({ id }) => id),
  );
  return rows.flatMap(({ id, rings }) => {
    const transaction = transactions.get(id);
    return transaction ? [{ transaction, beganAt: p.now, leaseUntil, rings }] : [];
  });
}

function dueRows(
  { tx, store, now }: Posting,
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

/** Keeps the IPN as it came, and rings: counted, so that no clock can say that an earlier check has heard it. */
export async function receiveIpn(p: Posting, { id, body, reading }: StoredIpn): Promise<boolean> {
  const orderId = reading?.orderId ?? null;
  await p.tx
    .insertInto('ipns')
    .values({
      id,
      order_id: orderId,
      reading: reading === undefined ? null : JSON.stringify(reading),
      body,
      matched: 0,
      told: 0,
      seen: 1,
      first_at: p.now,
      last_at: p.now,
    })
    .onConflict((c) => c.column('id').doUpdateSet((eb) => ({ seen: eb('ipns.seen', '+', 1), last_at: p.now })))
    .execute();
  if (orderId === null) return true;
  const { numUpdatedRows } = await p.tx
    .updateTable('transactions')
    .set((eb) => ({ rung_at: p.now, rings: eb('rings', '+', 1), unanswered: 0 }))
    .where('id', '=', orderId)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await p.tx.updateTable('ipns').set({ matched: 1 }).where('id', '=', id).execute();
  await plan(p, orderId);
  return true;
}

/** What an earlier process of the same host and port was sending when it died. */
export async function recover(p: Posting, sentBy: string): Promise<void> {
  const rows = await p.tx
    .selectFrom('transactions')
    .select(['id', 'type', 'order_id', 'rank'])
    .where('sent_by', '=', sentBy)
    .where('answer', 'is', null)
    .where('rank', '<', STAGES.declined.rank)
    .execute();
  for (const { id, type, order_id } of rows) {
    await p.tx.updateTable('transactions').set({ answer: 'lost', lost_at: p.now }).where('id', '=', id).execute();
    if (type === 'PAY') await touch(p, order_id);
    await raise(p, id, 'uncertain', { detail: 'found being sent at start' });
    await plan(p, id);
  }
}

/**
 * The clock has stepped: what is open is planned anew, and each wait that would end something begins again. One page of them, after
 * `after`; the last id of it, or undefined when there are no more.
 */
export async function replan(p: Posting, after: string): Promise<string | undefined> {
  const rows = await p.tx
    .selectFrom('transactions')
    .select('id')
    .where('next_check_at', 'is not', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(REPLANNED_AT_ONCE)
    .execute();
  for (const { id } of rows) await beginAgain(p, id);
  return rows.length < REPLANNED_AT_ONCE ? undefined : rows.at(-1)?.id;
}

async function beginAgain(p: Posting, id: string): Promise<void> {
  const past = (column: 'sent_at' | 'created_at') =>
    sql<number>`case when ${sql.ref(column)} > ${p.now} then ${p.now} else ${sql.ref(column)} end`;
  await p.tx
    .updateTable('transactions')
    .set((eb) => ({
      waits_from: p.now,
      unknown_at: null,
      failed_at: null,
      // How long it is good for stays; from when it is counted is a past time, which never lies ahead.
      expires_at: eb(past('sent_at'), '+', eb('expires_at', '-', eb.ref('sent_at'))),
      sent_at: past('sent_at'),
      created_at: past('created_at'),
    }))
    .where('id', '=', id)
    .execute();
  await plan(p, id);
}

/** What is planned further ahead than any wait is, by a clock that was ahead. */
export async function hastenChecks(p: Posting): Promise<void> {
  const rows = await p.tx
    .selectFrom('transactions')
    .select('id')
    .where('next_check_at', '>', p.now + LONGEST_WAIT_MS)
    .limit(REPLANNED_AT_ONCE)
    .execute();
  for (const { id } of rows) await plan(p, id);
}
