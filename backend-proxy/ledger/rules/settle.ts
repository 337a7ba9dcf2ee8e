// Raises a transaction's stage or flags it, permits its POST, stores how that ended, and queues webhooks.
// No other code raises the stage of a stored transaction or flags it, with the history, the order's version and the
// webhook that belong to it. A stage only rises, and the save that follows happens only if the row is still as it was
// loaded (store.ts).
import { createHash } from 'node:crypto';
import { iso } from '../../protocol/durations.ts';
import { merchantView, type WebhookType } from '../../protocol/merchant-view.ts';
import { PAYS_BY } from '../../protocol/wire.ts';
import { AFTER_CLOSE, isContradicted } from '../../protocol/refundable.ts';
import { nextCheckAt, type Check, CHECKOUT_LIFETIME_MS } from '../../protocol/schedule.ts';
import {
  STAGES,
  TYPES,
  stageOf,
  type Flag,
  type HistoryEntry,
  type Source,
  type Stage,
  type PostOutcome,
} from '../../protocol/transaction.ts';
import { wayOf, effectsOf } from '../../protocol/verify.ts';
import type { Fact, Start } from '../model.ts';
import type { OrderRow, TransactionRow } from '../schema/tables.ts';
import { findOrder, findTransaction, historyOf, type Draft, toTransactionState, toTransaction } from './records.ts';

const PAYER_IN_DOUBT = 'SUCCESS while the payment that paid the order is in doubt';

interface RaiseOptions {
  detail?: string | null;
  endedBy?: TransactionRow['ended_by'];
  /** Default: the cause of the write. */
  source?: Source;
}

/** Raises the stage if the fact ranks higher; returns whether it did. */
export function raise(
  draft: Draft,
  row: TransactionRow,
  stage: Stage,
  { detail = null, endedBy = null, source = draft.source }: RaiseOptions = {},
): boolean {
  const { rank } = STAGES[stage];
  if (rank <= row.rank) return false;
  const before = stageOf(row.rank);
  row.rank = rank;
  row.ended_by = endedBy;
  markChanged(draft, row);
  // A review of what only took too long ends here; a mismatch or conflict still needs a person.
  if (rank >= STAGES.not_created.rank && row.mismatch + row.conflict === 0) row.needs_review = 0;
  addHistory(draft, row, stage, { detail, source });
  if (stage !== 'succeeded') announceFailure(draft, row, before);
  else {
    if (STAGES[before].ended) row.late = 1;
    credit(draft, row);
  }
  return true;
}

/** A SUCCESS pays its order, unless another payment has, or it is closed. Again it changes nothing. */
export function credit(draft: Draft, row: TransactionRow): void {
  const { webhooks, paysOrder } = TYPES[row.type];
  const order = paysOrder ? findOrder(draft, row.order_id) : undefined;
  if (order === undefined || (order.paid_by === null && order.closed_at === null)) {
    if (order !== undefined) order.paid_by = row.id;
    queueWebhook(draft, row, `${webhooks}.succeeded`);
    return;
  }
  if (order.paid_by === row.id) return;
  const paying = order.paid_by === null ? undefined : findTransaction(draft, order.paid_by);
  if (paying !== undefined && isContradicted(toTransactionState(paying))) return creditInDoubt(draft, row, order);
  const flagged = order.closed_at === null ? 'surplus' : 'after_close';
  if (row[flagged] === 1) return;
  row[flagged] = 1;
  row.version += 1;
  addHistory(draft, row, flagged);
  // Instead of payment.succeeded, so that a merchant who ships on it ships nothing twice, and nothing that is closed.
  queueWebhook(draft, row, `payment.${flagged}`);
  if (flagged === 'after_close' && row.resolved !== 'succeeded') flag(draft, row, 'needs_review', AFTER_CLOSE);
}

/** The payment that paid the order may not have: a person says which one does. */
function creditInDoubt(draft: Draft, row: TransactionRow, order: OrderRow): void {
  if (row.resolved !== 'succeeded') return flag(draft, row, 'needs_review', PAYER_IN_DOUBT);
  order.paid_by = row.id;
  queueWebhook(draft, row, 'payment.succeeded');
}

/** Sends a webhook only when the status that the merchant sees changes, not at every stage. */
function announceFailure(draft: Draft, row: TransactionRow, before: Stage): void {
  const { status } = STAGES[stageOf(row.rank)];
  if (status === 'FAILED' && STAGES[before].status !== status) {
    queueWebhook(draft, row, `${TYPES[row.type].webhooks}.failed`);
  }
}

export type ReviewFlag = Exclude<Flag, 'surplus' | 'after_close'>;

/**
 * Flags a problem and asks for a review, or says in an open one what is new; changes nothing that is paid. A mismatch
 * is flagged once, anything else once per review, so again only after a person resolved the last one.
 */
