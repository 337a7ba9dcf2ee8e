// Which transactions may be erased, and erasing their personal data.
// They are found page by page after the retention time, or are those of one order on request.
import { sql, type CompiledQuery, type RawBuilder } from 'kysely';
import { Refusal } from '../../errors.ts';
import { keyedFingerprint } from '../../fingerprint.ts';
import { HOUR_MS, iso } from '../../protocol/durations.ts';
import { LAST_SWEEP_MS } from '../../protocol/schedule.ts';
import { STAGES, isOpen, stageOf, type Source } from '../../protocol/transaction.ts';
import type { ErasedPage } from '../model.ts';
import type { TransactionRow } from '../schema/tables.ts';
import type { Db, Store, SqlDialect } from '../store.ts';

/** Longer than a page takes: if the process dies, others go on after this. */
const TURN_MS = 30_000;
/** A process that cannot write at the moment may hold the gateway's answer, with its links and code. */
const ANSWER_MAY_COME_MS = HOUR_MS;

/** One page of all that changed last before `changedBefore`. Only one process erases at a time. */
export async function erasePage(store: Store, after: string | null, erasing: Erasing): Promise<ErasedPage> {
  const endTurn = await takeTurn(store, erasing.at);
  if (endTurn === undefined) return { erased: 0, next: after ?? '' };
  try {
    const rows = await readErasable(store.db, erasing.changedBefore, after ?? '');
    const erased = await eraseRows(store, rows, erasing);
    const reasons = await forgetReasons(store, sql`closed_at < ${erasing.changedBefore}`);
    const payers = await forgetPayers(store, sql`created_at < ${erasing.payersBefore} order by created_at`);
    const last = rows.at(-1);
    const next = last === undefined ? (after ?? '') : `${last.updated_at}~${last.id}`;
    const isLast = Math.max(rows.length, reasons, payers) < ERASED_AT_ONCE;
    return { erased: erased.length, next: isLast ? null : next };
  } finally {
    await store.execute(endTurn);
  }
}

/** Undefined if another process has the turn; otherwise the statement that ends it. */
async function takeTurn({ db, execute }: Store, at: number): Promise<CompiledQuery | undefined> {
  const until = String(at + TURN_MS);
  const take = sql`insert into meta (key, value) values ('erasing_until', ${until}) on conflict (key) do update
    set value = excluded.value where cast(meta.value as bigint) not between ${at} and ${at + TURN_MS} returning key`;
  const taken = await execute(take.compile(db));
  if (taken.length === 0) return undefined;
  const end = db.updateTable('meta').set({ value: '0' }).where('key', '=', 'erasing_until');
  return end.where('value', '=', until).compile();
}

/** The oldest change first. A transaction that a webhook waits to report is among them. */
function readErasable(db: Db, before: number, after: string): Promise<ErasableRow[]> {
  const [, updatedAt = '0', id = ''] = /^([0-9]+)~(.*)$/s.exec(after) ?? [];
  return db
    .selectFrom('transactions')
    .select(['id', 'fingerprint', 'updated_at'])
    .where('erased_at', 'is', null)
    .where('next_check_at', 'is', null)
    .where('needs_review', '=', sql.lit(0))
    .where('rank', '>=', sql.lit(STAGES.replaced.rank))
    .where('updated_at', '<', before)
    .where(sql<boolean>`(updated_at, id) > (${Number(updatedAt)}, ${id})`)
    .orderBy('updated_at')
    .orderBy('id')
    .limit(ERASED_AT_ONCE)
    .execute();
}

/**
 * Erases the transactions of an order or payout, and why the order was closed. Refuses, and erases nothing, if one of
 * them may still change. Returns whether there is anything of it.
 */
export async function eraseOrder(store: Store, orderId: string, erasing: Erasing): Promise<boolean> {
  const rows = await readAll(store.db, orderId);
  const untold = erasing.sendsWebhooks ? await readUntold(store.db, orderId) : new Set<string>();
  const reasons = rows.flatMap((row) => reasonToKeep(row, untold, erasing.at) ?? []);
  if (reasons.length > 0) throw notEnded(reasons.join('; '));
  for (let at = 0; at < rows.length; at += ERASED_AT_ONCE) {
    await eraseRows(store, rows.slice(at, at + ERASED_AT_ONCE), erasing);
  }
  const left = (await readAll(store.db, orderId)).filter((row) => row.erased_at === null);
  if (left.length > 0) throw notEnded(left.map(({ id }) => `${id} has just changed`).join('; '));
  await forgetReasons(store, sql`order_id = ${orderId}`);
  await forgetPayers(store, sql`order_id = ${orderId}`);
  return rows.length > 0 || (await isClosed(store.db, orderId));
}

