// What differs between the two databases when tables are made.
import type { Kysely } from 'kysely';

export type Dialect = 'sqlite' | 'postgres';

export interface Building {
  dialect: Dialect;
  int: 'integer' | 'bigint';
  table: (db: Kysely<unknown>, name: string) => ReturnType<Kysely<unknown>['schema']['createTable']>;
}
