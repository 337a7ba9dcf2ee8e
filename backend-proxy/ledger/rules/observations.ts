// Turns the end of a check into facts (settle.ts): what the gateway reported, and what the clock alone decides.
// Holds the rules that need more than one check: proven unknowns, a payout's two FAILED, expiry, and the review of what
// stays open.
import { PAYS_BY } from '../../protocol/wire.ts';
import { CALL_OVER_MS } from '../../protocol/durations.ts';
import { effectsOf, wayOf, verify, type Verdict } from '../../protocol/verify.ts';
import {
  PAYOUT_FAILED_APART_MS,
  REVIEW_AFTER_MS,
  expiryOf,
  hasUnansweredIpn,
  unknownRule,
  withoutAnswer,
  type Check,
} from '../../protocol/schedule.ts';
import { STAGES, TYPES, isOpen, stageOf, type Stage } from '../../protocol/transaction.ts';
import {
  checkoutExpiry,
  flag,
  markChanged,
  plan,
  raise,
  setReportedFailed,
  showChange,
  type ReviewFlag,
} from './settle.ts';
import { isHeld } from './checks.ts';
import { type Draft, isChecking, toTransactionState } from './records.ts';
import type { ProvenUnknown, Claim, Observation } from '../model.ts';
import type { TransactionRow } from '../schema/tables.ts';

/** A FAILED this shortly before the end of its time is the gateway's expiry: its clock and ours differ. */
const EXPIRY_SLACK_MS = 5_000;

const INCOMPARABLE = 'SUCCESS to a wallet that cannot be compared, because the one that was asked is erased';

/** One check of a row. */
interface EndedCheck {
  row: TransactionRow;
  beganAt: number;
  /** Recorded after its lease ended: another check may be under way, so this one ends nothing except with a SUCCESS. */
  isStale: boolean;
  isUnanswered: boolean;
  /** The columns before this check. */
  reportedBefore: TransactionRow['reported'];
  failedBefore: number | null;
}

/** An observation, with its report compared. `failed_ipn`: an IPN says that a payout failed. */
type Seen = Verdict | { kind: 'unknown' | 'unavailable' | 'silent' | 'failed_ipn' };

export function applyObservation(draft: Draft, row: TransactionRow, claim: Claim, given: Observation): void {
  markAnswerLost(draft, row);
  const observation = compare(row, given);
  const check: EndedCheck = {
    row,
    beganAt: Math.min(claim.beganAt, draft.now),
    isStale: draft.now > claim.leaseUntil,
    // A SUCCESS of a status check without an amount says nothing of this payment; an IPN is read only once.
    isUnanswered: observation.kind === 'unavailable' || (observation.kind === 'incomplete' && !isIpn(given)),
    reportedBefore: row.reported,
    failedBefore: row.failed_at,
  };
  storeCheck(draft, check, claim, observation);
  if (given.kind === 'report' && isWord(observation)) row.reported = given.report.outcome;
  applyObserved(draft, check, observation);
  applyClock(draft, check, observation);
  plan(draft, row);
}

const isIpn = (observation: Observation): boolean => observation.kind === 'report' && observation.isIpn === true;

/** With the row as it is now: since the check was claimed, the answer to our POST may have come. */
function compare(row: TransactionRow, observation: Observation): Seen {
  // An IPN has named it: path or key may be wrong, or the status check lags.
  if (observation.kind === 'unknown' && awaitsAnswer(row)) return { kind: 'unavailable' };
  if (observation.kind !== 'report') return observation;
  // It waits for the answer, which says whether the report is about ours.
  if (row.answer === null) return { kind: 'unavailable' };
  const complete = isIpn(observation);
  const verdict = verify(toTransactionState(row), observation.report, { complete });
  // The merchant would send the money again.
  const failsByIpn =
    complete && TYPES[row.type].isOutgoing && verdict.kind === 'verified' && verdict.outcome === 'failed';
  return failsByIpn ? { kind: 'failed_ipn' } : verdict;
}

