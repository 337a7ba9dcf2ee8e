// What DATABASE_URL says about PostgreSQL, and what is said about an error of the driver.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Client } from 'pg';
import { explainStart } from '../../../../backend-proxy/ledger/postgres/errors.ts';
import { describeServer, postgresUrl } from '../../../../backend-proxy/ledger/postgres/connection.ts';
import { words } from '../../in-words.ts';

it('a URL stays as it is', () => {
  for (const url of words`
    postgres://pay@db/pay postgresql://pay:p%2Fss@db:5432/pay?options=-c%20search_path%3Dpay
    postgres://pay@%2Frun%2Fpostgresql/pay postgres://db/pay?sslmode=verify-full postgres://db/pay?sslmode=disable
    postgres://db/pay?uselibpqcompat=true&sslmode=require
  `)
    assert.equal(postgresUrl(url), url);
});

it('every sslmode that checks the certificate is written in a form that the driver does not warn about', () => {
  for (const mode of ['prefer', 'require', 'verify-ca'])
    assert.equal(postgresUrl(`postgres://db/pay?sslmode=${mode}`), 'postgres://db/pay?sslmode=verify-full');
});

it('a socket is named by host=, with or without a host before the path', () => {
  for (const [url, wanted] of [
    ['postgres://pay:p%40ss@/pay?host=/cloudsql/a:b:c', 'pay'],
    ['postgres://pay:p%40ss@localhost/pay?host=/cloudsql/a:b:c', 'pay'],
    ['postgres:///pay?host=/cloudsql/a:b:c&user=pay', 'pay'],
  ] as const) {
    const { host, user, database } = new Client({ connectionString: postgresUrl(url) });
    assert.deepEqual([host, user, database], ['/cloudsql/a:b:c', wanted, 'pay'], url);
    assert.deepEqual(describeServer(url), { server: '/cloudsql/a:b:c', name: 'pay' });
  }
});

it('a URL that cannot be read, or names several servers, is refused without its password', () => {
  for (const url of ['postgres://pay:can/ary@db/pay', 'postgres://pay:can#ary@db', 'postgres://a:port/pay'])
    assert.throws(() => postgresUrl(url), { message: /^not a URL; in its password, write each of/ }, url);
  for (const hosts of ['a,b', 'a:5433,b'])
    assert.throws(() => postgresUrl(`postgres://pay:canary@${hosts}/pay`), {
      message: 'names several servers; name one address that leads to the primary',
    });
});

it('the server and the database are described without user and password', () => {
  assert.deepEqual(describeServer('postgres://pay:canary@a:5433/pay?sslmode=require'), {
    server: 'a:5433',
    name: 'pay',
  });
});

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
    ['53300', 'sorry, too many clients already', /each proxy uses up to 17 connections: .* max_connections .* DATABASE_POOL$/],
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
