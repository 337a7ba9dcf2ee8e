// Turns the end of a check into facts (transitions.ts): what the gateway reported, and what the clock alone decides.
// Holds the rules that need more than one check: proven unknowns, a payout's two FAILED, expiry, and the review of what
// stays open. The row stays locked, so what is read here is true until the commit.
import { PAYS_BY } from '../protocol/methods.ts';
import {
  PAYOUT_FAILED_APART_MS,
  REVIEW_AFTER_MS,
  SENDING_LIMIT_MS,
  expiryOf,
  hasUnansweredRing,
  unknownRule,
} from '../protocol/schedule.ts';
import { STAGES, TYPES, isOpen, stageOf, type Stage } from '../protocol/transaction.ts';
import type { WriteContext } from './context.ts';
import type { ProvenUnknown, Claim, Observation } from './ledger.ts';
import { checkoutExpiry, flag, plan, raise, touchOrderOf } from './transitions.ts';
import type { TransactionRow } from './schema.ts';

/** A FAILED this shortly before the end of its time is the gateway's expiry: its clock and ours differ. */
const EXPIRY_SLACK_MS = 5_000;

/** One check, while its row is locked. */
interface HeldCheck {
  row: TransactionRow;
  beganAt: number;
  /** Recorded after its lease ended: another check may be under way, so this one ends nothing except with a SUCCESS. */
  isStale: boolean;
}

export async function applyObservation(ctx: WriteContext, claim: Claim, observation: Observation): Promise<void> {
  const { id } = claim.transaction;
  const row = await hold(ctx, id);
  if (row === undefined) return;
  const check = { row, beganAt: Math.min(claim.beganAt, ctx.now), isStale: ctx.now > claim.leaseUntil };
  await storeCheck(ctx, check, claim, observation);
  if (isReport(observation)) await markUnsent(ctx, check);
  await applyObserved(ctx, check, observation);
  await applyClock({ ...ctx, source: 'clock' }, check, observation);
  await plan(ctx, id);
}

/** Locks the row until the commit; the order first, as everywhere. */
async function hold(ctx: WriteContext, id: string): Promise<TransactionRow | undefined> {
  await ctx.store.lockOrderOf(ctx.tx, id);
  const row = ctx.tx.selectFrom('transactions').selectAll().where('id', '=', id);
  return (ctx.store.skipsLocked ? row.forUpdate() : row).executeTakeFirst();
}

/** Returns the lease and stores what the schedule needs. */
async function storeCheck(
  ctx: WriteContext,
  { row, beganAt, isStale }: HeldCheck,
  claim: Claim,
  observation: Observation,
): Promise<void> {
  // A stale check ends nothing, so it must be repeated soon.
  const isAnswered = observation.kind !== 'unavailable' && !isStale;
  await ctx.tx
    .updateTable('transactions')
    .set({
      ...(row.lease_until === claim.leaseUntil && { lease_until: 0 }),
      ...(isAnswered
        ? { checked_at: beganAt, unanswered: 0, rings_heard: Math.max(row.rings_heard, claim.rings) }
        : { unanswered: row.unanswered + 1 }),
      ...(isReport(observation) && { found_at: ctx.now, unknown_at: null }),
      ...(isReport(observation) &&
        !(observation.kind === 'verified' && observation.outcome === 'failed') && { failed_at: null }),
    })
    .where('id', '=', row.id)
    .execute();
}

function isReport({ kind }: Observation): boolean {
  return kind === 'verified' || kind === 'mismatch' || kind === 'incomplete';
}

/** The gateway has an id that we have not sent: mark it as a duplicate, as its answer would have. */
async function markUnsent(ctx: WriteContext, check: HeldCheck): Promise<void> {
  const { id, sent_at: sentAt, answer } = check.row;
  if (sentAt !== null || answer !== null) return;
  check.row = { ...check.row, answer: 'duplicate' };
  const marked = { answer: 'duplicate', lost_at: ctx.now } as const;
  await ctx.tx.updateTable('transactions').set(marked).where('id', '=', id).execute();
  await raise(ctx, id, 'uncertain', { detail: 'the gateway had this order id before it was sent' });
}