/** Why orders were closed, a page at a time. Returns of how many. */
async function forgetReasons({ db, execute }: Store, which: RawBuilder<unknown>): Promise<number> {
  const page = sql`select order_id from orders where close_reason is not null and ${which} order by closed_at`;
  const forget = sql`update orders set close_reason = null where order_id in (${page} limit ${sql.lit(ERASED_AT_ONCE)})
    returning order_id`;
  return (await execute(forget.compile(db))).length;
}

/** The payers who outlived the rest of their payments, a page at a time. Returns how many. */
async function forgetPayers({ db, execute }: Store, which: RawBuilder<unknown>): Promise<number> {
  const page = sql`select id from transactions where payer is not null and erased_at is not null and ${which}
    limit ${sql.lit(ERASED_AT_ONCE)}`;
  const forget = sql`update transactions set payer = null where id in (${page}) returning id`;
  return (await execute(forget.compile(db))).length;
}

async function isClosed(db: Db, orderId: string): Promise<boolean> {
  const closed = db.selectFrom('orders').select('order_id').where('order_id', '=', orderId);
  return (await closed.where('closed_at', 'is not', null).execute()).length > 0;
}

function notEnded(reasons: string): Refusal {
  return new Refusal('not_ended', `Nothing can be erased yet: ${reasons}.`);
}

function readAll(db: Db, orderId: string): Promise<TransactionRow[]> {
  return db.selectFrom('transactions').selectAll().where('order_id', '=', orderId).execute();
}

async function readUntold(db: Db, orderId: string): Promise<Set<string>> {
  const waiting = db.selectFrom('webhooks').select('transaction_id').where('order_id', '=', orderId);
  const rows = await waiting.where('state', 'not in', ['delivered', 'dead']).execute();
  return new Set(rows.map((row) => row.transaction_id));
}

/** For the merchant; undefined if it may be erased. */
function reasonToKeep(row: TransactionRow, untold: ReadonlySet<string>, now: number): string | undefined {
  const { id } = row;
  if (row.needs_review === 1) return `${id} needs review, so resolve it first`;
  if (isOpen(stageOf(row.rank))) return `${id} is open`;
  const sentAt = row.sent_at ?? row.created_at;
  if (row.next_check_at !== null) {
    return `${id} is checked until ${iso(Math.max(row.next_check_at, sentAt + LAST_SWEEP_MS))}`;
  }
  if (row.answer === 'lost' && now < sentAt + ANSWER_MAY_COME_MS) {
    return `the gateway's answer about ${id} may come until ${iso(sentAt + ANSWER_MAY_COME_MS)}`;
  }
  return untold.has(id) ? `a webhook about ${id} is not delivered yet` : undefined;
}

// Erases the personal data of a few transactions that have ended. Their rows, ids, amounts, stages and keys stay;
// wallet ids, customer references, notes, metadata, links, codes, persons, IPNs and the bodies of webhooks go, and
// payers where they may. Each statement checks again whether the transaction has ended, and its row is changed last, so
// erasing may stop anywhere and be repeated.

/** Few enough that no other write waits long. */
const ERASED_AT_ONCE = 50;

interface Erasing {
  /** The database's clock, ms since 1970. */
  at: number;
  source: Source;
  fingerprintKey: string;
  /** Only what changed last before this, ms since 1970. */
  changedBefore: number;
  /** Payers of payments that began before this are erased too, ms since 1970; younger ones may be refunded. */
  payersBefore: number;
  /** Whether webhooks are sent at all. If so, one that waits keeps its transaction from being erased. */
  sendsWebhooks: boolean;
}

type ErasableRow = Pick<TransactionRow, 'id' | 'fingerprint' | 'updated_at'>;

/** At most ERASED_AT_ONCE rows. Returns the ids of those that were erased, without any that changed meanwhile. */
async function eraseRows(store: Store, rows: readonly ErasableRow[], erasing: Erasing): Promise<string[]> {
  if (rows.length === 0) return [];
  for (const each of [forgetPersons, emptyWebhooks, deleteIpns]) {
    await store.execute(each(store.sql, rows, erasing).compile(store.db));
  }
  const erased = await store.execute(emptyTransactions(store.sql, rows, erasing).compile(store.db));
  await store.execute(recordErasing(rows, erasing).compile(store.db));
  return erased.map(({ id }) => id);
}

