// Kills the process at every step of a commit: strace lets it run to its nth write or fsync of the database's files and
// sends SIGKILL there, from the creation of the tables to the last webhook. If the power fails as well, unsynced bytes
// are cut off or replaced by garbage. The database must then be whole, in the state after the last acknowledged step or
// the next one, and the remaining steps must lead to the same end as in an undisturbed run. strace rather than hooks,
// so that the tested code is the code that runs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, open as openFile, readFile, rm, stat } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openScripted, STEPS } from './ledger-script.ts';
import type { Random } from './random.ts';
import { isLong, size, faultTest } from './fault-test.ts';

const KILLS = size(14, Infinity);
const CALLS = ['pwrite64', 'fsync', 'fdatasync', 'ftruncate', 'unlink'] as const;
const FILES = ['', '-wal', '-journal'];
const WITHIN_MS = 60_000;

faultTest(
  'A kill at any write or fsync of a commit, with or without a power cut: the database is whole and the work continues',
  { withinMs: size(300_000, 3_600_000), needs: ['strace'] },
  async (t) => {
    const dir = await mkdtemp(join(tmpdir(), 'commit-kill-'));
    t.defer(() => rm(dir, { recursive: true, force: true }));
    const reference = await referenceDumps(join(dir, 'reference.db'));
    const points = await killPoints(join(dir, 'whole'));
    const chosen = isLong ? points : t.random.shuffled(points).slice(0, KILLS);
    const problems: string[] = [];
    const counts = { points: points.length, killed: 0, powerCuts: 0, bytesCut: 0, steps: STEPS.length };
    for (const [n, point] of chosen.entries()) {
      for (const cutsPower of isLong ? [false, true] : [n % 2 === 1]) {
        const folder = join(dir, `${n}-${cutsPower}`);
        const { done, wasKilled } = await runTraced(folder, point);
        if (!wasKilled) throw new Error(`${point.call} ${point.n} killed nothing`);
        counts.killed += 1;
        if (cutsPower) {
          counts.powerCuts += 1;
          counts.bytesCut += await cutPower(folder, t.random);
        }
        const what = `${point.call} ${point.n}${cutsPower ? ' with a power cut' : ''}`;
        problems.push(...(await inspect(folder, done, reference)).map((problem) => `${what}: ${problem}`));
        await rm(folder, { recursive: true });
      }
    }
    return { problems: { lost: problems }, counts };
  },
);

type Call = (typeof CALLS)[number];
interface Point {
  call: Call;
  n: number;
}

/** The database before the first step and after each one, from an undisturbed run. */
async function referenceDumps(path: string): Promise<string[]> {
  const scripted = await openScripted(`file:${path}`);
  const dumps = [dump(path)];
  for (const step of STEPS.keys()) {
    await scripted.run(step);
    dumps.push(dump(path));
  }
  await scripted.close();
  return dumps;
}

/** Every call on the database's files in a whole run, counted per kind as strace counts. */
async function killPoints(folder: string): Promise<Point[]> {
  const { done, log } = await runTraced(folder, undefined);
  if (done !== STEPS.length) throw new Error(`The script stopped after ${done} steps`);
  return CALLS.flatMap((call) => {
    const times = log.filter((line) => line.includes(` ${call}(`)).length;
    return Array.from({ length: times }, (_, n) => ({ call, n: n + 1 }));
  });
}

/** `done`: the number of acknowledged steps; -1 if the process had not opened the database. */
async function runTraced(folder: string, point: Point | undefined) {
  await mkdir(folder);
  const logPath = join(folder, 'strace.log');
  const files = FILES.flatMap((suffix) => ['-P', join(folder, `payments.db${suffix}`)]);
  const kill = point ? ['-e', `inject=${point.call}:signal=KILL:when=${point.n}`] : [];
  const program = fileURLToPath(new URL('ledger-program.ts', import.meta.url));
  const child = spawn(
    'strace',
    [
      '-f',
      '-y',
      '-s',
      '0',
      '-o',
      logPath,
      ...files,
      '-e',
      `trace=${CALLS.join(',')}`,
      ...kill,
      process.execPath,
      program,
    ],
    {
      env: { PATH: process.env['PATH'] ?? '', DATABASE_URL: `file:${join(folder, 'payments.db')}` },
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: WITHIN_MS,
      killSignal: 'SIGKILL',
    },
  );
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [, signal] = (await once(child, 'close')) as [number | null, string | null];
  const done = output.includes('opened') ? output.split('\n').filter((line) => line.startsWith('done')).length : -1;
  const log = (await readFile(logPath, 'utf8')).split('\n');
  return { done, wasKilled: signal === 'SIGKILL', log };
}

/** Removes all or part of the unsynced bytes from the write-ahead log, and puts garbage at the end of the rest. */
async function cutPower(folder: string, random: Random): Promise<number> {
  const path = join(folder, 'payments.db-wal');
  const length = await stat(path).then(
    ({ size: bytes }) => bytes,
    () => 0,
  );
  const synced = syncedLength((await readFile(join(folder, 'strace.log'), 'utf8')).split('\n'));
  await rm(path.replace('-wal', '-shm'), { force: true });
  if (length <= synced) return 0;
  const kept = random.between(synced, length);
  const file = await openFile(path, 'r+');
  await file.truncate(kept);
  if (kept > synced) await file.write(random.bytes(1), 0, 1, random.between(synced, kept - 1));
  await file.close();
  return length - kept;
}

function syncedLength(log: readonly string[]): number {
  let written = 0;
  let synced = 0;
  for (const line of log.filter((entry) => entry.includes('-wal>'))) {
    const write = /pwrite64\(.*, (\d+), (\d+)\) = \d+$/.exec(line);
    if (write) written = Math.max(written, Number(write[1]) + Number(write[2]));
    if (/f(data)?sync\(.*\) += 0$/.test(line)) synced = written;
  }
  return synced;
}

async function inspect(folder: string, done: number, reference: readonly string[]): Promise<string[]> {
  const path = join(folder, 'payments.db');
  const scripted = await openScripted(`file:${path}`);
  try {
    const found = dump(path);
    const allowed = [reference[Math.max(done, 0)], reference[done + 1]];
    if (!allowed.includes(found))
      return [`after ${done} acknowledged steps the database is in the state after ${reference.indexOf(found)} steps`];
    for (let step = Math.max(done, 0); step < STEPS.length; step += 1) await scripted.run(step);
    return dump(path) === reference.at(-1) ? [] : [`continuing from step ${done} led to another end: ${dump(path)}`];
  } finally {
    await scripted.close();
  }
}

/** All rows of all tables, except the random ids of webhooks, and how often an IPN came and its newest number. */
function dump(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = ['orders', 'transactions', 'history', 'ipns', 'webhooks'];
    const ignored: Partial<Record<string, object>> = { webhooks: { id: '' }, ipns: { n: 0 } };
    const rows = tables.map((table) => {
      const all = database.prepare(`select * from ${table}`).all();
      return all.map((row) => JSON.stringify({ ...row, seen: 0, ipns_received: 0, ...ignored[table] })).toSorted();
    });
    const [check] = database.prepare('pragma integrity_check').all();
    return JSON.stringify([check, ...rows]);
  } finally {
    database.close();
  }
}
