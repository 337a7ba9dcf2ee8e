// Turns the end of a check into facts (transitions.ts): what the gateway reported, and what the clock alone decides.
// Holds the rules that need more than one check: proven unknowns, a payout's two FAILED, expiry, and the review of what
// stays open.
import { PAYS_BY } from '../../protocol/methods.ts';
import { CALL_OVER_MS } from '../../protocol/gateway-call.ts';
import {
  PAYOUT_FAILED_APART_MS,
  REVIEW_AFTER_MS,
  expiryOf,
  hasUnansweredIpn,
  unknownRule,
} from '../../protocol/schedule.ts';
import { STAGES, TYPES, isOpen, stageOf, type Stage } from '../../protocol/transaction.ts';
import { checkoutExpiry } from './answers.ts';
import type { Draft } from './draft.ts';
import type { ProvenUnknown, Claim, Observation } from '../ledger.ts';
import type { TransactionRow } from '../schema/tables.ts';
import { flag, plan, raise, showChange } from './transitions.ts';

/** A FAILED this shortly before the end of its time is the gateway's expiry: its clock and ours differ. */
const EXPIRY_SLACK_MS = 5_000;

const INCOMPARABLE = 'SUCCESS to a wallet that cannot be compared, because the one that was asked is erased';

/** One check of a row. */
interface EndedCheck {
  row: TransactionRow;
  beganAt: number;
  /** Recorded after its lease ended: another check may be under way, so this one ends nothing except with a SUCCESS. */
  isStale: boolean;
  /** The columns before this check. */
  foundBefore: number | null;
  failedBefore: number | null;
}

export function applyObservation(draft: Draft, row: TransactionRow, claim: Claim, observation: Observation): void {
  const check: EndedCheck = {
    row,
    beganAt: Math.min(claim.beganAt, draft.now),
    isStale: draft.now > claim.leaseUntil,
    foundBefore: row.found_at,
    failedBefore: row.failed_at,
  };
  storeCheck(draft, check, claim, observation);
  if (isReport(observation)) markUnsent(draft, row);
  applyObserved(draft, check, observation);
  applyClock(draft, check, observation);
  plan(draft, row);
}

/** Returns the lease and stores what the schedule needs. */
function storeCheck(draft: Draft, { row, beganAt, isStale }: EndedCheck, claim: Claim, observation: Observation): void {
  if (row.lease_until === claim.leaseUntil) row.lease_until = 0;
  // A stale check ends nothing, so it must be repeated soon.
  if (observation.kind === 'unavailable' || isStale) {
    row.unanswered += 1;
  } else {
    row.checked_at = beganAt;
    row.unanswered = 0;
    row.ipns_answered = Math.max(row.ipns_answered, claim.ipnsReceived);
  }
  if (!isReport(observation)) return;
  row.found_at = draft.now;
  row.unknown_at = null;
  if (observation.kind !== 'verified' || observation.outcome !== 'failed') row.failed_at = null;
}

function isReport({ kind }: Observation): boolean {
  return kind === 'verified' || kind === 'mismatch' || kind === 'incomplete' || kind === 'incomparable';
}

/** The gateway has an id that we have not sent: mark it as a duplicate, as its answer would have. */
function markUnsent(draft: Draft, row: TransactionRow): void {
  if (row.sent_at !== null || row.answer !== null) return;
  row.answer = 'duplicate';
  row.lost_at = draft.now;
  raise(draft, row, 'uncertain', { detail: 'the gateway had this order id before it was sent' });
}

function applyObserved(draft: Draft, check: EndedCheck, observation: Observation): void {
  const { row } = check;
  if (row.answer === 'duplicate') return applyToMarked(draft, check, observation);
  switch (observation.kind) {
    case 'unavailable':
    case 'incomplete':
    case 'unknown':
    case 'silent':
      return;
    case 'failed_ipn':
      return flag(draft, row, 'needs_review', 'FAILED, reported only by an IPN');
    case 'incomparable':
      // Unless a person has said the same.
      return row.resolved === 'succeeded' ? undefined : flag(draft, row, 'needs_review', INCOMPARABLE);
    case 'mismatch':
      return flag(draft, row, 'mismatch', observation.field);
    case 'verified':
      row.payment_id ??= observation.paymentId;
      if (observation.outcome === 'succeeded') return applySucceeded(draft, row, observation.customer);
      if (observation.outcome === 'failed') return applyFailed(draft, check, observation);
      return applyPending(draft, check);
    default:
      observation satisfies never;
  }
}

