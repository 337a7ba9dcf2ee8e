// The only code that raises a transaction's stage or flags it. The rule is part of the update itself,
// `… WHERE id = ? AND rank < ?`, so nothing can happen between a decision and its update. If it changes a row, the
// history, the order's version and the webhook are written in the same database transaction.
import { sql } from 'kysely';
import { PAYS_BY } from '../protocol/methods.ts';
import { CHECKOUT_LIFETIME_MS, nextCheckAt, type Check } from '../protocol/schedule.ts';
import { STAGES, TYPES, isLate, stageOf, type Flag, type HistoryEntry, type Stage } from '../protocol/transaction.ts';
import type { WriteContext } from './context.ts';
import type { Fact } from './ledger.ts';
import { queueWebhook } from './outbox.ts';
import type { TransactionRow } from './schema.ts';

const whileDisputed = sql<number>`case when mismatch + conflict > 0 then needs_review else 0 end`;

interface RaiseOptions {
  detail?: string | null;
  endedBy?: TransactionRow['ended_by'];
}

/** Raises the stage if the fact ranks higher. Returns the raised row, or undefined if nothing changed. */
export async function raise(
  ctx: WriteContext,
  id: string,
  stage: Stage,
  { detail = null, endedBy = null }: RaiseOptions = {},
) {
  const { rank } = STAGES[stage];
  const row = await ctx.tx
    .updateTable('transactions')
    .set((eb) => ({
      prior_rank: sql.ref('rank'),
      rank,
      ended_by: endedBy,
      updated_at: ctx.now,
      version: eb('version', '+', 1),
      // A review of what only took too long ends here; a mismatch or conflict still needs a person.
      ...(rank >= STAGES.not_created.rank && { needs_review: whileDisputed }),
    }))
    .where('id', '=', id)
    .where('rank', '<', rank)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  await writeHistory(ctx, row, stage, detail);
  if (stage === 'succeeded') await creditOrder(ctx, row);
  else await announceStatus(ctx, row);
  return row;
}

async function creditOrder(ctx: WriteContext, row: TransactionRow): Promise<void> {
  if (isLate(stageOf(row.prior_rank), 'succeeded')) {
    await ctx.tx.updateTable('transactions').set({ late: 1 }).where('id', '=', row.id).execute();
  }
  const { webhooks, paysOrder } = TYPES[row.type];
  if (!paysOrder) return queueWebhook(ctx, row.id, `${webhooks}.succeeded`);
  const { numUpdatedRows } = await ctx.tx
    .updateTable('orders')
    .set({ paid_by: row.id })
    .where('order_id', '=', row.order_id)
    .where('paid_by', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 1n) return queueWebhook(ctx, row.id, `${webhooks}.succeeded`);
  // Sent instead of payment.succeeded, so that a merchant who ships on that does not ship twice.
  const surplus = await ctx.tx
    .updateTable('transactions')
    .set((eb) => ({ surplus: 1, version: eb('version', '+', 1) }))
    .where('id', '=', row.id)
    .where('surplus', '=', 0)
    .returningAll()
    .executeTakeFirst();
  if (surplus === undefined) return;
  await writeHistory(ctx, surplus, 'surplus', null);
  await queueWebhook(ctx, row.id, 'payment.surplus');
}

/** Sends a webhook only when the status that the merchant sees changes, not at every stage. */
async function announceStatus(ctx: WriteContext, row: TransactionRow): Promise<void> {
  const before = STAGES[stageOf(row.prior_rank)].status;
  const after = STAGES[stageOf(row.rank)].status;
  if (before !== after && after === 'FAILED') {
    await queueWebhook(ctx, row.id, `${TYPES[row.type].webhooks}.failed`);
  }
}

type ReviewFlag = Exclude<Flag, 'surplus'>;

/**
 * Flags a problem and asks for a review; changes nothing that is paid. A mismatch is flagged once; a conflict once per
 * review, so again only after a person resolved the last one.
 */
