// Which transactions may be erased: page by page after the retention time, or those of one order on request.
// erase-rows.ts says what erasing one means.
import { sql, type CompiledQuery, type RawBuilder } from 'kysely';
import { Refusal } from '../../errors.ts';
import { HOUR_MS } from '../../protocol/durations.ts';
import { iso } from '../../protocol/iso-time.ts';
import { LAST_SWEEP_MS } from '../../protocol/schedule.ts';
import { STAGES, isOpen, stageOf } from '../../protocol/transaction.ts';
import { ERASED_AT_ONCE, eraseRows, type ErasableRow, type Erasing } from './erase-rows.ts';
import type { ErasedPage } from '../ledger.ts';
import type { Db, Store } from '../store.ts';
import type { TransactionRow } from '../schema/tables.ts';

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
