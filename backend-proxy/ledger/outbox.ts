// Stores webhooks in the transaction that caused them, so that they report exactly what was committed, and leases them
// for sending (webhooks.ts). The body is fixed here: a retry sends the same bytes.
import { createHash } from 'node:crypto';
import { iso } from '../protocol/iso-time.ts';
import { merchantView, type WebhookType } from '../protocol/merchant-view.ts';
import type { WriteContext } from './context.ts';
import type { Delivery, Webhook, WebhookState } from './ledger.ts';
import { readTransaction } from './queries.ts';
import type { WebhookRow } from './schema.ts';
import type { Db } from './store.ts';

/** A longer wait or lease than we ever plan was written by another clock. */
const MAX_WAIT_MS = 48 * 3_600_000;
const MAX_LEASE_MS = 60_000;

/** Queues each type once per transaction, or once per `n`, however often the fact arrives. */
export async function queueWebhook(
  { tx, now }: WriteContext,
  transactionId: string,
  type: WebhookType,
  n = 1,
): Promise<void> {
  const transaction = await readTransaction(tx, transactionId);
  if (transaction === undefined) throw new Error(`No transaction ${transactionId} to report`);
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
 * The same for the same event after retries, restores and failovers, so that a receiver can ignore repeats: a digest
 * that includes the database's random id, which a backup keeps.
 */
async function webhookId(tx: Db, event: readonly string[]): Promise<string> {
  const database = await tx.selectFrom('meta').select('value').where('key', '=', 'books_id').executeTakeFirstOrThrow();
  const digest = createHash('sha256').update(JSON.stringify([database.value, ...event]));
  return `msg_${digest.digest('hex').slice(0, 40)}`;
}

export function dueWebhooks(db: Db, now: number, limit: number) {
  return db
    .selectFrom('webhooks')
    .select('id')
    .where('state', '=', 'pending')
    .where('next_at', '<=', now)
    .where((eb) => eb.or([eb('lease_until', '<=', now), eb('lease_until', '>', now + MAX_LEASE_MS)]))
    .orderBy('next_at')
    .limit(limit);
}

/** After a crash the lease ends and the webhook is claimed again: it may be delivered twice, but is never lost. */
export async function claimWebhooks(
  { tx, store, now }: WriteContext,
  limit: number,
  leaseMs: number,
): Promise<Webhook[]> {
  const due = dueWebhooks(tx, now, limit);
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

/** Makes a retry due now if it is planned further ahead than any wait. */
export async function bringWebhooksForward({ tx, now }: WriteContext): Promise<void> {
  await tx
    .updateTable('webhooks')
    .set({ next_at: now })
    .where('state', '=', 'pending')
    .where('next_at', '>', now + MAX_WAIT_MS)
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
