// `npm test`: runs every check and test, then prints `N passed, N failed` for all of them. Several parts run at a time:
// while one waits, the others compute. The output of a part is printed when it has ended. A part that could not run
// counts as failed, so that nothing passes by its absence, and so does one that does not end.
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

interface Part {
  name: string;
  command: readonly string[];
  count(output: string, exitCode: number): Counts;
}

/** One check, passed or failed by its exit code. */
function byExitCode(_output: string, exitCode: number): Counts {
  return { passed: exitCode === 0 ? 1 : 0, failed: exitCode === 0 ? 0 : 1, skipped: 0 };
}

/** The totals that node's test runner prints at its end. */
function byNodeTotals(output: string, exitCode: number): Counts {
  const total = (word: string) => Number(new RegExp(`^(?:ℹ|#) ${word} (\\d+)`, 'm').exec(output)?.[1] ?? 0);
  const counts = {
    passed: total('pass'),
    failed: total('fail') + total('cancelled'),
    skipped: total('skipped') + total('todo'),
  };
  return atLeastOneFailure(counts, exitCode);
}

/** The totals of @web/test-runner. */
function byBrowserTotals(output: string, exitCode: number): Counts {
  const total = (word: string) =>
    Number(new RegExp(`(\\d+) ${word}`).exec(output.slice(output.lastIndexOf('Chrom')))?.[1] ?? 0);
  return atLeastOneFailure({ passed: total('passed'), failed: total('failed'), skipped: total('skipped') }, exitCode);
}

function atLeastOneFailure(counts: Counts, exitCode: number): Counts {
  const ranNothing = counts.passed + counts.failed === 0;
  return (exitCode !== 0 || ranNothing) && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

const npm = (script: string) => ['npm', 'run', '--silent', script];

/** Two of a small file, so that they are tried each time: what they find is for a person to read, and fails nothing. */
const MUTATIONS = ['--only', 'protocol/decimals', '--count', '2', '--no-simulator'];
/** The others, except the check, read what it has built. */
const BUILD: Part = { name: 'build', command: npm('build'), count: byExitCode };
const CHECK: Part = { name: 'check', command: npm('check'), count: byExitCode };
/** With two, the two processors are idle for a third of the time. */
const LANES = 3;
/** In the order in which they begin. The short ones are last, so that all lanes end at about the same time. */
const PARTS: readonly Part[] = [
  { name: 'PostgreSQL', command: npm('test:postgres'), count: byNodeTotals },
  { name: 'unit tests', command: npm('test:unit'), count: byNodeTotals },
  { name: 'host pages', command: npm('test:hosts'), count: byNodeTotals },
  { name: 'the element in a browser', command: npm('test:widget'), count: byBrowserTotals },
  { name: 'faults', command: npm('test:faults'), count: byNodeTotals },
  { name: 'pictures', command: npm('test:shots'), count: byNodeTotals },
  { name: 'journeys', command: npm('test:journeys'), count: byNodeTotals },
  { name: 'processes', command: npm('test:processes'), count: byNodeTotals },
  { name: 'simulator', command: npm('test:simulator'), count: byNodeTotals },
  { name: 'two mutations of the day', command: [...npm('test:mutation'), '--', ...MUTATIONS], count: byExitCode },
];
/** Code stays compiled from one process to the next, the browser has no window, and what was just built is used. */
const CHEAPER = {
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../node_modules/.cache/compiled'),
  BUNDLED_CHROMIUM: '1',
  BUILT_PROXY: '1',
};
/** Only against a part that never ends. The longest takes a few minutes. */
const PART_LIMIT_MS = 1_200_000;

const running = new Set<ChildProcess>();

/** Ends a part with all its processes, which are its group where the system has groups. */
function end(child: ChildProcess): void {
  if (process.platform === 'win32' || child.pid === undefined) child.kill();
  else process.kill(-child.pid, 'SIGKILL');
}

for (const [signal, exitCode] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => {
    for (const child of running) end(child);
    process.exit(exitCode);
  });
}

async function runPart({ name, command, count }: Part): Promise<Counts> {
  const startedAt = Date.now();
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
    detached: process.platform !== 'win32',
    env: { ...process.env, ...CHEAPER, FORCE_COLOR: '0' },
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const limit = setTimeout(() => {
    output += `\nEnded after ${PART_LIMIT_MS / 1000} s, because it had not ended by itself.\n`;
    end(child);
  }, PART_LIMIT_MS);
  const exitCode = await new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? 1)));
  clearTimeout(limit);
  running.delete(child);
  const counts = count(output, exitCode);
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  console.log(`\n── ${name}\n${output}── ${name}: ${line(counts)} (${seconds} s)`);
  return counts;
}

function line({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

const building = runPart(BUILD);
const all = [building, runPart(CHECK)];
/** All lanes take from it, so each part runs once. */
const waiting = PARTS.values();
async function runLane(): Promise<void> {
  await building;
  for (const part of waiting) {
    const counts = runPart(part);
    all.push(counts);
    await counts;
  }
}
await Promise.all(Array.from({ length: LANES }, runLane));
const done = await Promise.all(all);
const sum = (of: keyof Counts) => done.reduce((total, counts) => total + counts[of], 0);
console.log(`\n${line({ passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') })}`);
process.exitCode = sum('failed') === 0 ? 0 : 1;
