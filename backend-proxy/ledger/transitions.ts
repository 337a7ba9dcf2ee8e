// The only code that raises a transaction's stage or flags it: every fact is posted here, inside a database transaction.
// The rule is the update itself, `… WHERE id = ? AND rank < ?`: never select, decide, update. Where one row changed, its
// history, the order's version and the webhook's row are written with it, so they are committed together or not at all.
import { sql } from 'kysely';
import { ANSWER } from '../protocol/methods.ts';
import { CHECKOUT_LIFETIME_MS, nextCheckAt, type Check } from '../protocol/schedule.ts';
import { STAGES, TYPES, isLate, stageOf, type Flag, type HistoryEntry, type Stage } from '../protocol/transaction.ts';
import type { WriteContext } from './context.ts';
import type { Fact } from './ledger.ts';
import { queueWebhook } from './outbox.ts';
import type { TransactionRow } from './schema.ts';

const whileDisputed = sql<number>`case when mismatch + conflict > 0 then needs_review else 0 end`;

interface Raising {
  detail?: string | null;
  endedBy?: TransactionRow['ended_by'];
}

/** Raises the stage where the fact ranks higher; the row as raised, or undefined where it changed nothing. */
export async function raise(
  ctx: WriteContext,
  id: string,
  stage: Stage,
  { detail = null, endedBy = null }: Raising = {},
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
      // What only took too long has its end now; what is disputed still waits for a person.
      ...(rank >= STAGES.not_created.rank && { needs_review: whileDisputed }),
    }))
    .where('id', '=', id)
    .where('rank', '<', rank)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  await note(ctx, row, stage, detail);
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
  // Told in place of payment.succeeded: whoever ships goods on that must not ship them twice.
  const surplus = await ctx.tx
    .updateTable('transactions')
    .set((eb) => ({ surplus: 1, version: eb('version', '+', 1) }))
    .where('id', '=', row.id)
    .where('surplus', '=', 0)
    .returningAll()
    .executeTakeFirst();
  if (surplus === undefined) return;
  await note(ctx, surplus, 'surplus', null);
  await queueWebhook(ctx, row.id, 'payment.surplus');
}

/** A webhook where the status the merchant sees has changed, not at every stage within it. */
async function announceStatus(ctx: WriteContext, row: TransactionRow): Promise<void> {
  const before = STAGES[stageOf(row.prior_rank)].status;
  const after = STAGES[stageOf(row.rank)].status;
  if (before !== after && after === 'FAILED') {
    await queueWebhook(ctx, row.id, `${TYPES[row.type].webhooks}.failed`);
  }
}

type Disputed = Exclude<Flag, 'surplus'>;

/**
 * Says that something is wrong, which changes nothing of what is paid, and asks a person to look. A mismatch is told once; a conflict
 * once for each review: again only after a person had answered the one before.
 */
export async function flag(ctx: WriteContext, id: string, name: Disputed, detail: string | null): Promise<void> {
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
    await note(ctx, row, name, detail, row[name]);
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
  await note(ctx, review, 'needs_review', name === 'needs_review' ? detail : name, review.reviews);
  await queueWebhook(ctx, id, `${TYPES[review.type].webhooks}.needs_review`, review.reviews);
}

/** Writes the history, and raises the version of what shows it. `n`: which time it is of what may come again. */
export async function note(
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

/** What the shopper sees of the order has changed, if it is one of an order's payments. */
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
  if (fact.stage === 'sending') return permit(ctx, id, fact.sentBy);
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

/** The permission for the one POST: won once, by whoever raises the row to *sending*. */
async function permit(ctx: WriteContext, id: string, sentBy: string): Promise<boolean> {
  if ((await raise(ctx, id, 'sending')) === undefined) return false;
  await ctx.tx
    .updateTable('transactions')
    .set((eb) => ({ sent_at: ctx.now, sent_by: sentBy, expires_at: eb(eb.val(ctx.now), '+', eb.ref('pay_within_ms')) }))
    .where('id', '=', id)
    .execute();
  await plan(ctx, id);
  return true;
}

/** No answer ends a payout; and of a payment that the gateway has shown to know, no refusal is the end. */
async function mayBeRejected(ctx: WriteContext, id: string): Promise<boolean> {
  const row = await ctx.tx
    .selectFrom('transactions')
    .select(['type', 'payment_id', 'found_at'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row !== undefined && !TYPES[row.type].isOutgoing && row.payment_id === null && row.found_at === null;
}

/** A check that a ring asked for saw a SUCCESS before our call was answered that the id is another's. */
async function isPaidDuplicate(ctx: WriteContext, id: string): Promise<boolean> {
  const row = await ctx.tx
    .selectFrom('transactions')
    .select(['answer', 'rank'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.answer === 'duplicate' && row.rank === STAGES.succeeded.rank;
}

/** How the POST ended is known once; only "lost" gives way, to an answer that another process had given up. */
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
 * The answer's fields are kept whatever the stage: a check may have come first and said "pending", and then the answer
 * raises nothing, but brings what the shopper pays with.
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
      // From when it was sent, so that the time shown never ends after the gateway's.
      ...(method && ANSWER[method] === 'link' && { expires_at: checkoutExpiry }),
    }))
    .where('id', '=', id)
    // The same answer again changes nothing, the version neither.
    .where('answer', 'is distinct from', answer)
    .returning(['type', 'order_id'])
    .executeTakeFirst();
  if (row !== undefined) await touchOrderOf(ctx, row);
}

/** What was answered was sent, also where the books went back behind that and have the row alone. */
const sentAt = sql<number>`coalesce(sent_at, created_at)`;

/** The end of the checkout's lifetime, or of the order's own `payWithin` where that is shorter. */
export const checkoutExpiry = sql<number>`case when expires_at < ${sentAt} + ${sql.lit(CHECKOUT_LIFETIME_MS)}
  then expires_at else ${sentAt} + ${sql.lit(CHECKOUT_LIFETIME_MS)} end`;

/**
 * Writes down when the gateway is to be asked next. Only after the row was changed in this transaction, which holds it:
 * otherwise an IPN could ring between the reading and the writing here, and would not be heard before the next sweep.
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
    ringsHeard: row.rings_heard,
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
