// docs/deploy/payment-proxy.service: checked by systemd, and its command run under the same limits, which are read from
// the unit. The installed package is dist/proxy.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'; // prettier-ignore
import { basename, join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { readConfig } from '../../backend-proxy/config/config.ts';
import { createEnvironment } from '../faults/environment.ts';
import { until } from '../faults/fault-test.ts';
import { whyNoDebian } from '../debian-package.ts';
import { freePort } from '../free-port.ts';
import { readDocumented } from './documented-file.ts';
import { NODE, runIsolated, whyNotIsolated } from './isolated.ts';
import { systemCallsOf, systemdAnalyze } from './systemd.ts';
import { parseUnit } from './unit-file.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const UNIT = 'docs/deploy/payment-proxy.service';
const unit = parseUnit(readFileSync(UNIT, 'utf8'));
const service = (name: string) => unit.one('Service', name);
/** Nobody. */
const UID = 65_534;
/** Of 10, the most exposed; tenths, as systemd-analyze takes it. */
const MAX_EXPOSED = '15';
const STOP_LIMIT_S = 35;
/** For the directory of the credentials; systemd's own is in /run. */
const CREDENTIALS = '/run/credentials/payment-proxy.service';
const STATE = '/var/lib/payment-proxy';

const noDebian = whyNoDebian();
const notIsolated = whyNotIsolated();
const noStrace = spawnable('strace') ? undefined : 'no strace';

function spawnable(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** As `npm install` leaves it. */
function installPackage(folder: string): string {
  const modules = join(folder, 'opt/node_modules');
  cpSync('dist/proxy', join(modules, 'payment-proxy'), { recursive: true });
  const { bin } = JSON.parse(readFileSync('dist/proxy/package.json', 'utf8')) as { bin: Record<string, string> };
  mkdirSync(join(modules, '.bin'));
  for (const [name, file] of Object.entries(bin))
    symlinkSync(join('../payment-proxy', file), join(modules, '.bin', name));
  return join(folder, 'opt');
}

/** The files that LoadCredential names, made by the documented script, for this user only. */
function makeCredentials(folder: string): string {
  const made = join(folder, 'secrets');
  mkdirSync(made);
  writeFileSync(join(made, 'gateway_api_key'), 'canary-gateway-api-key-4f1d77c2\n');
  writeFileSync(join(made, 'database_url'), `file:${STATE}/payments.db\n`);
  execFileSync('docs/deploy/make-secrets.sh', [made]);
  const passed = join(folder, 'credentials');
  mkdirSync(passed, { mode: 0o500 });
  for (const credential of unit.all('Service', 'LoadCredential')) {
    const [name = '', path = ''] = credential.split(':');
    assert.equal(basename(path), name);
    cpSync(join(made, name), join(passed, name));
    chownSync(join(passed, name), UID, UID);
  }
  chownSync(passed, UID, UID);
  return passed;
}

function environmentOf(assignments: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    assignments.map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)]),
  );
}

function unitEnvironment(file: string): Record<string, string> {
  assert.equal(service('EnvironmentFile'), '/etc/payment-proxy/payment-proxy.env');
  const lines = file.split('\n').filter((line) => /^\w/.test(line));
  return environmentOf([
    ...unit.all('Service', 'Environment').map((line) => line.replace('%d', CREDENTIALS)),
    ...lines,
  ]);
}

async function runUnit(t: TestContext, under: readonly string[] = []) {
  const folder = temporaryFolder(t);
  const { gateway } = await createEnvironment({ defer: (end) => t.after(async () => void (await end())) });
  const state = join(folder, 'state');
  mkdirSync(state, { mode: Number.parseInt(service('StateDirectoryMode'), 8) });
  chownSync(state, UID, UID);
  assert.equal(join('/var/lib', service('StateDirectory')), STATE);
  const port = await freePort();
  const file = readDocumented('docs/deploy/payment-proxy.env', [
    ['https://walletapi.jeton.com', gateway.url],
    ['https://shop.example/webhooks/payments', 'http://127.0.0.1:1'],
  ]);
  const [node, ...args] = service('ExecStart').split(' ');
  assert.equal(node, '/usr/bin/node');
  const { child, remove } = runIsolated(
    {
      readOnly: { '/opt/payment-proxy': installPackage(folder), [CREDENTIALS]: makeCredentials(folder) },
      writable: { [STATE]: state },
      uid: UID,
      env: { ...unitEnvironment(file), PORT: String(port), DRAIN_SECONDS: '0' },
      cwd: '/',
      openFiles: Number(service('LimitNOFILE')),
      isProcHidden: true,
    },
    [...under, NODE, ...args],
  );
  t.after(() => child.kill('SIGKILL'));
  const closed = once(child, 'close') as Promise<[number | null]>;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => (output += text.toString()));
  await until('it listens', () => output.includes('"listening"') || child.exitCode !== null);
  assert.equal(child.exitCode, null, output);
  return {
    child,
    state,
    url: `http://127.0.0.1:${port}`,
    output: () => output,
    secrets: join(folder, 'secrets'),
    async stop(): Promise<number | null> {
      child.kill('SIGTERM');
      const [code] = await closed;
      remove();
      return code;
    },
  };
}

