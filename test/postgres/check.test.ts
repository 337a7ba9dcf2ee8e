// What `payment-proxy check` says of a PostgreSQL database, without changing it.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { checkDatabase } from '../../backend-proxy/commands/check.ts';
import { connectDatabase } from '../../backend-proxy/ledger/connect.ts';
import { startPostgres, whyNoPostgres, type PostgresServer } from './server.ts';

const die = (error: unknown): never => assert.fail(String(error));

describe('payment-proxy check with PostgreSQL', { skip: whyNoPostgres() }, () => {
  let server: PostgresServer;
  before(async () => void (server = await startPostgres()));
  after(() => server.end());

  async function run(url: string, statements: string): Promise<void> {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query(statements);
    await client.end();
  }
  const textOf = async (url: string) =>
    (await checkDatabase(url)).map(({ result, about, says }) => `${result} ${about}: ${says}`).join('\n');

  it('check says that an empty database is made at the start, then its schema, and compares the clocks', async () => {
    const url = await server.createDatabase();
    assert.match(await textOf(url), /^ok database: PostgreSQL \d+.*; empty: .*\nok clock of the database: /);
    await (await connectDatabase(url, die)).close();
    assert.match(await textOf(url), /^ok database: .*nothing to migrate/);
    await run(url, "update meta set value = '9' where key in ('schema', 'oldest')");
    assert.match(await textOf(url), /^FAIL database: .*newer version has changed this database/);
  });

  it('check names the statement that gives a role the right to make tables', async () => {
    const url = new URL(await server.createDatabase());
    // Before PostgreSQL 15 everybody may.
    await run(url.href, 'create role poor login; revoke create on schema public from public');
    url.username = 'poor';
    const [finding] = await checkDatabase(url.href);
    assert.match(
      JSON.stringify(finding),
      /"FAIL".*may not create tables.*GRANT CREATE ON SCHEMA \\"public\\" TO \\"poor\\"/,
    );
  });

  it('check says what the server says of a database that does not exist', async () => {
    assert.match(await textOf(server.urlOf('nowhere')), /^FAIL database: database "nowhere" does not exist/);
  });
});
