// What the log says about an error.
import assert from 'node:assert/strict';
import { createConnection } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { Refusal, describeError, unavailable } from '../../backend-proxy/errors.ts';

const thrownBy = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

it('an error of the database is logged with its cause, code and message', () => {
  const cause = Object.assign(new Error('Connection terminated due to connection timeout'), { code: 'X1' });
  const text = describeError(unavailable(cause));
  assert.match(text, /^Refusal: The payment database is temporarily unavailable\. Try again\. +at /);
  assert.match(text, /, caused by Error X1: Connection terminated due to connection timeout +at /);
  const sqlite = thrownBy(() => new DatabaseSync(':memory:').exec('select * from missing'));
  assert.match(describeError(sqlite), /^Error ERR_SQLITE_ERROR: no such table: missing +at /);
});

it('an error of the operating system is logged with its message', async () => {
  const error = await new Promise<Error>((resolve) => createConnection(1, '127.0.0.1').once('error', resolve));
  assert.match(describeError(error), /^Error ECONNREFUSED: connect ECONNREFUSED 127\.0\.0\.1:1/);
});

it('keys, tokens and wallet ids are left out of a message, and a long one is cut', () => {
  const described = describeError(
    new Refusal('internal', 'key=canary0123456789 eyJhbGciOiJIUzI1NiJ9.e30 12345678 left'),
  );
  assert.match(described, /^Refusal: … … … left +at /);
  assert.ok(describeError(new Refusal('internal', 'x '.repeat(1_000))).length < 600);
});

it('the message of any other error is not logged, because it may quote anything', () => {
  for (const error of [
    thrownBy(() => JSON.parse('canary')),
    new TypeError('canary'),
    new Refusal('internal', 'Internal', { cause: new Error('canary') }),
  ]) {
    assert.doesNotMatch(describeError(error), /canary/);
  }
  assert.equal(describeError('canary'), 'string');
});

it('causes without an end are cut', () => {
  const error = new Error('a');
  error.cause = error;
  assert.equal(describeError(error).split('caused by').length, 4);
});
