// Opens a refund or a payout: writes its row with the permission to send it, before anything is sent.
// A refund reserves its amount of what the payment brought, and changes the order, so of two at once the second sees
// the first. A payout is opened once for each order id of the merchant. After a restore of the database both are looked
// up first.
import { LookUpNeeded, Refusal } from '../../errors.ts';
import { isSameRequest } from '../../fingerprint.ts';
import { decimalOf, minorOf } from '../../protocol/money.ts';
import {
  NOT_REFUNDABLE,
  leftOf,
  limitOf,
  refundId,
  sendableOf,
  whyNotRefundable,
  type NotRefundable,
} from '../../protocol/refundable.ts';
import { iso } from '../../protocol/durations.ts';
import { LAG_MS, RESTORED_LATELY_MS } from '../../protocol/schedule.ts';
import { STAGES, TYPES, stageOf, type Transaction } from '../../protocol/transaction.ts';
import type { FoundRefund, FoundRefunds, LookedUp, NewPayout, NewRefund, Start, Withheld } from '../model.ts';
import type { TransactionRow } from '../schema/tables.ts';
import { flag, markChanged, maySend, permitSending, plan, raise } from './settle.ts';
import { historyOf, paymentsOf, type Draft, toTransaction } from './records.ts';
import { PAYOUT_KEY, RESTORED_KEY, insert, refuseLongId } from './payments.ts';
import { ChangedMeanwhile } from './resolution.ts';

/** Before the merchant's key: those of shoppers, in the same column, have no spaces. */
const REFUND_KEY = ' refund ';
/** The answer to a call that is under way comes within half a minute. */
const ASK_AGAIN_AFTER_S = 10;

interface OpenedRefund {
  row: TransactionRow;
  payment: TransactionRow;
  /** Whether this call, and no other, may send it. */
  maySend: boolean;
}

/** `taken`: ids at the gateway that others use. */
export function openRefund(draft: Draft, refund: NewRefund, taken: ReadonlySet<string>): OpenedRefund {
  const key = REFUND_KEY + refund.idempotencyKey;
  const payments = paymentsOf(draft);
  const same = refundsOf(draft).find((row) => row.idempotency_key === key);
  if (same !== undefined) {
    if (!isSameRequest(draft.fingerprintKey, same.fingerprint, refund.fingerprint)) {
      throw new Refusal('idempotency_key_reused', 'This Idempotency-Key was used with another body; use a new one.');
    }
    const payment = payments.find(({ id }) => id === same.refund_of) as TransactionRow;
    return { row: same, payment, maySend: maySend(same, refund.start) };
  }
  const payment = choosePayment(payments, refund);
  refuseUnrefundable(draft, payment, refund);
  const withheld = lookUpOf(draft, payment, refund)?.withheld;
  const left = leftOf(toView(draft, payment), views(draft));
  if (refund.expectedLeft !== undefined && refund.expectedLeft !== left) throw new ChangedMeanwhile();
  const amountMinor = askedAmount(refund, payment);
  const lost = refundsOf(draft).findLast((row) => isLostRequest(row, payment, amountMinor ?? left + row.amount_minor));
  if (lost !== undefined) {
    Object.assign(lost, { idempotency_key: key, fingerprint: refund.fingerprint });
    return { row: lost, payment, maySend: false };
  }
  const amount = refuseTooMuch(refund, payment, left, amountMinor ?? left);
  const attempt = nextAttempt(draft, payment, taken, withheld?.attempt);
  const row = insertRefund(draft, payment, attempt, {
    amount_minor: amount,
    note: refund.note,
    idempotency_key: key,
    fingerprint: refund.fingerprint,
    by: refund.by,
  });
  // The one review in which it can be refunded: whether to send back what came after the closing.
  if (payment.needs_review === 1) {
    payment.needs_review = 0;
    markChanged(draft, payment);
  }
  return { row, payment, maySend: permitUnlessWithheld(draft, row, refund.start, withheld) };
}

/** `taken`: ids at the gateway that others use. */
export function recordFound(draft: Draft, { transactionId, found }: FoundRefunds, taken: ReadonlySet<string>): void {
  const payment = paymentsOf(draft).find(({ id }) => id === transactionId);
  if (payment === undefined) return;
  for (const each of found) if (!taken.has(each.id)) adopt(draft, payment, each);
}

function refundsOf({ transactions }: Draft): TransactionRow[] {
  return transactions.map(({ after }) => after).filter((row) => row.refund_of !== null);
}

function views(draft: Draft): Transaction[] {
  return refundsOf(draft).map((row) => toView(draft, row));
}

