// The end of a check: what the gateway was seen to say, and what the clock alone says, become facts (transitions.ts).
// Owns the rules that need more than one look: believed unknowns, a payout's two FAILED, expiry, the call for a person. All of it
// runs while the row is held, so what is read here stays true until the commit.
import { ANSWER } from '../protocol/methods.ts';
import {
  PAYOUT_FAILED_APART_MS,
  REVIEW_AFTER_MS,
  SENDING_LIMIT_MS,
  expiryOf,
  hasUnansweredRing,
  unknownRule,
} from '../protocol/schedule.ts';
import { STAGES, TYPES, stageOf, type Stage } from '../protocol/transaction.ts';
import type { WriteContext } from './context.ts';
import type { BelievedUnknown, Claim, Observation } from './ledger.ts';
import { checkoutExpiry, flag, plan, raise, touchOrderOf } from './transitions.ts';
import type { TransactionRow } from './schema.ts';

/** A FAILED this short before the time is over is the gateway's expiry: its clock and ours differ. */
const EXPIRY_SLACK_MS = 5_000;

/** The observations of one check, while its row is held. */
interface Look {
  row: TransactionRow;
  beganAt: number;
  /** It was recorded after its lease ran out: another check may be under way, and this one ends nothing. */
  isStale: boolean;
}

export async function applyObservation(ctx: WriteContext, claim: Claim, seen: Observation): Promise<void> {
  const { id } = claim.transaction;
  const row = await hold(ctx, id);
  if (row === undefined) return;
  const look = { row, beganAt: Math.min(claim.beganAt, ctx.now), isStale: ctx.now > claim.leaseUntil };
  await storeCheck(ctx, look, claim, seen);
  if (isReport(seen)) await markUnsent(ctx, look);
  await applySeen(ctx, look, seen);
  await applyClock({ ...ctx, source: 'clock' }, look, seen);
  await plan(ctx, id);
}

/** Nobody else changes the row until the commit; the order first, as everywhere. */
async function hold(ctx: WriteContext, id: string): Promise<TransactionRow | undefined> {
  await ctx.store.lockOrderOf(ctx.tx, id);
  const row = ctx.tx.selectFrom('transactions').selectAll().where('id', '=', id);
  return (ctx.store.skipsLocked ? row.forUpdate() : row).executeTakeFirst();
}

/** The lease is given back, and what the schedule needs of this check is kept. */
async function storeCheck(
  ctx: WriteContext,
  { row, beganAt, isStale }: Look,
  claim: Claim,
  seen: Observation,
): Promise<void> {
  // One that ends nothing is not one that was made: it is asked again soon.
  const isAnswered = seen.kind !== 'unavailable' && !isStale;
  await ctx.tx
    .updateTable('transactions')
    .set({
      ...(row.lease_until === claim.leaseUntil && { lease_until: 0 }),
      ...(isAnswered
        ? { checked_at: beganAt, unanswered: 0, rings_heard: Math.max(row.rings_heard, claim.rings) }
        : { unanswered: row.unanswered + 1 }),
      ...(isReport(seen) && { found_at: ctx.now, unknown_at: null }),
      ...(isReport(seen) && !(seen.kind === 'verified' && seen.outcome === 'failed') && { failed_at: null }),
    })
    .where('id', '=', row.id)
    .execute();
}

function isReport({ kind }: Observation): boolean {
  return kind === 'verified' || kind === 'mismatch' || kind === 'incomplete';
}

/** The gateway knows an id that we have not sent: a duplicate, as it would have answered. */
async function markUnsent(ctx: WriteContext, look: Look): Promise<void> {
  const { id, sent_at: sentAt, answer } = look.row;
  if (sentAt !== null || answer !== null) return;
  look.row = { ...look.row, answer: 'duplicate' };
  const marked = { answer: 'duplicate', lost_at: ctx.now } as const;
  await ctx.tx.updateTable('transactions').set(marked).where('id', '=', id).execute();
  await raise(ctx, id, 'uncertain', { detail: 'the gateway knew it before it was sent' });
}

