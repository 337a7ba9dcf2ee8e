// Opens a payout: writes its row with the permission to send it, before anything is sent, once for each order id of the
// merchant.
import { Refusal } from '../../errors.ts';
import { isSameRequest } from '../../fingerprint.ts';
import { TYPES } from '../../protocol/transaction.ts';
import { maySend, permitSending } from './answers.ts';
import type { Draft } from './draft.ts';
import type { NewPayout, Withheld } from '../ledger.ts';
import { PAYOUT_KEY, insert, refuseLongId } from './new-transaction.ts';
import type { TransactionRow } from '../schema/tables.ts';
import { flag, plan, raise } from './transitions.ts';

interface OpenedPayout {
  row: TransactionRow;
  /** Whether this call, and no other, may send it. */
  maySend: boolean;
}

/** The payout's row, either new or written by an earlier call for the same payout. */
export function openPayout(draft: Draft, payout: NewPayout, id: string, taken: ReadonlySet<string>): OpenedPayout {
  const { orderId, amountMinor, currency, customer, note, fingerprint, start, withheld } = payout;
  const existing = draft.transactions.map(({ after }) => after);
  const same = existing.find((row) => TYPES[row.type].isPayout && row.order_id === orderId);
  if (same !== undefined && isSameRequest(draft.fingerprintKey, same.fingerprint, fingerprint)) {
    return { row: same, maySend: maySend(same, start) };
  }
  if (existing.length > 0 || taken.has(id)) {
    throw new Refusal('order_id_taken', 'Another payment or payout uses this order id; nothing was sent.');
  }
  refuseLongId(draft, orderId);
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
  if (withheld === undefined) permitSending(draft, row, start);
  else withhold(draft, row, withheld);
  return { row, maySend: withheld === undefined };
}

/** After a restore: it is not sent, and checks or a person end it. */
export function withhold(draft: Draft, row: TransactionRow, { detail, needsReview }: Withheld): void {
  row.answer = 'withheld';
  row.lost_at = draft.now;
  raise(draft, row, 'uncertain', { detail, source: 'check' });
  if (needsReview) flag(draft, row, 'needs_review', detail, 'check');
  plan(draft, row);
}
