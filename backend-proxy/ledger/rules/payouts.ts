// Opens a payout: writes its row before anything is sent, once for each order id of the merchant.
import { Refusal } from '../../errors.ts';
import { isSameRequest } from '../../fingerprint.ts';
import { TYPES } from '../../protocol/transaction.ts';
import type { Draft } from './draft.ts';
import type { NewPayout } from '../ledger.ts';
import { PAYOUT_KEY, insert, refuseLongId } from './new-transaction.ts';
import type { TransactionRow } from '../schema/tables.ts';

/** Returns the payout's row, either new or written by an earlier call for the same payout. */
export function openPayout(draft: Draft, payout: NewPayout, id: string, taken: ReadonlySet<string>): TransactionRow {
  const { orderId, amountMinor, currency, customer, note, fingerprint } = payout;
  const existing = draft.transactions.map(({ after }) => after);
  const same = existing.find((row) => TYPES[row.type].isPayout && row.order_id === orderId);
  if (same !== undefined && isSameRequest(draft.fingerprintKey, same.fingerprint, fingerprint)) return same;
  if (existing.length > 0 || taken.has(id)) {
    throw new Refusal('order_id_taken', 'Another payment or payout uses this order id; nothing was sent.');
  }
  refuseLongId(draft, orderId);
  return insert(draft, {
    id,
    type: 'PAYOUT',
    order_id: orderId,
    amount_minor: amountMinor,
    currency,
    customer,
    note,
    idempotency_key: PAYOUT_KEY,
    fingerprint,
  });
}
