// The message of a failed start: every cause, and no password.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { whyNotStarted } from '../../backend-proxy/errors.ts';

it('the reason of a failed start has the message of each cause, from the outermost on, each once', () => {
  const first = new Error('permission denied for schema public');
  const middle = new Error('The ledger could not be migrated', { cause: first });
  assert.equal(
    whyNotStarted(new Error('DATABASE_URL', { cause: middle })),
    'DATABASE_URL: The ledger could not be migrated: permission denied for schema public',
  );
  const whole = new Error('DATABASE_URL: The ledger could not be migrated: permission denied for schema public', {
    cause: middle,
  });
  assert.equal(whyNotStarted(whole), whole.message);
  assert.equal(whyNotStarted(new Error('outer', { cause: 'a text' })), 'outer: a text');
  assert.equal(whyNotStarted('a text'), 'a text');
});

it('the reason of a failed start ends although its causes are a circle', () => {
  const one = new Error('one');
  const other = new Error('other', { cause: one });
  one.cause = other;
  assert.equal(whyNotStarted(one), 'one: other');
});

it('the reason of a failed start names no user and no password of a URL', () => {
  const cause = new Error('cannot parse postgres://pay:canary@can/ary@db:5432/pay?sslpassword=canary&password=canary');
  assert.equal(
    whyNotStarted(new Error('DATABASE_URL', { cause })),
    'DATABASE_URL: cannot parse postgres://…@db:5432/pay?sslpassword=…&password=…',
  );
});

it('a package that is not installed is named, with the command that installs it', () => {
  const error = Object.assign(new Error("Cannot find package 'hono'\nimported from x"), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
  assert.equal(
    whyNotStarted(error),
    "Cannot find package 'hono': the dependencies are not installed; run `npm ci` first.",
  );
});
