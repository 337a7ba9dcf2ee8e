// A start that PostgreSQL refuses: the message has the server's own words, and the statement or setting that fixes it.
// Then that statement is run, and the start succeeds.
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { Client } from 'pg';
import { checkDatabase } from '../../backend-proxy/commands/check.ts';
import { connectDatabase } from '../../backend-proxy/ledger/connect.ts';
import { freePort } from '../free-port.ts';
import { startPostgres, whyNoPostgres, type PostgresServer } from './server.ts';

const why = whyNoPostgres();
const die = (error: unknown): never => assert.fail(String(error));

describe('PostgreSQL: a start', { skip: why === undefined ? false : `skipped: ${why}` }, () => {
  let server: PostgresServer;
  let admin: Client;

  before(async () => {
    server = await startPostgres({ settings: { max_connections: '20' } });
    admin = new Client({ connectionString: server.urlOf('postgres') });
    admin.on('error', () => undefined);
    await admin.connect();
    await admin.query('create role pay login');
  });
  after(async () => {
    await admin.end();
    await server.end();
  });

  const as = (role: string, database: string) => server.urlOf(database).replace('postgres@', `${role}@`);

  async function opens(t: TestContext, url: string): Promise<void> {
    const store = await connectDatabase(url, die, { connections: 2 });
    t.after(() => store.close());
  }

  async function refusal(url: string): Promise<string> {
    let message = '';
    await assert.rejects(connectDatabase(url, die, { connections: 2 }), (error: Error) => {
      message = error.message;
      return true;
    });
    return message;
  }

  /** The statement after "run: ", up to the next clause. */
  const statementIn = (message: string): string => /run: ([^;]+)/.exec(message)?.[1] ?? '';

  it('a role that may not create tables is refused with the cause and the GRANT that fixes it', async (t) => {
    const url = await server.createDatabase();
    const name = new URL(url).pathname.slice(1);
    const owner = new Client({ connectionString: url });
    await owner.connect();
    t.after(() => owner.end());
    // Before PostgreSQL 15 everybody may.
    await owner.query('revoke create on schema public from public');
    const message = await refusal(as('pay', name));
    assert.match(message, /permission denied for schema public; as the owner of the database run: GRANT /);
    await owner.query(statementIn(message));
    await opens(t, as('pay', name));
  });

  it('a database that is missing is refused with the statement that creates it', async (t) => {
    const message = await refusal(as('pay', 'absent'));
    assert.match(message, /^database "absent" does not exist; run: CREATE DATABASE "absent" OWNER "pay"$/);
    await admin.query(statementIn(message));
    await opens(t, as('pay', 'absent'));
  });

  it('a database that is not in UTF-8 is refused with the statement that creates one, also by check', async () => {
    await admin.query("create database latin encoding 'LATIN1' locale 'C' template template0");
    const message = await refusal(server.urlOf('latin'));
    assert.match(message, /not in UTF-8.*CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0$/);
    const [finding] = await checkDatabase(server.urlOf('latin'));
    assert.match(JSON.stringify(finding), /"FAIL".*not in UTF-8/);
  });

  it('the time limit of transactions that a role has does not end the change of the tables', async (t) => {
    const { rows } = await admin.query("select 1 from pg_settings where name = 'transaction_timeout'");
    if (rows.length === 0) return t.skip('PostgreSQL has the limit since 17');
    await admin.query("create role hasty login; alter role hasty set transaction_timeout = '10ms'");
    await admin.query('create database hasty owner hasty');
    await opens(t, as('hasty', 'hasty'));
  });

  it('a role that is missing is refused with the statement that creates it', async () => {
    const message = await refusal(as('nobody', 'postgres'));
    assert.match(message, /^role "nobody" does not exist; run: CREATE ROLE "nobody" LOGIN PASSWORD/);
  });

  it('too many connections are refused with the number that each proxy uses', async (t) => {
    await admin.query('alter role pay connection limit 0');
    t.after(() => admin.query('alter role pay connection limit -1'));
    assert.match(
      await refusal(as('pay', 'postgres')),
      /^too many connections for role "pay"; each proxy uses up to 2 connections: /,
    );
  });

  it('a server without TLS is refused if sslmode asks for it, without a warning of the driver', async (t) => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);
    t.after(() => process.off('warning', onWarning));
    for (const mode of ['require', 'verify-full']) {
      assert.match(
        await refusal(`${server.urlOf('postgres')}?sslmode=${mode}`),
        /does not support SSL connections; turn on ssl at the server, or remove sslmode from DATABASE_URL$/,
      );
    }
    assert.deepEqual(warnings, []);
  });

  it('a host that refuses connections is reported with its address and what to check', async () => {
    const port = await freePort();
    const message = await refusal(`postgres://pay:canary@127.0.0.1:${port}/pay`);
    assert.match(message, new RegExp(`^connect ECONNREFUSED 127\\.0\\.0\\.1:${port}; check host, port`));
    assert.doesNotMatch(message, /canary/);
  });

  it('a start that meets an ended connection or a held table is repeated until it succeeds', async (t) => {
    const url = await server.createDatabase();
    const owner = new Client({ connectionString: url });
    await owner.connect();
    t.after(() => owner.end());
    // The first two are ended by the server, the third waits too long for the lock.
    await owner.query(`create sequence starts;
      create function hinder() returns event_trigger language plpgsql as $$ begin
        if nextval('starts') < 3 then perform pg_terminate_backend(pg_backend_pid()); end if;
        if currval('starts') = 3 then raise exception 'held' using errcode = '55P03'; end if; end $$`);
    await owner.query('create event trigger hinder on ddl_command_start execute function hinder()');
    await opens(t, url);
    const { rows } = await owner.query<{ n: string }>('select last_value as n from starts');
    assert.ok(Number(rows[0]?.n) > 3);
  });
});
