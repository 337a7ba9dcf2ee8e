// A person's word on what needs review: it ends the transaction where no check may, and clears the flag. Watching goes on, and a
// later report that says the contrary asks for a review again (observations.ts).
import { Refusal } from '../errors.ts';
import type { WriteContext } from './context.ts';
import type { Resolution } from './ledger.ts';
import { note, plan, raise } from './transitions.ts';

const POSTED = { SUCCESS: 'succeeded', FAILED: 'declined' } as const satisfies Record<Resolution['status'], string>;

/** False where there is no such transaction; refuses where it needs no review. */
export async function applyResolution(
  ctx: WriteContext,
  id: string,
  { status, by, note: why }: Resolution,
): Promise<boolean> {
  await ctx.store.lockOrderOf(ctx.tx, id);
  const resolved = POSTED[status];
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
  await note(ctx, row, 'resolved', `${status} by ${by}: ${why}`, row.reviews);
  await raise(ctx, id, resolved, { detail: 'RESOLVED', ...(status === 'FAILED' && { endedBy: 'RESOLVED' }) });
  await plan(ctx, id);
  return true;
}