async function applyObserved(ctx: WriteContext, check: HeldCheck, observation: Observation): Promise<void> {
  if (check.row.answer === 'duplicate') return applyToMarked(ctx, check, observation);
  const { id } = check.row;
  switch (observation.kind) {
    case 'unavailable':
    case 'incomplete':
    case 'unknown':
    case 'silent':
      return;
    case 'failed_ipn':
      return flag(ctx, id, 'needs_review', 'FAILED, reported only by an IPN');
    case 'mismatch':
      return flag(ctx, id, 'mismatch', observation.field);
    case 'verified':
      await ctx.tx
        .updateTable('transactions')
        .set((eb) => ({ payment_id: eb.fn.coalesce('payment_id', eb.val(observation.paymentId)) }))
        .where('id', '=', id)
        .execute();
      if (observation.outcome === 'succeeded') return applySucceeded(ctx, check.row, observation.customer);
      if (observation.outcome === 'failed') return applyFailed(ctx, check, observation);
      return applyPending(ctx, check.row);
    default:
      observation satisfies never;
  }
}

/**
 * The gateway had the id before our POST, so its report is probably about another's transaction: a person judges a
 * SUCCESS, and a report that differs proves that it is not ours. What a person has resolved stays.
 */
async function applyToMarked(ctx: WriteContext, check: HeldCheck, observation: Observation): Promise<void> {
  const { row, isStale } = check;
  if (row.resolved !== null) return;
  if (observation.kind === 'verified' && observation.outcome === 'succeeded') {
    return flag(ctx, row.id, 'needs_review', 'SUCCESS for an order id that the gateway reported as a duplicate');
  }
  if (observation.kind !== 'mismatch' || isStale) return;
  if (!TYPES[row.type].isOutgoing || (await isSecondFailure(ctx, check))) {
    await raise(ctx, row.id, 'rejected', { detail: `a duplicate, and not ours: ${observation.field} differs` });
  }
}

/** Stores the actual payer, who may differ from the wallet id typed. Before `raise`, so that the webhook carries it. */
async function applySucceeded(ctx: WriteContext, row: TransactionRow, payer: string | null): Promise<void> {
  if (payer !== null && !TYPES[row.type].isOutgoing) {
    await ctx.tx
      .updateTable('transactions')
      .set({ customer: payer })
      .where('id', '=', row.id)
      .where('rank', '<', STAGES.succeeded.rank)
      .execute();
  }
  const wasReportedFailed = isFailedForGood(row);
  await raise(ctx, row.id, 'succeeded');
  if (wasReportedFailed || row.resolved === 'declined') await flag(ctx, row.id, 'conflict', 'SUCCESS after FAILED');
}

/** The merchant saw FAILED and may have sent the money again: a contrary report is a conflict. */
function isFailedForGood(row: TransactionRow): boolean {
  return TYPES[row.type].isOutgoing && STAGES[stageOf(row.rank)].status === 'FAILED';
}

/** The gateway has it. If the answer was lost, so was the checkout URL, but the CHECKOUT's time runs all the same. */
async function applyPending(ctx: WriteContext, row: TransactionRow): Promise<void> {
  const wasReportedFailed = isFailedForGood(row);
  // A person who resolved it after the gateway had been seen to have it knew that.
  const isNews = row.resolved === null || row.found_at === null;
  if (wasReportedFailed && isNews) return flag(ctx, row.id, 'conflict', 'found after FAILED');
  const raised = await raise(ctx, row.id, 'pending');
  if (!raised?.method || PAYS_BY[raised.method] !== 'link' || raised.sent_at === null) return;
  await ctx.tx.updateTable('transactions').set({ expires_at: checkoutExpiry }).where('id', '=', row.id).execute();
}

