// `npm run bench -- proxy`: the proxy beside its skeleton (skeleton.ts), in turns, over loopback and the local disk.
// Prints medians with the least and the most, and the ratio of both in each round. No time makes it fail; a wrong
// answer does, and so does a database that lacks what was answered.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { Child } from '../../../demo/child.ts';
import { buildWidgetIfStale } from '../../../demo/widget-build.ts';
import { listeningUrl } from '../../listening.ts';
import { median, number, spread, table } from '../table.ts';
import { gateway, IPN_SECRET, openGateway, openStreams, ORDER_SECRET, send, SHOP, type Run } from './load.ts';

/** Heartbeats pass, and what was needed only to open a stream is freed. */
const STREAMS_STAY_MS = 16_000;
const START_WITHIN_MS = 60_000;
/** The unit in which Linux counts processor time for programs. */
const TICKS_PER_S = 100;

const ENVIRONMENT = {
  GATEWAY_API_KEY: 'bench',
  ORDER_SECRET,
  IPN_SECRET,
  MERCHANT_API_KEY: 'a-merchant-key-for-the-benchmark-only',
  ALLOWED_ORIGINS: SHOP,
  PORT: '0',
  DRAIN_SECONDS: '0',
};
const FILES = { skeleton: 'skeleton.ts', proxy: '../../../backend-proxy/main.ts' };
type Name = keyof typeof FILES;

function pin(pid: number, cpu: number): void {
  const canPin = process.platform === 'linux' && availableParallelism() > 1;
  if (canPin) execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(cpu), String(pid)]);
}

async function startServer(name: Name, env: Record<string, string>): Promise<{ server: Child; url: string }> {
  let url: string | undefined;
  const server = new Child({
    name,
    file: fileURLToPath(new URL(FILES[name], import.meta.url)),
    env: { ...ENVIRONMENT, ...env },
    isReady: () => url !== undefined,
    readyWithinMs: START_WITHIN_MS,
    onLine: (line) => (url ??= listeningUrl(line)),
    onExit: (message) => assert.fail(message),
  });
  await server.ready();
  pin(server.pid, 0);
  return { server, url: url ?? '' };
}

/** User and system time of all its threads; fields 14 and 15 of proc(5). NaN on systems other than Linux. */
function cpuSecondsOf({ pid }: Child): number {
  if (process.platform !== 'linux') return NaN;
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
}

function kilobytesOf({ pid }: Child): number {
  if (process.platform !== 'linux') return NaN;
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]);
}

/** What one server did in one round. */
type Figures = Record<string, number>;

async function measure(name: Name, count: number, env: Record<string, string>, path: string): Promise<Figures> {
  const { server, url } = await startServer(name, { ...env, DATABASE_URL: `file:${path}` });
  const streams = Math.ceil(count / 3);
  const sendAll = async (run: Pick<Run, 'kind' | 'prefix' | 'connections'>, of = count) => {
    const from = cpuSecondsOf(server);
    const sent = await send({ url, count: of, ...run });
    return { ...sent, cpuMicroseconds: ((cpuSecondsOf(server) - from) / of) * 1_000_000 };
  };
  await sendAll({ kind: 'start', prefix: 'warm', connections: 16 });
  const single = await sendAll({ kind: 'start', prefix: 'single', connections: 1 }, streams);
  const starts = await sendAll({ kind: 'start', prefix: 'fast', connections: 32 });
  const ipns = await sendAll({ kind: 'ipn', prefix: 'other', connections: 64 });
  const before = kilobytesOf(server);
  const close = await openStreams(url, 'fast', streams);
  await new Promise((resolve) => setTimeout(resolve, count > 100 ? STREAMS_STAY_MS : 0));
  const memory = (kilobytesOf(server) - before) / streams;
  await close();
  await server.end();
  const database = new DatabaseSync(path, { readOnly: true });
  const stored = database.prepare('select (select count(*) from transactions) as t, (select count(*) from ipns) as i');
  const answered = { t: 2 * count + streams, i: count };
  assert.deepEqual({ ...stored.get() }, answered, `${name} stored what it answered with success`);
  database.close();
  return {
    'a start, one at a time, p50 ms': single.p50Ms,
    'starts/s': starts.perSecond,
    'IPNs/s': ipns.perSecond,
    'CPU of a start, µs': starts.cpuMicroseconds,
    'CPU of an IPN, µs': ipns.cpuMicroseconds,
    'memory of a stream, kB': memory,
  };
}

/** The table of all rounds. Each round begins with the other server. `count`: requests of each kind. */
export async function benchProxy(rounds: number, count: number): Promise<string> {
  await buildWidgetIfStale();
  const folder = mkdtempSync(join(tmpdir(), 'bench-proxy-'));
  const env = { GATEWAY_URL: await openGateway() };
  if (count > 100) pin(process.pid, 1);
  const measured: Record<Name, Figures[]> = { skeleton: [], proxy: [] };
  try {
    for (let round = 0; round < rounds; round++) {
      const turn: Name[] = round % 2 === 0 ? ['skeleton', 'proxy'] : ['proxy', 'skeleton'];
      for (const name of turn)
        measured[name][round] = await measure(name, count, env, join(folder, `${name}-${round}.db`));
    }
  } finally {
    gateway.close();
    rmSync(folder, { recursive: true, force: true });
  }
  const rows = Object.keys(measured.proxy[0] ?? {}).map((figure) => {
    const of = (name: Name) => measured[name].map((each) => each[figure] ?? NaN);
    const ratios = of('proxy').map((value, round) => value / (of('skeleton')[round] ?? NaN));
    return [figure, spread(of('proxy'), 1), spread(of('skeleton'), 1), `${number(median(ratios), 2)} ×`];
  });
  return table([`${rounds} rounds, median (least–most)`, 'proxy', 'skeleton', 'ratio'], rows);
}
