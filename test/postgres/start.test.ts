// A start that PostgreSQL refuses: the message has the server's own words, and the statement or setting that fixes it.
// Then that statement is run, and the start succeeds.
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { Client } from 'pg';
import { checkDatabase } from '../../backend-proxy/commands/check.ts';
import { connectDatabase } from '../../backend-proxy/ledger/connect.ts';
import { LOCK } from '../../backend-proxy/ledger/schema/schema.ts';
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

  it('check says that an empty database is made at the start, then its schema, and compares the clocks', async (t) => {
    const textOf = async (at: string) =>
      (await checkDatabase(at)).map(({ result, about, says }) => `${result} ${about}: ${says}`).join('\n');
    const url = await server.createDatabase();
    assert.match(await textOf(url), /^ok database: PostgreSQL \d+.*; empty: .*\nok clock of the database: /);
    await opens(t, url);
    assert.match(await textOf(url), /^ok database: .*nothing to migrate/);
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query("update meta set value = '9' where key in ('schema', 'oldest')");
    await client.end();
    assert.match(await textOf(url), /^FAIL database: .*newer version has changed this database/);
    assert.match(await textOf(server.urlOf('nowhere')), /^FAIL database: database "nowhere" does not exist/);
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
    await admin.query("create role hasty login; alter role hasty set transaction_timeout = '400ms'");
    await admin.query('create database hasty owner hasty');
    const holder = new Client({ connectionString: server.urlOf('hasty') });
    await holder.connect();
    t.after(() => holder.end());
    await holder.query(`select pg_advisory_lock(${LOCK})`);
    // The change waits for the lock for longer than the role's limit, which also holds for the query that lifts it.
    let isOver = false;
    const opened = opens(t, as('hasty', 'hasty')).finally(() => (isOver = true));
    const waiting = `select from pg_stat_activity where usename = 'hasty' and now() - xact_start > interval '500 ms'`;
    while (!isOver && (await admin.query(waiting)).rowCount === 0);
    await holder.query(`select pg_advisory_unlock(${LOCK})`);
    await opened;
  });

  it('a missing role, too many connections and a host that refuses them are said with what to do', async () => {
    const port = await freePort();
    await admin.query('create role many login connection limit 0');
    for (const [url, says] of [
      [as('nobody', 'postgres'), /^role "nobody" does not exist; run: CREATE ROLE "nobody" LOGIN PASSWORD/],
      [as('many', 'postgres'), /^too many connections for role "many"; each proxy uses up to 2 connections: /],
      [`postgres://pay:canary@127.0.0.1:${port}/pay`, /^connect ECONNREFUSED 127\.0\.0\.1:\d+; check host, port/],
    ] as const) {
      const message = await refusal(url);
      assert.match(message, says);
      assert.doesNotMatch(message, /canary/);
    }
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