function toView(draft: Draft, row: TransactionRow): Transaction {
  return toTransaction(row, historyOf(draft, row.id));
}

function choosePayment(payments: readonly TransactionRow[], { transactionId }: NewRefund): TransactionRow {
  if (transactionId !== undefined) {
    const named = payments.find(({ id }) => id === transactionId);
    if (named === undefined) throw new Refusal('not_found', 'The order has no such payment; nothing was sent.');
    return named;
  }
  const succeeded = payments.filter(({ rank }) => rank === STAGES.succeeded.rank);
  const [only] = succeeded.length === 0 ? payments : succeeded;
  if (only === undefined) throw new Refusal('not_found', 'No such order, or none of its payments was started.');
  if (succeeded.length > 1) {
    const detail = `one of ${succeeded.map(({ id }) => id).join(', ')}, because more than one payment succeeded`;
    throw new Refusal('invalid_request', `gatewayOrderId: ${detail}.`, {
      errors: [{ field: 'gatewayOrderId', detail }],
    });
  }
  return only;
}

function refuseUnrefundable(draft: Draft, payment: TransactionRow, { rules }: NewRefund): void {
  const cause = whyNotRefundable(toView(draft, payment), rules.refundMethods);
  if (cause !== null) throw notRefundable(payment, cause);
}

function notRefundable({ id }: TransactionRow, cause: NotRefundable, until: number | null = null): Refusal {
  const detail = `The payment ${id} cannot be refunded, because ${NOT_REFUNDABLE[cause]}; nothing was sent.`;
  if (until === null) return new Refusal('not_refundable', detail, { members: { cause } });
  return new Refusal('not_refundable', `${detail} It can be from ${iso(until)}.`, {
    members: { cause, until: iso(until) },
  });
}

/** Refuses where the database was restored lately and no look-up of this payment has begun since. */
function lookUpOf(draft: Draft, payment: TransactionRow, { lookedUp }: NewRefund): LookedUp | undefined {
  const { restoredAt } = draft;
  if (!wasRestoredLately(draft)) return undefined;
  if (lookedUp?.transactionId === payment.id && lookedUp.restoredAt === restoredAt) return lookedUp;
  throw new LookUpNeeded(restoredAt, { payment: toView(draft, payment), refunds: views(draft) });
}

/** Undefined for all that is left; NaN for what is no amount. */
function askedAmount({ amount }: NewRefund, { currency }: TransactionRow): number | undefined {
  return amount === undefined ? undefined : (minorOf(amount, currency) ?? Number.NaN);
}

/** Never rounded: the merchant decides what happens to the rest. */
function refuseTooMuch({ rules }: NewRefund, { currency }: TransactionRow, left: number, amount: number): number {
  const isWhole = sendableOf(amount, currency, rules) === amount;
  if (amount > 0 && amount <= left && isWhole) return amount;
  const sendable = sendableOf(left, currency, rules);
  const refundable = decimalOf(sendable, currency);
  const whole = rules.payoutDecimals ? '' : ', a whole one, because the gateway accepts no decimals in payouts';
  const rest =
    left === 0
      ? ''
      : `: ${decimalOf(left, currency)} ${currency} is left, and the gateway accepts no decimals in payouts`;
  const detail =
    sendable === 0
      ? `nothing is left to refund${rest}`
      : `an amount above 0 and at most ${refundable} ${currency}${whole}`;
  const errors = [{ field: 'amount', detail }];
  throw new Refusal('invalid_request', `amount: ${detail}.`, { status: 422, errors, members: { refundable } });
}

/**
 * The request of this refund was lost with a restore, and with it its key: a request of the same amount is taken for
 * its repetition, and nothing is sent.
 */
function isLostRequest(row: TransactionRow, payment: TransactionRow, amountMinor: number): boolean {
  const isLost = row.refund_of === payment.id && row.idempotency_key === RESTORED_KEY + row.id;
  return isLost && row.amount_minor === amountMinor && STAGES[stageOf(row.rank)].status !== 'FAILED';
}

function adopt(draft: Draft, payment: TransactionRow, { id, attempt, amountMinor, needsReview }: FoundRefund): void {
  if (refundsOf(draft).some((row) => row.id === id)) return;
  const row = insertRefund(draft, payment, attempt, {
    amount_minor: amountMinor,
    note: null,
    idempotency_key: RESTORED_KEY + id,
    fingerprint: '',
  });
  row.found_at = draft.now;
  withhold(draft, row, { detail: 'the database was restored, and the gateway has it already', needsReview });
}

