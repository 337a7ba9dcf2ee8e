// Starts real processes, waits until their output says that they are ready, and kills them by pid. Readiness is read
// from the output and not from the port, where a process killed just before might still answer. An IPC channel whose
// closing kills the child ties it to this process, so that nothing outlives a test.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { listeningUrl } from '../listening.ts';
import { secretEnvironment } from './canary-secrets.ts';

/** In `npm test` as it is published, because that starts in a third of the processor time. */
const PROXY = process.env['BUILT_PROXY'] === undefined ? '../../backend-proxy/main.ts' : '../../dist/proxy/lib/main.js';
const READY_WITHIN_MS = 60_000;
const MAX_OUTPUT = 64 * 1024 * 1024;

/**
 * Runs in the child before its own code: sends its pid (under strace the spawned pid is strace's) and ties it to this
 * process.
 */
const TIE = `data:text/javascript,${encodeURIComponent(
  "process.once('disconnect', () => process.kill(process.pid, 'SIGKILL')); process.channel?.unref(); process.send?.({ pid: process.pid });",
)}`;

export interface ProgramSettings {
  file: string;
  env: Record<string, string>;
  /** A program with its arguments that runs this one, such as strace. */
  under?: readonly string[];
  /** A module in this folder that is loaded first. */
  preload?: string;
}

export interface Running {
  pid: number;
  url: string;
  /** From spawn to ready. */
  readyMs: number;
  /** Processor time until ready, which does not depend on other load; 0 if the system does not report it. */
  readyCpuMs: number;
  /** Sends a message to its preload module. */
  send(message: object): void;
  /** All its output so far. */
  output(): string;
  hasEnded(): boolean;
  /** Resolves with its signal or exit code. */
  ended: Promise<string>;
  kill9(): Promise<void>;
  /** SIGTERM, then SIGKILL after 10 s. */
  end(): Promise<void>;
}

/** @throws with its last output if it ends before it is ready */
export async function startProgram(settings: ProgramSettings): Promise<Running> {
  const { file, env, under = [], preload } = settings;
  const startedAt = performance.now();
  const [program, ...args] = [
    ...under,
    process.execPath,
    '--import',
    TIE,
    ...(preload === undefined ? [] : ['--import', new URL(preload, import.meta.url).href]),
    fileURLToPath(new URL(file, import.meta.url)),
  ];
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  child.channel?.unref();
  const pid = new Promise<number>((resolve) =>
    child.once('message', (message) => resolve((message as { pid: number }).pid)),
  );
  const listener = listen(child);
  const ended = once(child, 'close').then(([code, signal]) => String(signal ?? code));
  const killer = setTimeout(() => child.kill('SIGKILL'), READY_WITHIN_MS);
  const how = await Promise.race([listener.ready, ended.then((as) => ({ as }))]);
  clearTimeout(killer);
  if (typeof how !== 'string')
    throw new Error(`${file} ended (${how.as}) before it was ready:\n${listener.output().slice(-2000)}`);
  const readyMs = performance.now() - startedAt;
  const id = await pid;
  const send = (message: object) => void child.send(message);
  return { ...running(id, how, listener.output, ended), send, readyMs, readyCpuMs: cpuMsOf(id) };
}

function running(pid: number, url: string, output: () => string, ended: Promise<string>) {
  let over = false;
  void ended.finally(() => (over = true));
  const signal = (name: NodeJS.Signals) => {
    try {
      if (!over) process.kill(pid, name);
    } catch {
      // The process has ended meanwhile.
    }
  };
  return {
    pid,
    url,
    output,
    hasEnded: () => over,
    ended,
    async kill9() {
      signal('SIGKILL');
      await ended;
    },
    async end() {
      signal('SIGTERM');
      const killer = setTimeout(() => signal('SIGKILL'), 10_000);
      await ended;
      clearTimeout(killer);
    },
  };
}

function cpuMsOf(pid: number): number {
  try {
    // In hundredths of a second. The name before them may contain spaces, but no closing parenthesis.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return 0;
  }
}

/** Ready by its standard output alone: what Node writes to the other stream may begin in the middle of a line. */
function listen(child: ChildProcess): { ready: Promise<string>; output: () => string } {
  let output = '';
  let unread: string | undefined = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < MAX_OUTPUT) output += text;
    });
  }
  const ready = new Promise<string>((resolve) => {
    child.stdout?.on('data', (text: string) => {
      if (unread === undefined) return;
      unread += text;
      const url = listeningUrl(unread);
      if (url === undefined) return;
      unread = undefined;
      resolve(url);
    });
  });
  return { ready, output: () => output };
}

export interface ProxySettings {
  /** Another program than this version's proxy. */
  file?: string;
  databaseUrl: string;
  gatewayUrl: string;
  webhookUrl?: string | undefined;
  /** 0: any free port. */
  port?: number;
  env?: Record<string, string>;
  under?: readonly string[];
  preload?: string;
}

export const SHOP_ORIGIN = 'https://shop.example';

/** The proxy as an operator runs it: its own main.ts, configured by its environment alone. */
export function startProxy(settings: ProxySettings): Promise<Running> {
  const { databaseUrl, gatewayUrl, webhookUrl, port = 0, env, under, preload } = settings;
  const { file = PROXY } = settings;
  const { WEBHOOK_SECRET, ...secrets } = secretEnvironment();
  return startProgram({
    file,
    env: {
      ...secrets,
      GATEWAY_URL: gatewayUrl,
      DATABASE_URL: databaseUrl,
      ALLOWED_ORIGINS: SHOP_ORIGIN,
      PORT: String(port),
      DRAIN_SECONDS: '0',
      ...(webhookUrl !== undefined && WEBHOOK_SECRET !== undefined && { WEBHOOK_URL: webhookUrl, WEBHOOK_SECRET }),
      ...env,
    },
    ...(under && { under }),
    ...(preload !== undefined && { preload }),
  });
}
