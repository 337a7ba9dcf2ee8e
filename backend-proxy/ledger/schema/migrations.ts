// Makes the tables of 0.1.0, the same in SQLite and PostgreSQL. Never change one of these migrations or add one: 0.1.0
// refuses a database that has another one. Later changes are in steps.ts.
import { sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import type { Building, Dialect } from './dialect.ts';
import { createFirstTables } from './migration-first.ts';
import { addNetworkColumns, watchEndedAgain } from './migration-network.ts';
import { prepareForSize } from './migration-size.ts';
import type { Tables } from './tables.ts';

/** Any fixed number, the same in all versions. */
const LOCK = 4_076_310_585;

/**
 * Migrates to the last of them, or to the one named `upTo`, or leaves the tables as they were. Safe to call from
 * several processes at once: all runs in one transaction with a lock.
 */
export async function migrate(db: Kysely<Tables>, dialect: Dialect, upTo?: string): Promise<void> {
  if (dialect === 'postgres') {
    await db.transaction().execute(async (tx) => {
      // Another process may migrate for as long as a statement may take; a table in use is waited for only shortly.
      await sql`set local statement_timeout = '1h'`.execute(tx);
      await sql`set local lock_timeout = 0`.execute(tx);
      await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(tx);
      await sql`set local lock_timeout = '3s'`.execute(tx);
      await runMigrations(tx, dialect, upTo);
    });
    return;
  }
  // For SQLite, Kysely neither locks nor wraps migrations in a transaction, so a kill would leave half the tables.
  await db.connection().execute(async (tx) => {
    await sql`begin immediate`.execute(tx);
    try {
      await runMigrations(tx, dialect, upTo);
      await sql`commit`.execute(tx);
    } catch (error) {
      await sql`rollback`.execute(tx);
      throw error;
    }
  });
}

async function runMigrations(db: Kysely<Tables>, dialect: Dialect, upTo: string | undefined): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: () => Promise.resolve(migrations(dialect)) } });
  const { error } = await (upTo === undefined ? migrator.migrateToLatest() : migrator.migrateTo(upTo));
  if (error === undefined) return;
  const reason = error instanceof Error ? `: ${error.message}` : '';
  throw new Error(`The tables could not be made${reason}`, { cause: error });
}

/** All names, in their order. */
export const MIGRATIONS: readonly string[] = Object.keys(migrations('sqlite'));

function migrations(dialect: Dialect): Record<string, Migration> {
  const building: Building = {
    dialect,
    int: dialect === 'sqlite' ? 'integer' : 'bigint',
    table: (db, name) =>
      dialect === 'sqlite' ? db.schema.createTable(name).modifyEnd(sql`strict`) : db.schema.createTable(name),
  };
  const step = (up: (db: Kysely<unknown>, by: Building) => Promise<void>): Migration => ({
    up: (db: Kysely<unknown>) => up(db, building),
  });
  return {
    '2026-11-first-books': step(createFirstTables),
    '2026-11-index-for-counts': step(async (db) => {
      const index = db.schema.createIndex('transactions_counted').on('transactions');
      await index.columns(['type', 'rank', 'needs_review']).execute();
    }),
    '2026-11-true-on-a-real-network': step(addNetworkColumns),
    '2026-11-watch-what-had-ended': step(watchEndedAgain),
    '2026-12-at-any-size': step(prepareForSize),
  };
}
