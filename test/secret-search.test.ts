// Tests the search for secrets itself: a search that finds nothing would pass every test that uses it.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createSearch } from './secret-search.ts';

const KEY = 'k3y+of/some?kind&of~merchant=0123456789';
const SIGNER = Buffer.from('what the webhooks are signed with').toString('base64');
const search = createSearch({ key: KEY, signer: `whsec_${SIGNER}` });

const WRITINGS: Record<string, (secret: string) => string | Uint8Array> = {
  'as it is': (secret) => secret,
  'in JSON': (secret) => JSON.stringify({ secret }),
  'cut short': (secret) => secret.slice(0, 20),
  'among bytes that are no text': (secret) =>
    Buffer.concat([Buffer.from([0, 255, 254]), Buffer.from(secret), Buffer.from([128])]),
  'in hexadecimal': (secret) => Buffer.from(secret).toString('hex'),
  'in upper case hexadecimal': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  'percent-encoded': (secret) => `?a=${encodeURIComponent(secret)}`,
  'with each byte percent-encoded': (secret) => Buffer.from(secret).toString('hex').replace(/../g, '%$&'),
  'in base64': (secret) => Buffer.from(secret).toString('base64'),
  'in base64url': (secret) => Buffer.from(secret).toString('base64url'),
  'in base64 after one byte': (secret) => Buffer.from(`:${secret}:`).toString('base64'),
  'in base64 after two bytes': (secret) => Buffer.from(`a:${secret}`).toString('base64'),
  'in base64url after two bytes': (secret) => Buffer.from(`a:${secret}`).toString('base64url'),
  'in base64, percent-encoded': (secret) => encodeURIComponent(Buffer.from(secret).toString('base64')),
};

for (const [how, write] of Object.entries(WRITINGS)) {
  it(`createSearch() finds a secret ${how}`, () => {
    const around = (found: string | Uint8Array) =>
      Buffer.concat([Buffer.from('before '), Buffer.from(found), Buffer.from(' after')]);
    assert.deepEqual(search(around(write(KEY))), ['key']);
    assert.deepEqual(search(around(write(SIGNER))), ['signer']);
    assert.deepEqual(search(around(write(Buffer.from(SIGNER, 'base64').toString()))), ['signer']);
  });
}

it('createSearch() finds no secret in text without one', () => {
  assert.deepEqual(search(''), []);
  assert.deepEqual(search('Bearer eyJhbGciOiJIUzI1NiJ9.e30.k3y'), []);
  assert.deepEqual(search(Buffer.alloc(1_000)), []);
});

it('createSearch() refuses a secret so short that it could occur by chance', () => {
  assert.throws(() => createSearch({ short: 'fifteen letters' }));
});
