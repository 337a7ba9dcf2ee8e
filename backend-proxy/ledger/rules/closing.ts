// Closes an order: from then on nothing starts, and a SUCCESS pays nothing (`credit` in transitions.ts). It is decided
// on the whole order, and paying changes the same row, so one order is never both closed and paid.
import { Refusal } from '../../errors.ts';
import { canBePaid, isOpen, stageOf } from '../../protocol/transaction.ts';
import { addOrder, findOrder, paymentsOf, type Draft } from './draft.ts';
import type { Closing } from '../ledger.ts';
import { isChecking } from './records.ts';
import type { TransactionRow } from '../schema/tables.ts';

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
