// `payment-sandbox`: a shop's whole test world in one command.
//   payment-sandbox [--webhook-url URL] [--seed N] [--stopped]      prints one JSON line, and stays until it is ended
//   payment-sandbox exec [the same options] -- COMMAND [ARG ...]    sets the variables, runs COMMAND, ends with its code
// Reads none of the environment but NODE_ENV, and whether npm started it. Exit codes: COMMAND's; 2 for a wrong call; 1
// if it cannot start.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { isatty } from 'node:tty';
import { parseArgs } from 'node:util';
import { nodeRefusal } from '../../backend-proxy/installation.ts';
import type { TestWorld as World } from './test-world.ts';

const USAGE = `Usage:
  payment-sandbox [--webhook-url URL] [--seed N] [--stopped]
  payment-sandbox exec [--webhook-url URL] [--seed N] [--stopped] -- COMMAND [ARG ...]`;
const WRONG_CALL = 2;
const PARENT_CHECK_MS = 500;

function fail(message: string, code = 1): never {
  console.error(`payment-sandbox: ${message}`);
  process.exit(code);
}

function refuse(why = ''): never {
  return fail(`${why}\n${USAGE}`, WRONG_CALL);
}

function read(args: string[]) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        'webhook-url': { type: 'string' },
        seed: { type: 'string' },
        stopped: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    return { values, positionals };
  } catch (error) {
    return refuse((error as Error).message.split('. ')[0]);
  }
}

// Before anything is loaded that an older Node does not have.
const tooOld = nodeRefusal('payment-sandbox');
if (tooOld !== undefined) {
  console.error(tooOld);
  process.exit(1);
}
const { TestWorld } = await import('./test-world.ts');

const given = process.argv.slice(2);
const isExec = given[0] === 'exec';
/** Options end at `--`, so that COMMAND keeps its own. */
const end = given.includes('--') ? given.indexOf('--') : given.length;
const command = given.slice(end + 1);
if (isExec && command.length === 0) refuse('put -- before COMMAND');
if (!isExec && command.length > 0) refuse('put exec before the options and COMMAND');
const { values, positionals } = read(given.slice(isExec ? 1 : 0, end));
const { 'webhook-url': webhookUrl, seed, stopped, help } = values;
if (help || positionals[0] === 'help') {
  console.log(USAGE);
  process.exit(0);
}
if (positionals.length > 0) refuse(`unknown: ${positionals.join(' ')}`);
if (seed !== undefined && !/^\d{1,9}$/.test(seed)) fail('--seed: a whole number of at most 9 digits', WRONG_CALL);

const world = await TestWorld.open({
  webhookUrl,
  clock: stopped ? 'stopped' : 'real',
  ...(seed !== undefined && { seed: Number(seed) }),
}).catch((error: Error) => fail(error.message, error instanceof RangeError ? WRONG_CALL : 1));

/** Ends the world, then the process, once. */
let isEnding = false;
async function finish(code: number): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  await world.close();
  process.exit(code);
}

function run({ env }: World, [program = '', ...args]: string[]): void {
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  child.once('error', (error: NodeJS.ErrnoException) => {
    console.error(`payment-sandbox: ${program}: ${error.code === 'ENOENT' ? 'no such command' : error.message}`);
    void finish(error.code === 'ENOENT' ? 127 : 126);
  });
  child.once('exit', (code, signal) => void finish(code ?? 128 + constants.signals[signal ?? 'SIGTERM']));
  // COMMAND gets the signal, and ends us by its own end. Ctrl-C in a terminal reaches it already.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !isatty(0)) child.kill(signal);
    });
}

/** npm passes no signal on: it ends its shell, our parent. */
const parent = process.ppid;
const whenAlone = () => process.ppid !== parent && process.kill(process.pid, 'SIGTERM');
if (process.env['npm_execpath'] !== undefined) setInterval(whenAlone, PARENT_CHECK_MS).unref();

if (isExec) run(world, command);
else {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void finish(0));
  console.log(JSON.stringify({ proxy: world.url, gateway: world.gatewayUrl, env: world.env }));
}
