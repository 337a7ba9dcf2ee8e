// What differs between the databases when tables are made or looked for: another database is another row here.
import { sql, type RawBuilder } from 'kysely';

export type Dialect = 'sqlite' | 'postgres';

export interface SchemaSql {
  /** The type of whole numbers. */
  int: string;
  /** Each ends a `create table`. `strict`: of any table. */
  strict: string;
  /** Of a table whose rows are often changed: an update stays in its page if that has room for a second version. */
  updated: string;
  /** Of a table whose rows are added and deleted, and seldom changed. */
  added: string;
  /**
   * The same, of short rows with a key of text: SQLite then stores the key once and not twice. Long rows, such as the
   * bodies of IPNs, would be spread over many pages of the key's tree, and a write would change more of them.
   */
  keyed: string;
  /** Both `keyed` and `updated`. */
  keyedUpdated: string;
  hasTable(name: string): RawBuilder<unknown>;
  /** Begin a transaction that one process at a time has. */
  beginLocked: readonly string[];
}

/** Any fixed number, the same in all versions. */
const LOCK = 4_076_310_586;
const VACUUM_SOON = 'autovacuum_vacuum_scale_factor = 0.02';

export const DIALECTS: Readonly<Record<Dialect, SchemaSql>> = {
  sqlite: {
    int: 'integer',
    strict: 'strict',
    updated: 'strict',
    added: 'strict',
    keyed: 'strict, without rowid',
    keyedUpdated: 'strict, without rowid',
    hasTable: (name) => sql`select 1 from sqlite_master where type = 'table' and name = ${name}`,
    // A plain BEGIN would notice another process only at its first write.
    beginLocked: ['begin immediate'],
  },
  postgres: {
    int: 'bigint',
    strict: '',
    updated: `with (fillfactor = 70, ${VACUUM_SOON})`,
    added: `with (${VACUUM_SOON})`,
    keyed: `with (${VACUUM_SOON})`,
    keyedUpdated: `with (fillfactor = 70, ${VACUUM_SOON})`,
    // To read a table makes the process notice what others have made; `to_regclass` alone may answer from its cache.
    hasTable: (name) => sql`select 1 from pg_class where oid = to_regclass(${name})`,
    beginLocked: [
      'begin isolation level read committed',
      // An index of many rows takes longer than any other statement may.
      'set local statement_timeout = 0',
      `select pg_advisory_xact_lock(${LOCK})`,
    ],
  },
};
