// Changes of the tables of a SQLite file.
import { DatabaseSync } from 'node:sqlite';
import { Kysely, SqliteDialect } from 'kysely';
import { migrate } from '../../../../backend-proxy/ledger/schema/migrate.ts';
import type { Tables } from '../../../../backend-proxy/ledger/schema/tables.ts';
import { retryWhileLocked, createStatements } from '../../../../backend-proxy/ledger/sqlite/commit-queue.ts';
import { migrateContract } from '../contract/migrate.ts';
import { temporaryFile } from './sqlite-kit.ts';

migrateContract('SQLite', async (t) => {
  const file = temporaryFile(t);
  const database = new DatabaseSync(file);
  t.after(() => database.close());
  return {
    async start(steps) {
      const own = createStatements(new DatabaseSync(file, { timeout: 0 }), () => undefined);
      const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: own.forKysely }) });
      try {
        await retryWhileLocked(() => migrate(db, 'sqlite', () => undefined, steps));
      } finally {
        await db.destroy();
      }
    },
    run: async (text) =>
      database
        .prepare(text)
        .all()
        .map((row) => ({ ...row })),
  };
});
