// An IPN: its row, and the check that it requests.
import { keyedFingerprint } from '../../fingerprint.ts';
import type { IpnReading } from '../../protocol/verify.ts';
import type { Draft } from './draft.ts';
import type { StoredIpn } from '../ledger.ts';
import type { TransactionRow } from '../schema/tables.ts';
import { plan } from './transitions.ts';

/**
 * Stores the IPN and requests a check; returns false if its transaction is not in this database. IPNs are counted, so
 * that no clock can make an earlier check look like the answer. Of an erased transaction nothing personal is stored; the
 * id is a digest of the body, so it is keyed.
 */
export function receiveIpn(draft: Draft, { id, body, reading }: StoredIpn, row: TransactionRow | undefined): boolean {
  const isErased = row !== undefined && row.erased_at !== null;
  const kept = isErased && reading !== undefined ? withoutWallet(reading) : reading;
  draft.ipn = {
    id: isErased ? keyedFingerprint(draft.fingerprintKey, id) : id,
    transaction_id: reading?.transactionId ?? null,
    reading: kept === undefined ? null : JSON.stringify(kept),
    body: isErased ? '' : body,
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
  plan(draft, row);
  return true;
}

/** Of an erased transaction. That it names a wallet is kept: with the one that was asked, it cannot be compared. */
function withoutWallet(reading: IpnReading): IpnReading {
  return { ...reading, customer: reading.customer === null ? null : '*' };
}
