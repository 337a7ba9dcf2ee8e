// The webhooks' rows: written in the transaction that raised the stage, so that what is told is exactly what happened.
// Owns the rows and their leases; sending them is webhooks.ts's. The body's bytes are frozen here: a retry is the same.
import { createHash } from 'node:crypto';
import { iso } from '../protocol/iso-time.ts';
import { merchantView, type WebhookType } from '../protocol/merchant-view.ts';
import type { WriteContext } from './context.ts';
import type { Delivery, Webhook, WebhookState } from './ledger.ts';
import { readTransaction } from './queries.ts';
import type { WebhookRow } from './schema.ts';
import type { Db } from './store.ts';

/** A wait that is longer than the longest we plan was written by another clock; the same holds for a lease. */
const LONGEST_WAIT_MS = 48 * 3_600_000;
const LONGEST_LEASE_MS = 60_000;

/** Each type once per transaction, or once for each `n`, however often the fact comes. */
export async function queueWebhook(
  { tx, now }: WriteContext,
  transactionId: string,
  type: WebhookType,
  n = 1,
): Promise<void> {
  const transaction = await readTransaction(tx, transactionId);
  if (transaction === undefined) throw new Error(`No transaction ${transactionId} to tell of`);
  const body = JSON.stringify({ type, timestamp: iso(now), data: merchantView(transaction) });
  await tx
    .insertInto('webhooks')
    .values({
      id: await webhookId(tx, [transactionId, type, String(n)]),
      transaction_id: transactionId,
      order_id: transaction.orderId,
      type,
      body,
      state: 'pending',
      attempts: 0,
      next_at: now,
      lease_until: 0,
      last_answer: null,
      created_at: now,
    })
    .onConflict((c) => c.column('id').doNothing())
    .execute();
}

/**
 * The same for the same event over retries, restores and failovers, so that who acts once for each id acts once: a digest with the
 * books' own random id, which a backup keeps.
 */
async function webhookId(tx: Db, event: readonly string[]): Promise<string> {
  const books = await tx.selectFrom('meta').select('value').where('key', '=', 'books_id').executeTakeFirstOrThrow();
  const digest = createHash('sha256').update(JSON.stringify([books.value, ...event]));
  return `msg_${digest.digest('hex').slice(0, 40)}`;
}

export function dueWebhooks(db: Db, now: number, most: number) {
  return db
    .selectFrom('webhooks')
    .select('id')
    .where('state', '=', 'pending')
    .where('next_at', '<=', now)
    .where((eb) => eb.or([eb('lease_until', '<=', now), eb('lease_until', '>', now + LONGEST_LEASE_MS)]))
    .orderBy('next_at')
    .limit(most);
}

/** A crash after the claim doubles a delivery and never loses one: the lease runs out and it is claimed again. */
export async function claimWebhooks(
  { tx, store, now }: WriteContext,
  most: number,
  leaseMs: number,
): Promise<Webhook[]> {
  const due = dueWebhooks(tx, now, most);
  const ids = await (store.skipsLocked ? due.forUpdate().skipLocked() : due).execute();
  if (ids.length === 0) return [];
  const rows = await tx
    .updateTable('webhooks')
    .set((eb) => ({ lease_until: now + leaseMs, attempts: eb('attempts', '+', 1) }))
    .where(
      'id',
      'in',
      ids.map(({ id }) => id),
    )
    .returningAll()
    .execute();
  return rows.map(toWebhook);
}

/** A retry that lies further ahead than the longest that is ever planned is due now. */
export async function bringWebhooksForward({ tx, now }: WriteContext): Promise<void> {
  await tx
    .updateTable('webhooks')
    .set({ next_at: now })
    .where('state', '=', 'pending')
    .where('next_at', '>', now + LONGEST_WAIT_MS)
    .execute();
}

export async function recordDelivery(tx: Db, id: string, delivery: Delivery): Promise<void> {
  const { state, answer } = delivery;
  await tx
    .updateTable('webhooks')
    .set({ state, last_answer: answer, lease_until: 0, ...('nextAt' in delivery && { next_at: delivery.nextAt }) })
    .where('id', '=', id)
    .execute();
}

export async function listWebhooks(tx: Db, state: WebhookState | undefined, limit: number): Promise<Webhook[]> {
  const all = tx.selectFrom('webhooks').selectAll().orderBy('created_at', 'desc').limit(limit);
  const rows = await (state === undefined ? all : all.where('state', '=', state)).execute();
  return rows.map(toWebhook);
}

export async function redeliver(tx: Db, now: number, id: string): Promise<Webhook | undefined> {
  const row = await tx
    .updateTable('webhooks')
    .set({ state: 'pending', attempts: 0, next_at: now })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
  return row && toWebhook(row);
}

function toWebhook(row: WebhookRow): Webhook {
  const { id, type, body, state, attempts } = row;
  const { order_id: orderId, next_at: nextAt, last_answer: lastAnswer, created_at: createdAt } = row;
  return { id, type, orderId, body, state, attempts, nextAt, lastAnswer, createdAt };
}
