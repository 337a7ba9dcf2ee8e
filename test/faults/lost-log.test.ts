// The log cannot be written: its disk is full, or its reader is gone. Lines are dropped and counted, but requests are
// not: the process answers, logs the number of lost lines as soon as it can write again, and stops on SIGTERM.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listeningUrl } from '../listening.ts';
import { SHOP_ORIGIN } from './processes.ts';
import { secretEnvironment } from './canary-secrets.ts';
import { fill, mountSmall, whyNoMount } from './small-disk.ts';
import { faultTest, until, type FaultTest } from './fault-test.ts';

const MAIN = fileURLToPath(new URL('../../backend-proxy/main.ts', import.meta.url));
const ASKED = 300;
const DISK_KB = 256;
/** Well below the drain's limit of 35 s. */
const ENDS_WITHIN_MS = 10_000;
const MAX_ENDING_MS = 30_000;

function start({ defer }: FaultTest, dir: string, stdout: number | 'pipe') {
  const { WEBHOOK_SECRET: _none, ...secrets } = secretEnvironment();
  const env = {
    ...secrets,
    GATEWAY_URL: 'http://127.0.0.1:9',
    ALLOWED_ORIGINS: SHOP_ORIGIN,
    DATABASE_URL: `file:${join(dir, 'payments.db')}`,
    PORT: '0',
    DRAIN_SECONDS: '0',
  };
  const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', stdout, 'inherit'] });
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  defer(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, ended };
}

function newFolder({ defer }: FaultTest): string {
  const dir = mkdtempSync(join(tmpdir(), 'payment-log-'));
  defer(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** Each request writes one line to the log; those about health would not. */
async function ask(url: string, problems: string[]): Promise<void> {
  for (let n = 0; n < ASKED; n += 1) {
    const { status } = await fetch(`${url}/order`, { signal: AbortSignal.timeout(5_000) }).catch(() => ({
      status: 0,
    }));
    if (status !== 401) problems.push(`asked ${n}: ${status}`);
  }
}

async function end({ child, ended }: ReturnType<typeof start>, problems: string[]): Promise<number> {
  const startedAt = performance.now();
  const killer = setTimeout(() => child.kill('SIGKILL'), MAX_ENDING_MS);
  child.kill('SIGTERM');
  const [code, signal] = await ended;
  clearTimeout(killer);
  const tookMs = Math.round(performance.now() - startedAt);
  if (code !== 0 || tookMs > ENDS_WITHIN_MS) problems.push(`it ended with ${signal ?? code} after ${tookMs} ms`);
  return tookMs;
}

faultTest(
  'A full disk under the log: lines are dropped and counted, requests are answered, and SIGTERM ends the proxy',
  { withinMs: 120_000, needs: ['root', 'linux'], impossible: whyNoMount },
  async (t) => {
    const dir = newFolder(t);
    const disk = mountSmall(t, dir, DISK_KB);
    const path = join(disk, 'log');
    const log = () => readFileSync(path, 'utf8');
    const proxy = start(t, dir, openSync(path, 'a'));
    await until('it listens', () => listeningUrl(log()) !== undefined);
    const url = listeningUrl(log()) ?? '';
    const problems: string[] = [];
    await ask(url, problems);

    const ballast = join(disk, 'ballast');
    fill(disk, ballast, 0);
    // This also fills the log's last page; the line that crosses its end is cut.
    await ask(url, problems);
    rmSync(ballast);
    await ask(url, problems);

    const logged = () => {
      const events = log()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as { event: string; lines?: number });
      const lost = events.filter(({ event }) => event === 'log lines were lost');
      return { lost, written: events.filter(({ event }) => event === 'request').length };
    };
    // A line is written at the end of the turn in which its request is answered, so the last one may come after it.
    await until('the last line is written', () => logged().written + (logged().lost[0]?.lines ?? 0) >= 3 * ASKED);
    const { lost, written } = logged();
    if (lost.length !== 1) problems.push(`it logged ${lost.length} times that lines were lost`);
    if (written + (lost[0]?.lines ?? 0) !== 3 * ASKED) problems.push(`${written} written, ${lost[0]?.lines} lost`);

    fill(disk, ballast, 0);
    await ask(url, problems);
    const endedMs = await end(proxy, problems);
    return { problems: { crashed: problems }, counts: { asked: 4 * ASKED, lost: lost[0]?.lines ?? 0, endedMs } };
  },
);

faultTest(
  'A log whose reader is gone: requests are answered, and SIGTERM ends the proxy',
  { withinMs: 120_000 },
  async (t) => {
    const proxy = start(t, newFolder(t), 'pipe');
    let log = '';
    proxy.child.stdout?.setEncoding('utf8').on('data', (text: string) => (log += text));
    await until('it listens', () => listeningUrl(log) !== undefined);
    proxy.child.stdout?.destroy();
    const problems: string[] = [];
    await ask(listeningUrl(log) ?? '', problems);
    const endedMs = await end(proxy, problems);
    return { problems: { crashed: problems }, counts: { asked: ASKED, endedMs } };
  },
);
