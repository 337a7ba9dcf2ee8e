// Opens a payment, adds the row of any transaction (again, if a restore lost it), and closes an order.
// A payment's row is written before anything is sent, and replaces the order's open payment. It is decided on the whole
// order, so the second of two concurrent starts sees the first.
import { createHash } from 'node:crypto';
import { Refusal } from '../../errors.ts';
import { isSameRequest } from '../../fingerprint.ts';
import { PAYS_BY } from '../../protocol/wire.ts';
import { MAX_REFUNDS, refundId } from '../../protocol/refundable.ts';
import { STAGES, TYPES, canBePaid, isOpen, stageOf, whyTooLong, type Transaction } from '../../protocol/transaction.ts';
import type { Closing, NewPayment, PaymentLimits, Start, TokenTerms } from '../model.ts';
import type { OrderRow, TransactionRow } from '../schema/tables.ts';
import { addOrder, findOrder, paymentsOf, type Draft, isChecking, addTransaction, findTransaction } from './records.ts';
import { maySend, permitSending, plan, raise, addHistory } from './settle.ts';

/** Fixed: the exact second would reveal to another person when the wallet's owner was last asked. */
const WALLET_RETRY_AFTER_S = 3600;
/** So many ids with a number are tried: a shop may number its orders in the same way. */
const NUMBERS_TRIED = 3;

interface OpenedRow {
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
  throw new Refusal('too_many_prompts', 'This wallet received too many prompts; try later or choose another method.', {
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

// Adds the row of a new transaction, before anything is sent.

/**
 * A payout's idempotency key: with it, the unique constraint allows one payout per order id, whatever its id at the
 * gateway. It cannot come from a shopper: their keys have no spaces.
 */
export const PAYOUT_KEY = ' payout';
/** Before the id, of a row whose key a restore has lost. */
export const RESTORED_KEY = ' restored ';

/** What each opener decides. A column that is not here has the same value in every new transaction. */
type NewRow = Pick<
  TransactionRow,
  | 'id'
  | 'type'
  | 'order_id'
  | 'attempt'
  | 'refund_of'
  | 'asked'
  | 'method'
  | 'amount_minor'
  | 'currency'
  | 'customer'
  | 'customer_ref'
  | 'note'
  | 'metadata'
  | 'pay_within_ms'
  | 'idempotency_key'
  | 'fingerprint'
>;

const UNTOUCHED: Omit<TransactionRow, keyof NewRow | 'created_at' | 'updated_at' | 'clock_steps'> = {
  payer: null,
  start_id: null,
  rank: STAGES.sending.rank,
  version: 1,
  payment_id: null,
  checkout_url: null,
  qr: null,
  app_url: null,
  expires_at: null,
  late: 0,
  surplus: 0,
  after_close: 0,
  mismatch: 0,
  conflict: 0,
  needs_review: 0,
  reviews: 0,
  settled_minor: 0,
  success_seen: 0,
  resolved: null,
  reported: null,
  ended_by: null,
  sent_at: null,
  sent_by: null,
  answer: null,
  lost_at: null,
  found_at: null,
  ipn_received_at: null,
  ipns_received: 0,
  ipns_answered: 0,
  unknown_at: null,
  failed_at: null,
  waits_from: 0,
  checked_at: null,
  unanswered: 0,
  checks: '[]',
  next_check_at: null,
  lease_until: 0,
  erased_at: null,
};

/** `by`: the person who asked for it. */
export function insert(draft: Draft, given: NewRow, by: string | null = null): TransactionRow {
  const { now, clockSteps } = draft;
  const times = { created_at: now, updated_at: now, clock_steps: clockSteps };
  const row = addTransaction(draft, { ...UNTOUCHED, ...given, ...times });
  addHistory(draft, row, 'created', { detail: by });
  return row;
}

/** `ending`: the longest that may follow it in an id at the gateway. */
export function refuseLongId({ idPrefix }: Draft, orderId: string, ending = ''): void {
  const detail = whyTooLong(orderId, { before: idPrefix.length, after: ending.length });
  if (detail === undefined) return;
  throw new Refusal('invalid_request', `orderId: ${detail}.`, { errors: [{ field: 'orderId', detail }] });
}

/**
 * The row of a transaction; written again if a restore of the database lost it during a call, so that the answer can be
 * stored.
 */
export function findOrRestore(draft: Draft, transaction: Transaction): TransactionRow {
  const { id, type, orderId, currency, amountMinor } = transaction;
  const found = findTransaction(draft, id);
  if (found !== undefined) return found;
  const { isOfOrder, isPayout } = TYPES[type];
  if (isOfOrder && findOrder(draft, orderId) === undefined) {
    addOrder(draft, { order_id: orderId, amount_minor: amountMinor, currency, version: 1 });
  }
  const { attempt, refundOf, asked, customer, note, metadata, fingerprint } = transaction;
  const row = insert(draft, {
    id,
    type,
    order_id: orderId,
    attempt,
    refund_of: refundOf,
    asked,
    method: asked,
    amount_minor: amountMinor,
    currency,
    customer,
    customer_ref: null,
    note,
    metadata: metadata && JSON.stringify(metadata),
    pay_within_ms: null,
    // The original key is lost. A shopper's retry finds another payment open; a merchant's retry finds this payout by
    // its order id.
    idempotency_key: isPayout ? PAYOUT_KEY : RESTORED_KEY + id,
    fingerprint,
  });
  row.sent_at = Math.min(transaction.createdAt, draft.now);
  row.start_id = transaction.startId;
  return row;
}

// Closes an order: from then on nothing starts, and a SUCCESS pays nothing (`credit` in settle.ts). It is decided
// on the whole order, and paying changes the same row, so one order is never both closed and paid.

/** ISO 4217 for "no currency": of an order that was closed before anybody saw it. */
const NO_CURRENCY = 'XXX';
const ASK_AGAIN_AFTER_S = 10;

export function closeOrder(draft: Draft, { orderId, reason, ifUnpaidSince }: Closing): void {
  const seen = findOrder(draft, orderId);
  if (seen?.paid_by != null) throw new Refusal('already_paid', 'This order is paid; it was not closed.');
  if (seen?.closed_at != null) return;
  if (ifUnpaidSince !== null) for (const row of paymentsOf(draft)) refuseOpen(row, ifUnpaidSince);
  const order = seen ?? addOrder(draft, { order_id: orderId, amount_minor: null, currency: NO_CURRENCY, version: 0 });
  order.closed_at = draft.now;
  order.close_reason = reason;
  order.version += 1;
}

function refuseOpen(row: TransactionRow, since: number): void {
  const stage = stageOf(row.rank);
  if (isOpen(stage) || isChecking(row)) {
    throw new Refusal('payment_open', `The payment ${row.id} is under way; the order was not closed.`);
  }
  if (!canBePaid(stage) || (row.checked_at ?? 0) >= since) return;
  throw new Refusal('unavailable', `The gateway did not say how ${row.id} stands; the order was not closed.`, {
    retryAfterS: ASK_AGAIN_AFTER_S,
  });
}
