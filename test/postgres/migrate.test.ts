// Changes of the tables on PostgreSQL.
import { after, before, describe } from 'node:test';
import { Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import { migrate } from '../../backend-proxy/ledger/schema/schema.ts';
import type { Tables } from '../../backend-proxy/ledger/schema/tables.ts';
import { migrateContract } from '../backend-proxy/ledger/contract/migrate.ts';
import { startPostgres, whyNoPostgres, type PostgresServer } from './server.ts';

describe('PostgreSQL: changes of tables', { skip: whyNoPostgres() ?? false }, () => {
  let server: PostgresServer;
  before(async () => void (server = await startPostgres()));
  after(() => server.end());

  migrateContract('PostgreSQL', async (t) => {
    const pool = new Pool({ connectionString: await server.createDatabase() });
    t.after(() => pool.end());
    const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
    return {
      start: (steps) => migrate(db, 'postgres', () => undefined, steps),
      run: async (text) => (await pool.query<Record<string, unknown>>(text)).rows,
    };
  });
});
