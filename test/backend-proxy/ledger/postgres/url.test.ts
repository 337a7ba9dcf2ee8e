// What DATABASE_URL says about PostgreSQL's servers, and what is said about an error of the driver.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { explainStart } from '../../../../backend-proxy/ledger/postgres/errors.ts';
import { Servers, describeServers, serverUrls } from '../../../../backend-proxy/ledger/postgres/servers.ts';

describe('the servers of DATABASE_URL', () => {
  it('a URL with several hosts is one URL for each, with its own port', () => {
    assert.deepEqual(serverUrls('postgres://pay:p%40ss@a:5433,b,[::1]:5434/pay?target_session_attrs=read-write&x=1'), [
      'postgres://pay:p%40ss@a:5433/pay?x=1',
      'postgres://pay:p%40ss@b/pay?x=1',
      'postgres://pay:p%40ss@[::1]:5434/pay?x=1',
    ]);
  });

  it('a URL with one host stays as it is', () => {
    for (const url of [
      'postgres://pay@db/pay',
      'postgresql://pay:p%2Fss@db:5432/pay?options=-c%20search_path%3Dpay',
      'postgres:///pay?host=/var/run/postgresql',
      'postgres://pay@%2Frun%2Fpostgresql/pay',
      'postgres://db/pay?sslmode=verify-full',
      'postgres://db/pay?sslmode=disable',
      'postgres://db/pay?uselibpqcompat=true&sslmode=require',
    ])
      assert.deepEqual(serverUrls(url), [url]);
  });

  it('every sslmode that checks the certificate is written in a form that the driver does not warn about', () => {
    for (const mode of ['prefer', 'require', 'verify-ca'])
      assert.deepEqual(serverUrls(`postgres://db/pay?sslmode=${mode}`), ['postgres://db/pay?sslmode=verify-full']);
  });

  it('a URL that cannot be read, or asks for a server without writes, is refused without its password', () => {
    const wrong = ['postgres://pay:can/ary@db/pay', 'postgres://pay:can#ary@db', 'postgres://a:port,b/pay'];
    for (const url of wrong) {
      assert.throws(() => serverUrls(url), { message: /^not a URL; in its password, write each of/ }, url);
    }
    assert.throws(() => serverUrls('postgres://pay:canary@a,b/pay?target_session_attrs=standby'), {
      message: 'target_session_attrs=standby: the proxy writes, so only read-write is possible',
    });
  });

  it('of several servers that take writes the one on the newest timeline is chosen, with a warning', () => {
    const servers = new Servers('postgres://a,b,c/pay');
    assert.equal(servers.isChosen(), false);
    const [a = '', b = '', c = ''] = servers.urls;
    servers.choose([
      { url: a, timeline: '00000009', started: 'first' },
      { url: b, timeline: '0000000A', started: 'second' },
      { url: c, timeline: '0000000A', started: 'second' },
    ]);
    assert.equal(servers.current(), b, 'the same server by another name is no rival');
    assert.deepEqual(
      servers.warnings.map(({ detail }) => detail),
      ['a'],
    );
    servers.choose([{ url: c, timeline: '0000000A', started: 'second' }]);
    assert.deepEqual([servers.current(), servers.warnings], [c, []]);
    servers.choose([]);
    assert.equal(servers.current(), c);
  });

  it('two servers that take writes on one timeline are refused, and so is an older timeline', () => {
    const servers = new Servers('postgres://a,b/pay');
    const [a = '', b = ''] = servers.urls;
    const twice = [a, b].map((url) => ({ url, timeline: '00000002', started: url }));
    assert.throws(() => servers.choose(twice), /take writes, on one timeline/);
    servers.choose(twice.map((each) => ({ ...each, timeline: '' })));
    assert.equal(servers.current(), a, 'a service that hides its timeline');
    for (const timeline of ['00000002', '', '00000010']) servers.accept(timeline);
    assert.throws(() => servers.accept('0000000F'), /on timeline 0000000F, after 00000010 was used/);
  });

  it('the servers and the database are described without user and password', () => {
    assert.deepEqual(describeServers('postgres://pay:canary@a:5433,b/pay?sslmode=require'), {
      servers: ['a:5433', 'b'],
      name: 'pay',
    });
    assert.deepEqual(describeServers('postgres:///pay?host=/run/postgresql').servers, ['/run/postgresql']);
  });
});

describe('explainStart()', () => {
  const explain = (error: object, message: string, url = 'postgres://pay:canary@db/shop') =>
    explainStart(Object.assign(new Error(message), error), url, 17);

  it('an error of the server is explained by the statement that fixes it', () => {
    for (const [code, message, remedy] of [
      ['42501', 'permission denied for schema public', /; as the owner of the database run: GRANT CREATE, USAGE ON SCHEMA public TO "pay"/],
      ['42501', 'must be owner of table orders', /; the tables belong to another role: .* GRANT that_role TO "pay"$/],
      ['3F000', 'no schema has been selected to create in', /; run: CREATE SCHEMA AUTHORIZATION "pay"$/],
      ['3D000', 'database "shop" does not exist', /; run: CREATE DATABASE "shop" OWNER "pay"$/],
      ['28P01', 'password authentication failed for user "pay"', /ALTER ROLE "pay" PASSWORD/],
      ['28000', 'no pg_hba.conf entry for host "1", user "pay", database "shop", no encryption', /sslmode=verify-full/],
      ['28000', 'no pg_hba.conf entry for host "1", user "pay", database "shop", SSL encryption', /pg_reload_conf/],
      ['28000', 'role "pay" does not exist', /; run: CREATE ROLE "pay" LOGIN/],
      ['53300', 'sorry, too many clients already', /each proxy uses up to 17 connections .* max_connections .* DATABASE_POOL$/],
      ['57P03', 'the database system is starting up', /; start the proxy again in some seconds$/],
      ['08P01', 'unsupported startup parameter: options', /; a pooler refuses it: remove it from DATABASE_URL/],
      ['SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain', /sslrootcert=/],
      ['ENOTFOUND', 'getaddrinfo ENOTFOUND db', /check host, port/],
    ] as const) {
      const said = explain({ code }, message);
      assert.ok(said.startsWith(message), said);
      assert.match(said, remedy);
      assert.doesNotMatch(said, /canary/);
    } // prettier-ignore
  });

  it('an error without a known remedy is reported alone, with its causes', () => {
    const cause = Object.assign(new Error('permission denied for schema public'), { code: '42501' });
    assert.match(
      explainStart(new Error('The ledger could not be migrated', { cause }), 'postgres://pay@db/shop', 17),
      /^The ledger could not be migrated: permission denied for schema public; as the owner/,
    );
    assert.equal(explain({ code: 'XX000' }, 'internal'), 'internal');
    assert.equal(explain({}, 'PostgreSQL runs with fsync off'), 'PostgreSQL runs with fsync off');
  });

  it("what the server said before it ended a connection is reported, not the driver's sentence", () => {
    const fatal = { severity: 'FATAL', code: '25P04' };
    const cause = Object.assign(new Error('terminating connection due to transaction timeout'), fatal);
    assert.equal(explain({ cause }, 'Connection terminated unexpectedly'), cause.message);
  });

  it('a name with several addresses is explained by the first of their errors', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED ::1:5432'), { code: 'ECONNREFUSED' });
    const error = Object.assign(new AggregateError([refused, new Error('other')]), { code: 'ECONNREFUSED' });
    assert.match(explainStart(error, 'postgres://localhost/pay', 17), /^connect ECONNREFUSED ::1:5432; check host/);
  });
});
