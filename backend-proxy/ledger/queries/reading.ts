// Counts for operators, the transaction that the gateway surely knows, and the rows of `meta`.
// The counts are of what is open, each over the small index that lists it, so that the cost does not grow with the
// database. The sums read their rows too, so they are of far fewer. What shoppers wait for is read by the store's
// `load`.
import { sql, type RawBuilder, type SelectQueryBuilder } from 'kysely';
import {
  type GatewayType,
  type Transaction,
  STAGES,
  TRANSACTION_TYPES,
  TYPES,
  isAwaited,
  isBeingChecked,
  isDenied,
  stageOf,
} from '../../protocol/transaction.ts';
import type { Counts, Sum, Sums, WebhookState, DatabaseOwner } from '../model.ts';
import { isChecking } from '../rules/records.ts';
import { IS_OPEN, NEEDS_REVIEW, PAYS_NOTHING } from '../schema/schema.ts';
import type { Tables, TransactionRow, MetaKey } from '../schema/tables.ts';
import type { Db, Store } from '../store.ts';
import { mergedPages, withHistory } from './transaction-list.ts';

/**
 * Rows are counted up to this many: a higher number says no more, and takes longer to count. Each count is ordered as
 * its index is, or PostgreSQL might read the table instead.
 */
const MAX_COUNTED = 40_000;
/** Of each type, the newest. */
const MAX_SUMMED = 5_000;

/** In one statement. */
const MAX_IDS = 1_000;

/**
 * The transaction of this type at the gateway that a check found last: the gateway knows it. Undefined only if none
 * ever was.
 */
export async function readNewestFound(db: Db, atGateway: GatewayType): Promise<Transaction | undefined> {
  const found = db.selectFrom('transactions').selectAll().where('found_at', 'is not', null);
  const newest: TransactionRow[] = [];
  for (const type of TRANSACTION_TYPES.filter((each) => TYPES[each].atGateway === atGateway)) {
    newest.push(...(await found.where('type', '=', type).orderBy('found_at', 'desc').limit(1).execute()));
  }
  newest.sort((a, b) => (b.found_at ?? 0) - (a.found_at ?? 0));
  return (await withHistory(db, newest.slice(0, 1)))[0];
}

/** Of those orders that are in the database. */
export async function readVersions(db: Db, orderIds: readonly string[]): Promise<Map<string, number>> {
  const versions = new Map<string, number>();
  for (let from = 0; from < orderIds.length; from += MAX_IDS) {
    const page = orderIds.slice(from, from + MAX_IDS);
    const rows = await db.selectFrom('orders').select(['order_id', 'version']).where('order_id', 'in', page).execute();
    for (const { order_id: orderId, version } of rows) versions.set(orderId, version);
  }
  return versions;
}

/**
 * Payments, newest first, that came in, pay no order, and of which something is neither refunded nor settled. Of
 * those under review only what came after the closing: it is known what to do.
 */
export async function readOwed(db: Db, limit: number): Promise<Transaction[]> {
  const refunded = sql`(select coalesce(sum(r.amount_minor), 0) from transactions r where r.order_id = t.order_id
    and r.refund_of = t.id and (r.needs_review = 1 or r.rank < ${STAGES.replaced.rank} or r.rank = ${STAGES.succeeded.rank}))`;
  const rows = await sql<TransactionRow>`select * from transactions t
    where ${sql.raw(PAYS_NOTHING)} and (t.needs_review = 0 or (t.after_close = 1 and t.mismatch = 0 and t.conflict = 0)) and t.amount_minor - t.settled_minor > ${refunded}
    order by t.created_at desc, t.id desc limit ${limit}`.execute(db);
  return withHistory(db, rows.rows);
}

/** Every payment of an order, or the payout. */
export async function readOfOrder(db: Db, orderId: string): Promise<Transaction[]> {
  const rows = await db.selectFrom('transactions').selectAll().where('order_id', '=', orderId).execute();
  return withHistory(
    db,
    rows.toSorted((a, b) => a.attempt - b.attempt),
  );
}

export async function readCounts(db: Db, now: number): Promise<Counts> {
  const open = await countOpen(db);
  const planned = db
    .selectFrom('transactions')
    .select('next_check_at')
    .where('next_check_at', 'is not', null)
    .orderBy('next_check_at');
  const due = planned.where('next_check_at', '<=', now);
  const next = await planned.limit(1).executeTakeFirst();
  const reviews = db
    .selectFrom('transactions')
    .select('id')
    .where(sql<boolean>`${sql.raw(NEEDS_REVIEW)}`)
    .orderBy('type')
    .orderBy('created_at');
  const unmatched = db
    .selectFrom('ipns')
    .select('id')
    .where('matched', '=', sql.lit(0))
    .where('reading', 'is not', null)
    .orderBy('first_at');
  const inState = (state: WebhookState) =>
    db.selectFrom('webhooks').select('id').where('state', '=', state).orderBy('created_at');
  const oldest = await db
    .selectFrom('webhooks')
    .select(['created_at', 'attempts', 'last_answer'])
    // As a parameter: a literal would fit the index by the next attempt, and the rows would be sorted.
    .where('state', '=', 'pending')
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst();
  const webhooks = [
    { state: 'pending', count: await countUpTo(db, inState('pending')) },
    { state: 'dead', count: await countUpTo(db, inState('dead')) },
  ] as const;
  return {
    transactions: open,
    needReview: await countUpTo(db, reviews),
    unmatchedIpns: await countUpTo(db, unmatched),
    checks: [
      { state: 'planned', count: await countUpTo(db, planned) },
      { state: 'due', count: await countUpTo(db, due) },
    ],
    oldestDueCheckMs: Math.max(0, now - (next?.next_check_at ?? now)),
    webhooks: webhooks.filter(({ count }) => count > 0),
    oldestPendingWebhookMs: oldest === undefined ? 0 : Math.max(0, now - oldest.created_at),
    // One that is sent again keeps its answer.
    oldestPendingWebhookAnswer: oldest === undefined || oldest.attempts === 0 ? null : oldest.last_answer,
  };
}