/** Only for what was erased now. After a crash before it, only `erased_at` says so. */
function recordErasing(rows: readonly ErasableRow[], { at, source }: Erasing): RawBuilder<unknown> {
  return sql`insert into history (transaction_id, event, n, at, source)
    select t.id, 'erased', 1 + (select count(*) from history h where h.transaction_id = t.id and h.event = 'erased'),
      cast(${at} as bigint), cast(${source} as text)
    from transactions t where ${isOneOf(rows)} and +t.erased_at = ${at} on conflict do nothing`;
}

/** A resolution has its author and a note, and a refund the person who asked for it. */
function forgetPersons({ among }: SqlDialect, rows: readonly ErasableRow[], erasing: Erasing): RawBuilder<unknown> {
  return sql`update history set detail = case when event = 'created' then null when detail like 'SUCCESS%' then 'SUCCESS' when detail like 'SETTLED%' then 'SETTLED' else 'FAILED' end
    where transaction_id ${among(idsOf('id', rows, erasing))} and event in ('resolved', 'created')`;
}

function emptyWebhooks(
  { among, movingTogether }: SqlDialect,
  rows: readonly ErasableRow[],
  erasing: Erasing,
): RawBuilder<unknown> {
  return sql`update webhooks set body = '', last_answer = null, state = case state when 'pending' then 'dead' else state end
      ${movingTogether('webhooks')}
    where order_id ${among(idsOf('order_id', rows, erasing))} and transaction_id ${among(idsOf('id', rows, erasing))}
      and body <> '' ${ifSent(erasing, sql`and state <> 'pending'`)}`;
}

/** Whole rows, because the id of an IPN is a digest of its body. */
function deleteIpns({ among }: SqlDialect, rows: readonly ErasableRow[], erasing: Erasing): RawBuilder<unknown> {
  return sql`delete from ipns where transaction_id ${among(idsOf('id', rows, erasing))}`;
}

function emptyTransactions(
  { movingTogether }: SqlDialect,
  rows: readonly ErasableRow[],
  erasing: Erasing,
): RawBuilder<{ id: string }> {
  const { at, payersBefore, fingerprintKey } = erasing;
  const keyed = filled(rows).map(
    ({ id, fingerprint }) => sql`when ${id} then ${keyedFingerprint(fingerprintKey, fingerprint)}`,
  );
  return sql`update transactions as t set customer = null, payer = case when created_at < ${payersBefore} then null else payer end, customer_ref = null, note = null,
      metadata = null, checkout_url = null, qr = null, app_url = null, fingerprint = case id ${sql.join(keyed, sql` `)} end, erased_at = ${at} ${movingTogether('transactions')}
    where ${mayBeErased(rows, erasing)} and not exists (select 1 from ipns i where i.transaction_id = t.id)
      and not exists (select 1 from webhooks w where w.order_id = t.order_id and w.transaction_id = t.id and w.body <> '')
    returning id`;
}

/**
 * Of table `t`. These few are found by their ids: the plus signs keep the planner from the index of all that have
 * ended, and `not in` from that of all webhooks that wait.
 */
function mayBeErased(rows: readonly ErasableRow[], erasing: Erasing): RawBuilder<boolean> {
  return sql`${isOneOf(rows)}
    and t.erased_at is null and t.next_check_at is null and +t.needs_review = 0 and +t.rank >= ${STAGES.replaced.rank}
    and +t.updated_at < ${erasing.changedBefore} and not exists (select 1 from transactions r
      where r.order_id = t.order_id and r.refund_of = t.id and (r.rank < ${STAGES.replaced.rank} or r.needs_review = 1))
    ${ifSent(
      erasing,
      sql`and not exists (select 1 from webhooks w
        where w.order_id = t.order_id and w.transaction_id = t.id and w.state not in ('delivered', 'dead'))`,
    )}`;
}

/** Of table `t`. */
function isOneOf(rows: readonly ErasableRow[]): RawBuilder<boolean> {
  return sql`t.id in (${sql.join(filled(rows).map(({ id }) => sql`${id}`))})`;
}

/** If no webhooks are sent, a waiting one does not prevent erasing. */
function ifSent({ sendsWebhooks }: Erasing, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sendsWebhooks ? condition : sql``;
}

function idsOf(column: 'id' | 'order_id', rows: readonly ErasableRow[], erasing: Erasing): RawBuilder<unknown> {
  return sql`(select ${sql.ref(`t.${column}`)} from transactions t where ${mayBeErased(rows, erasing)})`;
}

/** Filled up with the last one, so that a page of any length is the same statement, prepared once. */
function filled(rows: readonly ErasableRow[]): ErasableRow[] {
  return Array.from({ length: ERASED_AT_ONCE }, (_, at) => rows[at] ?? (rows.at(-1) as ErasableRow));
}
