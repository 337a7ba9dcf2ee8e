// The gateway and account that the database belongs to, and when it was last restored: rows of `meta`. A database used
// with another gateway would apply that gateway's reports to this one's payments, so it stays with the first.
import type { DatabaseOwner } from './ledger.ts';
import type { MetaKey } from './schema.ts';
import type { Db } from './store.ts';

/** For this long after a restore, a payout is checked before it is sent. */
export const RESTORED_LATELY_MS = 7 * 24 * 3_600_000;

export async function readOwner(db: Db): Promise<DatabaseOwner | undefined> {
  const rows = await db.selectFrom('meta').selectAll().execute();
  const meta = Object.fromEntries(rows.map(({ key, value }) => [key, value])) as Partial<Record<MetaKey, string>>;
  const { gateway, status_check: statusCheck, key_digest: keyDigest } = meta;
  if (gateway === undefined || keyDigest === undefined) return undefined;
  return { gateway, hasStatusCheck: statusCheck === 'yes', keyDigest };
}

export async function writeOwner(tx: Db, { gateway, hasStatusCheck, keyDigest }: DatabaseOwner): Promise<void> {
  await put(tx, 'gateway', gateway);
  await put(tx, 'status_check', hasStatusCheck ? 'yes' : 'no');
  await put(tx, 'key_digest', keyDigest);
}

/** Why this process must not use a database that belongs to `theirs`, or undefined. */
export function differenceOf(ours: DatabaseOwner, theirs: DatabaseOwner | undefined): string | undefined {
  if (theirs === undefined) return undefined;
  if (theirs.gateway !== ours.gateway) return `the database belongs to the gateway ${theirs.gateway}`;
  if (theirs.hasStatusCheck !== ours.hasStatusCheck) return 'the database is used with another gateway profile';
  return undefined;
}

/** Keeps the latest time. */
export async function writeRestoredAt(tx: Db, at: number): Promise<void> {
  if (at > (await readRestoredAt(tx))) await put(tx, 'went_back_at', String(at));
}

/** ms since 1970; 0 if it was never restored. */
export async function readRestoredAt(db: Db): Promise<number> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', 'went_back_at').executeTakeFirst();
  return Number(row?.value ?? 0);
}

async function put(tx: Db, key: MetaKey, value: string): Promise<void> {
  await tx
    .insertInto('meta')
    .values({ key, value })
    .onConflict((c) => c.column('key').doUpdateSet({ value }))
    .execute();
}
