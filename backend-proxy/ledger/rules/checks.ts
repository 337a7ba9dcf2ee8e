// Who gets the next check, what claims and clock steps change in a row, and how an IPN is stored.
// A row also changes when the process that sent it has died. What a check saw is applied in observations.ts.
import { keyedFingerprint } from '../../fingerprint.ts';
import { CHECKS_KEPT, hasUnansweredIpn, scheduledAllowedAt, type Check } from '../../protocol/schedule.ts';
import type { IpnReading } from '../../protocol/verify.ts';
import type { Claim, StoredIpn } from '../model.ts';
import type { TransactionRow } from '../schema/tables.ts';
import { type Draft, toTransactionState } from './records.ts';
import { plan, raise, setReportedFailed, showChange } from './settle.ts';

/** One in this many checks goes to the transaction that has been due longest, so that IPNs cannot starve it. */
const CHECKS_PER_LONGEST_DUE = 5;

export interface Shares {
  /** At most this many of those with a recent IPN, the newest first. */
  recent: number;
  /** At most this many in all, the longest due first. */
  inAll: number;
}

/** Divides the checks between those with a recent IPN and the longest due; `claimed`: how many were claimed before. */
export function sharesOf(limit: number, claimed: number): Shares {
  const longest = Math.floor((claimed + limit) / CHECKS_PER_LONGEST_DUE) - Math.floor(claimed / CHECKS_PER_LONGEST_DUE);
  return { recent: limit - longest, inAll: limit };
}

/** Whether the next check is one that the longest due should have. */
export function isTurnOfLongestDue(claimed: number): boolean {
  return (claimed + 1) % CHECKS_PER_LONGEST_DUE === 0;
}

/** By this much earlier may a process have read the clock than another one that has claimed meanwhile. */
const READ_EARLIER_MS = 20_000;

/** A lease that ends later was written by another clock. */
export function longestLease(leaseMs: number): number {
  return leaseMs + READ_EARLIER_MS;
}

export function toClaim(row: TransactionRow, beganAt: number): Claim {
  return {
    transaction: toTransactionState(row),
    beganAt,
    leaseUntil: row.lease_until,
    ipnsReceived: row.ipns_received,
  };
}

/**
 * Whether nobody has claimed it since. Its lease does not tell: that may be prolonged while the check ends. A clock
 * that stepped back meanwhile has moved the check to now.
 */
export function isHeld({ now }: Draft, row: TransactionRow, { beganAt }: Claim): boolean {
  const at = checksOf(row).at(-1)?.at;
  return at === beganAt || (at === now && beganAt > now);
}

/** Claims the check of this row if it is due and nobody has claimed it. */
export function claimNow({ now }: Draft, row: TransactionRow, leaseMs: number): Claim | undefined {
  if (row.next_check_at === null || row.next_check_at > now || isLeased(row, now, leaseMs)) return undefined;
  return claim(
    row,
    now,
    leaseMs,
    hasUnansweredIpn({ ipnsReceived: row.ipns_received, ipnsAnswered: row.ipns_answered }),
  );
}

/**
 * Claims the check of this row, due or not, unless one is under way or the last minute had enough. It counts as one of
 * the lists, so that a merchant who asks often delays no IPN.
 */
export function claimAtOnce({ now }: Draft, row: TransactionRow, leaseMs: number): Claim | undefined {
  const checks = checksOf(row).filter(({ at }) => at <= now);
  if (isLeased(row, now, leaseMs) || scheduledAllowedAt(checks) > now) return undefined;
  row.next_check_at = now;
  return claim(row, now, leaseMs, false);
}

function isLeased({ lease_until: until }: TransactionRow, now: number, leaseMs: number): boolean {
  return until > now && until <= now + longestLease(leaseMs);
}

function claim(row: TransactionRow, now: number, leaseMs: number, byIpn: boolean): Claim {
  const check: Check = { at: now, byIpn };
  row.lease_until = now + leaseMs;
  row.checks = JSON.stringify([...checksOf(row), check].slice(-CHECKS_KEPT));
  return toClaim(row, now);
}

/** Makes it uncertain, unless it was answered meanwhile. */
export function recover(draft: Draft, row: TransactionRow): void {
  if (row.answer !== null) return;
  row.answer = 'lost';
  row.lost_at = draft.now;
  showChange(draft, row);
  raise(draft, row, 'uncertain', { detail: 'the process restarted during the call' });
  plan(draft, row);
}

/** After a clock step: plans the check again and restarts each wait that may end the transaction. */
export function restartWaits(draft: Draft, row: TransactionRow): void {
  const { now } = draft;
  row.clock_steps = draft.clockSteps;
  row.waits_from = now;
  row.unknown_at = null;
  setReportedFailed(draft, row, null);
  // One in the future would count as of now each time, until the list has forgotten it.
  row.checks = JSON.stringify(checksOf(row).map((check) => ({ ...check, at: Math.min(check.at, now) })));
  if (row.sent_at !== null) {
    const sentAt = Math.min(row.sent_at, now);
    // Keeps how long it is valid, counted from a start that is never in the future.
    if (row.expires_at !== null) row.expires_at += sentAt - row.sent_at;
    row.sent_at = sentAt;
  }
  row.created_at = Math.min(row.created_at, now);
  plan(draft, row);
}

function checksOf(row: TransactionRow): Check[] {
  return JSON.parse(row.checks) as Check[];
}

// An IPN: its row, and the check that it requests.

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