/** Returns the lease and stores what the schedule needs. */
function storeCheck(
  draft: Draft,
  { row, beganAt, isStale, isUnanswered }: EndedCheck,
  claim: Claim,
  observation: Seen,
): void {
  if (isHeld(draft, row, claim)) row.lease_until = 0;
  // A stale check ends nothing, so it must be repeated soon.
  if (isUnanswered || isStale) {
    const checks = JSON.parse(row.checks) as Check[];
    row.checks = JSON.stringify(withoutAnswer({ checks, unanswered: row.unanswered }, beganAt));
    row.unanswered += 1;
  } else {
    row.checked_at = beganAt;
    row.unanswered = 0;
    row.ipns_answered = Math.max(row.ipns_answered, claim.ipnsReceived);
  }
  if (!isReport(observation)) return;
  row.found_at = draft.now;
  row.unknown_at = null;
  if (observation.kind !== 'verified' || observation.outcome !== 'failed') setReportedFailed(draft, row, null);
}

/** Whether a report can be held against a person, although it may not count. */
function isWord({ kind }: Seen): boolean {
  return kind !== 'incomplete' && kind !== 'unavailable';
}

function isReport({ kind }: Seen): boolean {
  return kind === 'verified' || kind === 'mismatch' || kind === 'incomplete' || kind === 'incomparable';
}

/** By the table of protocol/verify.ts. */
function applyObserved(draft: Draft, check: EndedCheck, observation: Seen): void {
  const { row } = check;
  switch (observation.kind) {
    case 'unavailable':
    case 'incomplete':
    case 'unknown':
    case 'silent':
      return;
    case 'failed_ipn':
      if (effectsOf(row).failed === 'ignore') return contradictPerson(draft, check);
      if (row.rank === STAGES.succeeded.rank) return applyFailed(draft, check, {});
      return row.resolved === null ? flag(draft, row, 'needs_review', 'FAILED, reported only by an IPN') : undefined;
    case 'incomparable':
      return doubt(draft, check, { flag: 'needs_review', detail: INCOMPARABLE });
    case 'mismatch':
      return applyDiffering(draft, check, observation);
    case 'verified':
      return applyVerified(draft, check, observation);
    default:
      observation satisfies never;
  }
}

function applyVerified(draft: Draft, check: EndedCheck, report: Verdict & { kind: 'verified' }): void {
  const { row } = check;
  const effect = effectsOf(row)[report.outcome];
  if (effect === 'ignore') return contradictPerson(draft, check);
  if (effect !== 'raise') return doubt(draft, check, effect);
  row.payment_id ??= report.paymentId;
  if (report.outcome === 'succeeded') return applySucceeded(draft, check, report.payer);
  if (report.outcome === 'failed') return applyFailed(draft, check, report);
  return applyPending(draft, check);
}

/** A SUCCESS that pays nothing by itself: a person decides, and what a person has resolved stays. */
function doubt(draft: Draft, check: EndedCheck, { flag: name, detail }: { flag: ReviewFlag; detail: string }): void {
  const { row } = check;
  if (row.rank === STAGES.succeeded.rank) return;
  row.success_seen = 1;
  if (row.resolved === null) flag(draft, row, name, detail);
  else contradictPerson(draft, check);
}

/**
 * A report that differs is a mismatch, or of a marked transaction the proof that it is not ours. A payout's SUCCESS
 * proves nothing: the gateway may write the wallet or the amount in another way, and the merchant would pay again.
 */
