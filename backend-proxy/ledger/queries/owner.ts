// The gateway and account that the database belongs to, and when it was last restored: rows of `meta`. A database used
// with another gateway would apply that gateway's reports to this one's payments, so it stays with the first.
import { DAY_MS } from '../../protocol/durations.ts';
import type { DatabaseOwner } from '../ledger.ts';
import type { MetaKey } from '../schema/tables.ts';
import type { Db, Store } from '../store.ts';

/** For this long after a restore, a payout is checked before it is sent. */
export const RESTORED_LATELY_MS = 7 * DAY_MS;

export async function readOwner(db: Db): Promise<DatabaseOwner | undefined> {
  const rows = await db.selectFrom('meta').selectAll().execute();
  const meta = Object.fromEntries(rows.map(({ key, value }) => [key, value])) as Partial<Record<MetaKey, string>>;
  const { gateway, status_check: statusCheck, key_digest: keyDigest } = meta;
  if (gateway === undefined || keyDigest === undefined) return undefined;
  return { gateway, hasStatusCheck: statusCheck === 'yes', keyDigest };
}

export async function writeOwner(store: Store, { gateway, hasStatusCheck, keyDigest }: DatabaseOwner): Promise<void> {
  await put(store, { gateway, status_check: hasStatusCheck ? 'yes' : 'no', key_digest: keyDigest });
}

/** Why this process must not use a database that belongs to `theirs`, or undefined. */
export function differenceOf(ours: DatabaseOwner, theirs: DatabaseOwner | undefined): string | undefined {
  if (theirs === undefined) return undefined;
  if (theirs.gateway !== ours.gateway) return `the database belongs to the gateway ${theirs.gateway}`;
  if (theirs.hasStatusCheck !== ours.hasStatusCheck) return 'the database is used with another gateway profile';
  return undefined;
}

/** Keeps the latest time. */
export async function writeRestoredAt(store: Store, at: number): Promise<void> {
  if (at > (await readRestoredAt(store.db))) await put(store, { restored_at: String(at) });
}

/** ms since 1970; 0 if it was never restored. */
export async function readRestoredAt(db: Db): Promise<number> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', 'restored_at').executeTakeFirst();
  return Number(row?.value ?? 0);
}

/** Random, written when the tables are made; a backup and a standby have the same. */
export interface Identity {
  databaseId: string;
  fingerprintKey: string;
}

export async function readIdentity(db: Db): Promise<Identity> {
  const rows = await db.selectFrom('meta').selectAll().where('key', 'in', ['database_id', 'fingerprint_key']).execute();
  const valueOf = (name: MetaKey) => {
    const row = rows.find(({ key }) => key === name);
    if (row === undefined) throw new Error(`The table meta lacks ${name}`);
    return row.value;
  };
  return { databaseId: valueOf('database_id'), fingerprintKey: valueOf('fingerprint_key') };
}

async function put({ db, execute }: Store, values: Partial<Record<MetaKey, string>>): Promise<void> {
  const rows = Object.entries(values).map(([key, value]) => ({ key: key as MetaKey, value }));
  const insert = db
    .insertInto('meta')
    .values(rows)
    .onConflict((c) => c.column('key').doUpdateSet((eb) => ({ value: eb.ref('excluded.value') })));
  await execute(insert.compile());
}
