// Runs a command of package.json as a process group, so that what npm starts ends with it, and keeps what it printed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Only against a hang. */
const LIMIT_MS = 240_000;

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

export interface Settings {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Whether it has printed on its standard output what is waited for; without it the command runs to its end. */
  isReady?: (out: string) => boolean;
  /** Called once it is ready, before it is ended by SIGTERM. */
  whileReady?: (out: string) => Promise<void>;
}

export async function runCommand(command: readonly string[], settings: Settings): Promise<Ended> {
  const { cwd, env, isReady = () => false, whileReady } = settings;
  const [program = '', ...args] = command;
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const end = (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), signal);
  };
  const killer = setTimeout(() => end('SIGKILL'), LIMIT_MS);
  const ready = Promise.withResolvers<void>();
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    if (isReady(out)) ready.resolve();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const closed = once(child, 'close');
  try {
    await Promise.race([ready.promise, closed]);
    if (isReady(out)) await whileReady?.(out);
  } finally {
    if (isReady(out)) end('SIGTERM');
    await closed;
    clearTimeout(killer);
  }
  return { code: child.exitCode, out, err };
}
