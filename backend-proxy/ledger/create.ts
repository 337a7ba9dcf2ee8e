// Opens a payment or a payout: the row that is written before anything is sent, and every rule about when it may be.
// Runs inside one transaction that holds the order, so of two starts at once the second sees the first.
import { Refusal } from '../errors.ts';
import { ANSWER, PROMPTING } from '../protocol/methods.ts';
import { STAGES, TYPES, type Transaction } from '../protocol/transaction.ts';
import type { WriteContext } from './context.ts';
import type { NewPayment, NewPayout, PaymentLimits, SeenTerms } from './ledger.ts';
import { plan, raise, touchOrder } from './transitions.ts';
import type { TransactionRow } from './schema.ts';
import type { Store } from './store.ts';

/**
 * Stands where a payment has its shopper's idempotency key, so that the books hold one payout an order id, whatever it is called at
 * the gateway. No shopper can send it: keys have no spaces.
 */
const PAYOUT_KEY = ' payout';
/** Of an id at the gateway, before the number of a later try. */
const MOST_ID_CHARS = 64;
/** "A wallet was asked too often" says no more: the exact second would tell a stranger when its owner was last asked. */
const WALLET_RETRY_AFTER_S = 3600;

/** The id of the payment's row, and whether it wrote it or the same key did before. */
export async function openPayment(
  ctx: WriteContext,
  store: Store,
  payment: NewPayment & SeenTerms,
  limits: PaymentLimits,
): Promise<{ id: string; isNew: boolean }> {
  const { orderId, currency } = payment;
  await seeTerms(ctx, payment);
  await store.lockOrder(ctx.tx, orderId);
  const order = await ctx.tx.selectFrom('orders').selectAll().where('order_id', '=', orderId).executeTakeFirstOrThrow();
  const earlier = await ctx.tx
    .selectFrom('transactions')
    .selectAll()
    .where('order_id', '=', orderId)
    .where('type', '=', 'PAY')
    .orderBy('attempt')
    .execute();

  const same = earlier.find((row) => row.idempotency_key === payment.idempotencyKey);
  if (same !== undefined) {
    if (same.fingerprint === payment.fingerprint) return { id: same.id, isNew: false };
    throw new Refusal('idempotency_key_reused', 'This Idempotency-Key came with another body before; use a new one.');
  }
  const isOlder = payment.iat !== null && order.seen_iat !== null && payment.iat < order.seen_iat;
  if (isOlder && payment.terms !== order.seen_terms) {
    throw new Refusal('order_changed', 'The shop has changed this order since; open its newest page.');
  }
  const isStarted = earlier.length > 0;
  if (isStarted && (order.currency !== currency || order.amount_minor !== payment.orderAmountMinor)) {
    throw new Refusal('order_changed', 'This order was started with another amount or currency; use a new order id.');
  }
  if (order.paid_by !== null) throw new Refusal('already_paid', 'This order is paid; nothing was sent.');
  await refuseTooMany(ctx, store, payment, earlier, limits);

  for (const row of earlier) if (row.rank < STAGES.replaced.rank) await replace(ctx, row);
  if (!isStarted) {
    const terms = { amount_minor: payment.orderAmountMinor, currency };
    await ctx.tx.updateTable('orders').set(terms).where('order_id', '=', orderId).execute();
  }
  const id = await nextFreeId(ctx, orderId, earlier.length + 1);
  await insert(ctx, {
    id,
    type: 'PAY',
    order_id: orderId,
    attempt: earlier.length + 1,
    asked: payment.method,
    method: payment.method,
    amount_minor: payment.amountMinor,
    currency,
    customer: payment.customer,
    note: null,
    idempotency_key: payment.idempotencyKey,
    fingerprint: payment.fingerprint,
    pay_within_ms: payment.payWithinMs,
    customer_ref: payment.customerReferenceNo,
  });
  await touchOrder(ctx, orderId);
  return { id, isNew: true };
}

/** The id of the payout's row: the one it wrote, or the one of the same payout before. */
export async function openPayout(ctx: WriteContext, payout: NewPayout): Promise<string> {
  const { orderId, amountMinor, currency, customer, note, fingerprint } = payout;
  const id = ctx.idPrefix + orderId;
  // In one look: between two of them the same payout, asked for at the same moment, could take the id, and be called another.
  const taken = await ctx.tx
    .selectFrom('transactions')
    .select(['id', 'type', 'order_id', 'fingerprint'])
    .where((eb) => eb.or([eb('id', '=', id), eb.and([eb('order_id', '=', orderId), eb('type', '=', 'PAYOUT')])]))
    .execute();
  const same = taken.find((row) => !TYPES[row.type].paysOrder && row.order_id === orderId);
  if (same?.fingerprint === fingerprint) return same.id;
  if (taken.length > 0) {
    throw new Refusal(
      'order_id_taken',
      'The order id is taken by a payment, or by a payout that differs from this one; nothing was sent.',
    );
  }
  refuseTooLong(ctx, orderId);
  await insert(ctx, {
    id,
    type: 'PAYOUT',
    order_id: orderId,
    attempt: 1,
    asked: null,
    method: null,
    amount_minor: amountMinor,
    currency,
    customer,
    note,
    idempotency_key: PAYOUT_KEY,
    fingerprint,
    pay_within_ms: null,
    customer_ref: null,
  });
  return id;
}

