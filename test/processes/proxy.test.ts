// The proxy as a process: failed starts, log lines, shutdown. Uses a free port and a temporary database, and needs no
// gateway.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';
import { it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { MerchantPayout } from '../../backend-proxy/protocol/merchant-view.ts';
import { SECRETS, SHOP } from '../backend-proxy/world.ts';
import { until } from '../faults/fault-test.ts';
import { startProgram } from '../faults/processes.ts';
import { freePort } from '../free-port.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { runCommand, type Ended } from './command-kit.ts';

const MAIN = fileURLToPath(new URL('../../backend-proxy/main.ts', import.meta.url));

type Line = Record<string, unknown>;

/** A proxy that listens. `event` resolves with its first log line of this event. */
async function start(t: TestContext, env: Record<string, string>) {
  const proxy = await startProgram({ file: MAIN, env });
  t.after(proxy.kill9);
  const lines = () =>
    proxy
      .output()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line);
  const find = (name: string) => lines().find(({ event }) => event === name);
  const event = async (name: string): Promise<Line> => {
    await until(`it logs "${name}"`, () => find(name) !== undefined || proxy.hasEnded());
    return find(name) ?? assert.fail(`no "${name}": ${proxy.output()}`);
  };
  return { ...proxy, lines, event, stop: () => process.kill(proxy.pid, 'SIGTERM') };
}

function environment(t: TestContext): Record<string, string> {
  return {
    GATEWAY_URL: 'http://127.0.0.1:1',
    GATEWAY_API_KEY: SECRETS.gatewayKey,
    ORDER_SECRET: SECRETS.order,
    MERCHANT_API_KEY: SECRETS.merchant,
    IPN_SECRET: SECRETS.ipn,
    ALLOWED_ORIGINS: SHOP,
    DATABASE_URL: `file:${join(temporaryFolder(t), 'payments.db')}`,
    PORT: '0',
    DRAIN_SECONDS: '0',
  };
}

/** The error in the last line of a proxy that did not start; before it is at most the line about its database. */
function refusal({ out, err }: Ended): string {
  const lines = out.split('\n').map((line) => (line === '' ? {} : (JSON.parse(line) as Record<string, string>)));
  assert.deepEqual([err, lines.at(-1)], ['', {}]);
  const others = lines.slice(0, -2).filter((line) => !String(line['event']).startsWith('database'));
  assert.deepEqual(others, []);
  const { level, time, event, error } = lines.at(-2) ?? {};
  assert.deepEqual([level, event, Number.isFinite(Date.parse(time ?? ''))], ['fatal', 'not started', true]);
  return error ?? '';
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

it('a proxy start without its environment logs one line that names the missing variables, and no secret', async (t) => {
  const wrong = { ORDER_SECRET: 'canary', GATEWAY_API_KEY: SECRETS.gatewayKey, WEBHOOK_SECRET: 'canary' };
  const ended = await runCommand(t, [], wrong);
  assert.equal(ended.code, 1);
  const error = refusal(ended);
  assert.deepEqual([...error.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name]) => name), ['GATEWAY_URL', 'ORDER_SECRET', 'IPN_SECRET', 'ALLOWED_ORIGINS', 'WEBHOOK_SECRET', 'MERCHANT_API_KEY']); // prettier-ignore
  assert.doesNotMatch(ended.out + ended.err, /canary/);
});

it('the proxy process logs one JSON object per line without secrets, serves, and drains on SIGTERM with an open stream', async (t) => {
  const env = environment(t);
  const profile = join(env['DATABASE_URL']!.slice(5), '..', 'profile.json');
  writeFileSync(profile, '{"paths": {"status": null}}');
  const proxy = await start(t, { ...env, GATEWAY_PROFILE: profile, CHECKS_PER_SECOND: '7' });
  const { url } = proxy;
  const { gateway, origins, database, webhooks } = await proxy.event('listening');
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.deepEqual(
    { gateway, origins, database, webhooks },
    {
      gateway: new URL(env['GATEWAY_URL']!).host,
      origins: [env['ALLOWED_ORIGINS']],
      database: 'file',
      webhooks: 'off',
    },
  );
  assert.ok(await proxy.event('weaker mode: the profile has no status check, so IPNs are trusted unchecked'));
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  const ipn = await fetch(`${url}/ipn/${SECRETS.ipn}`, { method: 'POST', body: '{}' });
  assert.equal(ipn.status, 200);
  assert.equal((await fetch(`${url}/ipn/${SECRETS.ipn}x`, { method: 'POST', body: '{}' })).status, 404);
  const operator = { Authorization: `Bearer ${SECRETS.merchant}` };
  const metrics = await fetch(`${url}/metrics`, { headers: operator });
  assert.match(await metrics.text(), /^payment_proxy_checks_per_second 7$/m);
  const signed = await fetch(`${url}/orders`, {
    method: 'POST',
    headers: { ...operator, 'Content-Type': 'application/json' },
    body: JSON.stringify({ orderId: 'A-1', amount: '1', currency: 'EUR', returnUrl: SHOP }),
  });
  const { token } = (await signed.json()) as { token: string };
  const stream = await fetch(`${url}/order/events`, { headers: { Authorization: `Bearer ${token}` } });
  proxy.stop();
  assert.match(await stream.text(), /^event: order\nid: 0\n/, 'the stream ends cleanly');
  assert.equal(await proxy.ended, '0');
  const events = proxy.lines();
  const last = events.slice(-2).map(({ event: name }) => name);
  assert.deepEqual(last, ['stopping', 'stopped']);
  assert.ok(
    events.every(
      ({ level, time, event: name }) =>
        typeof level === 'string' && typeof time === 'string' && typeof name === 'string',
    ),
  );
  assert.doesNotMatch(proxy.output(), /canary/);
  assert.ok(!proxy.output().includes(token));
});

