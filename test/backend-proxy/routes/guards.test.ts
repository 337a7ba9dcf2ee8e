// The comparison of secrets, and the address by which a caller is counted.
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { describe, it } from 'node:test';
import { Hono } from 'hono';
import { addressOf, bearerOf, createSecretCheck } from '../../../backend-proxy/routes/guards.ts';

describe('createSecretCheck()', () => {
  it('a secret matches only if it equals one of the list exactly', () => {
    const isSecret = createSecretCheck(['first-secret', 'second-secret']);
    for (const known of ['first-secret', 'second-secret']) assert.equal(isSecret(known), true);
    for (const other of ['', 'first-secre', 'first-secret ', 'First-secret', 'first-secretsecond-secret', 'x']) {
      assert.equal(isSecret(other), false, other);
    }
    assert.equal(createSecretCheck([])(''), false);
  });

  it('a secret is compared by timingSafeEqual with each of the list, and by nothing that ends sooner', (t) => {
    const compared = t.mock.method(crypto, 'timingSafeEqual');
    syncBuiltinESMExports();
    t.after(() => {
      t.mock.restoreAll();
      syncBuiltinESMExports();
    });
    const isSecret = createSecretCheck(['first-secret', 'second-secret', 'third-secret']);
    for (const [candidate, results] of [
      ['first-secret', [true, false, false]],
      ['second-secret', [false, true, false]],
      ['none of them', [false, false, false]],
      ['', [false, false, false]],
    ] as const) {
      compared.mock.resetCalls();
      assert.equal(isSecret(candidate), results.some(Boolean));
      assert.deepEqual(
        compared.mock.calls.map(({ result }) => result),
        results,
        candidate,
      );
    }
  });

  it('a candidate of any length can be checked, because its hash is compared', () => {
    const isSecret = createSecretCheck(['s']);
    assert.equal(isSecret('x'.repeat(100_000)), false);
    assert.equal(isSecret('ü\0'), false);
  });
});

async function seen(headers: Record<string, string>, trustedProxies = 0, remoteAddress?: string) {
  const app = new Hono();
  app.get('/', (c) => c.json({ address: addressOf(c, trustedProxies) ?? null, bearer: bearerOf(c) }));
  const socket = { remoteAddress, remotePort: 1, remoteFamily: 'IPv4' };
  const response = await app.request('/', { headers }, remoteAddress === undefined ? {} : { incoming: { socket } });
  return (await response.json()) as { address: string | null; bearer: string };
}
const address = async (...given: Parameters<typeof seen>) => (await seen(...given)).address;

describe('addressOf()', () => {
  it('addressOf() returns the address of the connection, which no header changes', async () => {
    assert.equal(await address({}, 0, '8.8.8.8'), '8.8.8.8');
    assert.equal(
      await address({ 'X-Forwarded-For': '1.1.1.1', 'X-Real-IP': '1.1.1.1', Forwarded: 'for=1.1.1.1' }, 0, '8.8.8.8'),
      '8.8.8.8',
    );
    assert.equal(await address({}, 0, '::ffff:8.8.8.8'), '8.8.8.8');
    assert.equal(await address({}, 0, '2606:4700::1111'), '2606:4700:0:0::/64');
  });

  it('addressOf() behind configured proxies returns the address that the outermost saw', async () => {
    const headers = { 'X-Forwarded-For': '6.6.6.6, 1.1.1.1 , 9.9.9.9' };
    assert.equal(await address(headers, 1, '10.0.0.1'), '9.9.9.9');
    assert.equal(await address(headers, 2, '10.0.0.1'), '1.1.1.1');
    assert.equal(await address(headers, 3, '10.0.0.1'), '6.6.6.6');
    assert.equal(await address(headers, 4, '10.0.0.1'), null);
    assert.equal(await address({}, 1, '10.0.0.1'), null);
  });

  it('addressOf() returns the same key for each connection through a proxy that adds the port', async () => {
    const behind = (hop: string) => address({ 'X-Forwarded-For': hop }, 1, '10.0.0.1');
    for (const hop of ['1.2.3.4', '1.2.3.4:51234', '1.2.3.4:51235', '::ffff:1.2.3.4', '[::ffff:102:304]:443'])
      assert.equal(await behind(hop), '1.2.3.4', hop);
    for (const hop of ['2606:4700::1', '[2606:4700::2]', '[2606:4700:0:0:ffff::3]:443', '2606:4700::4%eth0'])
      assert.equal(await behind(hop), '2606:4700:0:0::/64', hop);
    assert.equal(await behind('2606:4700:0:1::1'), '2606:4700:0:1::/64');
  });

  it('addressOf() is undefined if the header holds no address, because its writer could change it each time', async () => {
    for (const hop of [
      'unknown',
      '_hidden',
      'example.com',
      '1.2.3',
      '1.2.3.4:',
      '1.2.3.4:x',
      '[1.2.3.4',
      '"1.2.3.4"',
      '1.2.3.4 5.6.7.8',
      '::g',
      '0x7f.1',
      '256.1.1.1',
      ':443',
    ])
      // prettier-ignore
      assert.equal(await address({ 'X-Forwarded-For': hop }, 1, '10.0.0.1'), null, hop);
  });

  it('addressOf() is undefined for a private connection, because an unconfigured proxy carries many callers', async () => {
    for (const remote of [
      '127.0.0.1',
      '10.0.0.1',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:192.168.0.1',
      'fd00::1',
      '172.17.0.2',
    ]) {
      assert.equal(await address({ 'X-Forwarded-For': '1.1.1.1' }, 0, remote), null, remote);
    }
    assert.equal(await address({}, 0), null, 'no socket at all');
  });
});

describe('bearerOf()', () => {
  it('bearerOf() reads one word of at most 8192 characters after the scheme, in any case', async () => {
    const bearer = async (Authorization: string) => (await seen({ Authorization })).bearer;
    assert.equal(await bearer('Bearer abc'), 'abc');
    assert.equal(await bearer('bEARER abc'), 'abc');
    assert.equal(await bearer(`Bearer ${'x'.repeat(8192)}`), 'x'.repeat(8192));
    for (const none of [
      '',
      'abc',
      'Bearer',
      'Bearer a b',
      'Basic abc',
      'xBearer abc',
      `Bearer ${'x'.repeat(8193)}`,
      'Bearer  abc',
    ]) {
      assert.equal(await bearer(none), '', none.slice(0, 20));
    }
    assert.equal((await seen({})).bearer, '');
  });
});
