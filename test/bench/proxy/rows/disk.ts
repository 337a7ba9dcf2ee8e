// What a slower disk costs: payments a second and the delay of a start with 0 and 2 ms more for each fsync, by a small
// library that is preloaded into the server. It is compiled here, so the row needs a C compiler.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spread, table } from '../../table.ts';
import { atMost, ratios, type Measured } from '../findings.ts';
import type { Lab } from '../lab.ts';
import { startFloor, startProxy } from '../servers.ts';

const ROUNDS_AT_MOST = 3;
const SUBJECTS = ['grouped', 'each', 'proxy'].flatMap((name) => [0, 2].map((ms) => `${name}, ${ms} ms`));

export async function measureDisk(lab: Lab): Promise<Measured> {
  const library = compile(lab.folder);
  if (library === undefined) return { text: 'Skipped: no C compiler (apt-get install gcc libc6-dev)', findings: [] };
  const measured = await lab.inTurns(SUBJECTS, lab.roundsAtMost(ROUNDS_AT_MOST), async (subject) => {
    const [name, ms = ''] = subject.split(', ');
    const env = { LD_PRELOAD: library, SLOW_FSYNC_MS: `${Number.parseInt(ms, 10)}` };
    const server =
      name === 'proxy'
        ? await startProxy(lab, { env })
        : await startFloor(name === 'each' ? 'each' : 'grouped', lab, { env });
    const { perSecond } = await lab.rate(server, 'start', { connections: 32 });
    const { p50Ms } = await lab.rate(server, 'start', { connections: 64, perSecond: 50, isWarm: true });
    await server.end();
    return { perSecond, p50Ms };
  });
  const of = (subject: string, figure: 'perSecond' | 'p50Ms') => (measured[subject] ?? []).map((all) => all[figure]);
  const rows = SUBJECTS.map((subject) => [subject, spread(of(subject, 'perSecond')), spread(of(subject, 'p50Ms'), 2)]);
  return {
    text: table(['fsync, ms more', 'payments a second', 'start at 50/s, p50 ms'], rows),
    findings: [
      atMost(
        'start, p50 at 50/s, fsync + 2 ms / (Hono + 2 commits + gateway call)',
        1.3,
        ratios(of('proxy, 2 ms', 'p50Ms'), of('grouped, 2 ms', 'p50Ms')),
      ),
    ],
  };
}

/** The path of the library, or undefined without a compiler. */
function compile(folder: string): string | undefined {
  const library = join(folder, 'slow-fsync.so');
  const source = fileURLToPath(new URL('../slow-fsync.c', import.meta.url));
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'], { stdio: 'pipe' });
    return library;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
