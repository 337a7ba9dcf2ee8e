// The ledger on SQLite: the contract.
import { DatabaseSync } from 'node:sqlite';
import { connectDatabase } from '../../../../backend-proxy/ledger/connect.ts';
import { createLedger } from '../../../../backend-proxy/ledger/ledger.ts';
import { ledgerContract } from '../contract/contract.ts';
import { writeEmptyDatabase } from '../empty-database.ts';
import { die, temporaryFile } from './sqlite-kit.ts';
import { Kysely, SqliteDialect } from 'kysely';
import { migrate } from '../../../../backend-proxy/ledger/schema/schema.ts';
import type { Tables } from '../../../../backend-proxy/ledger/schema/tables.ts';
import { retryWhileLocked, createStatements } from '../../../../backend-proxy/ledger/sqlite/commit-queue.ts';
import { migrateContract } from '../contract/migrate.ts';

ledgerContract({
  name: 'SQLite',
  runs: 40,
  async openDatabase(t) {
    const file = temporaryFile(t);
    await writeEmptyDatabase(file);
    return {
      async open(options) {
        const ledger = createLedger(await connectDatabase(`file:${file}`, die), options);
        t.after(() => ledger.close());
        return ledger;
      },
      rows: async <Row>(text: string) => {
        const database = new DatabaseSync(file, { readOnly: true });
        const rows = database.prepare(text).all();
        database.close();
        return rows.map((row) => ({ ...row }) as Row);
      },
      async change(text) {
        const database = new DatabaseSync(file, { timeout: 5_000 });
        database.exec(text);
        database.close();
      },
    };
  },
});

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
