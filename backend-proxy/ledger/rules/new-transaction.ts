// Adds the row of a new transaction, before anything is sent.
import { Refusal } from '../../errors.ts';
import { STAGES, TYPES, whyTooLong, type Transaction } from '../../protocol/transaction.ts';
import { addOrder, addTransaction, findOrder, findTransaction, type Draft } from './draft.ts';
import type { TransactionRow } from '../schema/tables.ts';
import { addHistory } from './transitions.ts';

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
  return row;
}
