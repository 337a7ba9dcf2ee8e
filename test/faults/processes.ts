// Real processes: started, known to be ready by their own word, killed by their id. Ready is what the process itself has
// printed, never what answers on a port, where the one just killed might still be heard. Each is tied to this process by a
// channel whose closing kills it, so that nothing outlives a test, however the test ended.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { secretEnvironment } from './canary-secrets.ts';

const READY_WITHIN_MS = 60_000;
const MOST_OUTPUT = 64 * 1024 * 1024;

/** Run inside the child before its own code: says its id (under strace the spawned id is another's), and ties it. */
const TIE = `data:text/javascript,${encodeURIComponent(
  "process.once('disconnect', () => process.kill(process.pid, 'SIGKILL')); process.channel?.unref(); process.send?.({ pid: process.pid });",
)}`;

export interface ProgramSettings {
  file: string;
  env: Record<string, string>;
  /** A program with its arguments that runs this one, as strace does. */
  under?: readonly string[];
  /** Loaded before it, beside this file. */
  preload?: string;
  /** What of a printed line says that it is ready: its address, or another word. */
  readyBy?: RegExp;
}

export interface Running {
  pid: number;
  /** What `readyBy` caught. */
  url: string;
  /** From spawn to ready. */
  readyMs: number;
  /** Of it, processor time: what stays true where others use the machine as well; 0 where the system does not say. */
  readyCpuMs: number;
  /** To its preload. */
  send(message: object): void;
  /** All it has printed. */
  output(): string;
  hasEnded(): boolean;
  /** Resolves with its signal or exit code. */
  ended: Promise<string>;
  kill9(): Promise<void>;
  /** SIGTERM, and SIGKILL where it does not go within 10 s. */
  end(): Promise<void>;
}

/** Throws, with its last words, where it ends before it is ready. */
export async function startProgram(settings: ProgramSettings): Promise<Running> {
  const { file, env, under = [], preload, readyBy = /listening.*?"(http:\/\/[^"]+)"/ } = settings;
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
  const listener = listen(child, readyBy);
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
      // It has just gone by itself.
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
    // In hundredths of a second; the name in front may hold spaces, but no closing parenthesis.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return 0;
  }
}

function listen(child: ChildProcess, readyBy: RegExp): { ready: Promise<string>; output: () => string } {
  let output = '';
  const ready = new Promise<string>((resolve) => {
    const readUntilReady = (text: string) => {
      if (output.length < MOST_OUTPUT) output += text;
      const match = readyBy.exec(output);
      if (match === null) return;
      resolve(match[1] ?? '');
      onText = (more) => {
        if (output.length < MOST_OUTPUT) output += more;
      };
    };
    let onText = readUntilReady;
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => onText(text));
  });
  return { ready, output: () => output };
}

export interface ProxySettings {
  databaseUrl: string;
  gatewayUrl: string;
  webhookUrl?: string | undefined;
  /** 0: a free one. */
  port?: number;
  env?: Record<string, string>;
  under?: readonly string[];
  preload?: string;
}

export const SHOP_ORIGIN = 'https://shop.example';

/** The proxy as an operator runs it: its own main.ts, configured by its environment alone. */
export function startProxy(settings: ProxySettings): Promise<Running> {
  const { databaseUrl, gatewayUrl, webhookUrl, port = 0, env, under, preload } = settings;
  const { WEBHOOK_SECRET, ...secrets } = secretEnvironment();
  return startProgram({
    file: '../../backend-proxy/main.ts',
    env: {
      ...secrets,
      GATEWAY_URL: gatewayUrl,
      DATABASE_URL: databaseUrl,
      ALLOWED_ORIGINS: SHOP_ORIGIN,
      PORT: String(port),
      ...(webhookUrl !== undefined && WEBHOOK_SECRET !== undefined && { WEBHOOK_URL: webhookUrl, WEBHOOK_SECRET }),
      ...env,
    },
    ...(under && { under }),
    ...(preload !== undefined && { preload }),
  });
}
