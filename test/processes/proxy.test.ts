// The proxy as a process: failed starts, log lines, shutdown. Uses a free port and a temporary database, and needs no
// gateway.
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SECRETS, SHOP } from '../backend-proxy/world.ts';

const MAIN = fileURLToPath(new URL('../../backend-proxy/main.ts', import.meta.url));
/** Only against a hang: a start takes half a second of a processor. */
const DEADLINE_MS = 60_000;

interface Running {
  child: ChildProcess;
  output: { out: string; err: string };
  /** The first log line of this event. */
  event(name: string): Promise<Record<string, unknown>>;
}

function start(t: TestContext, env: Record<string, string>): Running {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  const output = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.err += text));
  return {
    child,
    output,
    async event(name) {
      const deadline = Date.now() + DEADLINE_MS;
      for (;;) {
        const lines = output.out
          .split('\n')
          .filter((line) => line !== '')
          .slice(0, output.out.endsWith('\n') ? undefined : -1);
        const found = lines
          .map((line) => JSON.parse(line) as Record<string, unknown>)
          .find(({ event }) => event === name);
        if (found) return found;
        assert.ok(Date.now() < deadline && child.exitCode === null, `no "${name}": ${output.out}${output.err}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}

function environment(t: TestContext): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'proxy-main-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return {
    GATEWAY_URL: 'http://127.0.0.1:1',
    GATEWAY_API_KEY: SECRETS.gatewayKey,
    ORDER_SECRET: SECRETS.order,
    MERCHANT_API_KEY: SECRETS.merchant,
    IPN_SECRET: SECRETS.ipn,
    ALLOWED_ORIGINS: SHOP,
    DATABASE_URL: `file:${join(folder, 'payments.db')}`,
    PORT: '0',
    DRAIN_SECONDS: '0',
  };
}

/** The error in the last line of a proxy that did not start; before it is at most the line about its database. */
function refusal({ out, err }: Running['output']): string {
  const lines = out.split('\n').map((line) => (line === '' ? {} : (JSON.parse(line) as Record<string, string>)));
  assert.deepEqual([err, lines.at(-1)], ['', {}]);
  assert.deepEqual(
    lines.slice(0, -2).filter((line) => !String(line['event']).startsWith('database')),
    [],
  );
  const { level, time, event, error } = lines.at(-2) ?? {};
  assert.deepEqual([level, event, Number.isFinite(Date.parse(time ?? ''))], ['fatal', 'not started', true]);
  return error ?? '';
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('the proxy process', () => {
  it('a proxy start without its environment logs one line that names the missing variables, and no secret', async (t) => {
    const { child, output } = start(t, {
      ORDER_SECRET: 'canary',
      GATEWAY_API_KEY: SECRETS.gatewayKey,
      WEBHOOK_SECRET: 'canary',
    });
    const [code] = (await once(child, 'close')) as [number];
    assert.equal(code, 1);
    const error = refusal(output);
    assert.deepEqual([...error.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name]) => name), ['GATEWAY_URL', 'ORDER_SECRET', 'MERCHANT_API_KEY', 'IPN_SECRET', 'ALLOWED_ORIGINS', 'WEBHOOK_SECRET']); // prettier-ignore
    assert.doesNotMatch(output.out + output.err, /canary/);
  });

  it('the proxy process logs one JSON object per line without secrets, serves, and drains on SIGTERM with an open stream', async (t) => {
    const env = environment(t);
    const profile = join(env['DATABASE_URL']!.slice(5), '..', 'profile.json');
    writeFileSync(profile, '{"paths": {"status": null}}');
    const { child, output, event } = start(t, { ...env, GATEWAY_PROFILE: profile, CHECKS_PER_SECOND: '7' });
    const { url, ...settings } = (await event('listening')) as { url: string; [setting: string]: unknown };
    const { gateway, origins, database, webhooks } = settings;
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
    assert.ok(await event('weaker mode: the profile has no status check, so IPNs are trusted unchecked'));
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
    const closed = once(child, 'close') as Promise<[number | null]>;
    child.kill('SIGTERM');
    assert.match(await stream.text(), /^event: order\nid: 0\n/, 'the stream ends cleanly');
    assert.deepEqual((await closed)[0], 0);
    const events = output.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.deepEqual(
      events.slice(-2).map(({ event: name }) => name),
      ['stopping', 'stopped'],
    );
    assert.ok(
      events.every(
        ({ level, time, event: name }) =>
          typeof level === 'string' && typeof time === 'string' && typeof name === 'string',
      ),
    );
    assert.doesNotMatch(output.out + output.err, /canary/);
    assert.ok(!output.out.includes(token));
  });

  it('the proxy process is 503 at /readyz after SIGTERM but serves for DRAIN_SECONDS, and a second signal ends that', async (t) => {
    const { child, output, event } = start(t, { ...environment(t), DRAIN_SECONDS: '300' });
    const { url } = (await event('listening')) as { url: string };
    child.kill('SIGTERM');
    const { seconds, signal } = await event('draining');
    assert.deepEqual([seconds, signal], [300, 'SIGTERM']);
    const ready = await fetch(`${url}/readyz`);
    assert.deepEqual([ready.status, ready.headers.get('connection')], [503, 'close']);
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    const closed = once(child, 'close') as Promise<[number | null]>;
    child.kill('SIGTERM');
    assert.equal((await closed)[0], 0, output.err);
    const events = output.out.matchAll(/"event":"(draining|stopping|stopped)"/g);
    assert.deepEqual(
      [...events].map(([, name]) => name),
      ['draining', 'stopping', 'stopped'],
    );
  });

  it('a proxy start with a port in use or an unusable database exits and logs the reason', async (t) => {
    const env = environment(t);
    const first = start(t, env);
    const { url } = (await first.event('listening')) as { url: string };
    for (const [wrong, why] of [
      [{ PORT: new URL(url).port }, /^HOST, PORT: .*EADDRINUSE/],
      [
        { DATABASE_URL: `${env['DATABASE_URL']}/payments.db` },
        /^DATABASE_URL: \/.*\/payments\.db\/payments\.db cannot be written: not a directory/,
      ],
    ] as const) {
      const { child, output } = start(t, { ...env, ...wrong });
      const [code] = (await once(child, 'close')) as [number];
      assert.equal(code, 1);
      assert.match(refusal(output), why);
      assert.doesNotMatch(output.err + output.out, /canary/);
    }
  });

  it('the proxy process keeps its database private, and removes rights that an earlier version left to others', async (t) => {
    const env = environment(t);
    const path = env['DATABASE_URL']!.slice('file:'.length);
    const files = [path, `${path}-wal`, `${path}-shm`];
    const first = start(t, env);
    await first.event('listening');
    assert.deepEqual(files.map(modeOf), ['600', '600', '600']);
    const closed = once(first.child, 'close');
    first.child.kill('SIGKILL');
    await closed;
    for (const file of files) chmodSync(file, 0o644);
    const second = start(t, env);
    const { open, stillOpen } = await second.event(
      'other users could read the database files: their rights were removed',
    );
    assert.deepEqual([open, stillOpen], [files, []]);
    await second.event('listening');
    assert.deepEqual(files.map(modeOf), ['600', '600', '600']);
  });

  it('the compile cache is kept beside the packages, even if the process is killed', async (t) => {
    const env = environment(t);
    const startAndKill = async (more: Record<string, string>) => {
      const { child, output, event } = start(t, { ...env, NODE_DEBUG_NATIVE: 'COMPILE_CACHE', ...more });
      const { url } = (await event('listening')) as { url: string };
      await fetch(`${url}/healthz`);
      const closed = once(child, 'close');
      child.kill('SIGKILL');
      await closed;
      return /resolved path (\S+)/.exec(output.err)?.[1] ?? '';
    };
    assert.equal(relative(MAIN, await startAndKill({})), join('..', '..', 'node_modules', '.cache', 'proxy'));
    // The folder is new, so any file in it is from this start.
    const folder = join(env['DATABASE_URL']!.slice('file:'.length), '..', 'compiled');
    assert.equal(await startAndKill({ NODE_COMPILE_CACHE: folder }), folder);
    assert.ok(readdirSync(folder, { recursive: true }).length > 100);
  });
});