type Given = Pick<TransactionRow, 'amount_minor' | 'note' | 'idempotency_key' | 'fingerprint'> & Pick<NewRefund, 'by'>;

function insertRefund(draft: Draft, payment: TransactionRow, attempt: number, { by, ...given }: Given): TransactionRow {
  const row = {
    id: refundId(payment.id, attempt),
    type: 'REFUND',
    order_id: payment.order_id,
    attempt,
    refund_of: payment.id,
    asked: null,
    method: null,
    currency: payment.currency,
    customer: payment.payer,
    customer_ref: null,
    metadata: payment.metadata,
    pay_within_ms: null,
    ...given,
  } as const;
  return insert(draft, row, by);
}

/** `from`: the number that the gateway may have; if it is in use, the next one that is not. */
function nextAttempt(draft: Draft, payment: TransactionRow, taken: ReadonlySet<string>, from?: number): number {
  const used = refundsOf(draft).filter((row) => row.refund_of === payment.id);
  let attempt = from ?? 1 + Math.max(0, ...used.map((row) => row.attempt));
  while (taken.has(refundId(payment.id, attempt)) || used.some((row) => row.attempt === attempt)) attempt += 1;
  const limit = limitOf(payment, views(draft), draft.now, attempt);
  if (limit === null) return attempt;
  if (!limit.isOpen) throw notRefundable(payment, limit.cause, limit.until);
  const detail = `The gateway has to show one of the last refunds of ${payment.id} first; nothing was sent. Try again.`;
  throw new Refusal('unavailable', detail, { retryAfterS: ASK_AGAIN_AFTER_S });
}

interface OpenedPayout {
  row: TransactionRow;
  /** Whether this call, and no other, may send it. */
  maySend: boolean;
}

/** The payout's row, either new or written by an earlier call for the same payout. */
export function openPayout(draft: Draft, payout: NewPayout, id: string, taken: ReadonlySet<string>): OpenedPayout {
  const { orderId, amountMinor, currency, customer, note, fingerprint, start, lookedUp } = payout;
  const existing = draft.transactions.map(({ after }) => after);
  const same = existing.find((row) => TYPES[row.type].isPayout && row.order_id === orderId);
  if (same !== undefined && isSameRequest(draft.fingerprintKey, same.fingerprint, fingerprint)) {
    return { row: same, maySend: maySend(same, start) };
  }
  if (existing.length > 0 || taken.has(id)) {
    throw new Refusal('order_id_taken', 'Another payment or payout uses this order id; nothing was sent.');
  }
  refuseLongId(draft, orderId);
  if (wasRestoredLately(draft) && lookedUp?.restoredAt !== draft.restoredAt) throw new LookUpNeeded(draft.restoredAt);
  const withheld = lookedUp?.withheld;
  const row = insert(draft, {
    id,
    type: 'PAYOUT',
    order_id: orderId,
    attempt: 1,
    refund_of: null,
    asked: null,
    method: null,
    amount_minor: amountMinor,
    currency,
    customer,
    customer_ref: null,
    note,
    metadata: null,
    pay_within_ms: null,
    idempotency_key: PAYOUT_KEY,
    fingerprint,
  });
  return { row, maySend: permitUnlessWithheld(draft, row, start, withheld, lookedUp?.lagMs) };
}

function wasRestoredLately({ now, restoredAt }: Draft): boolean {
  return now - restoredAt < RESTORED_LATELY_MS;
}

/** Returns whether a new payout or refund may be sent. Just after a restore the gateway's "unknown" proves nothing. */
function permitUnlessWithheld(
  draft: Draft,
  row: TransactionRow,
  start: Start,
  withheld: Withheld | undefined,
  lagMs = LAG_MS,
): boolean {
  if (withheld !== undefined) {
    withhold(draft, row, withheld);
    return false;
  }
  const waitMs = draft.restoredAt + lagMs - draft.now;
  if (waitMs > 0) {
    const detail =
      'The database was restored just now, and the gateway may not report yet what was sent last; nothing was sent. ' +
      'Try again later.';
    throw new Refusal('unavailable', detail, { retryAfterS: Math.ceil(waitMs / 1000) });
  }
  permitSending(draft, row, start);
  return true;
}

/** After a restore: it is not sent, and checks or a person end it. */
function withhold(draft: Draft, row: TransactionRow, { detail, needsReview }: Withheld): void {
  row.answer = 'withheld';
  row.lost_at = draft.now;
  raise(draft, row, 'uncertain', { detail, source: 'check' });
  if (needsReview) flag(draft, row, 'needs_review', detail, 'check');
  plan(draft, row);
}
