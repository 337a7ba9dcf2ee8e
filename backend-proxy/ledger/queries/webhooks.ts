// The webhooks to send: which are due, lists of them, and how each delivery ended. ../rules/settle.ts queues them, and
// use-cases/webhooks.ts sends them.
import { sql } from 'kysely';
import { Refusal } from '../../errors.ts';
import type { Delivery, Webhook, WebhookPage, WebhookRange, WebhookState } from '../model.ts';
import { DAY_MS, MINUTE_MS } from '../../protocol/durations.ts';
import { mergedPages } from './transaction-list.ts';
import type { Db, Store } from '../store.ts';
import type { WebhookRow } from '../schema/tables.ts';

/** A longer wait or lease than we ever plan was written by another clock. */
export const MAX_WEBHOOK_WAIT_MS = 2 * DAY_MS;
const MAX_LEASE_MS = MINUTE_MS;
/** When one was queued, and its id. */
export const WEBHOOK_CURSOR = /^[0-9]{1,15}~[!-~]{1,100}$/;
/** Before the first page: later than any time. */
const BEGIN = '999999999999999~';

function dueWebhooks(db: Db, now: number, limit: number) {
  return db
    .selectFrom('webhooks')
    .select('id')
    .where('state', '=', sql.lit('pending'))
    .where('next_at', '<=', now)
    .where((eb) => eb.or([eb('lease_until', '<=', now), eb('lease_until', '>', now + MAX_LEASE_MS)]))
    .orderBy('next_at')
    .limit(limit);
}

/** After a crash the lease ends and the webhook is claimed again: it may be delivered twice, but is never lost. */
export async function claimWebhooks(store: Store, now: number, limit: number, leaseMs: number): Promise<Webhook[]> {
  const due = dueWebhooks(store.db, now, limit);
  const claim = store.db
    .updateTable('webhooks')
    .set((eb) => ({ lease_until: now + leaseMs, attempts: eb('attempts', '+', 1) }))
    .where(sql<boolean>`id ${store.sql.among(store.sql.skipsLocked ? due.forUpdate().skipLocked() : due)}`)
    .returningAll();
  return (await store.execute(claim.compile())).map(toWebhook);
}

/**
 * Makes a page of retries due now that are planned further ahead than `waitMs`, of those that were queued later than
 * `after`.
 */
export function bringWebhooksForward(
  { db, sql: { among, skipsLocked } }: Store,
  now: number,
  waitMs: number,
  limit: number,
  after = -1,
) {
  const tooFar = db
    .selectFrom('webhooks')
    .select('id')
    .where('state', '=', sql.lit('pending'))
    .where('next_at', '>', now + waitMs)
    .where('created_at', '>', after)
    .orderBy('next_at')
    .limit(limit);
  const update = db
    .updateTable('webhooks')
    .set({ next_at: now })
    .where(sql<boolean>`id ${among(skipsLocked ? tooFar.forUpdate().skipLocked() : tooFar)}`);
  return update.returning('id').compile();
}

/** Each claim counts an attempt, so the number tells whether somebody has claimed it again. */
export function prolongWebhooks({ db }: Store, claimed: readonly Webhook[], now: number, leaseMs: number) {
  return db
    .updateTable('webhooks')
    .set({ lease_until: now + leaseMs })
    .where((eb) => eb.or(claimed.map(({ id, attempts }) => eb.and({ id, attempts }))))
    .where('lease_until', '>', now)
    .compile();
}

/** The attempt of this number: unless delivered, it counts only if there is no later one. */
export function recordDelivery(
  db: Db,
  { id, attempts }: Pick<Webhook, 'id' | 'attempts'>,
  delivery: Delivery,
  now: number,
) {
  const { state, answer } = delivery;
  const update = db
    .updateTable('webhooks')
    .set({
      state,
      last_answer: answer,
      lease_until: 0,
      ...('afterMs' in delivery && { next_at: now + delivery.afterMs }),
    })
    .where('id', '=', id);
  const recorded =
    state === 'delivered' ? update : update.where('state', '=', 'pending').where('attempts', '=', attempts);
  return recorded.returning('id').compile();
}

/** Newest first. The cursor is the position of the last one on the page before. */
export async function readWebhooks(
  db: Db,
  state: WebhookState | undefined,
  limit: number,
  { orderId, cursor = BEGIN }: WebhookRange = {},
): Promise<WebhookPage> {
  const [at = '', ...rest] = cursor.split('~');
  const [createdAt, id] = [Number(at), rest.join('~')];
  const isOlder = (row: WebhookRow) => row.created_at < createdAt || (row.created_at === createdAt && row.id < id);
  const isListed = (row: WebhookRow) => isOlder(row) && (state === undefined || row.state === state);
  const rows = orderId === undefined ? readInStates(db, state, limit + 1, createdAt, id) : readOfOrder(db, orderId);
  const found = (await rows).filter(isListed);
  const webhooks = found.slice(0, limit).map(toWebhook);
  const last = webhooks.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return { webhooks, nextCursor: hasMore ? `${last.createdAt}~${last.id}` : null };
}

function readInStates(
  db: Db,
  state: WebhookState | undefined,
  limit: number,
  createdAt: number,
  id: string,
): Promise<WebhookRow[]> {
  // Each state is a range of an index by time.
  const inState = (each: WebhookState) =>
    db
      .selectFrom('webhooks')
      .selectAll()
      .where('state', '=', each)
      .where(sql<boolean>`(created_at, id) < (${createdAt}, ${id})`)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit);
  const states: WebhookState[] = state === undefined ? ['pending', 'delivered', 'dead'] : [state];
  const merged = mergedPages(db, states.map(inState));
  return merged.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
}

/** An order has few webhooks, so they are all read. */
async function readOfOrder(db: Db, orderId: string): Promise<WebhookRow[]> {
  const rows = await db.selectFrom('webhooks').selectAll().where('order_id', '=', orderId).execute();
  return rows.toSorted((a, b) => b.created_at - a.created_at || (a.id < b.id ? 1 : -1));
}

export async function readWebhook(db: Db, id: string): Promise<Webhook | undefined> {
  const row = await db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst();
  return row && toWebhook(row);
}

export async function redeliver({ db, execute }: Store, now: number, id: string): Promise<Webhook | undefined> {
  const again = db
    .updateTable('webhooks')
    .set({ state: 'pending', attempts: 0, next_at: now })
    .where('id', '=', id)
    .where('body', '<>', '')
    .returningAll();
  const [row] = await execute(again.compile());
  if (row !== undefined) return toWebhook(row);
  const erased = await db.selectFrom('webhooks').select('id').where('id', '=', id).executeTakeFirst();
  if (erased === undefined) return undefined;
  throw new Refusal('erased', 'The personal data of this order was erased, and the body of the webhook with it.');
}

function toWebhook(row: WebhookRow): Webhook {
  const { id, type, body, state, attempts } = row;
  const { order_id: orderId, transaction_id: transactionId } = row;
  const { next_at: nextAt, last_answer: lastAnswer, created_at: createdAt } = row;
  return { id, type, orderId, transactionId, body, state, attempts, nextAt, lastAnswer, createdAt };
}
