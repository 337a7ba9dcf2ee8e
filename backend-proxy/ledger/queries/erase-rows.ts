// Erases the personal data of a few transactions that have ended. Their rows, ids, amounts, stages and keys stay;
// wallet ids, customer references, notes, metadata, links, codes, persons, IPNs and the bodies of webhooks go, and
// payers where they may. Each statement checks again whether the transaction has ended, and its row is changed last, so
// erasing may stop anywhere and be repeated.
import { sql, type RawBuilder } from 'kysely';
import { keyedFingerprint } from '../../fingerprint.ts';
import { STAGES, type Source } from '../../protocol/transaction.ts';
import type { SqlDialect, Store } from '../store.ts';
import type { TransactionRow } from '../schema/tables.ts';

/** Few enough that no other write waits long. */
export const ERASED_AT_ONCE = 50;

export interface Erasing {
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

export type ErasableRow = Pick<TransactionRow, 'id' | 'fingerprint' | 'updated_at'>;

/** At most ERASED_AT_ONCE rows. Returns the ids of those that were erased, without any that changed meanwhile. */
export async function eraseRows(store: Store, rows: readonly ErasableRow[], erasing: Erasing): Promise<string[]> {
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
  return sql`update history set detail = case when event = 'created' then null when detail like 'SUCCESS%' then 'SUCCESS' else 'FAILED' end
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
