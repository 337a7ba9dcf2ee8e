// What our own steps change: the permission to send the one POST, which a new row has from the start, and how that POST
// ended.
import { PAYS_BY } from '../../protocol/methods.ts';
import { effectsOf } from '../../protocol/report-effects.ts';
import { CHECKOUT_LIFETIME_MS } from '../../protocol/schedule.ts';
import { STAGES, TYPES, type PostOutcome } from '../../protocol/transaction.ts';
import type { Draft } from './draft.ts';
import type { Fact, Start } from '../ledger.ts';
import type { TransactionRow } from '../schema/tables.ts';
import { addHistory, flag, markChanged, plan, raise, showChange } from './transitions.ts';

export function applyFact(draft: Draft, row: TransactionRow, fact: Fact): void {
  if (fact.stage === 'pending') storeAnswer(draft, row, fact);
  else storeOutcome(draft, row, fact.answer);
  if (mayRaise(row, fact.stage)) {
    raise(draft, row, fact.stage, 'detail' in fact ? { detail: fact.detail } : {});
  }
  if (fact.stage === 'uncertain' && fact.needsReview) flag(draft, row, 'needs_review', fact.detail);
  doubtSuccess(draft, row);
  plan(draft, row);
}

/**
 * Whether this call, and no other, may send the row: it wrote it, and nothing has happened to it since. Asked of a
 * stored row, because the answer to the save may have been lost.
 */
export function maySend(row: TransactionRow, start: Start): boolean {
  return row.start_id === start.id && row.rank === STAGES.sending.rank;
}

/** Permits the one POST of a new row, in the commit that writes it. */
export function permitSending(draft: Draft, row: TransactionRow, start: Start): void {
  row.sent_at = draft.now;
  row.sent_by = start.by;
  row.start_id = start.id;
  row.expires_at = row.pay_within_ms === null ? null : draft.now + row.pay_within_ms;
  addHistory(draft, row, 'sending');
  plan(draft, row);
}

/**
 * No answer ends a payout or the review of a SUCCESS, and no refusal ends a payment that the gateway has been seen to
 * know.
 */
function mayRaise(row: TransactionRow, stage: Fact['stage']): boolean {
  if (stage === 'not_created') return row.success_seen === 0;
  if (stage !== 'rejected') return true;
  return !TYPES[row.type].isOutgoing && row.payment_id === null && row.found_at === null;
}

/** A check had credited a SUCCESS, taking the answer for lost; with this answer it would not have. */
function doubtSuccess(draft: Draft, row: TransactionRow): void {
  const { succeeded } = effectsOf(row);
  if (succeeded === 'raise' || row.rank !== STAGES.succeeded.rank || row.resolved !== null) return;
  flag(draft, row, succeeded.flag, succeeded.detail);
}

/**
 * The outcome of the POST is set once. Only "lost" may be replaced: another process may have given up before the
 * answer.
 */
function storeOutcome(draft: Draft, row: TransactionRow, answer: PostOutcome): void {
  if (row.answer !== null && (row.answer !== 'lost' || answer === 'lost')) return;
  row.answer = answer;
  row.sent_at = sentAt(row);
  row.lost_at ??= draft.now;
  markChanged(draft, row);
  showChange(draft, row);
}

/**
 * Stores the answer's fields at any stage: after an earlier check said "pending", the answer raises nothing, but has
 * what the shopper pays with.
 */
function storeAnswer(draft: Draft, row: TransactionRow, means: Extract<Fact, { stage: 'pending' }>): void {
  const { paymentId, method, checkoutUrl, appUrl, qr } = means;
  const answer = paymentId === null ? 'accepted' : 'identified';
  // A repeated answer changes nothing, not even the version.
  if (row.answer === answer) return;
  row.answer = answer;
  row.checkout_url = checkoutUrl;
  row.app_url = appUrl;
  row.qr = qr && JSON.stringify(qr);
  const differs = paymentId !== null && row.payment_id !== null && row.payment_id !== paymentId;
  row.payment_id = paymentId ?? row.payment_id;
  row.sent_at = sentAt(row);
  if (method !== null) {
    row.method = method;
    // From the sending, so that the time shown never ends after the gateway's.
    if (PAYS_BY[method] === 'link') row.expires_at = checkoutExpiry(row);
  }
  markChanged(draft, row);
  showChange(draft, row);
  // What a check reported meanwhile was about another's transaction of this id.
  if (differs) flag(draft, row, 'mismatch', 'paymentId');
}

/** What was answered was sent, even if a restored database lost the time. */
function sentAt(row: TransactionRow): number {
  return row.sent_at ?? row.created_at;
}

/** The end of the checkout's lifetime, or of the order's `payWithin` if that is earlier. */
export function checkoutExpiry(row: TransactionRow): number {
  return Math.min(row.expires_at ?? Infinity, sentAt(row) + CHECKOUT_LIFETIME_MS);
}