export async function flag(ctx: WriteContext, id: string, name: ReviewFlag, detail: string | null): Promise<void> {
  if (name !== 'needs_review') {
    const row = await ctx.tx
      .updateTable('transactions')
      .set((eb) => ({ [name]: eb(name, '+', 1), updated_at: ctx.now, version: eb('version', '+', 1) }))
      .where('id', '=', id)
      .where((eb) =>
        name === 'conflict' ? eb.or([eb('conflict', '=', 0), eb('needs_review', '=', 0)]) : eb('mismatch', '=', 0),
      )
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return;
    await writeHistory(ctx, row, name, detail, row[name]);
    await queueWebhook(ctx, id, `${TYPES[row.type].webhooks}.${name}`, row[name]);
  }
  const review = await ctx.tx
    .updateTable('transactions')
    .set((eb) => ({
      needs_review: 1,
      reviews: eb('reviews', '+', 1),
      updated_at: ctx.now,
      version: eb('version', '+', 1),
    }))
    .where('id', '=', id)
    .where('needs_review', '=', 0)
    .returningAll()
    .executeTakeFirst();
  if (review === undefined) return;
  await writeHistory(ctx, review, 'needs_review', name === 'needs_review' ? detail : name, review.reviews);
  await queueWebhook(ctx, id, `${TYPES[review.type].webhooks}.needs_review`, review.reviews);
}

/** Writes a history entry and raises the order's version. `n` counts events that may occur again. */
export async function writeHistory(
  ctx: WriteContext,
  row: TransactionRow,
  event: HistoryEntry['event'],
  detail: string | null,
  n = 1,
): Promise<void> {
  await ctx.tx
    .insertInto('history')
    .values({ transaction_id: row.id, event, n, at: ctx.now, source: ctx.source, detail })
    .onConflict((c) => c.doNothing())
    .execute();
  await touchOrderOf(ctx, row);
}

/** Raises the version of the order, if this is one of its payments. */
export async function touchOrderOf(ctx: WriteContext, row: Pick<TransactionRow, 'type' | 'order_id'>): Promise<void> {
  if (TYPES[row.type].paysOrder) await touchOrder(ctx, row.order_id);
}

export async function touchOrder(ctx: WriteContext, orderId: string): Promise<void> {
  await ctx.tx
    .updateTable('orders')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .where('order_id', '=', orderId)
    .execute();
  ctx.touched.add(orderId);
}

/** A step of our own, or how the one POST ended. */
export async function applyFact(ctx: WriteContext, id: string, fact: Fact): Promise<boolean> {
  await ctx.store.lockOrderOf(ctx.tx, id);
  if (fact.stage === 'sending') return permitSending(ctx, id, fact.sentBy);
  if (fact.stage === 'pending') await storeAnswer(ctx, id, fact);
  else await storeOutcome(ctx, id, fact.answer);
  const mayEnd = fact.stage !== 'rejected' || (await mayBeRejected(ctx, id));
  const raised =
    mayEnd && (await raise(ctx, id, fact.stage, 'detail' in fact ? { detail: fact.detail } : {})) !== undefined;
  if (fact.stage === 'uncertain' && (fact.needsReview || (await isPaidDuplicate(ctx, id)))) {
    await flag(ctx, id, 'needs_review', fact.detail);
  }
  await plan(ctx, id);
  return raised;
}

/** Permits the one POST: only one caller can raise the row to *sending*. */
async function permitSending(ctx: WriteContext, id: string, sentBy: string): Promise<boolean> {
  if ((await raise(ctx, id, 'sending')) === undefined) return false;
  await ctx.tx
    .updateTable('transactions')
    .set((eb) => ({ sent_at: ctx.now, sent_by: sentBy, expires_at: eb(eb.val(ctx.now), '+', eb.ref('pay_within_ms')) }))
    .where('id', '=', id)
    .execute();
  await plan(ctx, id);
  return true;
}

