// Runs tests of one file by name in a copy of the tree, and returns how each ended. Both runners print TAP
// (browser.config.mjs for browser tests), so that one parser is enough.
import { spawn } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** `not shown`: it did not run, or ended for another reason than its own failure. */
export type Outcome = 'red' | 'green' | 'not shown';

/** Tests that wait for the removed guard give up after two minutes. */
const TIME_LIMIT_MS = 180_000;
const CUT_SHORT = `ended after ${TIME_LIMIT_MS / 1000} s`;
/** Time for a runner to end the browser that it started. */
const GRACE_MS = 3_000;
/** The lines of output kept to explain `not shown`. */
const KEPT_LINES = 15;
const NODE_TEST = ['--test-force-exit', '--test-reporter=tap'];
/** Failures of the runner or of hooks, not of a test's own assertions. */
const NOT_ITS_OWN = /^failureType: '(testTimeoutFailure|cancelledByParent|hookFailed)'$/m;

export interface TestRun {
  outcomes: Map<string, Outcome>;
  /** The last lines of output. */
  output: string;
}

export async function runTests(folder: string, file: string, tests: readonly string[]): Promise<TestRun> {
  let output = '';
  for (const { program, args, env } of commandsOf(file, tests)) output += await printedBy(folder, program, args, env);
  return { outcomes: new Map(tests.map((test) => [test, outcomeOf(test, output)])), output: lastLines(output) };
}

interface Command {
  program: string;
  args: string[];
  env?: Record<string, string>;
}

function commandsOf(file: string, tests: readonly string[]): Command[] {
  const pattern = `(${tests.map(patternOf).join('|')})$`;
  const bin = (name: string) => `node_modules/.bin/${name}`;
  if (file.endsWith('.browser.ts')) {
    const args = [bin('wtr'), '--config', 'test/guards/browser.config.mjs', '--files', file];
    return [{ program: process.execPath, args, env: { TESTS: pattern } }];
  }
  const run = { program: process.execPath, args: [...NODE_TEST, `--test-name-pattern=${pattern}`, runnable(file)] };
  // A journey's page loads the built widget, so the edit has to be built in.
  const isJourney = file.startsWith('test/journeys/');
  const build = { program: process.execPath, args: [bin('vite'), 'build', '--logLevel', 'error'] };
  return isJourney ? [build, run] : [run];
}

/** Matches a name as written in the file; its placeholders match anything. */
function patternOf(test: string): string {
  const fixed = test.split(/\$\{[^}]*\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return fixed.join('.+');
}

/** A contract is run by a test file that imports it, directly or not; preferably one that needs no server. */
function runnable(file: string): string {
  if (file.endsWith('.test.ts')) return file;
  const files = importersOf(file)
    .map(runnable)
    .filter((user) => user.endsWith('.test.ts'));
  return files.toSorted((a, b) => Number(/postgres/.test(a)) - Number(/postgres/.test(b)))[0] ?? file;
}

function importersOf(file: string): string[] {
  return globSync('test/{backend-proxy,demo,faults,postgres}/**/*.ts').filter((user) =>
    [...readFileSync(user, 'utf8').matchAll(/^import .*'(\.[^']+)';$/gm)].some(
      ([, path = '']) => join(dirname(user), path) === normalize(file),
    ),
  );
}

/** All output, until the program ends or its time is over. */
function printedBy(cwd: string, program: string, args: string[], env: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve) => {
    // In its own process group, so that its children end with it.
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env, FORCE_COLOR: '0' }, detached: true });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (some) => (text += some));
    const end = (signal: NodeJS.Signals) => {
      try {
        process.kill(-(child.pid ?? 0), signal);
      } catch {
        // The group has ended, or the system has no groups: signals the child alone.
        child.kill(signal);
      }
    };
    const limit = setTimeout(() => {
      text += `\n${CUT_SHORT}\n`;
      end('SIGTERM');
      setTimeout(() => end('SIGKILL'), GRACE_MS).unref();
    }, TIME_LIMIT_MS);
    child.once('close', () => {
      clearTimeout(limit);
      end('SIGKILL');
      resolve(text);
    });
  });
}

/** Of several with one written name, one that fails is enough. A contract puts its adapter before the name. */
function outcomeOf(test: string, tap: string): Outcome {
  const lines = tap.split('\n').map((line) => line.trim());
  const name = new RegExp(`^(not )?ok \\d+ - (?:\\w+: )?${patternOf(test)}$`);
  const unescaped = (line: string) => line.replace(/\\([\\#])/g, '$1');
  const found = lines.flatMap((line, at) => (name.test(unescaped(line)) ? [at] : []));
  const outcomes = new Set(found.map((at) => outcomeAt(lines, at)));
  // The test that would have failed may be among those that were cut off.
  if (lines.includes(CUT_SHORT)) outcomes.delete('green');
  return (['red', 'not shown', 'green'] as const).find((outcome) => outcomes.has(outcome)) ?? 'not shown';
}

function outcomeAt(lines: readonly string[], at: number): Outcome {
  if (lines[at]?.startsWith('ok')) return 'green';
  const about = lines.slice(at, lines.indexOf('...', at)).join('\n');
  return NOT_ITS_OWN.test(about) ? 'not shown' : 'red';
}

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-KEPT_LINES).join('\n');
}
