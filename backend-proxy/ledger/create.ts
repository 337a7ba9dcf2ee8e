// Creates a payment or a payout: writes its row before anything is sent, and decides whether it may be created. A
// payment's transaction locks the order, so the second of two concurrent starts sees the first.
import { Refusal } from '../errors.ts';
import { PAYS_BY, PROMPT_METHODS } from '../protocol/methods.ts';
import { STAGES, TYPES, type Transaction } from '../protocol/transaction.ts';
import type { WriteContext } from './context.ts';
import type { NewPayment, NewPayout, PaymentLimits, TokenTerms } from './ledger.ts';
import { readPaymentRows } from './queries.ts';
import { plan, raise, touchOrder } from './transitions.ts';
import type { TransactionRow } from './schema.ts';
import type { Store } from './store.ts';

/**
 * A payout's idempotency key: with it, the unique constraint allows one payout per order id, whatever its id at the
 * gateway. It cannot come from a shopper: their keys have no spaces.
 */
const PAYOUT_KEY = ' payout';
/** Of an id at the gateway, without the number of a later attempt. */
const MAX_ID_CHARS = 64;
/** Fixed: the exact second would reveal to another person when the wallet's owner was last asked. */
const WALLET_RETRY_AFTER_S = 3600;

/** Returns the id of the payment's row, and whether it is new or the same key had written it. */
export async function openPayment(
  ctx: WriteContext,
  store: Store,
  payment: NewPayment & TokenTerms,
  limits: PaymentLimits,
): Promise<{ id: string; isNew: boolean }> {
  const { orderId, currency } = payment;
  await storeTerms(ctx, payment);
  await store.lockOrder(ctx.tx, orderId);
  const order = await ctx.tx.selectFrom('orders').selectAll().where('order_id', '=', orderId).executeTakeFirstOrThrow();
  const earlier = await readPaymentRows(ctx.tx, orderId);

  const same = earlier.find((row) => row.idempotency_key === payment.idempotencyKey);
  if (same !== undefined) {
    if (same.fingerprint === payment.fingerprint) return { id: same.id, isNew: false };
    throw new Refusal('idempotency_key_reused', 'This Idempotency-Key was used with another body; use a new one.');
  }
  const isOlder = payment.iat !== null && order.seen_iat !== null && payment.iat < order.seen_iat;
  if (isOlder && payment.terms !== order.seen_terms) {
    throw new Refusal('order_changed', 'The shop has changed this order; open its newest page.');
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
    customer_ref: payment.customerReference,
  });
  await touchOrder(ctx, orderId);
  return { id, isNew: true };
}

/** Returns the id of the payout's row, either new or written by an earlier call for the same payout. */
export async function openPayout(ctx: WriteContext, payout: NewPayout): Promise<string> {
  const { orderId, amountMinor, currency, customer, note, fingerprint } = payout;
  const id = ctx.idPrefix + orderId;
  // One query: between two, a concurrent call for the same payout could write the row, which would then look like
  // another's.
  const existing = await ctx.tx
    .selectFrom('transactions')
    .select(['id', 'type', 'order_id', 'fingerprint'])
    .where((eb) => eb.or([eb('id', '=', id), eb.and([eb('order_id', '=', orderId), eb('type', '=', 'PAYOUT')])]))
    .execute();
  const same = existing.find((row) => !TYPES[row.type].paysOrder && row.order_id === orderId);
  if (same?.fingerprint === fingerprint) return same.id;
  if (existing.length > 0) {
    throw new Refusal('order_id_taken', 'Another payment or payout uses this order id; nothing was sent.');
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
  const max = MAX_ID_CHARS - idPrefix.length;
  if (orderId.length <= max) return;
  const detail = `at most ${max} characters, because ${idPrefix.length} are added before it`;
  throw new Refusal('invalid_request', `orderId: ${detail}.`, { errors: [{ field: 'orderId', detail }] });
}

/** Stores the terms of an order's newest token; creates the order's row if there is none. */
export async function storeTerms({ tx }: WriteContext, seen: TokenTerms): Promise<void> {
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
    throw new Refusal('too_many_payments', `An order allows ${perOrder} payments; the shop has to create a new order.`);
  }
  if (PAYS_BY[payment.method] !== 'prompt' || payment.customer === null) return;
  const { directPerOrder } = limits;
  if (counted.filter(({ asked }) => asked !== null && PAYS_BY[asked] === 'prompt').length >= directPerOrder) {
    throw new Refusal(
      'method_unavailable',
      `An order allows ${directPerOrder} prompts in a wallet; choose another method.`,
    );
  }
  await refuseTooManyPrompts(ctx, store, { ...payment, customer: payment.customer }, limits.directPerWallet);
}

