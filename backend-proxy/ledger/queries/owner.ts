// The rows of `meta`: the gateway and account that the database belongs to, the prefixes of its ids, when it was last
// restored, its identity, and how often its clock has stepped. A database used with another gateway would apply that
// gateway's reports to this one's payments, so it stays with the first.
import type { DatabaseOwner } from '../ledger.ts';
import type { MetaKey } from '../schema/tables.ts';
import type { Db, Store } from '../store.ts';

export type Meta = Partial<Record<MetaKey, string>>;

export async function readMeta(db: Db): Promise<Meta> {
  const rows = await db.selectFrom('meta').selectAll().execute();
  return Object.fromEntries(rows.map(({ key, value }) => [key, value]));
}

export function ownerIn({
  gateway,
  status_check: statusCheck,
  key_digest: keyDigest,
}: Meta): DatabaseOwner | undefined {
  if (gateway === undefined || keyDigest === undefined) return undefined;
  return { gateway, hasStatusCheck: statusCheck === 'yes', keyDigest };
}

export async function writeOwner(store: Store, { gateway, hasStatusCheck, keyDigest }: DatabaseOwner): Promise<void> {
  await put(store, { gateway, status_check: hasStatusCheck ? 'yes' : 'no', key_digest: keyDigest });
}

/** Each ORDER_ID_PREFIX that a process had, oldest first. */
export function prefixesIn({ id_prefixes: prefixes = '[]' }: Meta): string[] {
  return JSON.parse(prefixes) as string[];
}

export async function writePrefix(store: Store, prefix: string): Promise<void> {
  const known = prefixesIn(await readMeta(store.db));
  if (!known.includes(prefix)) await put(store, { id_prefixes: JSON.stringify([...known, prefix]) });
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

export function identityIn({ database_id: databaseId, fingerprint_key: fingerprintKey }: Meta): Identity {
  if (databaseId === undefined || fingerprintKey === undefined) throw new Error('The table meta lacks the identity');
  return { databaseId, fingerprintKey };
}

/** The clock's steps that were counted, and those after which the waiting webhooks were made due. */
export type StepsKey = 'clock_steps' | 'webhook_steps';

export function stepsIn(meta: Meta, key: StepsKey): number {
  return Number(meta[key] ?? 0);
}

/** Unless another process has changed it since; returns whether it was this one. */
export async function writeSteps(store: Store, key: StepsKey, before: number, count: number): Promise<boolean> {
  return replace(store, key, String(count), String(before));
}

/** Where somebody holds the row, it neither waits nor writes: no payment or check waits for that. */
async function replace(
  { db, sql: { skipsLocked }, execute }: Store,
  key: MetaKey,
  value: string,
  before?: string,
): Promise<boolean> {
  const named = db.selectFrom('meta').select('key').where('key', '=', key);
  const row = before === undefined ? named : named.where('value', '=', before);
  const update = db.updateTable('meta').set({ value }).returning('key');
  const written = update.where('key', 'in', skipsLocked ? row.forUpdate().skipLocked() : row);
  return (await execute(written.compile())).length > 0;
}

async function put({ db, execute }: Store, values: Meta): Promise<void> {
  const rows = Object.entries(values).map(([key, value]) => ({ key: key as MetaKey, value }));
  const insert = db
    .insertInto('meta')
    .values(rows)
    .onConflict((c) => c.column('key').doUpdateSet((eb) => ({ value: eb.ref('excluded.value') })));
  await execute(insert.compile());
}
