// Which gateway these books are of, and what the operator says of them: a few rows of `meta`.
// Books that go on at another gateway would take its word for what this one was asked, so they are held to the first.
import type { DatabaseOwner } from './ledger.ts';
import type { MetaKey } from './schema.ts';
import type { Db } from './store.ts';

/** For so long after books went back a payout is asked about before it is sent. */
export const WENT_BACK_MS = 7 * 24 * 3_600_000;

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

/** Why books bound to `theirs` are not ours to go on with, or undefined. */
export function differenceOf(ours: DatabaseOwner, theirs: DatabaseOwner | undefined): string | undefined {
  if (theirs === undefined) return undefined;
  if (theirs.gateway !== ours.gateway) return `the books are of the gateway ${theirs.gateway}`;
  if (theirs.hasStatusCheck !== ours.hasStatusCheck) return 'the books are kept with another profile of the gateway';
  return undefined;
}

/** The latest time wins. */
export async function writeWentBack(tx: Db, at: number): Promise<void> {
  if (at > (await readWentBack(tx))) await put(tx, 'went_back_at', String(at));
}

/** ms since 1970; 0 where they never did. */
export async function readWentBack(db: Db): Promise<number> {
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
