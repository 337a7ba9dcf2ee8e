// The demo's three processes on free ports: their connections, their failures and their end.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { FREE_PORTS, Stack, startStack } from '../../demo/stack.ts';
import { buildWidgetIfStale } from '../../demo/widget-build.ts';
import { until } from '../faults/fault-test.ts';
import { runCommand } from './run-command.ts';

before(() => buildWidgetIfStale());

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}

test('the desk shows a payout that was sent to the proxy, even after the proxy is killed and restarted', async () => {
  const stack = await startStack({ ports: FREE_PORTS });
  after(() => stack.stop());
  const merchant = { authorization: `Bearer ${stack.secrets.merchantApiKey}`, 'content-type': 'application/json' };
  const payout = { orderId: 'PO-2345678ABC', amount: 25, currency: 'EUR', customer: '12345678' };
  await fetch(`${stack.proxy}/payouts`, { method: 'POST', headers: merchant, body: JSON.stringify(payout) });
  const desk = async () => (await fetch(`${stack.shop}/desk`)).text();
  assert.match(await desk(), /PO-2345678ABC/);
  await stack.restartProxy('SIGKILL');
  assert.match(await desk(), /PO-2345678ABC/);
  await stack.stop();
  assert.deepEqual(await Promise.all([stack.sandbox, stack.proxy, stack.shop].map(answers)), [false, false, false]);
});

test('a part whose port another demo took is not taken for ready because that one answers', async () => {
  const first = await startStack({ ports: FREE_PORTS });
  after(() => first.stop());
  const [sandbox = 0, proxy = 0, shop = 0, operator = 0] = [first.sandbox, first.proxy, first.shop, first.operator].map(
    (url) => Number(new URL(url).port),
  );
  const dir = await mkdtemp(join(tmpdir(), 'stack-test-'));
  after(() => rm(dir, { recursive: true, force: true }));
  const second = new Stack({ sandbox, proxy, shop, operator }, dir, {});
  after(() => second.stop());
  for (const part of ['sandbox', 'proxy', 'shop'] as const)
    await assert.rejects(second.start(part), /ended while it started[^]*EADDRINUSE/);
});

test('a demo that loses a port to another process starts again', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  after(() => other.close());
  await once(other, 'listening');
  const address = other.address();
  assert.ok(typeof address === 'object' && address !== null);
  let starts = 0;
  const env = {
    // Only the first start gets the taken port.
    get proxy(): Record<string, string> {
      starts += 1;
      return starts === 1 ? { ADMIN_PORT: String(address.port) } : {};
    },
  };
  const stack = await startStack({ ports: FREE_PORTS, env });
  after(() => stack.stop());
  assert.equal(starts, 2);
  assert.deepEqual(await Promise.all([stack.sandbox, stack.proxy, stack.operator].map(answers)), [true, true, true]);
});

test('the demo prints links that answer', { skip: process.platform === 'win32' && 'process groups' }, async () => {
  const linksIn = (text: string) => [...text.matchAll(/^ {2}\w+ +(http:\S+)$/gm)].map(([, url = '']) => url);
  let statuses: number[] = [];
  const { out } = await runCommand([process.execPath, 'demo/main.ts'], {
    cwd: process.cwd(),
    env: process.env,
    isReady: (text) => text.includes('Ctrl-C'),
    whileReady: async (text) => {
      statuses = await Promise.all(linksIn(text).map(async (url) => (await fetch(url)).status));
    },
  });
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200], out);
});

test('the demo prints its usage with --help, and starts nothing', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['demo/main.ts', '--help']);
  assert.match(stdout, /^npm start -- \[--dir FOLDER\]\n.*\n$/);
});

test('the processes of the stack end if their parent is killed', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'stack-test-'));
  after(() => rm(dir, { recursive: true, force: true }));
  const program = `
    import { FREE_PORTS, startStack } from '${new URL('../../demo/stack.ts', import.meta.url).href}';
    process.once('disconnect', () => process.exit()).channel.unref();
    const { sandbox, proxy, shop } = await startStack({ ports: FREE_PORTS, dir: ${JSON.stringify(dir)} });
    console.log(JSON.stringify([sandbox, proxy, shop]));`;
  const parent = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  after(() => parent.kill('SIGKILL'));
  assert.ok(parent.stdout);
  const [line] = await once(parent.stdout, 'data');
  const urls: string[] = JSON.parse(String(line));
  assert.deepEqual(await Promise.all(urls.map(answers)), [true, true, true]);
  parent.kill('SIGKILL');
  await until('all have ended', async () => !(await Promise.all(urls.map(answers))).includes(true));
});