function refuseTooLong({ idPrefix }: WriteContext, orderId: string): void {
  const most = MOST_ID_CHARS - idPrefix.length;
  if (orderId.length <= most) return;
  const detail = `at most ${most} characters, because ${idPrefix.length} more are put before it`;
  throw new Refusal('invalid_request', `orderId: ${detail}.`, { errors: [{ field: 'orderId', detail }] });
}

/** Notes what the newest token of an order says, and makes the order's row where there is none yet. */
export async function seeTerms({ tx }: WriteContext, seen: SeenTerms): Promise<void> {
  const { orderId, currency, orderAmountMinor, iat, terms } = seen;
  await tx
    .insertInto('orders')
    .values({
      order_id: orderId,
      amount_minor: orderAmountMinor,
      currency,
      version: 0,
      paid_by: null,
      seen_iat: iat,
      seen_terms: terms,
    })
    .onConflict((c) =>
      c
        .column('order_id')
        .doUpdateSet({ seen_iat: iat, seen_terms: terms })
        .where((eb) => eb.or([eb('orders.seen_iat', 'is', null), eb('orders.seen_iat', '<', iat ?? 0)])),
    )
    .execute();
}

async function refuseTooMany(
  ctx: WriteContext,
  store: Store,
  payment: NewPayment,
  earlier: TransactionRow[],
  limits: PaymentLimits,
): Promise<void> {
  const inTime = earlier.filter((row) => row.rank !== STAGES.expired.rank && row.ended_by !== 'EXPIRED');
  const counted = inTime.filter(({ answer }) => answer !== 'duplicate');
  const isFull =
    counted.length >= limits.perOrder || inTime.length >= limits.withDuplicates || earlier.length >= limits.inAll;
  if (isFull) {
    const { perOrder } = limits;
    throw new Refusal('too_many_payments', `An order can be tried ${perOrder} times; the shop has to make a new one.`);
  }
  if (ANSWER[payment.method] !== 'prompt' || payment.customer === null) return;
  const { directPerOrder } = limits;
  if (counted.filter(({ asked }) => asked !== null && ANSWER[asked] === 'prompt').length >= directPerOrder) {
    throw new Refusal(
      'method_unavailable',
      `An order can ask a wallet ${directPerOrder} times; choose another method.`,
    );
  }
  await refuseManyPrompts(ctx, store, { ...payment, customer: payment.customer }, limits.directPerWallet);
}

/**
 * A prompt on a stranger's phone is spam, and a stranger's prompts must not shut the owner out: so each customer of the merchant's has
 * a limit of its own. Counted is what may have reached the wallet, also what is on its way; not what was refused or never sent.
 */
async function refuseManyPrompts(
  ctx: WriteContext,
  store: Store,
  { customer, customerReferenceNo }: NewPayment & { customer: string },
  { perCustomer, inAll, withinMs }: PaymentLimits['directPerWallet'],
): Promise<void> {
  await store.lockWallet(ctx.tx, customer);
  const { rejected, not_created: notCreated, replaced } = STAGES;
  const prompts = await ctx.tx
    .selectFrom('transactions')
    .select('customer_ref')
    .where('customer', '=', customer)
    .where('asked', 'in', PROMPTING)
    .where('created_at', '>', ctx.now - withinMs)
    .where('rank', 'not in', [rejected.rank, notCreated.rank])
    .where((eb) => eb.or([eb('rank', '!=', replaced.rank), eb('sent_at', 'is not', null)]))
    .where((eb) => eb.or([eb('answer', 'is', null), eb('answer', '!=', 'duplicate')]))
    .limit(inAll)
    .execute();
  const own = prompts.filter(({ customer_ref }) => customer_ref === customerReferenceNo);
  if (prompts.length < inAll && own.length < perCustomer) return;
  throw new Refusal('too_many_requests', 'This wallet was asked too often; try later or choose another method.', {
    retryAfterS: WALLET_RETRY_AFTER_S,
  });
}