/** A payout reported as FAILED may be sent again by hand, so FAILED needs two checks. */
async function applyFailed(
  ctx: WriteContext,
  check: HeldCheck,
  report: { message?: string; isExpired?: true },
): Promise<void> {
  const { row, isStale } = check;
  if (row.rank === STAGES.succeeded.rank) {
    // A person has already resolved it as FAILED.
    if (row.resolved !== 'declined') await flag(ctx, row.id, 'conflict', 'FAILED after SUCCESS');
    return;
  }
  if (isStale || (TYPES[row.type].isOutgoing && !(await isSecondFailure(ctx, check)))) return;
  const isOver = row.expires_at !== null && ctx.now >= row.expires_at - EXPIRY_SLACK_MS;
  const endedBy = TYPES[row.type].paysOrder && (report.isExpired || isOver) ? 'EXPIRED' : null;
  await raise(ctx, row.id, 'declined', { detail: report.message ?? null, endedBy });
}

/** Whether an earlier check agrees that ended long enough before this one began. */
async function isSecondFailure(ctx: WriteContext, { row, beganAt }: HeldCheck): Promise<boolean> {
  const first = Math.min(row.failed_at ?? ctx.now, ctx.now);
  // Written even if it is the same: applying a mismatch has set the column to null before.
  await ctx.tx.updateTable('transactions').set({ failed_at: first }).where('id', '=', row.id).execute();
  return row.failed_at !== null && beganAt >= first + PAYOUT_FAILED_APART_MS;
}

/**
 * Skipped once the gateway has shown that it knows the order, by a payment id, a report or an IPN: "unknown" proves
 * nothing then.
 */
export async function applyProvenUnknown(
  ctx: WriteContext,
  { transactionId: id, beganAt, endedAt }: ProvenUnknown,
): Promise<void> {
  const row = await hold(ctx, id);
  if (row === undefined || row.sent_at === null || row.rank === STAGES.pending.rank) return;
  const isKnown = row.payment_id !== null || row.found_at !== null || row.rings > 0;
  const rule = unknownRule(row.type, row.answer);
  if (isKnown || rule === null || row.rank > STAGES.expired.rank) return;
  const from = waitsSince(row, row.sent_at, ctx.now);
  const first = row.unknown_at === null ? null : Math.min(row.unknown_at, ctx.now);
  if (first === null && beganAt >= from + rule.firstMs) {
    await ctx.tx.updateTable('transactions').set({ unknown_at: endedAt }).where('id', '=', id).execute();
  } else if (first !== null && beganAt >= Math.max(first + rule.apartMs, from + rule.secondMs)) {
    await raise(ctx, id, 'not_created');
  }
  await plan(ctx, id);
}

async function applyClock(ctx: WriteContext, check: HeldCheck, observation: Observation): Promise<void> {
  const row = await ctx.tx
    .selectFrom('transactions')
    .selectAll()
    .where('id', '=', check.row.id)
    .executeTakeFirstOrThrow();
  await markAnswerLost(ctx, row);
  const due = stageByClock(row, check, observation, ctx.now);
  if (due !== undefined) await raise(ctx, row.id, due);
  const stage = due ?? stageOf(row.rank);
  if (isOpen(stage) && ctx.now >= Math.min(row.created_at, ctx.now) + REVIEW_AFTER_MS[row.type]) {
    await flag(ctx, row.id, 'needs_review', null);
  }
}

/** The process that sent it died before the answer. */
async function markAnswerLost(ctx: WriteContext, row: TransactionRow): Promise<void> {
  if (row.answer !== null || row.sent_at === null) return;
  if (!isAbandoned(row, row.sent_at, ctx.now)) return;
  await ctx.tx.updateTable('transactions').set({ answer: 'lost', lost_at: ctx.now }).where('id', '=', row.id).execute();
  await touchOrderOf(ctx, row);
}

/** The stage that time alone decides, unless this check contradicts it. */
function stageByClock(row: TransactionRow, check: HeldCheck, observation: Observation, now: number): Stage | undefined {
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
  const hasNewRing = hasUnansweredRing({ rings: row.rings, ringsAnswered: row.rings_heard });
  return agrees && !check.isStale && !hasNewRing && check.beganAt >= expiresAt ? 'expired' : undefined;
}

/** Whether the process that created or sent it must have died: its call would be over by now. */
function isAbandoned(row: TransactionRow, since: number, now: number): boolean {
  return now >= waitsSince(row, since, now) + SENDING_LIMIT_MS;
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
