// Applies how a person resolves a review: ends the transaction where no check may, and clears the flag. Or that money
// which pays no order is settled: it is not owed any more, and cannot be refunded.
// Checks go on, and a report that contradicts the person and is new asks for another review (observations.ts).
import { isDeepStrictEqual } from 'node:util';
import { Refusal } from '../../errors.ts';
import { owedOf } from '../../protocol/refundable.ts';
import { BY_PERSON, TYPES, mayBeResolved } from '../../protocol/transaction.ts';
import type { Expected, Resolution } from '../model.ts';
import type { TransactionRow } from '../schema/tables.ts';
import { findOrder, historyOf, type Draft, toTransaction, toTransactionState } from './records.ts';
import { addHistory, credit, markChanged, plan, raise } from './settle.ts';

const STAGE_OF = { SUCCESS: 'succeeded', FAILED: 'declined' } as const;
type Reported = keyof typeof STAGE_OF;

/** The transaction has changed since the person decided. */
export class ChangedMeanwhile extends Refusal {
  constructor() {
    super('version_changed', 'The payment or its order has changed meanwhile; nothing was changed.');
  }
}

/** What the person says contradicts the gateway, and they have not said that they know. */
export class GatewayContradicts extends Refusal {
  constructor(reported: Reported) {
    const knowingly = `To decide against it all the same, repeat the request with "gatewayReports": "${reported}".`;
    super('gateway_contradicts', `The gateway reports ${reported}; nothing was changed. ${knowingly}`);
  }
}

/** What a person who looks now decides on. */
export function expectedOf(draft: Draft, row: TransactionRow): Required<Expected> {
  const order = TYPES[row.type].paysOrder ? findOrder(draft, row.order_id) : undefined;
  const { version } = row;
  return { version, paidBy: order?.paid_by ?? null, closed: order?.closed_at != null, owed: owedIn(draft, row) };
}

function owedIn(draft: Draft, row: TransactionRow): number {
  const refunds = draft.transactions.map(({ after }) => toTransaction(after, []));
  return owedOf(toTransaction(row, historyOf(draft, row.id)), refunds);
}

/** What the gateway reports, if it contradicts the person. A pending after a SUCCESS may only lag behind. */
export function contraryReport(row: TransactionRow, status: Resolution['status']): Reported | null {
  if (status === 'SETTLED') return null;
  const isSuccess = row.reported === 'succeeded' || row.success_seen === 1;
  const reported = row.reported === 'failed' ? 'FAILED' : isSuccess ? 'SUCCESS' : status;
  return reported === status ? null : reported;
}

/**
 * Refuses if it needs no review, is no longer as the person saw it, or contradicts the gateway unknowingly. The same
 * once more changes nothing: a reverse proxy may have repeated the request.
 */
export function applyResolution(draft: Draft, row: TransactionRow, resolution: Resolution, expected?: Expected): void {
  const { status, by, note, gatewayReports } = resolution;
  const detail = `${status} by ${by}: ${note}`;
  const last = historyOf(draft, row.id).find(({ event, n }) => event === 'resolved' && n === row.reviews);
  const owed = status === 'SETTLED' ? owedIn(draft, row) : 0;
  if (row.needs_review === 0 && owed === 0 && last?.detail === detail.toWellFormed()) return;
  if (status === 'SETTLED' ? owed === 0 : !mayBeResolved(toTransactionState(row))) {
    throw new Refusal('no_review_needed', 'This transaction needs no review; nothing was changed.');
  }
  if (expected !== undefined) {
    const now = expectedOf(draft, row);
    if (!isDeepStrictEqual({ ...now, ...expected }, now)) throw new ChangedMeanwhile();
  }
  const contrary = contraryReport(row, status);
  if (contrary !== null && gatewayReports !== contrary) throw new GatewayContradicts(contrary);
  // Each has a history entry of its own.
  if (status === 'SETTLED' && row.needs_review === 0) row.reviews += 1;
  row.needs_review = 0;
  row.settled_minor += owed;
  markChanged(draft, row);
  addHistory(draft, row, 'resolved', { detail, n: row.reviews });
  if (status !== 'SETTLED') end(draft, row, status);
  plan(draft, row);
}

function end(draft: Draft, row: TransactionRow, status: Reported): void {
  const resolved = STAGE_OF[status];
  row.resolved = resolved;
  const isRaised = raise(draft, row, resolved, {
    detail: BY_PERSON,
    ...(status === 'FAILED' && { endedBy: 'RESOLVED' }),
  });
  // It may have waited for this word.
  if (!isRaised && status === 'SUCCESS' && TYPES[row.type].paysOrder) credit(draft, row);
}
