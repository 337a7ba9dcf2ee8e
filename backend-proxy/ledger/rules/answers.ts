// What our own steps change: the permission to send the one POST, and how that POST ended.
import { PAYS_BY } from '../../protocol/methods.ts';
import { CHECKOUT_LIFETIME_MS } from '../../protocol/schedule.ts';
import { STAGES, TYPES, type PostOutcome } from '../../protocol/transaction.ts';
import type { Draft } from './draft.ts';
import type { Fact, Start } from '../ledger.ts';
import type { TransactionRow } from '../schema/tables.ts';
import { flag, markChanged, plan, raise, showChange } from './transitions.ts';

/** Returns whether the fact raised the stage. */
export function applyFact(draft: Draft, row: TransactionRow, fact: Fact): boolean {
  if (fact.stage === 'sending') return permitSending(draft, row, fact.start);
  if (fact.stage === 'pending') storeAnswer(draft, row, fact);
  else storeOutcome(draft, row, fact.answer);
  const raised =
    (fact.stage !== 'rejected' || mayBeRejected(row)) &&
    raise(draft, row, fact.stage, 'detail' in fact ? { detail: fact.detail } : {});
  if (fact.stage === 'uncertain' && (fact.needsReview || isPaidDuplicate(row))) {
    flag(draft, row, 'needs_review', fact.detail);
  }
  plan(draft, row);
  return raised;
}

/** Permits the one POST: only one call can raise the row to *sending*. If the answer to its save was lost, it has. */
export function permitSending(draft: Draft, row: TransactionRow, start: Start): boolean {
  if (row.start_id === start.id) return row.rank === STAGES.sending.rank;
  if (!raise(draft, row, 'sending')) return false;
  row.sent_at = draft.now;
  row.sent_by = start.by;
  row.start_id = start.id;
  row.expires_at = row.pay_within_ms === null ? null : draft.now + row.pay_within_ms;
  plan(draft, row);
  return true;
}

/** No answer ends a payout, and no refusal ends a payment that the gateway has been seen to know. */
function mayBeRejected(row: TransactionRow): boolean {
  return !TYPES[row.type].isOutgoing && row.payment_id === null && row.found_at === null;
}

/** A check had seen a SUCCESS before the answer said that the id is a duplicate. */
function isPaidDuplicate({ answer, rank }: TransactionRow): boolean {
  return answer === 'duplicate' && rank === STAGES.succeeded.rank;
}

/**
 * The outcome of the POST is set once. Only "lost" may be replaced: another process may have given up before the
 * answer.
 */
function storeOutcome(draft: Draft, row: TransactionRow, answer: PostOutcome): void {
  if (row.answer !== null && (row.answer !== 'lost' || answer === 'lost')) return;
  row.answer = answer;
  if (answer !== 'withheld') row.sent_at = sentAt(row);
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
  row.payment_id = paymentId ?? row.payment_id;
  row.sent_at = sentAt(row);
  if (method !== null) {
    row.method = method;
    // From the sending, so that the time shown never ends after the gateway's.
    if (PAYS_BY[method] === 'link') row.expires_at = checkoutExpiry(row);
  }
  markChanged(draft, row);
  showChange(draft, row);
}

/** What was answered was sent, even if a restored database lost the time. */
function sentAt(row: TransactionRow): number {
  return row.sent_at ?? row.created_at;
}

/** The end of the checkout's lifetime, or of the order's `payWithin` if that is earlier. */
export function checkoutExpiry(row: TransactionRow): number {
  return Math.min(row.expires_at ?? Infinity, sentAt(row) + CHECKOUT_LIFETIME_MS);
}
