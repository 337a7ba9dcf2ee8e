// The steps that make the tables and change them later, in their order. Every proxy that starts makes those that are
// missing, while proxies of the version before go on working; so a step only adds, and holds up nobody:
//
//   { name: '2027-01-remember-the-shop', compatibleWith: '0.2.0',
//     change: ({ int }) => ['alter table orders add column shop text',
//       `alter table orders add column shop_at ${int}`] },
//   { name: '2027-01-list-by-shop', compatibleWith: '0.2.0',
//     index: { name: 'orders_shop', on: 'orders', columns: 'shop, order_id', where: 'shop is not null' } },
//   { name: '2027-01-fill-the-shop', compatibleWith: '0.2.0',
//     backfill: { table: 'orders', key: 'order_id', set: `shop = 'first'`, where: 'shop is null' } },
//
// `change` is one short transaction: new tables, or columns of one table that are nullable or have a constant default.
// `index` is built while the table is written to. `backfill` changes few rows at a time; proxies of the version before
// still write rows that lack the value. CONTRIBUTING.md says how a column is renamed or removed.
import { sql, type RawBuilder } from 'kysely';
import type { SchemaSql } from './dialect.ts';
import { schemaStatements } from './schema.ts';

export type Step = Change | Index | Backfill;

interface Named {
  /** Never changed once released. */
  name: string;
  /** The oldest version that works on the tables once the step is made. */
  compatibleWith: string;
}

export interface Change extends Named {
  /** The statements. */
  change: (by: SchemaSql) => string[];
}

export interface Index extends Named {
  index: { name: string; on: string; columns: string; where?: string };
}

export interface Backfill extends Named {
  /** `key` is an indexed column of text; `where` is false for a row that is done. */
  backfill: { table: string; key: string; set: string; where: string };
}

export const FIRST_STEP: Change = {
  name: '2026-12-tables-2',
  compatibleWith: '0.2.0',
  change: schemaStatements,
};

export const STEPS: readonly Step[] = [FIRST_STEP];

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