function applyDiffering(draft: Draft, check: EndedCheck, { field, figures }: Verdict & { kind: 'mismatch' }): void {
  const { row, isStale } = check;
  const { differs, succeeded } = effectsOf(row);
  const what = `${field} differs${figures === undefined ? '' : ` (${figures})`}`;
  if (differs === 'reject') {
    if (TYPES[row.type].isOutgoing && row.reported === 'succeeded' && succeeded !== 'raise') {
      return doubt(draft, check, { ...succeeded, detail: `${succeeded.detail}, and ${what}` });
    }
    if (row.resolved !== null) return contradictPerson(draft, check);
    if (isStale || isChecking(row) || (TYPES[row.type].isOutgoing && !isSecondFailure(draft, check))) return;
    raise(draft, row, 'rejected', { detail: `a duplicate, and not ours, as ${what}` });
    return;
  }
  const isSuccess = row.reported === 'succeeded' && row.success_seen === 0 && row.rank < STAGES.succeeded.rank;
  if (isSuccess) row.success_seen = 1;
  if (row.mismatch === 0) flag(draft, row, 'mismatch', figures === undefined ? field : `${field}: ${figures}`);
  else if (isSuccess) flag(draft, row, 'needs_review', `SUCCESS, and ${what}`);
}

/** A person who resolved it knew what was reported before: only another report is news. */
function isNews({ row, reportedBefore }: EndedCheck): boolean {
  return row.resolved === null || row.reported !== reportedBefore;
}

const CONTRARY = {
  declined: ['succeeded', 'SUCCESS after FAILED'],
  succeeded: ['failed', 'FAILED after SUCCESS'],
} as const;

function contradictPerson(draft: Draft, check: EndedCheck): void {
  const { row } = check;
  if (row.resolved === null || !isNews(check)) return;
  const [contrary, detail] = CONTRARY[row.resolved];
  if (row.reported === contrary) flag(draft, row, 'conflict', detail);
}

/** Before `raise`, so that the webhook carries the payer. */
function applySucceeded(draft: Draft, check: EndedCheck, payer: string | null): void {
  const { row } = check;
  storePayer(draft, row, payer);
  const wasReportedFailed = isFailedForGood(row);
  const isRaised = raise(draft, row, 'succeeded');
  const isContrary = wasReportedFailed || row.resolved === 'declined';
  if (isContrary && (isRaised || isNews(check))) flag(draft, row, 'conflict', 'SUCCESS after FAILED');
}

/**
 * Who paid may not be the wallet that was asked, and a later report than the first may name them. What was erased of a
 * SUCCESS stays erased.
 */
function storePayer(draft: Draft, row: TransactionRow, payer: string | null): void {
  if (payer === null || row.payer !== null || TYPES[row.type].isOutgoing) return;
  const isRaised = row.rank < STAGES.succeeded.rank;
  if (!isRaised && row.erased_at !== null) return;
  row.payer = payer;
  if (!isRaised) markChanged(draft, row);
}

/** The merchant saw FAILED and may have sent the money again: a contrary report is a conflict. */
function isFailedForGood(row: TransactionRow): boolean {
  return TYPES[row.type].isOutgoing && STAGES[stageOf(row.rank)].status === 'FAILED';
}

/** The gateway has it. If the answer was lost, so was the checkout URL, but the CHECKOUT's time runs all the same. */
function applyPending(draft: Draft, check: EndedCheck): void {
  const { row } = check;
  if (isFailedForGood(row) && isNews(check)) return flag(draft, row, 'conflict', 'found after FAILED');
  const isRaised = raise(draft, row, 'pending');
  if (isRaised && row.method !== null && PAYS_BY[row.method] === 'link' && row.sent_at !== null) {
    row.expires_at = checkoutExpiry(row);
  }
}

/** A payout reported as FAILED may be sent again by hand, so FAILED needs two checks. */
function applyFailed(draft: Draft, check: EndedCheck, report: { message?: string; isExpired?: true }): void {
  const { row, isStale } = check;
  if (row.rank === STAGES.succeeded.rank || isChecking(row)) {
    // Unless a person has said the same, or knew it.
    if (row.resolved !== 'declined' && isNews(check)) flag(draft, row, 'conflict', 'FAILED after SUCCESS');
    return;
  }
  if (isStale || (TYPES[row.type].isOutgoing && !isSecondFailure(draft, check))) return;
  const isOver = row.expires_at !== null && draft.now >= row.expires_at - EXPIRY_SLACK_MS;
  const endedBy = TYPES[row.type].paysOrder && (report.isExpired || isOver) ? 'EXPIRED' : null;
  raise(draft, row, 'declined', { detail: report.message ?? null, endedBy });
}

