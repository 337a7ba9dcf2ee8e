// Opens a payment: decides whether it may start, replaces the order's open payment, and writes its row before anything
// is sent. It is decided on the whole order, so the second of two concurrent starts sees the first.
import { createHash } from 'node:crypto';
import { Refusal } from '../../errors.ts';
import { isSameRequest } from '../../fingerprint.ts';
import { PAYS_BY } from '../../protocol/methods.ts';
import { MAX_REFUNDS, refundId } from '../../protocol/refundable.ts';
import { STAGES } from '../../protocol/transaction.ts';
import { maySend, permitSending } from './answers.ts';
import { addOrder, findOrder, paymentsOf, type Draft } from './draft.ts';
import type { NewPayment, PaymentLimits, Start, TokenTerms } from '../ledger.ts';
import { insert, refuseLongId } from './new-transaction.ts';
import { isChecking } from './records.ts';
import type { OrderRow, TransactionRow } from '../schema/tables.ts';
import { plan, raise } from './transitions.ts';

/** Fixed: the exact second would reveal to another person when the wallet's owner was last asked. */
const WALLET_RETRY_AFTER_S = 3600;
/** So many ids with a number are tried: a shop may number its orders in the same way. */
const NUMBERS_TRIED = 3;

export interface OpenedRow {
  row: TransactionRow;
  /** False if the same key had written it. */
  isNew: boolean;
  /** Whether this call, and no other, may send it. */
  maySend: boolean;
}

/** `taken`: ids at the gateway that other orders use. */
export function openPayment(
  draft: Draft,
  payment: NewPayment & TokenTerms,
  limits: PaymentLimits,
  taken: ReadonlySet<string>,
): OpenedRow {
  const { orderId, currency, start } = payment;
  const earlier = paymentsOf(draft);
  const order = storeTerms(draft, payment);

  const same = earlier.find((row) => row.idempotency_key === payment.idempotencyKey);
  if (same !== undefined) {
    if (!isSameRequest(draft.fingerprintKey, same.fingerprint, payment.fingerprint)) {
      throw new Refusal('idempotency_key_reused', 'This Idempotency-Key was used with another body; use a new one.');
    }
    // This call's own row, if the answer to its save was lost.
    return { row: same, isNew: same.start_id === start.id, maySend: maySend(same, start) };
  }
  if (order.closed_at !== null) throw new Refusal('order_closed', 'The shop has closed this order; nothing was sent.');
  refuseChangedOrder(payment, order, earlier.length > 0);
  if (order.paid_by !== null) throw new Refusal('already_paid', 'This order is paid; nothing was sent.');
  if (earlier.some(isChecking)) {
    throw new Refusal('payment_under_review', 'A payment of this order is being checked; do not pay again.');
  }
  refuseTooMany(draft, payment, earlier, limits);
  // A refund of the last payment.
  refuseLongId(draft, orderId, refundId(`-${limits.inAll}`, MAX_REFUNDS));

  for (const row of earlier) if (row.rank < STAGES.replaced.rank) replace(draft, row);
  if (earlier.length === 0) Object.assign(order, { amount_minor: payment.orderAmountMinor, currency });
  const row = insert(draft, {
    id: nextFreeId(draft, payment, earlier, taken),
    type: 'PAY',
    order_id: orderId,
    attempt: earlier.length + 1,
    refund_of: null,
    asked: payment.method,
    method: payment.method,
    amount_minor: payment.amountMinor,
    currency,
    customer: payment.customer,
    customer_ref: payment.customerReference,
    note: null,
    metadata: metadataOf(payment, earlier),
    pay_within_ms: payment.payWithinMs,
    idempotency_key: payment.idempotencyKey,
    fingerprint: payment.fingerprint,
  });
  permitSending(draft, row, start);
  return { row, isNew: true, maySend: true };
}

/** That of the order's first payment; of payments that retention has erased in part, what is left. */
function metadataOf({ metadata }: NewPayment, earlier: readonly TransactionRow[]): string | null {
  if (earlier.length === 0) return metadata && JSON.stringify(metadata);
  return earlier.find((row) => row.metadata !== null)?.metadata ?? null;
}

/** Stores the terms of an order's newest token; adds the order if it is new. */
export function storeTerms(draft: Draft, seen: TokenTerms): OrderRow {
  const { orderId, currency, orderAmountMinor, iat, terms } = seen;
  const order = findOrder(draft, orderId);
  if (order === undefined) {
    return addOrder(draft, {
      order_id: orderId,
      amount_minor: orderAmountMinor,
      currency,
      version: 0,
      seen_iat: iat,
      seen_terms: terms,
    });
  }
  if (order.seen_iat === null || order.seen_iat < (iat ?? 0)) {
    order.seen_iat = iat;
    order.seen_terms = terms;
  }
  return order;
}

function refuseChangedOrder(payment: NewPayment & TokenTerms, order: OrderRow, isStarted: boolean): void {
  const isOlder = payment.iat !== null && order.seen_iat !== null && payment.iat < order.seen_iat;
  if (isOlder && payment.terms !== order.seen_terms) {
    throw new Refusal('order_changed', 'The shop has changed this order; open its newest page.');
  }
  if (isStarted && (order.currency !== payment.currency || order.amount_minor !== payment.orderAmountMinor)) {
    throw new Refusal('order_changed', 'This order was started with another amount or currency; use a new order id.');
  }
}

function refuseTooMany(draft: Draft, payment: NewPayment, earlier: TransactionRow[], limits: PaymentLimits): void {
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
  refuseTooManyPrompts(draft, payment, limits.directPerWallet);
}

/**
 * A prompt on a stranger's phone is spam, and a stranger's prompts must not lock the owner out: each of the merchant's
 * customers has a separate limit.
 */
function refuseTooManyPrompts(
  { prompts, now }: Draft,
  { customerReference }: NewPayment,
  { perCustomer, inAll, withinMs }: PaymentLimits['directPerWallet'],
): void {
  const recent = prompts.filter(({ created_at: createdAt }) => createdAt > now - withinMs);
  const own = recent.filter(({ customer_ref }) => customer_ref === customerReference);
  if (recent.length < inAll && own.length < perCustomer) return;
  throw new Refusal('too_many_requests', 'This wallet received too many prompts; try later or choose another method.', {
    retryAfterS: WALLET_RETRY_AFTER_S,
  });
}

/** A payment whose time is over ends as EXPIRED, not as replaced by the shopper. */
function replace(draft: Draft, row: TransactionRow): void {
  const isExpired = row.expires_at !== null && row.expires_at <= draft.now;
  if (raise(draft, row, 'replaced', isExpired ? { endedBy: 'EXPIRED' } : {})) plan(draft, row);
}

/** The order's own id for its first payment, then `<orderId>-2` …; skips ids that are in use. */
function nextFreeId(
  draft: Draft,
  { orderId, start }: NewPayment,
  earlier: readonly TransactionRow[],
  taken: ReadonlySet<string>,
): string {
  for (let n = earlier.length + 1; ; n += 1) {
    const ending = taken.size < NUMBERS_TRIED ? n : lettersOf(start, n);
    const id = draft.idPrefix + (n === 1 ? orderId : `${orderId}-${ending}`);
    if (!taken.has(id) && !earlier.some((row) => row.id === id)) return id;
  }
}

/** Two letters, others for each start: not longer than a number, and the same if the start is decided again. */
function lettersOf({ id }: Start, n: number): string {
  const digest = createHash('sha256').update(`${id} ${n}`).digest('base64');
  return digest.replaceAll(/[^a-z]/g, '').slice(0, 2);
}