/** One whose time is over is told as that, and not as the shopper's choice. */
async function replace(ctx: WriteContext, { id, expires_at }: TransactionRow): Promise<void> {
  const isOver = expires_at !== null && expires_at <= ctx.now;
  const raised = await raise(ctx, id, 'replaced', isOver ? { endedBy: 'EXPIRED' } : {});
  if (raised !== undefined) await plan(ctx, id);
}

/** The order's own id for its first payment, `<orderId>-2` … after; one that another order has taken is left out. */
async function nextFreeId(ctx: WriteContext, orderId: string, attempt: number): Promise<string> {
  refuseTooLong(ctx, orderId);
  for (let n = attempt; ; n += 1) {
    const id = ctx.idPrefix + (n === 1 ? orderId : `${orderId}-${n}`);
    const taken = await ctx.tx.selectFrom('transactions').select('id').where('id', '=', id).executeTakeFirst();
    if (taken === undefined) return id;
  }
}

type Opening = Pick<
  TransactionRow,
  | 'id'
  | 'type'
  | 'order_id'
  | 'attempt'
  | 'asked'
  | 'method'
  | 'amount_minor'
  | 'currency'
  | 'customer'
  | 'note'
  | 'idempotency_key'
  | 'fingerprint'
  | 'pay_within_ms'
  | 'customer_ref'
>;

/** Writes the row and its first entry in the history. */
export async function insert(ctx: WriteContext, opening: Opening): Promise<void> {
  const { rank } = STAGES.created;
  // IPNs may have come for this id before its row: they were kept. Not of what we are about to send, so they ring only after the answer
  // to it, which may be that the id is another's.
  const { numUpdatedRows: early } = await ctx.tx
    .updateTable('ipns')
    .set({ matched: 1 })
    .where('order_id', '=', opening.id)
    .executeTakeFirst();
  await ctx.tx
    .insertInto('transactions')
    .values({
      ...opening,
      rank,
      prior_rank: rank,
      answer: null,
      payment_id: null,
      checkout_url: null,
      qr: null,
      app_url: null,
      expires_at: null,
      late: 0,
      surplus: 0,
      mismatch: 0,
      conflict: 0,
      needs_review: 0,
      reviews: 0,
      resolved: null,
      ended_by: null,
      version: 1,
      created_at: ctx.now,
      updated_at: ctx.now,
      sent_at: null,
      sent_by: null,
      lost_at: null,
      found_at: null,
      rung_at: early > 0n ? ctx.now : null,
      rings: Number(early),
      rings_heard: Number(early),
      unknown_at: null,
      failed_at: null,
      waits_from: 0,
      checked_at: null,
      unanswered: 0,
      checks: '[]',
      next_check_at: null,
      lease_until: 0,
    })
    .execute();
  await ctx.tx
    .insertInto('history')
    .values({ transaction_id: opening.id, event: 'created', n: 1, at: ctx.now, source: ctx.source, detail: null })
    .execute();
  await plan(ctx, opening.id);
}

/**
 * The books may have gone back behind the row of a call that was under way: what it was is in hand, and is written anew, so that the
 * answer has a place. Nothing happens where the row is there.
 */
export async function restoreTransaction(ctx: WriteContext, transaction: Transaction): Promise<void> {
  const { id, type, orderId, currency, amountMinor } = transaction;
  const found = await ctx.tx.selectFrom('transactions').select('id').where('id', '=', id).executeTakeFirst();
  if (found !== undefined) return;
  const { paysOrder } = TYPES[type];
  if (paysOrder) {
    await ctx.tx
      .insertInto('orders')
      .values({
        order_id: orderId,
        amount_minor: amountMinor,
        currency,
        version: 1,
        paid_by: null,
        seen_iat: null,
        seen_terms: null,
      })
      .onConflict((c) => c.doNothing())
      .execute();
  }
  const { attempt, asked, customer, note } = transaction;
  await insert(ctx, {
    id,
    type,
    order_id: orderId,
    attempt,
    asked,
    method: asked,
    amount_minor: amountMinor,
    currency,
    customer,
    note,
    // Its own is gone: the shopper's repeat finds another payment open, and a merchant's repeat finds this one by its order id.
    idempotency_key: paysOrder ? ` anew ${id}` : PAYOUT_KEY,
    fingerprint: transaction.fingerprint,
    pay_within_ms: null,
    customer_ref: null,
  });
  const sentAt = Math.min(transaction.createdAt, ctx.now);
  await ctx.tx
    .updateTable('transactions')
    .set({ rank: STAGES.sending.rank, prior_rank: STAGES.sending.rank, sent_at: sentAt })
    .where('id', '=', id)
    .execute();
}