/** Whether an earlier check agrees that ended long enough before this one began. */
function isSecondFailure(draft: Draft, { row, beganAt, failedBefore }: EndedCheck): boolean {
  const first = Math.min(failedBefore ?? draft.now, draft.now);
  setReportedFailed(draft, row, first);
  return failedBefore !== null && beganAt >= first + PAYOUT_FAILED_APART_MS;
}

/**
 * Skipped once the gateway has shown that it knows the order, by a payment id, a report or an IPN: "unknown" proves
 * nothing then.
 */
export function applyProvenUnknown(draft: Draft, row: TransactionRow, { beganAt, endedAt }: ProvenUnknown): void {
  if (row.sent_at === null || row.rank === STAGES.pending.rank) return;
  const isKnown = row.payment_id !== null || row.found_at !== null || row.ipns_received > 0;
  const rule = unknownRule(wayOf(row), row.answer);
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

function applyClock(draft: Draft, check: EndedCheck, observation: Seen): void {
  const { row } = check;
  const due = stageByClock(check, observation, draft.now);
  if (due !== undefined) raise(draft, row, due, { source: 'clock' });
  if (!isOpen(stageOf(row.rank)) || draft.now < Math.min(row.created_at, draft.now) + REVIEW_AFTER_MS[row.type]) return;
  if (!isAbandonedCode(check, observation)) flag(draft, row, 'needs_review', null, 'clock');
  else if (isLastWord(check)) raise(draft, row, 'expired', { source: 'clock' });
}

/** The gateway still has it, or accepted it and can say no more, and nobody has paid it: that needs no person. */
function isAbandonedCode({ row }: EndedCheck, observation: Seen): boolean {
  const isPending =
    observation.kind === 'silent'
      ? row.rank === STAGES.pending.rank
      : observation.kind === 'verified' && observation.outcome === 'pending';
  return isPending && TYPES[row.type].paysOrder && effectsOf(row).pending === 'raise' && row.needs_review === 0;
}

/** No other check is under way, and no IPN waits for one. */
function isLastWord({ row, isStale }: EndedCheck): boolean {
  return !isStale && !awaitsAnswer(row);
}

function awaitsAnswer({ ipns_received: ipnsReceived, ipns_answered: ipnsAnswered }: TransactionRow): boolean {
  return hasUnansweredIpn({ ipnsReceived, ipnsAnswered });
}

/** The process that sent it has died before the answer, or is very late. */
function markAnswerLost(draft: Draft, row: TransactionRow): void {
  if (row.answer !== null || row.sent_at === null) return;
  if (!isAbandoned(row, row.sent_at, draft.now)) return;
  row.answer = 'lost';
  row.lost_at = draft.now;
  showChange(draft, row);
}

/** The stage that time alone decides, unless this check contradicts it. */
function stageByClock(check: EndedCheck, observation: Seen, now: number): Stage | undefined {
  const { row } = check;
  const stage = stageOf(row.rank);
  if (stage === 'sending' && isAbandoned(row, row.sent_at ?? row.created_at, now)) return 'uncertain';
  const isWatched = effectsOf(row).pending === 'raise' && !isChecking(row);
  const mayExpire = TYPES[row.type].paysOrder && isWatched && STAGES[stage].rank >= STAGES.uncertain.rank;
  const expiresAt = mayExpire && row.sent_at !== null ? expiryOf(expiryFields(row), Math.min(row.sent_at, now)) : null;
  if (expiresAt === null || now < expiresAt || STAGES[stage].ended || stage === 'succeeded') return undefined;
  // Without a status check, the clock decides alone.
  if (observation.kind === 'silent') return 'expired';
  const agrees =
    observation.kind === 'unknown' || (observation.kind === 'verified' && observation.outcome === 'pending');
  return agrees && isLastWord(check) && check.beganAt >= expiresAt ? 'expired' : undefined;
}

/** Whether its answer counts as lost: a call that was sent in time would be over by now. */
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