/** No answer ends a payout, and no refusal ends a payment that the gateway has been seen to know. */
async function mayBeRejected(ctx: WriteContext, id: string): Promise<boolean> {
  const row = await ctx.tx
    .selectFrom('transactions')
    .select(['type', 'payment_id', 'found_at'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined && !TYPES[row.type].isOutgoing && row.payment_id === null && row.found_at === null;
}

/** An IPN had requested a check, which saw a SUCCESS before the answer said that the id is a duplicate. */
async function isPaidDuplicate(ctx: WriteContext, id: string): Promise<boolean> {
  const row = await ctx.tx
    .selectFrom('transactions')
    .select(['answer', 'rank'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.answer === 'duplicate' && row.rank === STAGES.succeeded.rank;
}

/**
 * The outcome of the POST is set once. Only "lost" may be replaced: another process may have given up before the
 * answer.
 */
async function storeOutcome(
  ctx: WriteContext,
  id: string,
  answer: NonNullable<TransactionRow['answer']>,
): Promise<void> {
  const row = await ctx.tx
    .updateTable('transactions')
    .set((eb) => ({
      answer,
      ...(answer !== 'withheld' && { sent_at: sentAt }),
      lost_at: eb.fn.coalesce('lost_at', eb.val(ctx.now)),
      updated_at: ctx.now,
      version: eb('version', '+', 1),
    }))
    .where('id', '=', id)
    .where((eb) => eb.or([eb('answer', 'is', null), ...(answer === 'lost' ? [] : [eb('answer', '=', 'lost')])]))
    .returning(['type', 'order_id'])
    .executeTakeFirst();
  if (row !== undefined) await touchOrderOf(ctx, row);
}

/**
 * Stores the answer's fields at any stage: after an earlier check said "pending", the answer raises nothing, but has
 * what the shopper pays with.
 */
async function storeAnswer(ctx: WriteContext, id: string, means: Extract<Fact, { stage: 'pending' }>): Promise<void> {
  const { paymentId, method, checkoutUrl, appUrl } = means;
  const qr = means.qr && JSON.stringify(means.qr);
  const answer = paymentId === null ? 'accepted' : 'identified';
  const row = await ctx.tx
    .updateTable('transactions')
    .set({ checkout_url: checkoutUrl, qr, app_url: appUrl, answer, updated_at: ctx.now })
    .set((eb) => ({
      version: eb('version', '+', 1),
      payment_id: eb.fn.coalesce(eb.val(paymentId), 'payment_id'),
      sent_at: sentAt,
      ...(method && { method }),
      // From the sending, so that the time shown never ends after the gateway's.
      ...(method && PAYS_BY[method] === 'link' && { expires_at: checkoutExpiry }),
    }))
    .where('id', '=', id)
    // A repeated answer changes nothing, not even the version.
    .where('answer', 'is distinct from', answer)
    .returning(['type', 'order_id'])
    .executeTakeFirst();
  if (row !== undefined) await touchOrderOf(ctx, row);
}

/** What was answered was sent, even if a restored database lost the time. */
const sentAt = sql<number>`coalesce(sent_at, created_at)`;

/** The end of the checkout's lifetime, or of the order's `payWithin` if that is earlier. */
export const checkoutExpiry = sql<number>`case when expires_at < ${sentAt} + ${sql.lit(CHECKOUT_LIFETIME_MS)}
  then expires_at else ${sentAt} + ${sql.lit(CHECKOUT_LIFETIME_MS)} end`;

/**
 * Plans the next check. Call it only after this database transaction has changed the row: that change locks the row.
 * Without the lock, an IPN between the read and the write here would be ignored until the next sweep.
 */
export async function plan(ctx: WriteContext, id: string): Promise<void> {
  const row = await ctx.tx.selectFrom('transactions').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) return;
  const at = nextCheckAt(timelineOf(row), ctx.now);
  await ctx.tx.updateTable('transactions').set({ next_check_at: at }).where('id', '=', id).execute();
}

function timelineOf(row: TransactionRow): Parameters<typeof nextCheckAt>[0] {
  return {
    type: row.type,
    stage: stageOf(row.rank),
    answer: row.answer,
    createdAt: row.created_at,
    sentAt: row.sent_at,
    lostAt: row.lost_at,
    expiresAt: row.expires_at,
    rungAt: row.rung_at,
    rings: row.rings,
    ringsAnswered: row.rings_heard,
    unknownAt: row.unknown_at,
    failedAt: row.failed_at,
    needsReview: row.needs_review === 1,
    isResolved: row.resolved !== null,
    waitsFrom: row.waits_from,
    checkedAt: row.checked_at,
    unanswered: row.unanswered,
    checks: JSON.parse(row.checks) as Check[],
  };
}
