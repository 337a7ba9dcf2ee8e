// `npm test`: runs every check and test in order, then prints `N passed, N failed` for all of them. A part that could
// not run counts as failed, so that nothing passes by its absence.
import { spawn } from 'node:child_process';

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

const PARTS: readonly Part[] = [
  { name: 'check', command: ['npm', 'run', '--silent', 'check'], count: byExitCode },
  { name: 'build', command: ['npm', 'run', '--silent', 'build'], count: byExitCode },
  { name: 'unit tests', command: ['npm', 'run', '--silent', 'test:unit'], count: byNodeTotals },
  { name: 'processes', command: ['npm', 'run', '--silent', 'test:processes'], count: byNodeTotals },
  { name: 'PostgreSQL', command: ['npm', 'run', '--silent', 'test:postgres'], count: byNodeTotals },
  { name: 'the element in a browser', command: ['npm', 'run', '--silent', 'test:widget'], count: byBrowserTotals },
  { name: 'pictures', command: ['npm', 'run', '--silent', 'test:shots'], count: byNodeTotals },
  { name: 'host pages', command: ['npm', 'run', '--silent', 'test:hosts'], count: byNodeTotals },
  { name: 'journeys', command: ['npm', 'run', '--silent', 'test:journeys'], count: byNodeTotals },
  { name: 'faults', command: ['npm', 'run', '--silent', 'test:faults'], count: byNodeTotals },
];

async function runPart({ name, command, count }: Part): Promise<Counts> {
  const startedAt = Date.now();
  console.log(`\n── ${name}`);
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
    env: { ...process.env, FORCE_COLOR: '0' },
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    process.stdout.write(text);
  });
  const exitCode = await new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? 1)));
  const counts = count(output, exitCode);
  console.log(`── ${name}: ${line(counts)} (${Math.round((Date.now() - startedAt) / 1000)} s)`);
  return counts;
}

function line({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

const sum: Counts = { passed: 0, failed: 0, skipped: 0 };
for (const part of PARTS) {
  const counts = await runPart(part);
  sum.passed += counts.passed;
  sum.failed += counts.failed;
  sum.skipped += counts.skipped;
}
console.log(`\n${line(sum)}`);
process.exitCode = sum.failed === 0 ? 0 : 1;
