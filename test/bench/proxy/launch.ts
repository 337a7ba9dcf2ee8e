// Starts a Node process of the benchmark on one processor, and reads what it costs from /proc. A process ends with this
// one, at the latest.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { EXIT_WITH_PARENT, inheritedEnvironment } from '../../../demo/child.ts';
import { listeningUrl } from '../../listening.ts';

/** Servers share the first processor; the load and the gateway have the second. */
export const SERVER_CPU = 0;
export const LOAD_CPU = 1;

const READY_WITHIN_MS = 180_000;
const LOOK_EVERY_MS = 20;
/** Longer than the proxy's own limit. */
const END_WITHIN_MS = 40_000;
/** The unit in which Linux counts processor time for programs. */
const TICKS_PER_S = 100;

export interface Launched {
  child: ChildProcess;
  pid: number;
  cpuSeconds(): number;
  memoryBytes(): number;
  end(): Promise<void>;
}

interface Launch {
  file: URL;
  cpu: number;
  env?: Record<string, string>;
  /** Its output goes to this file. */
  output: string;
  /** Imported before its own code. */
  preload?: readonly URL[];
}

const canPin = process.platform === 'linux' && availableParallelism() > 1 && hasTaskset();

export function launch({ file, cpu, env = {}, output, preload = [] }: Launch): Launched {
  const imports = [EXIT_WITH_PARENT, ...preload.map(({ href }) => href)].flatMap((url) => ['--import', url]);
  const node = [process.execPath, ...imports, fileURLToPath(file)];
  const [command = '', ...parameters] = canPin ? ['taskset', '--cpu-list', String(cpu), ...node] : node;
  const out = openSync(output, 'a');
  const child = spawn(command, parameters, {
    env: { ...inheritedEnvironment(), ...env },
    stdio: ['ignore', out, out, 'ipc'],
    serialization: 'advanced',
  });
  closeSync(out);
  child.channel?.unref();
  return measured(child, child.pid ?? 0);
}

/** What `pid` costs; `end` ends `child`, which may be its parent. */
export function measured(child: ChildProcess, pid: number): Launched {
  return {
    child,
    pid,
    cpuSeconds: () => cpuSecondsOf(pid),
    memoryBytes: () => memoryOf(pid),
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const closed = once(child, 'exit');
      child.kill('SIGTERM');
      const killer = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS);
      await closed;
      clearTimeout(killer);
    },
  };
}

/** Waits for the line that says where it listens. */
export async function portOf({ child }: Launched, output: string): Promise<number> {
  const deadline = performance.now() + READY_WITHIN_MS;
  for (;;) {
    const text = readFileSync(output, 'utf8');
    const url = listeningUrl(text);
    if (url !== undefined) return Number(new URL(url).port);
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    if (hasEnded || performance.now() > deadline) throw new Error(`A server did not start:\n${text.slice(-2_000)}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** User and system time of all its threads; NaN on systems other than Linux. */
function cpuSecondsOf(pid: number): number {
  if (process.platform !== 'linux') return NaN;
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  // proc(5): they are fields 14 and 15; this list begins with field 3.
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
}

/** Its share of the memory that it uses: pages shared with other processes count in part. */
function memoryOf(pid: number): number {
  if (process.platform !== 'linux') return NaN;
  const kilobytes = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