export function flag(
  draft: Draft,
  row: TransactionRow,
  name: ReviewFlag,
  detail: string | null,
  source = draft.source,
): void {
  const { webhooks } = TYPES[row.type];
  if (name === 'mismatch' && row.mismatch === 1) return;
  if (row.needs_review === 1 && (detail === null || isInReview(draft, row, name, detail))) return;
  row.needs_review = 1;
  row.reviews += 1;
  markChanged(draft, row);
  if (name !== 'needs_review') {
    row[name] = 1;
    const n = name === 'conflict' ? row.reviews : 1;
    addHistory(draft, row, name, { detail, n, source });
    queueWebhook(draft, row, `${webhooks}.${name}`, n);
  }
  const reason = name === 'needs_review' ? detail : name;
  addHistory(draft, row, 'needs_review', { detail: reason, n: row.reviews, source });
  queueWebhook(draft, row, `${webhooks}.needs_review`, row.reviews);
}

/** Whether the open review says so already. Its entries have higher numbers than the last resolution. */
function isInReview(draft: Draft, row: TransactionRow, event: ReviewFlag, detail: string): boolean {
  const entries = historyOf(draft, row.id);
  const resolved = Math.max(0, ...entries.map((entry) => (entry.event === 'resolved' ? entry.n : 0)));
  return entries.some((entry) => entry.event === event && entry.n > resolved && entry.detail === detail);
}

/** Adds a history entry and raises the order's version. `n` counts events that may occur again. */
export function addHistory(
  draft: Draft,
  row: TransactionRow,
  event: HistoryEntry['event'],
  { detail = null, n = 1, source = draft.source }: { detail?: string | null; n?: number; source?: Source } = {},
): void {
  const isKnown = historyOf(draft, row.id).some((entry) => entry.event === event && entry.n === n);
  if (!isKnown) {
    draft.history.push({ transaction_id: row.id, event, n, at: draft.now, source, detail });
  }
  showChange(draft, row);
}

/** The transaction changed for the merchant. */
export function markChanged(draft: Draft, row: TransactionRow): void {
  stamp(draft, row);
  row.version += 1;
}

/**
 * The order changed for the shopper, if this belongs to one: raises the order's version. The row's
 * `updated_at` says when, which is how other processes find it (access.ts).
 */
export function showChange(draft: Draft, row: TransactionRow): void {
  stamp(draft, row);
  const order = TYPES[row.type].isOfOrder ? findOrder(draft, row.order_id) : undefined;
  if (order !== undefined) order.version += 1;
}

/** Since when the gateway reports one failed, before a second check confirms it: merchant and shopper see whether. */
export function setReportedFailed(draft: Draft, row: TransactionRow, at: number | null): void {
  const isNews = (row.failed_at === null) !== (at === null);
  row.failed_at = at;
  if (!isNews) return;
  markChanged(draft, row);
  if (at === null) return showChange(draft, row);
  const before = historyOf(draft, row.id).filter(({ event }) => event === 'reported_failed');
  addHistory(draft, row, 'reported_failed', { n: before.length + 1 });
}

/** What changes, or the webhook about it, may hold personal data again. */
function stamp({ now }: Draft, row: TransactionRow): void {
  row.updated_at = now;
  row.erased_at = null;
}

/** Plans the next check, after the row has its final state in this write. */
export function plan({ now }: Draft, row: TransactionRow): void {
  row.next_check_at = nextCheckAt(
    {
      type: row.type,
      way: wayOf(row),
      stage: stageOf(row.rank),
      answer: row.answer,
      createdAt: row.created_at,
      sentAt: row.sent_at,
      lostAt: row.lost_at,
      expiresAt: row.expires_at,
      ipnReceivedAt: row.ipn_received_at,
      ipnsReceived: row.ipns_received,
      ipnsAnswered: row.ipns_answered,
      unknownAt: row.unknown_at,
      failedAt: row.failed_at,
      needsReview: row.needs_review === 1,
      isResolved: row.resolved !== null,
      waitsFrom: row.waits_from,
      checkedAt: row.checked_at,
      unanswered: row.unanswered,
      checks: JSON.parse(row.checks) as Check[],
    },
    now,
  );
}

// What our own steps change: the permission to send the one POST, which a new row has from the start, and how that POST
// ended.

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

// Queues a webhook in the write that causes it, so that it reports exactly what is committed. Its body is fixed here: a
// retry sends the same bytes.

/** Queues each type once per transaction, or once per `n`, however often the fact arrives. */
function queueWebhook(draft: Draft, row: TransactionRow, type: WebhookType, n = 1): void {
  const { now, databaseId } = draft;
  const transaction = toTransaction(row, historyOf(draft, row.id));
  draft.webhooks.push({
    id: webhookId(databaseId, [row.id, type, String(n)]),
    transaction_id: row.id,
    order_id: row.order_id,
    type,
    body: JSON.stringify({ type, timestamp: iso(now), data: merchantView(transaction) }),
    state: 'pending',
    attempts: 0,
    next_at: now,
    lease_until: 0,
    last_answer: null,
    created_at: now,
  });
}

/**
 * The same for the same event after retries, restores and failovers, so that a receiver can ignore repeats: a digest
 * that includes the database's random id, which a backup keeps.
 */
function webhookId(databaseId: string, event: readonly string[]): string {
  const digest = createHash('sha256').update(JSON.stringify([databaseId, ...event]));
  return `msg_${digest.digest('hex').slice(0, 40)}`;
}
