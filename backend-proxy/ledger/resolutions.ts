// Applies how a person resolves a review: ends the transaction where no check may, and clears the flag. Checks go on,
// and a later report that contradicts the person asks for another review (observations.ts).
import { Refusal } from '../errors.ts';
import type { WriteContext } from './context.ts';
import type { Resolution } from './ledger.ts';
import { plan, raise, writeHistory } from './transitions.ts';

const STAGE_OF = { SUCCESS: 'succeeded', FAILED: 'declined' } as const satisfies Record<Resolution['status'], string>;

/** Returns false if there is no such transaction; refuses if it needs no review. */
export async function applyResolution(
  ctx: WriteContext,
  id: string,
  { status, by, note }: Resolution,
): Promise<boolean> {
  await ctx.store.lockOrderOf(ctx.tx, id);
  const resolved = STAGE_OF[status];
  const row = await ctx.tx
    .updateTable('transactions')
    .set((eb) => ({
      needs_review: 0,
      resolved,
      updated_at: ctx.now,
      version: eb('version', '+', 1),
    }))
    .where('id', '=', id)
    .where('needs_review', '=', 1)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) {
    const known = await ctx.tx.selectFrom('transactions').select('id').where('id', '=', id).executeTakeFirst();
    if (known === undefined) return false;
    throw new Refusal('no_review_needed', 'This transaction needs no review; nothing was changed.');
  }
  await writeHistory(ctx, row, 'resolved', `${status} by ${by}: ${note}`, row.reviews);
  await raise(ctx, id, resolved, { detail: 'RESOLVED', ...(status === 'FAILED' && { endedBy: 'RESOLVED' }) });
  await plan(ctx, id);
  return true;
}