type Rows = SelectQueryBuilder<Tables, never, object>;

async function countUpTo(db: Db, rows: Rows): Promise<number> {
  const counted = db.selectFrom(rows.limit(MAX_COUNTED).as('page')).select(db.fn.countAll<number>().as('count'));
  return (await counted.executeTakeFirstOrThrow()).count;
}

async function countOpen(db: Db): Promise<Counts['transactions']> {
  const sums = new Map<string, Counts['transactions'][number]>();
  for (const type of TRANSACTION_TYPES) {
    const open = db
      .selectFrom('transactions')
      .select(['rank', 'needs_review'])
      .where('type', '=', type)
      .where(sql<boolean>`${sql.raw(IS_OPEN)}`)
      .orderBy('updated_at');
    const page = db
      .selectFrom(open.limit(MAX_COUNTED).as('page'))
      .select(['rank', db.fn.countAll<number>().as('count')])
      .select(sql<number>`count(case when ${sql.raw(NEEDS_REVIEW)} then 1 end)`.as('inReview'));
    for (const { rank, count, inReview } of await page.groupBy('rank').execute()) {
      const { status } = STAGES[stageOf(rank)];
      const key = `${type} ${status}`;
      const before = sums.get(key) ?? { count: 0, inReview: 0 };
      sums.set(key, { type, status, count: before.count + count, inReview: before.inReview + inReview });
    }
  }
  return [...sums.values()];
}

export async function readSums(db: Db, since: number): Promise<Sums> {
  const created = await sumsOf(db, sql`created_at >= ${since}`);
  const open = await sumsOf(db, sql.raw(IS_OPEN));
  const counted = [created, open].flatMap((sums) =>
    TRANSACTION_TYPES.map((each) => sums.reduce((sum, { type, count }) => sum + (type === each ? count : 0), 0)),
  );
  return { created, open, isWhole: counted.every((count) => count < MAX_SUMMED) };
}

const KIND = ['type', 'currency', 'method', 'rank', 'answer', 'needs_review', 'success_seen', 'resolved'] as const;
const COUNTED = [...KIND, 'closed', 'reportedFailed'] as const;

async function sumsOf(db: Db, condition: RawBuilder<unknown>): Promise<Sum[]> {
  const newest = db
    .selectFrom('transactions')
    .select([...KIND, 'amount_minor'])
    .select(sql<number>`case when failed_at is null then 0 else 1 end`.as('reportedFailed'))
    .select(sql<number>`(select count(closed_at) from orders o where o.order_id = transactions.order_id)`.as('closed'))
    .where(sql<boolean>`${condition}`)
    .orderBy('created_at', 'desc')
    .limit(MAX_SUMMED);
  const pages = TRANSACTION_TYPES.map((type) => newest.where('type', '=', type));
  const rows = await db
    .selectFrom(mergedPages(db, pages).as('page'))
    .select([...COUNTED, db.fn.countAll<number>().as('count')])
    // A whole number may be too large for either database.
    .select(sql<number>`sum(cast(amount_minor as double precision))`.as('amountMinor'))
    .groupBy(COUNTED)
    .execute();
  return rows.map(({ type, currency, closed, count, amountMinor, ...row }) => {
    const { rank, needs_review: review, reportedFailed, ...rest } = row;
    const failedAt = reportedFailed === 1 ? 0 : null;
    const one = { ...rest, type, stage: stageOf(rank), needsReview: review === 1, checking: isChecking(row), failedAt };
    const [status, isClosed] = [STAGES[one.stage].status, closed === 1];
    const stands = { isAwaited: isAwaited(one), isBeingChecked: isBeingChecked(one), isDenied: isDenied(one) };
    return { type, currency, status, count, amountMinor, isClosed, ...stands };
  });
}

// The rows of `meta`: the gateway and account that the database belongs to, the prefixes of its ids, when it was last
// restored, its identity, and how often its clock has stepped. A database used with another gateway would apply that
// gateway's reports to this one's payments, so it stays with the first.

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

/** The clock's steps that were counted. */
export function stepsIn({ clock_steps: steps }: Meta): number {
  return Number(steps ?? 0);
}

/**
 * Unless another process has changed it since. Where somebody holds the row, it neither waits nor writes: no payment or
 * check waits for that.
 */
export async function writeSteps({ db, sql: dialect, execute }: Store, before: number, count: number): Promise<void> {
  const row = db.selectFrom('meta').select('key').where('key', '=', 'clock_steps').where('value', '=', String(before));
  const update = db
    .updateTable('meta')
    .set({ value: String(count) })
    .returning('key');
  await execute(update.where('key', 'in', dialect.skipsLocked ? row.forUpdate().skipLocked() : row).compile());
}

async function put({ db, execute }: Store, values: Meta): Promise<void> {
  const rows = Object.entries(values).map(([key, value]) => ({ key: key as MetaKey, value }));
  const insert = db
    .insertInto('meta')
    .values(rows)
    .onConflict((c) => c.column('key').doUpdateSet((eb) => ({ value: eb.ref('excluded.value') })));
  await execute(insert.compile());
}