/**
 * The gateway had the id before our POST, so its report is probably about another's transaction: a person judges a
 * SUCCESS, and a report that differs proves that it is not ours. What a person has resolved stays.
 */
function applyToMarked(draft: Draft, check: EndedCheck, observation: Observation): void {
  const { row, isStale } = check;
  if (row.resolved !== null) return;
  if (observation.kind === 'incomparable') return flag(draft, row, 'needs_review', INCOMPARABLE);
  if (observation.kind === 'verified' && observation.outcome === 'succeeded') {
    return flag(draft, row, 'needs_review', 'SUCCESS for an order id that the gateway reported as a duplicate');
  }
  if (observation.kind !== 'mismatch' || isStale) return;
  if (!TYPES[row.type].isOutgoing || isSecondFailure(draft, check)) {
    raise(draft, row, 'rejected', { detail: `a duplicate, and not ours: ${observation.field} differs` });
  }
}

/** Stores the actual payer, who may differ from the wallet id typed. Before `raise`, so that the webhook carries it. */
function applySucceeded(draft: Draft, row: TransactionRow, payer: string | null): void {
  const isNew = row.rank < STAGES.succeeded.rank;
  if (payer !== null && isNew && !TYPES[row.type].isOutgoing) row.customer = payer;
  const wasReportedFailed = isFailedForGood(row);
  raise(draft, row, 'succeeded');
  if (wasReportedFailed || row.resolved === 'declined') flag(draft, row, 'conflict', 'SUCCESS after FAILED');
}

/** The merchant saw FAILED and may have sent the money again: a contrary report is a conflict. */
function isFailedForGood(row: TransactionRow): boolean {
  return TYPES[row.type].isOutgoing && STAGES[stageOf(row.rank)].status === 'FAILED';
}

/** The gateway has it. If the answer was lost, so was the checkout URL, but the CHECKOUT's time runs all the same. */
function applyPending(draft: Draft, { row, foundBefore }: EndedCheck): void {
  // A resolution made after the gateway was known to have it took that into account.
  const isNews = row.resolved === null || foundBefore === null;
  if (isFailedForGood(row) && isNews) return flag(draft, row, 'conflict', 'found after FAILED');
  const isRaised = raise(draft, row, 'pending');
  if (isRaised && row.method !== null && PAYS_BY[row.method] === 'link' && row.sent_at !== null) {
    row.expires_at = checkoutExpiry(row);
  }
}

/** A payout reported as FAILED may be sent again by hand, so FAILED needs two checks. */
function applyFailed(draft: Draft, check: EndedCheck, report: { message?: string; isExpired?: true }): void {
  const { row, isStale } = check;
  if (row.rank === STAGES.succeeded.rank) {
    // A person has already resolved it as FAILED.
    if (row.resolved !== 'declined') flag(draft, row, 'conflict', 'FAILED after SUCCESS');
    return;
  }
  if (isStale || (TYPES[row.type].isOutgoing && !isSecondFailure(draft, check))) return;
  const isOver = row.expires_at !== null && draft.now >= row.expires_at - EXPIRY_SLACK_MS;
  const endedBy = TYPES[row.type].paysOrder && (report.isExpired || isOver) ? 'EXPIRED' : null;
  raise(draft, row, 'declined', { detail: report.message ?? null, endedBy });
}

/** Whether an earlier check agrees that ended long enough before this one began. */
function isSecondFailure({ now }: Draft, { row, beganAt, failedBefore }: EndedCheck): boolean {
  const first = Math.min(failedBefore ?? now, now);
  row.failed_at = first;
  return failedBefore !== null && beganAt >= first + PAYOUT_FAILED_APART_MS;
}