it('the proxy process is 503 at /readyz after SIGTERM but serves for DRAIN_SECONDS, and a second signal ends that', async (t) => {
  const proxy = await start(t, { ...environment(t), DRAIN_SECONDS: '300' });
  const { url } = proxy;
  proxy.stop();
  const { seconds, signal } = await proxy.event('draining');
  assert.deepEqual([seconds, signal], [300, 'SIGTERM']);
  const ready = await fetch(`${url}/readyz`);
  assert.deepEqual([ready.status, ready.headers.get('connection')], [503, 'close']);
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  proxy.stop();
  assert.equal(await proxy.ended, '0', proxy.output());
  const events = proxy.output().matchAll(/"event":"(draining|stopping|stopped)"/g);
  const order = [...events].map(([, name]) => name);
  assert.deepEqual(order, ['draining', 'stopping', 'stopped']);
});

it("a proxy start with a port in use, an unusable database or another gateway's exits and logs the reason", async (t) => {
  const env = environment(t);
  const { url } = await start(t, env);
  for (const [wrong, why] of [
    [{ PORT: new URL(url).port }, /^HOST, PORT: .*EADDRINUSE/],
    [{ GATEWAY_URL: 'https://gateway.example' }, /^GATEWAY_URL: the database belongs to the gateway 127\.0\.0\.1/],
    [
      { DATABASE_URL: `${env['DATABASE_URL']}/payments.db` },
      /^DATABASE_URL: \/.*\/payments\.db\/payments\.db cannot be written: not a directory/,
    ],
  ] as const) {
    const ended = await runCommand(t, [], { ...env, ...wrong });
    assert.equal(ended.code, 1);
    assert.match(refusal(ended), why);
    assert.doesNotMatch(ended.err + ended.out, /canary/);
  }
});

it('a proxy start with the port and database of a running one does not take its call for lost', async (t) => {
  const gateway = createServer(() => undefined).listen(0, '127.0.0.1');
  t.after(() => (gateway.closeAllConnections(), gateway.close()));
  await once(gateway, 'listening');
  const { port } = gateway.address() as AddressInfo;
  const env = { ...environment(t), GATEWAY_URL: `http://127.0.0.1:${port}`, PORT: String(await freePort()) };
  const { url } = await start(t, env);
  const asMerchant = { Authorization: `Bearer ${SECRETS.merchant}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ orderId: 'P-1', amount: 1, currency: 'EUR', customer: '12345678' });
  const paying = fetch(`${url}/payouts`, { method: 'POST', headers: asMerchant, body });
  await Promise.race([once(gateway, 'request'), paying]);
  assert.match(refusal(await runCommand(t, [], env)), /EADDRINUSE/);
  const { history } = (await (await fetch(`${url}/payouts/P-1`, { headers: asMerchant })).json()) as MerchantPayout;
  assert.deepEqual(
    history.map(({ event }) => event),
    ['created', 'sending'],
  );
  gateway.closeAllConnections();
  assert.equal((await paying).status, 202);
});

it('the proxy process keeps its database private, and removes rights that an earlier version left to others', async (t) => {
  const env = environment(t);
  const path = env['DATABASE_URL']!.slice('file:'.length);
  const files = [path, `${path}-wal`, `${path}-shm`];
  const first = await start(t, env);
  assert.deepEqual(files.map(modeOf), ['600', '600', '600']);
  await first.kill9();
  for (const file of files) chmodSync(file, 0o644);
  const second = await start(t, env);
  const { open, stillOpen } = await second.event(
    'other users could read the database files: their rights were removed',
  );
  assert.deepEqual([open, stillOpen], [files, []]);
  assert.deepEqual(files.map(modeOf), ['600', '600', '600']);
});

it('the compile cache is kept beside the packages, even if the process is killed', async (t) => {
  const env = environment(t);
  const startAndKill = async (more: Record<string, string>) => {
    const proxy = await start(t, { ...env, NODE_DEBUG_NATIVE: 'COMPILE_CACHE', ...more });
    await fetch(`${proxy.url}/healthz`);
    await proxy.kill9();
    return /resolved path (\S+)/.exec(proxy.output())?.[1] ?? '';
  };
  assert.equal(relative(MAIN, await startAndKill({})), join('..', '..', 'node_modules', '.cache', 'proxy'));
  // The folder is new, so any file in it is from this start.
  const folder = join(env['DATABASE_URL']!.slice('file:'.length), '..', 'compiled');
  assert.equal(await startAndKill({ NODE_COMPILE_CACHE: folder }), folder);
  assert.ok(readdirSync(folder, { recursive: true }).length > 100);
});
