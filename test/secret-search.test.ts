// The search for secrets itself: one that finds nothing in anything would pass every test that stands on it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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

describe('a secret is found', () => {
  for (const [how, write] of Object.entries(WRITINGS)) {
    it(how, () => {
      const around = (found: string | Uint8Array) =>
        Buffer.concat([Buffer.from('before '), Buffer.from(found), Buffer.from(' after')]);
      assert.deepEqual(search(around(write(KEY))), ['key']);
      assert.deepEqual(search(around(write(SIGNER))), ['signer']);
      assert.deepEqual(search(around(write(Buffer.from(SIGNER, 'base64').toString()))), ['signer']);
    });
  }
});

describe('the search', () => {
  it('finds none where there is none', () => {
    assert.deepEqual(search(''), []);
    assert.deepEqual(search('Bearer eyJhbGciOiJIUzI1NiJ9.e30.k3y'), []);
    assert.deepEqual(search(Buffer.alloc(1_000)), []);
  });

  it('refuses a secret so short that it might stand anywhere by chance', () => {
    assert.throws(() => createSearch({ short: 'fifteen letters' }));
  });
});
