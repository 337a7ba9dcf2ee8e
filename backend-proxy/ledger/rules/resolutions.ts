// Applies how a person resolves a review: ends the transaction where no check may, and clears the flag. Checks go on,
// and a later report that contradicts the person asks for another review (observations.ts).
import { Refusal } from '../../errors.ts';
import { TYPES } from '../../protocol/transaction.ts';
import { findOrder, type Draft } from './draft.ts';
import type { Expected, Resolution } from '../ledger.ts';
import type { TransactionRow } from '../schema/tables.ts';
import { addHistory, markChanged, plan, raise } from './transitions.ts';

const STAGE_OF = { SUCCESS: 'succeeded', FAILED: 'declined' } as const satisfies Record<Resolution['status'], string>;

/** The transaction has changed since the person decided. */
export class ChangedMeanwhile extends Refusal {
  constructor() {
    super('no_review_needed', 'The payment or its order has changed meanwhile; nothing was changed.');
  }
}

/** What a person who looks now decides on. */
export function expectedOf(draft: Draft, row: TransactionRow): Expected {
  const order = TYPES[row.type].paysOrder ? findOrder(draft, row.order_id) : undefined;
  return { version: row.version, paidBy: order?.paid_by ?? null };
}

/** Refuses if it needs no review, or is no longer as the person saw it. */
export function applyResolution(draft: Draft, row: TransactionRow, resolution: Resolution, expected?: Expected): void {
  const { status, by, note } = resolution;
  if (row.needs_review === 0) {
    throw new Refusal('no_review_needed', 'This transaction needs no review; nothing was changed.');
  }
  if (expected !== undefined) {
    const { version, paidBy } = expectedOf(draft, row);
    if (version !== expected.version || paidBy !== expected.paidBy) throw new ChangedMeanwhile();
  }
  const resolved = STAGE_OF[status];
  row.needs_review = 0;
  row.resolved = resolved;
  markChanged(draft, row);
  addHistory(draft, row, 'resolved', { detail: `${status} by ${by}: ${note}`, n: row.reviews });
  raise(draft, row, resolved, { detail: 'RESOLVED', ...(status === 'FAILED' && { endedBy: 'RESOLVED' }) });
  plan(draft, row);
}