/**
 * A prompt on a stranger's phone is spam, and a stranger's prompts must not lock the owner out: each of the merchant's
 * customers has a separate limit. Counts prompts that may have reached the wallet, including those in flight; not those
 * refused or never sent.
 */
async function refuseTooManyPrompts(
  ctx: WriteContext,
  store: Store,
  { customer, customerReference }: NewPayment & { customer: string },
  { perCustomer, inAll, withinMs }: PaymentLimits['directPerWallet'],
): Promise<void> {
  await store.lockWallet(ctx.tx, customer);
  const { rejected, not_created: notCreated, replaced } = STAGES;
  const prompts = await ctx.tx
    .selectFrom('transactions')
    .select('customer_ref')
    .where('customer', '=', customer)
    .where('asked', 'in', PROMPT_METHODS)
    .where('created_at', '>', ctx.now - withinMs)
    .where('rank', 'not in', [rejected.rank, notCreated.rank])
    .where((eb) => eb.or([eb('rank', '!=', replaced.rank), eb('sent_at', 'is not', null)]))
    .where((eb) => eb.or([eb('answer', 'is', null), eb('answer', '!=', 'duplicate')]))
    .limit(inAll)
    .execute();
  const own = prompts.filter(({ customer_ref }) => customer_ref === customerReference);
  if (prompts.length < inAll && own.length < perCustomer) return;
  throw new Refusal('too_many_requests', 'This wallet received too many prompts; try later or choose another method.', {
    retryAfterS: WALLET_RETRY_AFTER_S,
  });
}

/** A payment whose time is over ends as EXPIRED, not as replaced by the shopper. */
async function replace(ctx: WriteContext, { id, expires_at }: TransactionRow): Promise<void> {
  const isExpired = expires_at !== null && expires_at <= ctx.now;
  const raised = await raise(ctx, id, 'replaced', isExpired ? { endedBy: 'EXPIRED' } : {});
  if (raised !== undefined) await plan(ctx, id);
}

/** The order's own id for its first payment, then `<orderId>-2` …; skips ids that another order uses. */
async function nextFreeId(ctx: WriteContext, orderId: string, attempt: number): Promise<string> {
  refuseTooLong(ctx, orderId);
  for (let n = attempt; ; n += 1) {
    const id = ctx.idPrefix + (n === 1 ? orderId : `${orderId}-${n}`);
    const existing = await ctx.tx.selectFrom('transactions').select('id').where('id', '=', id).executeTakeFirst();
    if (existing === undefined) return id;
  }
}

type NewRow = Pick<
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

/** Writes the row and its first history entry. */
export async function insert(ctx: WriteContext, row: NewRow): Promise<void> {
  const { rank } = STAGES.created;
  // IPNs for this id may have arrived before its row. They cannot be about a POST that we have not sent, so they count
  // as answered. The answer to our POST may say that the id is a duplicate; after any other, `rung_at` makes the checks
  // frequent.
  const { numUpdatedRows: earlyIpns } = await ctx.tx
    .updateTable('ipns')
    .set({ matched: 1 })
    .where('order_id', '=', row.id)
    .executeTakeFirst();
  await ctx.tx
    .insertInto('transactions')
    .values({
      ...row,
      rank,
      prior_rank: rank,
      version: 1,
      created_at: ctx.now,
      updated_at: ctx.now,
      rung_at: earlyIpns > 0n ? ctx.now : null,
      rings: Number(earlyIpns),
      rings_heard: Number(earlyIpns),
    })
    .execute();
  await ctx.tx
    .insertInto('history')
    .values({ transaction_id: row.id, event: 'created', n: 1, at: ctx.now, source: ctx.source, detail: null })
    .execute();
  await plan(ctx, row.id);
}

/**
 * Writes a transaction's row again if a restore of the database lost it during a call, so that the answer can be
 * stored. Does nothing if the row exists.
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
    // The original key is lost. A shopper's retry finds another payment open; a merchant's retry finds this payout by
    // its order id.
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