async function applySeen(ctx: WriteContext, look: Look, seen: Observation): Promise<void> {
  if (look.row.answer === 'duplicate') return applyToMarked(ctx, look, seen);
  const { id } = look.row;
  switch (seen.kind) {
    case 'unavailable':
    case 'incomplete':
    case 'unknown':
    case 'silent':
      return;
    case 'failed_ipn':
      return flag(ctx, id, 'needs_review', 'FAILED, by an IPN alone');
    case 'mismatch':
      return flag(ctx, id, 'mismatch', seen.field);
    case 'verified':
      await ctx.tx
        .updateTable('transactions')
        .set((eb) => ({ payment_id: eb.fn.coalesce('payment_id', eb.val(seen.paymentId)) }))
        .where('id', '=', id)
        .execute();
      if (seen.outcome === 'succeeded') return applySucceeded(ctx, look.row, seen.customer);
      if (seen.outcome === 'failed') return applyFailed(ctx, look, seen);
      return applyPending(ctx, look.row);
    default:
      seen satisfies never;
  }
}

/**
 * The gateway had the id before our POST, so what it says is most likely of somebody else's: a success is a person's to judge, and a
 * report that differs shows that it is not ours. Nothing that a person has ended is touched.
 */
async function applyToMarked(ctx: WriteContext, look: Look, seen: Observation): Promise<void> {
  const { row, isStale } = look;
  if (row.resolved !== null) return;
  if (seen.kind === 'verified' && seen.outcome === 'succeeded') {
    return flag(ctx, row.id, 'needs_review', 'SUCCESS of an order id that the gateway called a duplicate');
  }
  if (seen.kind !== 'mismatch' || isStale) return;
  if (!TYPES[row.type].isOutgoing || (await isSecondFailure(ctx, look))) {
    await raise(ctx, row.id, 'rejected', { detail: `a duplicate, and not ours: another ${seen.field}` });
  }
}

/** Who scanned a code or logged in at the checkout is known only now, and may not be whom the shopper named. First, for the webhook. */
async function applySucceeded(ctx: WriteContext, row: TransactionRow, payer: string | null): Promise<void> {
  if (payer !== null && !TYPES[row.type].isOutgoing) {
    await ctx.tx
      .updateTable('transactions')
      .set({ customer: payer })
      .where('id', '=', row.id)
      .where('rank', '<', STAGES.succeeded.rank)
      .execute();
  }
  const wasToldFailed = isFailedForGood(row);
  await raise(ctx, row.id, 'succeeded');
  if (wasToldFailed || row.resolved === 'declined') await flag(ctx, row.id, 'conflict', 'SUCCESS after FAILED');
}

/** The merchant was told FAILED and may have sent the money again: what contradicts that is a conflict. */
function isFailedForGood(row: TransactionRow): boolean {
  return TYPES[row.type].isOutgoing && STAGES[stageOf(row.rank)].status === 'FAILED';
}

/** The gateway has it. What it gave to pay with was in the answer that was lost; a CHECKOUT's time runs all the same. */
async function applyPending(ctx: WriteContext, row: TransactionRow): Promise<void> {
  const wasToldFailed = isFailedForGood(row);
  // A person who knew that the gateway has it is not contradicted by that it has.
  const isNews = row.resolved === null || row.found_at === null;
  if (wasToldFailed && isNews) return flag(ctx, row.id, 'conflict', 'found after FAILED');
  const raised = await raise(ctx, row.id, 'pending');
  if (!raised?.method || ANSWER[raised.method] !== 'link' || raised.sent_at === null) return;
  await ctx.tx.updateTable('transactions').set({ expires_at: checkoutExpiry }).where('id', '=', row.id).execute();
}

/** A payout's money may be sent again by hand once it is told failed: so it is told only when two checks agree. */
async function applyFailed(
  ctx: WriteContext,
  look: Look,
  report: { message?: string; isExpired?: true },
): Promise<void> {
  const { row, isStale } = look;
  if (row.rank === STAGES.succeeded.rank) {
    // A person who has ended it so already is not contradicted.
    if (row.resolved !== 'declined') await flag(ctx, row.id, 'conflict', 'FAILED after SUCCESS');
    return;
  }
  if (isStale || (TYPES[row.type].isOutgoing && !(await isSecondFailure(ctx, look)))) return;
  const isOver = row.expires_at !== null && ctx.now >= row.expires_at - EXPIRY_SLACK_MS;
  const endedBy = TYPES[row.type].paysOrder && (report.isExpired || isOver) ? 'EXPIRED' : null;
  await raise(ctx, row.id, 'declined', { detail: report.message ?? null, endedBy });
}

