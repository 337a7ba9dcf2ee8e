// The changes of the tables since 0.1.0, in their order. Every proxy that starts makes those that are missing, while
// proxies of the version before go on working; so a step only adds, and holds up nobody:
//
//   { name: '2027-01-remember-the-shop', compatibleWith: '0.1.0',
//     change: ({ int }) => ['alter table orders add column shop text',
//       `alter table orders add column shop_at ${int}`] },
//   { name: '2027-01-list-by-shop', compatibleWith: '0.1.0',
//     index: { name: 'orders_shop', on: 'orders', columns: 'shop, order_id', where: 'shop is not null' } },
//   { name: '2027-01-fill-the-shop', compatibleWith: '0.1.0',
//     backfill: { table: 'orders', key: 'order_id', set: `shop = 'first'`, where: 'shop is null' } },
//
// `change` is one short transaction: new tables, or columns of one table that are nullable or have a constant default.
// `index` is built while the table is written to. `backfill` changes few rows at a time; proxies of the version before
// still write rows that lack the value. CONTRIBUTING.md says how a column is renamed or removed.
import { randomBytes } from 'node:crypto';
import { sql, type RawBuilder } from 'kysely';
import type { Dialect } from './dialect.ts';

export type Step = Change | Index | Backfill;

interface Named {
  /** Never changed once released. */
  name: string;
  /** The oldest version that works on the tables once the step is made. */
  compatibleWith: string;
}

export interface Change extends Named {
  /** The statements. `int` is the type of whole numbers; `strict` ends a `create table`. */
  change: (by: { dialect: Dialect; int: string; strict: string }) => string[];
}

export interface Index extends Named {
  index: { name: string; on: string; columns: string; where?: string };
}

export interface Backfill extends Named {
  /** `key` is an indexed column of text; `where` is false for a row that is done. */
  backfill: { table: string; key: string; set: string; where: string };
}

const compatibleWith = '0.1.0';

const indexStep = (name: string, index: Index['index']): Index => ({ name, compatibleWith, index });

export const STEPS: readonly Step[] = [
  {
    name: '2026-12-erased-at',
    compatibleWith,
    change: ({ int }) => [`alter table transactions add column erased_at ${int}`],
  },
  indexStep('2026-12-transactions-to-erase', {
    name: 'transactions_to_erase',
    on: 'transactions',
    columns: 'updated_at, id',
    where: 'erased_at is null and next_check_at is null and needs_review = 0 and rank >= 4',
  }),
  indexStep('2026-12-webhooks-of-an-order', { name: 'webhooks_order', on: 'webhooks', columns: 'order_id' }),
  {
    name: '2026-12-fingerprint-key',
    compatibleWith,
    change: () => [
      `insert into meta (key, value) values ('fingerprint_key', '${randomBytes(32).toString('base64url')}')`,
    ],
  },
  {
    // What was erased is reused after a vacuum, which by default waits until a fifth of the table has changed.
    name: '2026-12-vacuum-soon',
    compatibleWith,
    change: ({ dialect }) =>
      dialect === 'sqlite'
        ? []
        : ['ipns', 'history'].map((table) => `alter table ${table} set (autovacuum_vacuum_scale_factor = 0.02)`),
  },
  // Lists and exports by creation, totals.
  indexStep('2026-12-list-by-creation', {
    name: 'transactions_created',
    on: 'transactions',
    columns: 'created_at, id',
  }),
  indexStep('2026-12-list-by-creation-with-filters', {
    name: 'transactions_listed_created',
    on: 'transactions',
    columns: 'type, rank, needs_review, created_at, id',
  }),
  indexStep('2026-12-add-up-by-success', {
    name: 'history_succeeded',
    on: 'history',
    columns: 'at, transaction_id',
    where: `event = 'succeeded'`,
  }),
  indexStep('2026-12-page-webhooks', { name: 'webhooks_paged', on: 'webhooks', columns: 'state, created_at, id' }),
];

const ROWS_AT_ONCE = 1_000;

/** `create`: how the statement begins. */
export function indexStatement({ index: { name, on, columns, where } }: Index, create: string): string {
  return `${create} ${name} on ${on} (${columns})${where === undefined ? '' : ` where ${where}`}`;
}

interface Page {
  /** Answers where the page ends; null after the last. */
  upTo: RawBuilder<{ last: string | null }>;
  change: (last: string) => RawBuilder<unknown>;
}

/** The next rows of a backfill, after the key of the last ones. Making a page again changes nothing. */
export function pageOf({ backfill: { table, key, set, where } }: Backfill, after: string): Page {
  const [from, column] = [sql.table(table), sql.ref(key)];
  return {
    upTo: sql`select max(page.${column}) as last
      from (select ${column} from ${from} where ${column} > ${after} order by ${column} limit ${ROWS_AT_ONCE}) page`,
    change: (last) => sql`update ${from} set ${sql.raw(set)}
      where ${column} > ${after} and ${column} <= ${last} and (${sql.raw(where)})`,
  };
}
