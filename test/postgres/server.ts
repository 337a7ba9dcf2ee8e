// A real PostgreSQL for tests: a server in a temporary folder, on loopback only, with fsync on, because tests check
// what survives. A pipe ties it to this process: it ends when the pipe closes, so it cannot outlive a test.
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { freePort } from '../free-port.ts';
import { OTHER_USER, findBinaries } from './binaries.ts';
import { TIED } from '../tied.ts';

const CACHE = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url));
const READY_WITHIN_MS = 60_000;
const MAX_PORTS_TRIED = 5;
const READY = /ready to accept (read[- ]only )?connections/;

export interface PostgresServer {
  urlOf(database: string): string;
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  /** Like a crash: connections are cut without cleanup. The port refuses connections until `start`. */
  stop(): Promise<void>;
  /** Like a power cut: SIGKILL. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Stops the server and removes its folder. */
  end(): Promise<void>;
}

/** Why PostgreSQL cannot run on this machine, or undefined. */
export function whyNoPostgres(): string | undefined {
  const found = findBinaries();
  return 'detail' in found ? found.detail : undefined;
}

/** A data folder in a temporary folder of its own, before its server's first start. */
export function createDataFolder(): string {
  return copyDataFolder(keptDataFolder());
}

/** Another temporary folder with the same data; `data` belongs to a server that does not run. */
export function copyDataFolder(data: string): string {
  const copy = newPath();
  execFileSync('cp', ['-R', data, copy], { stdio: 'pipe' });
  const { uid, gid } = OTHER_USER;
  if (uid !== undefined) execFileSync('chown', ['-R', `${uid}:${gid}`, copy], { stdio: 'pipe' });
  return copy;
}

/** The data folder that all others are copies of. It is kept, because making one takes two seconds of a processor. */
function keptDataFolder(): string {
  const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  const version = execFileSync(program('initdb'), ['--version'], { ...OTHER_USER, cwd: '/', encoding: 'utf8' });
  const kept = join(
    CACHE,
    `postgres-${createHash('sha256')
      .update([version, ...options].join())
      .digest('hex')}`,
  );
  if (existsSync(kept)) return kept;
  const data = newPath();
  execFileSync(program('initdb'), ['-D', data, ...options], { ...OTHER_USER, cwd: dirname(data), stdio: 'pipe' });
  const whole = `${kept}-${process.pid}`;
  mkdirSync(CACHE, { recursive: true });
  execFileSync('cp', ['-R', data, whole], { stdio: 'pipe' });
  rmSync(dirname(data), { recursive: true });
  try {
    renameSync(whole, kept);
  } catch {
    // Another process has made one meanwhile.
    rmSync(whole, { recursive: true });
  }
  return kept;
}

function newPath(): string {
  const dir = mkdtempSync(join(tmpdir(), 'payment-postgres-'));
  if (OTHER_USER.uid !== undefined) chownSync(dir, OTHER_USER.uid, OTHER_USER.gid);
  return join(dir, 'data');
}

export async function startPostgres({
  data = createDataFolder(),
  settings = {},
}: { data?: string; settings?: Record<string, string> } = {}): Promise<PostgresServer> {
  let { child, port } = await runOnFreePort(data, settings);
  let databases = 0;
  const urlOf = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;

  async function stop(signal: 'QUIT' | 'KILL' = 'QUIT'): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.stdin?.end(`${signal}\n`);
    await closed;
  }

  return {
    urlOf,
    async createDatabase() {
      const name = `test_${(databases += 1)}`;
      const client = new Client({ connectionString: urlOf('postgres') });
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      return urlOf(name);
    },
    stop: () => stop(),
    async kill() {
      const memory = sharedMemoryOf(data);
      await stop('KILL');
      // A killed server leaves its segment behind, and the system's number of segments is limited.
      spawnSync('ipcrm', ['-m', memory], { ...OTHER_USER, cwd: '/' });
    },
    async start() {
      child = await run(data, port, settings);
    },
    async end() {
      await stop();
      rmSync(dirname(data), { recursive: true, force: true });
    },
  };
}

/** The id of a running server's System V segment: the second word of the line that has its key and its id. */
function sharedMemoryOf(data: string): string {
  const line = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[6] ?? '';
  return line.trim().split(/\s+/)[1] ?? '';
}

/** Tries another port if a process takes it between finding and using it. */
async function runOnFreePort(
  data: string,
  settings: Record<string, string>,
): Promise<{ child: ChildProcess; port: number }> {
  for (let tried = 1; ; tried += 1) {
    const port = await freePort();
    try {
      return { child: await run(data, port, settings), port };
    } catch (error) {
      if (tried === MAX_PORTS_TRIED) throw error;
    }
  }
}

/** Resolves when it accepts connections; otherwise throws with its last output. */
async function run(data: string, port: number, more: Record<string, string>): Promise<ChildProcess> {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    fsync: 'on',
    synchronous_commit: 'on',
    logging_collector: 'off',
    ...more,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn('/bin/sh', ['-c', TIED, program('postgres'), '-D', data, ...args], {
    ...OTHER_USER,
    cwd: data,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let output = '';
  const settled = new Promise<'ready' | 'ended'>((resolve) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-10_000);
      if (READY.test(output)) resolve('ready');
      if (output.includes('database system is shut down')) resolve('ended');
    });
    child.once('close', () => resolve('ended'));
  });
  const timeout = setTimeout(() => child.stdin?.end(), READY_WITHIN_MS);
  const how = await settled;
  clearTimeout(timeout);
  if (how === 'ready') return child;
  const closed = child.exitCode === null ? once(child, 'close') : undefined;
  child.stdin?.end();
  await closed;
  throw new Error(`PostgreSQL did not start:\n${output.slice(-2_000)}`);
}

function program(name: 'initdb' | 'postgres'): string {
  const found = findBinaries();
  if ('detail' in found) throw new Error(found.detail);
  return join(found.bin, name);
}
