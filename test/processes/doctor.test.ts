// `payment-proxy doctor` as a process, against a real proxy behind a reverse proxy with TLS.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { CERTIFICATE } from '../backend-proxy/gateway/self-signed.ts';
import { leaksIn } from '../faults/canary-secrets.ts';
import { readDatabase } from '../faults/database-reader.ts';
import { about, findingsIn, install, runCommand, runHere, type Installation } from './command-kit.ts';
import { startReverseProxy } from './reverse-proxy.ts';

/** The environment of an operator who trusts the test's certificate. */
function trusting({ env, folder }: Installation): Record<string, string> {
  const authority = join(folder, 'authority.pem');
  writeFileSync(authority, CERTIFICATE);
  return { ...env, NODE_EXTRA_CA_CERTS: authority };
}

it('doctor finds a well deployed proxy in order, and leaves no payment, no payout and no order', async (t) => {
  const installation = await install(t);
  const proxy = await installation.start({ TRUSTED_PROXIES: '1' });
  const { url } = await startReverseProxy(t, proxy.url);
  const ended = await runCommand(t, ['doctor', url], trusting(installation));
  assert.equal(ended.code, 0, ended.out + ended.err);
  const failed = findingsIn(ended).filter(({ result }) => result === 'FAIL');
  assert.deepEqual(failed, []);
  const fine = new Set(findingsIn(ended).flatMap(({ result, about: subject }) => (result === 'ok' ? [subject] : [])));
  const expected = ['certificate', 'health', 'order', 'money', 'stream', 'addresses', 'origins', 'widget files', 'IPN', 'merchant API']; // prettier-ignore
  assert.deepEqual(
    expected.filter((subject) => !fine.has(subject)),
    [],
    ended.out,
  );
  const { orders, transactions, ipns, webhooks } = await readDatabase(installation.env['DATABASE_URL']!);
  assert.deepEqual([orders, transactions, webhooks], [[], [], []]);
  const kept = ipns.map(({ transaction_id, seen }) => ({ transaction_id, seen }));
  assert.deepEqual(kept, [{ transaction_id: null, seen: 1 }]);
  const metrics = await (await installation.merchant(proxy, '/metrics')).text();
  assert.doesNotMatch(metrics, /^payment_proxy_(ipns_total\{.*\}|unmatched_ipns) [1-9]/m, 'it leaves no alarm');
  const listed = await installation.merchant(proxy, '/ipns');
  assert.deepEqual(await listed.json(), { ipns: [] });
  assert.deepEqual(await installation.gateway.transactions(), []);
  assert.deepEqual(leaksIn(ended.out + ended.err), []);
});

it('doctor finds a reverse proxy that buffers, opens origins, believes callers and changes scripts', async (t) => {
  const installation = await install(t);
  const proxy = await installation.start({ TRUSTED_PROXIES: '1' });
  const env = trusting(installation);
  const faults = { opensOrigins: true, believesCallers: true, changesScripts: true };
  const front = await startReverseProxy(t, proxy.url, faults);
  const ended = await runCommand(t, ['doctor', front.url], env);
  assert.equal(ended.code, 1);
  for (const [subject, says] of [
    ['origins', /^FAIL pages of .*any origin may talk to it/m],
    ['addresses', /^FAIL a forged X-Forwarded-For is believed/],
    ['widget files', /^FAIL \d+ of \d+ .* differ/],
  ] as const) {
    assert.match(about(ended, subject).join('\n'), says);
  }
  const buffering = await startReverseProxy(t, proxy.url, { buffers: true });
  const { code, out } = await runCommand(t, ['doctor', buffering.url], env);
  assert.equal(code, 1);
  assert.match(out, /^FAIL +stream: /m);
});

it('doctor says which check needs which secret, and reports a secret that is not the deployed one', async (t) => {
  const installation = await install(t);
  const proxy = await installation.start();
  const alone = await runHere(['doctor', proxy.url], installation.env);
  assert.match(about(alone, 'addresses')[0] ?? '', /^skipped not judged on loopback/);
  const without = await runHere(['doctor', proxy.url]);
  assert.equal(without.code, 0, without.out);
  for (const [subject, variable] of [
    ['IPN', 'IPN_SECRET'],
    ['merchant API', 'MERCHANT_API_KEY'],
    ['origins', 'ALLOWED_ORIGINS'],
    ['stream', 'ORDER_SECRET'],
  ] as const) {
    assert.match(about(without, subject).join('\n'), new RegExp(`^skipped needs ${variable}`, 'm'));
  }
  const others = {
    IPN_SECRET: 'another-secret-another-secret',
    MERCHANT_API_KEY: 'another-key-another-key-another-key',
    ORDER_SECRET: 'another-secret-another-secret-another',
  };
  const wrong = await runHere(['doctor', proxy.url], { ...installation.env, ...others });
  assert.equal(wrong.code, 1);
  for (const [subject, says] of [
    ['IPN', /^FAIL an IPN is answered HTTP 404/m],
    ['merchant API', /^FAIL the key merchant is answered HTTP 401/m],
    ['order', /^FAIL .*signed with ORDER_SECRET/m],
  ] as const) {
    assert.match(about(wrong, subject).join('\n'), says);
  }
  assert.doesNotMatch(wrong.out + wrong.err, /another-/);
});

it('doctor tries what each key may do at the deployed proxy, and names the key without it', async (t) => {
  const installation = await install(t);
  const key = (letter: string) => `canary-key-${letter.repeat(32)}`;
  const deployed = `shop:orders+read+refunds:${key('s')},office:read+operate:${key('o')},refunds:refunds:${key('r')}`;
  const proxy = await installation.start({ MERCHANT_KEYS: deployed });
  const run = (keys: string) => runHere(['doctor', proxy.url], { ...installation.env, MERCHANT_KEYS: keys });
  const well = await run(deployed);
  assert.equal(well.code, 0, well.out);
  assert.deepEqual(about(well, 'merchant API'), [
    'ok the key merchant opens orders, read, refunds, payouts, operate, and no more',
    'ok the key shop opens orders, read, refunds, and no more',
    'ok the key office opens read, operate, and no more',
    'ok the key refunds opens refunds, and no more',
  ]);
  const other = await run(`shop:read:${key('s')},office:operate:${key('x')}`);
  assert.equal(other.code, 1);
  assert.match(
    about(other, 'merchant API').join('\n'),
    /^FAIL the key shop opens orders, read, refunds, not read -> /m,
  );
  assert.match(about(other, 'merchant API').join('\n'), /^FAIL the key office is answered HTTP 401 -> /m);
  assert.doesNotMatch(well.out + other.out, /canary-key/);
});

it('doctor sends no secret to a server that does not answer as a proxy, or whose certificate is not trusted', async (t) => {
  const installation = await install(t);
  const { gateway, env } = installation;
  const other = await startReverseProxy(t, gateway.url);
  for (const environment of [env, trusting(installation)]) {
    const ended = await runCommand(t, ['doctor', other.url], environment);
    assert.equal(ended.code, 1);
    assert.match(about(ended, 'everything else')[0] ?? '', /^skipped/);
  }
  assert.ok(other.received.length > 0);
  assert.deepEqual(leaksIn(other.received.join('\n')), []);
  assert.doesNotMatch(other.received.join('\n'), /authorization/);
});