it(
  'the systemd unit is one that systemd accepts, with little that the service could do to the machine',
  { skip: noDebian ?? false },
  async (t) => {
    const copy = join(temporaryFolder(t), 'payment-proxy.service');
    // A program that every machine has.
    writeFileSync(copy, readDocumented(UNIT, [['/usr/bin/node', '/bin/true']]));
    const { stdout, stderr } = await systemdAnalyze('verify', copy);
    assert.equal(stdout + stderr, '');
    await systemdAnalyze('security', '--offline=true', `--threshold=${MAX_EXPOSED}`, copy);
  },
);

it('the systemd unit waits longer for an end than the proxy takes', () => {
  const { DRAIN_SECONDS } = readConfig({
    ...environmentOf(
      readFileSync('docs/deploy/payment-proxy.env', 'utf8')
        .split('\n')
        .filter((line) => /^\w/.test(line)),
    ),
    GATEWAY_API_KEY: 'x',
    ORDER_SECRET: 'o'.repeat(32),
    MERCHANT_API_KEY: 'm'.repeat(32),
    IPN_SECRET: 'i'.repeat(22),
    WEBHOOK_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}`,
  });
  assert.ok(Number(service('TimeoutStopSec')) > DRAIN_SECONDS + STOP_LIMIT_S);
});

it(
  'the systemd unit’s command serves payments as another user, with nothing to write but its state',
  { skip: notIsolated ?? false },
  async (t) => {
    for (const [name, value] of Object.entries({ NoNewPrivileges: 'yes', CapabilityBoundingSet: '', ProtectSystem: 'strict', PrivateTmp: 'yes', ProcSubset: 'pid' })) assert.equal(service(name), value, name); // prettier-ignore
    const { child, url, state, output, secrets, stop } = await runUnit(t);
    const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
    assert.match(status, new RegExp(`^Uid:\t${UID}\t${UID}\t${UID}`, 'm'));
    assert.match(status, /^CapBnd:\t0+$/m);
    const [, files] = /^Max open files +(\d+) /m.exec(readFileSync(`/proc/${child.pid}/limits`, 'utf8')) ?? [];
    assert.ok(Number(files) <= Number(service('LimitNOFILE')));
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
    assert.equal((await fetch(`${url}/widget.js`)).status, 200);
    const key = readFileSync(join(secrets, 'merchant_api_key'), 'utf8');
    const signed = await fetch(`${url}/orders`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ orderId: 'A-1', amount: '5.00', currency: 'EUR', returnUrl: 'https://shop.example/' }),
    });
    const { token } = (await signed.json()) as { token: string };
    const started = await fetch(`${url}/order/payments`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': 'the-key-of-A-1',
      },
      body: '{"method": "QR"}',
    });
    assert.equal(started.status, 201, output());
    for (const name of readdirSync(state)) assert.equal(statSync(join(state, name)).mode & 0o777, 0o600, name);
    assert.ok(readdirSync(state).includes('payments.db'));
    assert.equal(await stop(), 0, output());
    for (const name of readdirSync(secrets)) {
      assert.ok(!output().includes(readFileSync(join(secrets, name), 'utf8').trim()), `${name} is in the log`);
    }
  },
);

it(
  'the systemd unit allows each system call that the proxy makes, and each kind of socket',
  { skip: noDebian ?? notIsolated ?? noStrace ?? false },
  async (t) => {
    const [sets, without] = unit.all('Service', 'SystemCallFilter').map((line) => line.replace('~', '').split(' '));
    const allowed = new Set((await Promise.all((sets ?? []).map(systemCallsOf))).flatMap((each) => [...each]));
    for (const set of without ?? []) for (const name of await systemCallsOf(set)) allowed.delete(name);
    // -D: the tracer is the child, so that signals reach the proxy.
    const { url, state, stop } = await runUnit(t, ['strace', '-D', '-f', '-qq', '-o', `${STATE}/calls`]);
    assert.equal((await fetch(`${url}/readyz`)).status, 200);
    assert.equal(await stop(), 0);
    const trace = readFileSync(join(state, 'calls'), 'utf8');
    const called = new Set([...trace.matchAll(/^\d+ +(\w+)\(/gm)].map(([, name = '']) => name));
    assert.ok(
      ['execve', 'fsync', 'socket'].every((name) => called.has(name)),
      'a start and a commit are in the trace',
    );
    const forbidden = [...called].filter((name) => !allowed.has(name));
    assert.deepEqual(forbidden, []);
    const families = new Set([...trace.matchAll(/ socket\((\w+)/g)].map(([, family = '']) => family));
    const allowedFamilies = service('RestrictAddressFamilies').split(' ');
    assert.ok(families.size > 0);
    const forbiddenFamilies = [...families].filter((family) => !allowedFamilies.includes(family));
    assert.deepEqual(forbiddenFamilies, []);
  },
);