/** Whether an earlier check agrees, whose end lies far enough before the beginning of this one. */
async function isSecondFailure(ctx: WriteContext, { row, beganAt }: Look): Promise<boolean> {
  const first = Math.min(row.failed_at ?? ctx.now, ctx.now);
  // Also where it stood: a mismatch has cleared it above.
  await ctx.tx.updateTable('transactions').set({ failed_at: first }).where('id', '=', row.id).execute();
  return row.failed_at !== null && beganAt >= first + PAYOUT_FAILED_APART_MS;
}

/** Never of one that the gateway has shown to know, nor of one that a check of another kind has overtaken. */
export async function applyBelievedUnknown(
  ctx: WriteContext,
  { transactionId: id, beganAt, endedAt }: BelievedUnknown,
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

async function applyClock(ctx: WriteContext, look: Look, seen: Observation): Promise<void> {
  const row = await ctx.tx
    .selectFrom('transactions')
    .selectAll()
    .where('id', '=', look.row.id)
    .executeTakeFirstOrThrow();
  await giveUpAnswer(ctx, row);
  const due = stageByClock(row, look, seen, ctx.now);
  if (due !== undefined) await raise(ctx, row.id, due);
  const stage = due ?? stageOf(row.rank);
  const isOpen = STAGES[stage].rank <= STAGES.pending.rank;
  if (isOpen && ctx.now >= Math.min(row.created_at, ctx.now) + REVIEW_AFTER_MS[row.type]) {
    await flag(ctx, row.id, 'needs_review', null);
  }
}

/** Sent by a process that died before it could say how it went. */
async function giveUpAnswer(ctx: WriteContext, row: TransactionRow): Promise<void> {
  if (row.answer !== null || row.sent_at === null) return;
  if (ctx.now < waitsSince(row, row.sent_at, ctx.now) + SENDING_LIMIT_MS) return;
  await ctx.tx.updateTable('transactions').set({ answer: 'lost', lost_at: ctx.now }).where('id', '=', row.id).execute();
  await touchOrderOf(ctx, row);
}

/** What the time says, where this check does not speak against it. */
function stageByClock(row: TransactionRow, look: Look, seen: Observation, now: number): Stage | undefined {
  const stage = stageOf(row.rank);
  const isLeftBehind = (since: number) => now >= waitsSince(row, since, now) + SENDING_LIMIT_MS;
  if (stage === 'created' && row.answer === null && isLeftBehind(row.created_at)) return 'not_created';
  if (stage === 'sending' && isLeftBehind(row.sent_at ?? row.created_at)) return 'uncertain';
  const mayExpire =
    TYPES[row.type].paysOrder && row.answer !== 'duplicate' && STAGES[stage].rank >= STAGES.uncertain.rank;
  const expiresAt = mayExpire && row.sent_at !== null ? expiryOf(toExpiry(row), Math.min(row.sent_at, now)) : null;
  if (expiresAt === null || now < expiresAt || STAGES[stage].ended || stage === 'succeeded') return undefined;
  // A profile without a status check leaves the clock alone to say it.
  if (seen.kind === 'silent') return 'expired';
  const agrees = seen.kind === 'unknown' || (seen.kind === 'verified' && seen.outcome === 'pending');
  const isUnheard = hasUnansweredRing({ rings: row.rings, ringsHeard: row.rings_heard });
  return agrees && !look.isStale && !isUnheard && look.beganAt >= expiresAt ? 'expired' : undefined;
}

/** From when a wait that may end something runs: a past time that lies ahead counts as now, and a step of the clock begins it again. */
function waitsSince({ waits_from: waitsFrom }: TransactionRow, at: number, now: number): number {
  return Math.max(Math.min(at, now), waitsFrom);
}

function toExpiry({ expires_at: expiresAt, waits_from: waitsFrom }: TransactionRow) {
  return { expiresAt, waitsFrom };
}
