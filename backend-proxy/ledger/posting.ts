// The only code that raises a transaction's stage or flags it: every fact is posted here, inside a database transaction.
// The rule is the update itself, `… WHERE id = ? AND rank < ?`: never select, decide, update. Where one row changed, its
// history, the order's version and the webhook's row are written with it, so they are committed together or not at all.
import { sql } from 'kysely';
import { CHECKOUT_LIFETIME_MS, nextCheckAt } from '../protocol/schedule.ts';
import { STAGES, isLate, stageOf, type Flag, type Source, type Stage } from '../protocol/transaction.ts';
import type { WebhookType } from '../protocol/views.ts';
import type { Fact } from './ledger.ts';
import { queueWebhook } from './outbox.ts';
import type { TransactionRow } from './schema.ts';
import type { Books } from './store.ts';

/** One posting: the transaction's database transaction, the time, and who has to be told after the commit. */
export interface Posting {
  tx: Books;
  now: number;
  source: Source;
  touched: Set<string>;
}

/** Raises the stage where the fact ranks higher; the row as raised, or undefined where it changed nothing. */
export async function raise(p: Posting, id: string, stage: Stage, detail: string | null = null) {
  const { rank } = STAGES[stage];
  const row = await p.tx
    .updateTable('transactions')
    .set({ prior_rank: sql.ref('rank'), rank, updated_at: p.now, ...(stage === 'sending' && { sent_at: p.now }) })
    .where('id', '=', id)
    .where('rank', '<', rank)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  await note(p, row, stage, detail);
  if (stage === 'succeeded') await creditOrder(p, row);
  else await announceStatus(p, row);
  return row;
}

async function creditOrder(p: Posting, row: TransactionRow): Promise<void> {
  if (isLate(stageOf(row.prior_rank), 'succeeded')) {
    await p.tx.updateTable('transactions').set({ late: 1 }).where('id', '=', row.id).execute();
  }
  if (row.type === 'PAYOUT') return queueWebhook(p, row.id, 'payout.succeeded');
  const { numUpdatedRows } = await p.tx
    .updateTable('orders')
    .set({ paid_by: row.id })
    .where('order_id', '=', row.order_id)
    .where('paid_by', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 1n) return queueWebhook(p, row.id, 'payment.succeeded');
  // Told in place of payment.succeeded: whoever ships goods on that must not ship them twice.
  return flag(p, row.id, 'surplus', null);
}

/** A webhook where the status the merchant sees has changed, not at every stage within it. */
async function announceStatus(p: Posting, row: TransactionRow): Promise<void> {
  const before = STAGES[stageOf(row.prior_rank)].status;
  const after = STAGES[stageOf(row.rank)].status;
  if (before !== after && after === 'FAILED') {
    await queueWebhook(p, row.id, row.type === 'PAY' ? 'payment.failed' : 'payout.failed');
  }
}

const FLAG_WEBHOOKS = {
  surplus: { PAY: 'payment.surplus', PAYOUT: null },
  mismatch: { PAY: 'payment.mismatch', PAYOUT: 'payout.mismatch' },
  conflict: { PAY: 'payment.conflict', PAYOUT: 'payout.conflict' },
  needs_review: { PAY: null, PAYOUT: 'payout.needs_review' },
} as const satisfies Record<Flag, Record<'PAY' | 'PAYOUT', WebhookType | null>>;

/** Raises a flag, once; it never lowers, and changes nothing of what is paid. */
export async function flag(p: Posting, id: string, name: Flag, detail: string | null): Promise<void> {
  const row = await p.tx
    .updateTable('transactions')
    .set({ [name]: 1, updated_at: p.now })
    .where('id', '=', id)
    .where(name, '=', 0)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return;
  await note(p, row, name, detail);
  const webhook = FLAG_WEBHOOKS[name][row.type];
  if (webhook !== null) await queueWebhook(p, id, webhook);
}

async function note(p: Posting, row: TransactionRow, event: Stage | Flag, detail: string | null): Promise<void> {
  await p.tx
    .insertInto('history')
    .values({ transaction_id: row.id, event, at: p.now, source: p.source, detail })
    .onConflict((c) => c.doNothing())
    .execute();
  if (row.type === 'PAY') await touch(p, row.order_id);
}

/** What the order's view shows has changed. */
export async function touch(p: Posting, orderId: string): Promise<void> {
  await p.tx
    .updateTable('orders')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .where('order_id', '=', orderId)
    .execute();
  p.touched.add(orderId);
}

export async function postFact(p: Posting, id: string, fact: Fact): Promise<boolean> {
  if (fact.stage === 'pending') await keepMeans(p, id, fact);
  const raised = await raise(p, id, fact.stage, 'why' in fact ? fact.why : null);
  if (raised !== undefined) await plan(p, id);
  return raised !== undefined;
}

/**
 * The answer's fields are kept whatever the stage: a check may have come first and said "pending", and then the answer
 * raises nothing, but brings what the shopper pays with.
 */
async function keepMeans(p: Posting, id: string, means: Extract<Fact, { stage: 'pending' }>): Promise<void> {
  const { paymentId, method, checkoutUrl, appUrl } = means;
  const qr = means.qr && JSON.stringify(means.qr);
  const row = await p.tx
    .updateTable('transactions')
    .set({ checkout_url: checkoutUrl, qr, app_url: appUrl })
    .set((eb) => ({
      payment_id: eb.fn.coalesce('payment_id', eb.val(paymentId)),
      ...(method && { method }),
      // From when it was sent, so that the time shown never ends after the gateway's.
      ...(method === 'CHECKOUT' && { expires_at: eb('sent_at', '+', CHECKOUT_LIFETIME_MS) }),
    }))
    .where('id', '=', id)
    // The same answer again changes nothing, the version neither.
    .where((eb) =>
      eb.or([
        eb('checkout_url', 'is distinct from', checkoutUrl),
        eb('qr', 'is distinct from', qr),
        eb('app_url', 'is distinct from', appUrl),
        ...(method ? [eb('method', '!=', method)] : []),
        ...(paymentId === null ? [] : [eb('payment_id', 'is', null)]),
      ]),
    )
    .returning(['type', 'order_id'])
    .executeTakeFirst();
  if (row?.type === 'PAY') await touch(p, row.order_id);
}

/**
 * Writes down when the gateway is to be asked next. Only after the row was changed in this transaction, which holds it:
 * otherwise an IPN could ring between the reading and the writing here, and would not be heard before the next sweep.
 */
export async function plan(p: Posting, id: string): Promise<void> {
  const row = await p.tx.selectFrom('transactions').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) return;
  const at = nextCheckAt(
    {
      type: row.type,
      stage: stageOf(row.rank),
      createdAt: row.created_at,
      sentAt: row.sent_at,
      expiresAt: row.expires_at,
      rungAt: row.rung_at,
      unknownAt: row.unknown_at,
      failedAt: row.failed_at,
      needsReview: row.needs_review === 1,
      checks: JSON.parse(row.checks) as number[],
    },
    p.now,
  );
  await p.tx.updateTable('transactions').set({ next_check_at: at }).where('id', '=', id).execute();
}
