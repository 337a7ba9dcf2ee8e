// The end of a check: what the gateway was seen to say, and what the clock alone says, become facts (posting.ts).
// Owns the rules that need more than one look: two unknowns, a payout's two FAILED, expiry, the call for a person.
import {
  CHECKOUT_LIFETIME_MS,
  EXPIRY_GRACE_MS,
  PAYOUT_FAILED_APART_MS,
  SENDING_LIMIT_MS,
  UNKNOWN_AFTER_SENT_MS,
  UNKNOWN_APART_MS,
  reviewAfterMs,
} from '../protocol/schedule.ts';
import { STAGES, isConflict, stageOf, type Stage } from '../protocol/transaction.ts';
import type { Observation } from './ledger.ts';
import { flag, plan, raise, type Posting } from './posting.ts';
import type { TransactionRow } from './schema.ts';

export async function postObservation(p: Posting, id: string, seen: Observation): Promise<void> {
  // First, because it holds the row: what is read below stays true until the commit. Without it a row could be given the
  // permission to send between our reading "never sent" and our writing "not created".
  await p.tx.updateTable('transactions').set({ lease_until: 0 }).where('id', '=', id).execute();
  await applySeen(p, id, seen);
  await applyClock({ ...p, source: 'clock' }, id);
  await plan(p, id);
}

async function applySeen(p: Posting, id: string, seen: Observation): Promise<void> {
  switch (seen.kind) {
    case 'unavailable':
    case 'incomplete':
      return;
    case 'unknown':
      return applyUnknown(p, id);
    case 'mismatch':
      return flag(p, id, 'mismatch', seen.field);
    case 'verified':
      await p.tx
        .updateTable('transactions')
        .set((eb) => ({ payment_id: eb.fn.coalesce('payment_id', eb.val(seen.paymentId)), unknown_at: null }))
        .set(seen.outcome === 'failed' ? {} : { failed_at: null })
        .where('id', '=', id)
        .execute();
      if (seen.outcome === 'succeeded') await applySucceeded(p, id, seen.customer);
      else if (seen.outcome === 'failed') await applyFailed(p, id, seen.message ?? null);
      else await applyPending(p, id);
      return;
    default:
      seen satisfies never;
  }
}

/** Who scanned a code or logged in at the checkout is known only now, and may not be whom the shopper named. First, for the webhook. */
async function applySucceeded(p: Posting, id: string, payer: string | null): Promise<void> {
  if (payer !== null) {
    await p.tx
      .updateTable('transactions')
      .set({ customer: payer })
      .where('id', '=', id)
      .where('type', '=', 'PAY')
      .where('rank', '<', STAGES.succeeded.rank)
      .execute();
  }
  await raise(p, id, 'succeeded');
}

/** The gateway has it. What it gave to pay with was in the answer that was lost; a CHECKOUT's time runs all the same. */
async function applyPending(p: Posting, id: string): Promise<void> {
  const row = await raise(p, id, 'pending');
  if (row?.method !== 'CHECKOUT' || row.expires_at !== null) return;
  await p.tx
    .updateTable('transactions')
    .set((eb) => ({ expires_at: eb('sent_at', '+', CHECKOUT_LIFETIME_MS) }))
    .where('id', '=', id)
    .execute();
}

/** Never of one that the gateway has given a payment id: it knew that one once, so "unknown" is no proof. */
async function applyUnknown(p: Posting, id: string): Promise<void> {
  const row = await p.tx.selectFrom('transactions').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined || row.payment_id !== null || row.sent_at === null) return;
  if (p.now < row.sent_at + UNKNOWN_AFTER_SENT_MS) return;
  if (row.unknown_at === null) {
    await p.tx.updateTable('transactions').set({ unknown_at: p.now }).where('id', '=', id).execute();
  } else if (p.now >= row.unknown_at + UNKNOWN_APART_MS && row.rank !== STAGES.pending.rank) {
    await raise(p, id, 'not_created');
  }
}

/** A payout's money may be sent again by hand once it is told failed: so it is told only when two checks agree. */
async function applyFailed(p: Posting, id: string, message: string | null): Promise<void> {
  const row = await p.tx.selectFrom('transactions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  if (isConflict(stageOf(row.rank), 'declined')) return flag(p, id, 'conflict', null);
  if (row.type === 'PAYOUT' && row.failed_at === null) {
    await p.tx.updateTable('transactions').set({ failed_at: p.now }).where('id', '=', id).execute();
  } else if (row.type === 'PAY' || p.now >= (row.failed_at ?? p.now) + PAYOUT_FAILED_APART_MS) {
    await raise(p, id, 'declined', message);
  }
}

async function applyClock(p: Posting, id: string): Promise<void> {
  const row = await p.tx.selectFrom('transactions').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) return;
  const due = stageByClock(row, p.now);
  if (due !== undefined) await raise(p, id, due);
  const stage = due ?? stageOf(row.rank);
  if (!STAGES[stage].ended && stage !== 'succeeded' && p.now >= row.created_at + reviewAfterMs(row.type)) {
    await flag(p, id, 'needs_review', null);
  }
}

/** What the time alone says. */
function stageByClock(row: TransactionRow, now: number): Stage | undefined {
  const stage = stageOf(row.rank);
  // Never sent, or sent by a process that died before it could say how it went.
  const isLeftBehind = now >= row.created_at + SENDING_LIMIT_MS;
  if (stage === 'created' && isLeftBehind) return 'not_created';
  if (stage === 'sending' && isLeftBehind) return 'uncertain';
  const isOver = row.expires_at !== null && now >= row.expires_at + EXPIRY_GRACE_MS;
  return stage === 'pending' && isOver ? 'expired' : undefined;
}
