// The names of the proxy's commands, their usage and exit codes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { runCommand, runHere } from './command-kit.ts';

const COMMANDS = ['init', 'check', 'doctor', 'listen', 'trigger', 'backup', 'restore', 'version'];

it('payment-proxy version prints the version, and needs no configuration', async (t) => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  for (const name of ['version', '--version']) {
    assert.deepEqual(await runCommand(t, [name]), { code: 0, out: `${version}\n`, err: '' });
  }
});

it('an older Node reads which one is needed, in a line of the log or as a command says it', async (t) => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
  const needed = `payment-proxy needs Node ${engines.node.replace('>=', '')} or newer; this is 20.20.2`;
  const older = `Object.defineProperty(process, 'versions', { value: { node: '20.20.2' } })`;
  const preload = `data:text/javascript,${encodeURIComponent(older)}`;
  const started = await runCommand(t, [], {}, { preload });
  assert.deepEqual([started.code, started.err], [1, '']);
  assert.equal((JSON.parse(started.out) as { error: string }).error, needed);
  assert.deepEqual(await runCommand(t, ['check'], {}, { preload }), { code: 1, out: '', err: `${needed}\n` });
});

it('a command whose output is closed early prints no stack, does its work and keeps its exit code', async (t) => {
  for (const args of [['check'], ['doctor', 'http://127.0.0.1:1']]) {
    const ended = await runCommand(t, args, {}, { unread: true });
    assert.deepEqual(ended, { code: 1, out: '', err: '' }, args[0]);
  }
});

it('payment-proxy help lists every command, and COMMAND --help its usage alone', async (t) => {
  const { code, out } = await runCommand(t, ['help']);
  assert.equal(code, 0);
  const named = [...out.matchAll(/^ {2}payment-proxy (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(named, COMMANDS);
  const own = await runHere(['backup', '--help']);
  assert.deepEqual([own.code, own.out.split('\n')[1]], [0, '  payment-proxy backup FILE']);
});

it('payment-proxy refuses an unknown command, option or missing argument with its usage and exit code 2', async (t) => {
  const asProcess = await runCommand(t, ['chekc']);
  assert.deepEqual([asProcess.code, asProcess.out], [2, '']);
  for (const [args, says] of [
    [['chekc'], 'there is no command "chekc"'],
    [['check', '--jsno'], "Unknown option '--jsno'"],
    [['backup'], 'name one file'],
    [['doctor', 'http://shop.example'], 'https, or http on loopback'],
    [['trigger', 'payment.paid', '--to', 'http://127.0.0.1:1/'], 'TYPE is one of payment.succeeded'],
    [['trigger', 'payment.failed', '--to', 'https://shop.example/'], 'a URL on this machine'],
  ] as const) {
    const { code, out, err } = await runHere(args);
    assert.deepEqual([code, out], [2, ''], args.join(' '));
    assert.ok(err.includes(says) && err.includes('Usage:'), err);
  }
});
