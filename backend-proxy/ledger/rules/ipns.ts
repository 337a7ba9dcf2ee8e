// An IPN: its row, and the check that it requests.
import type { Draft } from './draft.ts';
import type { StoredIpn } from '../ledger.ts';
import type { TransactionRow } from '../schema/tables.ts';
import { plan } from './transitions.ts';

/**
 * Stores the IPN and requests a check; returns false if its transaction is not in this database. IPNs are counted, so
 * that no clock can make an earlier check look like the answer.
 */
export function receiveIpn(draft: Draft, { id, body, reading }: StoredIpn, row: TransactionRow | undefined): boolean {
  draft.ipn = {
    id,
    transaction_id: reading?.transactionId ?? null,
    reading: reading === undefined ? null : JSON.stringify(reading),
    body,
    matched: row === undefined ? 0 : 1,
    n: row === undefined ? 0 : row.ipns_received + 1,
    reported: 0,
    seen: 1,
    first_at: draft.now,
    last_at: draft.now,
  };
  if (row === undefined) return reading === undefined;
  row.ipn_received_at = draft.now;
  row.ipns_received += 1;
  row.unanswered = 0;
  row.erased_at = null;
  plan(draft, row);
  return true;
}
