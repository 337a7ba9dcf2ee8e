// `payment-sandbox` as a process: it stays and prints one line, or runs a command with the variables and ends with its
// code; it leaves nothing behind.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

const MAIN = 'demo/kit/main.ts';

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function run(args: string[], env: Record<string, string> = {}): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], { env: { ...process.env, ...env } }, (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    );
  });
}

test('alone it prints one JSON line, answers, and ends on a signal without leaving a file', async (t) => {
  const TMPDIR = folderOf(t);
  const child = spawn(process.execPath, [MAIN], {
    env: { ...process.env, TMPDIR },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  const { proxy, env } = JSON.parse(line) as { proxy: string; env: Record<string, string> };
  assert.equal((await fetch(`${proxy}/healthz`)).status, 200);
  for (const name of ['ORDER_SECRET', 'MERCHANT_API_KEY']) assert.match(env[name] ?? '', /^sandbox-/);
  assert.match(Buffer.from((env['WEBHOOK_SECRET'] ?? '').slice(6), 'base64').toString(), /^sandbox-/);
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  assert.deepEqual(readdirSync(TMPDIR), []);
});

test('started by npm it ends with the shell between them', async (t) => {
  const env = { ...process.env, TMPDIR: folderOf(t), npm_execpath: 'npm' };
  const shell = spawn('sh', ['-c', `'${process.execPath}' ${MAIN}; :`], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(shell.stdout, 'data');
  shell.kill('SIGKILL');
  await once(shell.stdout, 'close', { signal: AbortSignal.timeout(20_000) });
});

test('help is no error', async () => {
  const { code, out } = await run(['help']);
  assert.deepEqual([code, out.startsWith('Usage')], [0, true]);
});

test('exec sets the variables, and ends with the code of COMMAND', async (t) => {
  const script = `fetch(process.env.PAYMENT_PROXY_URL + '/healthz').then((r) => process.exit(r.ok ? 7 : 1))`;
  const { code } = await run(['exec', '--', process.execPath, '-e', script], { TMPDIR: folderOf(t) });
  assert.equal(code, 7);
});

for (const [what, args, expected, says] of [
  ['a COMMAND that does not exist', ['exec', '--', 'no-such-command-here'], 127, /no such command/],
  ['exec without a COMMAND', ['exec'], 2, /put -- before COMMAND[^]*Usage/],
  ['exec without --', ['exec', 'php', '-v'], 2, /put -- before COMMAND/],
  ['a COMMAND without exec', ['--', 'php'], 2, /put exec before/],
  ['a word that is none', ['start'], 2, /unknown: start/],
  ['an unknown option', ['exec', '--stoped', '--', 'php'], 2, /Unknown option '--stoped'\nUsage/],
  ['a webhook URL that is none', ['--webhook-url', 'shop'], 2, /an http or https URL on loopback/],
] as const) {
  test(`says what is wrong with ${what}, and ends with ${expected}`, async () => {
    const { code, err } = await run([...args]);
    assert.equal(code, expected);
    assert.match(err, says);
  });
}

test('says in one sentence which Node it needs, if this one is older', async () => {
  const older = encodeURIComponent(`Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } })`);
  const ended = await run([], { NODE_OPTIONS: `--import=data:text/javascript,${older}` });
  assert.deepEqual(ended, { code: 1, out: '', err: 'payment-sandbox needs Node 24 or newer; this is 20.20.2\n' });
});

test('reads no secret and no gateway of the environment', async (t) => {
  const env = { GATEWAY_URL: 'https://gateway.example', ORDER_SECRET: 'x'.repeat(40), TMPDIR: folderOf(t) };
  const script = 'console.log(process.env.ORDER_SECRET.slice(0, 8), process.env.PAYMENT_SANDBOX_URL)';
  const { out } = await run(['exec', '--', process.execPath, '-e', script], env);
  assert.match(out, /^sandbox- http:\/\/127\.0\.0\.1:\d+/);
});
