// The address by which a caller is counted, and what is said about a wrong number of reverse proxies.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Hono } from 'hono';
import { createCallerAddress } from '../../../backend-proxy/http/caller-address.ts';
import { H, M } from '../time.ts';

const PRIVATE = '10.0.0.1';

function callers(trustedProxies: number) {
  let time = 0;
  const log: unknown[] = [];
  const address = createCallerAddress(
    trustedProxies,
    () => time,
    (level, event, fields) => void log.push([level, event, fields?.['warning']]),
  );
  const app = new Hono();
  app.get('/', (c) => c.json({ address: address.of(c) ?? null }));
  return {
    log,
    warnings: () => address.warnings().map(({ warning }) => warning),
    pass: (ms: number) => void (time += ms),
    async of(headers: Record<string, string>, remoteAddress?: string): Promise<string | null> {
      const socket = { remoteAddress, remotePort: 1, remoteFamily: 'IPv4' };
      const response = await app.request('/', { headers }, remoteAddress === undefined ? {} : { incoming: { socket } });
      return ((await response.json()) as { address: string | null }).address;
    },
  };
}

const hops = (text: string) => ({ 'X-Forwarded-For': text });

it('a caller without reverse proxies is counted by its connection, which no header changes', async () => {
  const { of } = callers(0);
  assert.equal(await of({}, '8.8.8.8'), '8.8.8.8');
  assert.equal(await of({ ...hops('1.1.1.1'), 'X-Real-IP': '1.1.1.1', Forwarded: 'for=1.1.1.1' }, '8.8.8.8'), '8.8.8.8');
  assert.equal(await of({}, '::ffff:8.8.8.8'), '8.8.8.8');
  assert.equal(await of({}, '2606:4700::1111'), '2606:4700:0:0::/64');
}); // prettier-ignore

it('a caller behind reverse proxies is counted by the address that the outermost of them saw', async () => {
  const headers = hops('6.6.6.6, 1.1.1.1 , 9.9.9.9');
  assert.equal(await callers(1).of(headers, PRIVATE), '9.9.9.9');
  assert.equal(await callers(2).of(headers, PRIVATE), '1.1.1.1');
  assert.equal(await callers(3).of(headers, PRIVATE), '6.6.6.6');
  // Fewer than promised: all but the last may be the caller's own words.
  assert.equal(await callers(4).of(headers, PRIVATE), '9.9.9.9');
  assert.equal(await callers(2).of(hops('9.9.9.9'), PRIVATE), '9.9.9.9');
});

it('a caller that comes past the reverse proxies is counted by its connection', async () => {
  assert.equal(await callers(2).of({}, '8.8.8.8'), '8.8.8.8');
  assert.equal(await callers(2).of(hops(' '), '8.8.8.8'), '8.8.8.8');
});

it('a caller behind a reverse proxy that adds the port is counted without it', async () => {
  const { of } = callers(1);
  for (const hop of ['1.2.3.4', '1.2.3.4:51234', '1.2.3.4:51235', '::ffff:1.2.3.4', '[::ffff:102:304]:443'])
    assert.equal(await of(hops(hop), PRIVATE), '1.2.3.4', hop);
  for (const hop of ['2606:4700::1', '[2606:4700::2]', '[2606:4700:0:0:ffff::3]:443', '2606:4700::4%eth0'])
    assert.equal(await of(hops(hop), PRIVATE), '2606:4700:0:0::/64', hop);
  assert.equal(await of(hops('2606:4700:0:1::1'), PRIVATE), '2606:4700:0:1::/64');
});

it('a caller is unknown if the header holds no address, because its writer could change it each time', async () => {
  const texts = ['unknown', '_hidden', 'example.com', '1.2.3', '1.2.3.4:', '1.2.3.4:x', '[1.2.3.4', '"1.2.3.4"', '1.2.3.4 5.6.7.8', '::g', '0x7f.1', '256.1.1.1', ':443']; // prettier-ignore
  for (const text of texts) assert.equal(await callers(1).of(hops(text), PRIVATE), null, text);
  for (const text of texts) assert.equal(await callers(2).of(hops(text), PRIVATE), null, text);
});

it('a caller is unknown behind a private address that nobody has declared, because many may share it', async () => {
  for (const remote of ['127.0.0.1', PRIVATE, '::1', '::ffff:127.0.0.1', '::ffff:192.168.0.1', 'fd00::1', '172.17.0.2']) {
    assert.equal(await callers(0).of(hops('1.1.1.1'), remote), null, remote);
    assert.equal(await callers(2).of({}, remote), null, remote);
  } // prettier-ignore
  assert.equal(await callers(2).of(hops('192.168.0.9'), PRIVATE), null);
  assert.equal(await callers(0).of({}), null, 'no socket at all');
});

it('the expected number of hops, and more that the caller may have written, cause no warning', async () => {
  const none = callers(0);
  await none.of({}, '8.8.8.8');
  const two = callers(2);
  await two.of(hops('1.1.1.1, 2.2.2.2'), PRIVATE);
  await two.of(hops('6.6.6.6, 1.1.1.1, 2.2.2.2'), PRIVATE);
  assert.deepEqual([none.warnings(), none.log, two.warnings(), two.log], [[], [], [], []]);
});

it('an X-Forwarded-For that nobody reads causes a warning once an hour, with the remedy', async () => {
  const { of, warnings, log, pass } = callers(0);
  for (let n = 0; n < 60; n += 1) {
    await of(hops('1.1.1.1'), PRIVATE);
    pass(M);
  }
  assert.equal(log.length, 1);
  await of(hops('1.1.1.1'), PRIVATE);
  assert.equal(log.length, 2);
  pass(-H);
  assert.deepEqual(warnings(), [], 'the clock was set back');
  await of(hops('1.1.1.1'), PRIVATE);
  assert.equal(log.length, 3);
  const [warning] = warnings();
  assert.match(String(warning), /^A request came with 1 address in X-Forwarded-For, which is not read\. Set TRUSTED_PROXIES/);
  assert.deepEqual(log[0], ['warn', 'proxy warning', warning]);
  pass(H);
  assert.deepEqual(warnings(), []);
}); // prettier-ignore

it('fewer hops than promised cause a warning with both numbers', async () => {
  for (const [headers, found] of [
    [{}, '0 addresses'],
    [hops('1.1.1.1'), '1 address'],
  ] as const) {
    const { of, warnings } = callers(2);
    await of(headers, PRIVATE);
    const [warning] = warnings();
    assert.ok(warning?.startsWith(`A request came with ${found} in X-Forwarded-For, and TRUSTED_PROXIES is 2. `), warning);
  }
}); // prettier-ignore
