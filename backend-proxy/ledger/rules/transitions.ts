// The only code that raises a stored transaction's stage or flags it, with the history, the order's version and the
// webhook that belong to it. A stage only rises, and the save that follows happens only if the row is still as it was
// loaded (store.ts).
import { AFTER_CLOSE, isContradicted } from '../../protocol/refundable.ts';
import { wayOf } from '../../protocol/report-effects.ts';
import { nextCheckAt, type Check } from '../../protocol/schedule.ts';
import {
  STAGES,
  TYPES,
  isLate,
  stageOf,
  type Flag,
  type HistoryEntry,
  type Source,
  type Stage,
} from '../../protocol/transaction.ts';
import { findOrder, findTransaction, historyOf, type Draft } from './draft.ts';
import { toTransactionState } from './records.ts';
import type { OrderRow, TransactionRow } from '../schema/tables.ts';
import { queueWebhook } from './webhooks.ts';

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
    if (isLate(before, stage)) row.late = 1;
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
 * `updated_at` says when, which is how other processes find it (watch.ts).
 */
export function showChange(draft: Draft, row: TransactionRow): void {
  stamp(draft, row);
  const order = TYPES[row.type].isOfOrder ? findOrder(draft, row.order_id) : undefined;
  if (order !== undefined) order.version += 1;
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
