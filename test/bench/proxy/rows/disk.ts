// What a slower disk costs: payments a second and the delay of a start with 0 and 2 ms more for each fsync, by a small
// library that is preloaded into the server. It is compiled here, so the row needs a C compiler.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spread, table } from '../../table.ts';
import { atMost, figures, ratios, type Measured } from '../findings.ts';
import type { Lab } from '../lab.ts';

const ROUNDS_AT_MOST = 3;
const SUBJECTS = (['grouped', 'each', 'proxy'] as const).flatMap((server) =>
  [0, 2].map((ms) => ({ server, ms, name: `${server}, ${ms} ms` })),
);

export async function measureDisk(lab: Lab): Promise<Measured> {
  const library = compile(lab.folder);
  if (library === undefined) return { text: 'Skipped: no C compiler (apt-get install gcc libc6-dev)', findings: [] };
  const subjects = SUBJECTS.filter(({ ms }) => ms > 0 || lab.options.size !== 'smoke');
  const names = subjects.map(({ name }) => name);
  const measured = await lab.inTurns(names, lab.roundsAtMost(ROUNDS_AT_MOST), async (subject) => {
    const { server: kind = 'proxy', ms = 0 } = subjects.find(({ name }) => name === subject) ?? {};
    const server = await lab.start(kind, { env: { LD_PRELOAD: library, SLOW_FSYNC_MS: `${ms}` } });
    const { perSecond } = await lab.rate(server, 'start', { connections: 32 });
    const { p50Ms } = await lab.rate(server, 'start', { connections: 64, perSecond: 50, isWarm: true });
    await server.end();
    return { perSecond, p50Ms };
  });
  const rows = names.map((name) => [
    name,
    spread(figures(measured[name], 'perSecond')),
    spread(figures(measured[name], 'p50Ms'), 2),
  ]);
  const delays = ratios(figures(measured['proxy, 2 ms'], 'p50Ms'), figures(measured['grouped, 2 ms'], 'p50Ms'));
  return {
    text: table(['fsync, ms more', 'payments a second', 'start at 50/s, p50 ms'], rows),
    findings: [atMost('start, p50 at 50/s, fsync + 2 ms / (Hono + 2 commits + gateway call)', 1.3, delays)],
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