/**
 * Skipped once the gateway has shown that it knows the order, by a payment id, a report or an IPN: "unknown" proves
 * nothing then.
 */
export function applyProvenUnknown(draft: Draft, row: TransactionRow, { beganAt, endedAt }: ProvenUnknown): void {
  if (row.sent_at === null || row.rank === STAGES.pending.rank) return;
  const isKnown = row.payment_id !== null || row.found_at !== null || row.ipns_received > 0;
  const rule = unknownRule(row.type, row.answer);
  if (isKnown || rule === null || row.rank > STAGES.expired.rank) return;
  const from = waitsSince(row, row.sent_at, draft.now);
  const first = row.unknown_at === null ? null : Math.min(row.unknown_at, draft.now);
  if (first === null && beganAt >= from + rule.firstMs) {
    row.unknown_at = endedAt;
  } else if (first !== null && beganAt >= Math.max(first + rule.apartMs, from + rule.secondMs)) {
    raise(draft, row, 'not_created');
  }
  plan(draft, row);
}

function applyClock(draft: Draft, check: EndedCheck, observation: Observation): void {
  const { row } = check;
  markAnswerLost(draft, row);
  const due = stageByClock(check, observation, draft.now);
  if (due !== undefined) raise(draft, row, due, { source: 'clock' });
  if (isOpen(stageOf(row.rank)) && draft.now >= Math.min(row.created_at, draft.now) + REVIEW_AFTER_MS[row.type]) {
    flag(draft, row, 'needs_review', null, 'clock');
  }
}

/** The process that sent it died before the answer. */
function markAnswerLost(draft: Draft, row: TransactionRow): void {
  if (row.answer !== null || row.sent_at === null) return;
  if (!isAbandoned(row, row.sent_at, draft.now)) return;
  row.answer = 'lost';
  row.lost_at = draft.now;
  showChange(draft, row);
}

/** The stage that time alone decides, unless this check contradicts it. */
function stageByClock(check: EndedCheck, observation: Observation, now: number): Stage | undefined {
  const { row } = check;
  const stage = stageOf(row.rank);
  if (stage === 'created' && row.answer === null && isAbandoned(row, row.created_at, now)) return 'not_created';
  if (stage === 'sending' && isAbandoned(row, row.sent_at ?? row.created_at, now)) return 'uncertain';
  const mayExpire =
    TYPES[row.type].paysOrder && row.answer !== 'duplicate' && STAGES[stage].rank >= STAGES.uncertain.rank;
  const expiresAt = mayExpire && row.sent_at !== null ? expiryOf(expiryFields(row), Math.min(row.sent_at, now)) : null;
  if (expiresAt === null || now < expiresAt || STAGES[stage].ended || stage === 'succeeded') return undefined;
  // Without a status check, the clock decides alone.
  if (observation.kind === 'silent') return 'expired';
  const agrees =
    observation.kind === 'unknown' || (observation.kind === 'verified' && observation.outcome === 'pending');
  const hasNewIpn = hasUnansweredIpn({ ipnsReceived: row.ipns_received, ipnsAnswered: row.ipns_answered });
  return agrees && !check.isStale && !hasNewIpn && check.beganAt >= expiresAt ? 'expired' : undefined;
}

/** Whether the process that created or sent it must have died: its call would be over by now. */
function isAbandoned(row: TransactionRow, since: number, now: number): boolean {
  return now >= waitsSince(row, since, now) + CALL_OVER_MS;
}

/**
 * When a wait that may end the transaction starts: a time in the future counts as now, and a clock step restarts it.
 */
function waitsSince({ waits_from: waitsFrom }: TransactionRow, at: number, now: number): number {
  return Math.max(Math.min(at, now), waitsFrom);
}

function expiryFields({ expires_at: expiresAt, waits_from: waitsFrom }: TransactionRow) {
  return { expiresAt, waitsFrom };
}
