// Applies how a person resolves a review: ends the transaction where no check may, and clears the flag. Checks go on,
// and a later report that contradicts the person asks for another review (observations.ts).
import { Refusal } from '../errors.ts';
import type { Draft } from './draft.ts';
import type { Resolution } from './ledger.ts';
import type { TransactionRow } from './tables.ts';
import { addHistory, markChanged, plan, raise } from './transitions.ts';

const STAGE_OF = { SUCCESS: 'succeeded', FAILED: 'declined' } as const satisfies Record<Resolution['status'], string>;

/** Refuses if it needs no review. */
export function applyResolution(draft: Draft, row: TransactionRow, { status, by, note }: Resolution): void {
  if (row.needs_review === 0) {
    throw new Refusal('no_review_needed', 'This transaction needs no review; nothing was changed.');
  }
  const resolved = STAGE_OF[status];
  row.needs_review = 0;
  row.resolved = resolved;
  markChanged(draft, row);
  addHistory(draft, row, 'resolved', `${status} by ${by}: ${note}`, row.reviews);
  raise(draft, row, resolved, { detail: 'RESOLVED', ...(status === 'FAILED' && { endedBy: 'RESOLVED' }) });
  plan(draft, row);
}
