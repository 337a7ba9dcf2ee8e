// Runs the commands of the proxy as an operator does: each as a process, with the environment of a proxy that runs
// beside a sandbox gateway.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCommand as runCommandLine } from '../../backend-proxy/commands/command-line.ts';
import { secretEnvironment, SECRETS } from '../faults/canary-secrets.ts';
import { createRunningClock } from '../faults/manual-clock.ts';
import { SHOP_ORIGIN, startProxy, type Running } from '../faults/processes.ts';
import { startGateway, type TestGateway } from '../faults/sandbox-gateway.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const MAIN = fileURLToPath(new URL('../../backend-proxy/main.ts', import.meta.url));
const LIMIT_MS = 60_000;

export interface Ended {
  code: number | null;
  out: string;
  err: string;
}

export interface RunOptions {
  /** A module that is loaded first. */
  preload?: string;
  /** Closes its standard output before it prints anything. */
  unread?: boolean;
  /** Called with each line of its output; `end` sends SIGTERM. */
  onLine?: (line: string, end: () => void) => void;
}

export async function runCommand(
  t: TestContext,
  args: readonly string[],
  env: Record<string, string> = {},
  { preload, onLine, unread }: RunOptions = {},
): Promise<Ended> {
  const first = preload === undefined ? [] : ['--import', preload];
  const child = spawn(process.execPath, [...first, MAIN, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  if (unread === true) child.stdout.destroy();
  const killer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  const ended: Ended = { code: null, out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (ended.out += text));
  createInterface({ input: child.stdout }).on('line', (line) => onLine?.(line, () => child.kill('SIGTERM')));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (ended.err += text));
  [ended.code] = (await once(child, 'close')) as [number | null];
  clearTimeout(killer);
  return ended;
}

/** The same without a process, for what does not depend on one. */
export async function runHere(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const ended: Ended = { code: null, out: '', err: '' };
  ended.code = await runCommandLine([...args], {
    env,
    print: (line) => void (ended.out += `${line}\n`),
    printError: (line) => void (ended.err += `${line}\n`),
  });
  return ended;
}

export interface Installation {
  folder: string;
  databaseFile: string;
  gateway: TestGateway;
  /** The environment of the proxy, for its commands. */
  env: Record<string, string>;
  start(more?: Record<string, string>): Promise<Running>;
  merchant(proxy: Running, path: string, body?: object): Promise<Response>;
}

/** A gateway, and the settings of a proxy that is not started yet. */
export async function install(t: TestContext): Promise<Installation> {
  const folder = temporaryFolder(t);
  const gateway = await startGateway({ clock: createRunningClock() });
  t.after(gateway.close);
  const databaseFile = join(folder, 'payments.db');
  const profile = join(folder, 'profile.json');
  writeFileSync(profile, '{"noSuchOrder": {"field": "code", "value": "UNKNOWN_ORDER"}}');
  const { WEBHOOK_SECRET: _, ...secrets } = secretEnvironment();
  const env = {
    ...secrets,
    GATEWAY_URL: gateway.url,
    GATEWAY_PROFILE: profile,
    ALLOWED_ORIGINS: SHOP_ORIGIN,
    DATABASE_URL: `file:${databaseFile}`,
  };
  return {
    folder,
    databaseFile,
    gateway,
    env,
    async start(more = {}) {
      const settings = { databaseUrl: env.DATABASE_URL, gatewayUrl: gateway.url };
      const proxy = await startProxy({ ...settings, env: { GATEWAY_PROFILE: profile, DRAIN_SECONDS: '0', ...more } });
      t.after(proxy.end);
      await gateway.control('ipn-url', { url: `${proxy.url}/ipn/${SECRETS.ipnSecret}` });
      return proxy;
    },
    merchant: ({ url }, path, body) =>
      fetch(`${url}${path}`, {
        headers: { Authorization: `Bearer ${SECRETS.merchantApiKey}`, 'Content-Type': 'application/json' },
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
      }),
  };
}

/** The lines of a report: `ok database`, each with the rest of its line. */
export function findingsIn({ out }: Ended): { result: string; about: string; says: string }[] {
  return out.split('\n').flatMap((line) => {
    const [, result, subject, says] = /^(ok|warn|FAIL|skipped) +([^:]+): (.*)$/.exec(line) ?? [];
    return result === undefined ? [] : [{ result, about: subject ?? '', says: says ?? '' }];
  });
}

/** What a report says about it, each with its result. */
export function about(ended: Ended, subject: string): string[] {
  return findingsIn(ended).flatMap(({ result, about: named, says }) =>
    named === subject ? [`${result} ${says}`] : [],
  );
}
