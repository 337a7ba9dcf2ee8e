// `npm run test:guards`: removes each guard of docs/threats.md in a copy of the project, and checks that the test in
// its row then fails. First it runs the tests with all guards, because a test that fails anyway proves nothing.
//   npm run test:guards -- 'words of an attack'    only the attacks with these words in their names
//   npm run test:guards -- --drawn 3               only so many edits, other ones each day; `npm test` does this
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { copyProject } from '../project-copy.ts';
import { attackRows, type Row } from '../security-table.ts';
import { changesOf, withoutGuard, type Edit } from './apply.ts';
import { EDITS } from './edits.ts';
import { runTests, type Outcome } from './run-tests.ts';

const AT_ONCE = 2;
const DAY_MS = 86_400_000;
/** The tests that need no browser and no process of their own. */
const QUICK = /^test\/(backend-proxy|demo|widget)\/.*(?<!browser)\.ts$/;

interface Task {
  row: Row;
  edit: Edit;
}

interface Shown {
  task: Task;
  outcome: Outcome | 'does not apply';
  output: string;
}

/** The next `count` of the quick ones each day, so that each has its turn. */
function drawn(tasks: readonly Task[], count: number, now = Date.now()): Task[] {
  const quick = tasks.filter(({ row }) => QUICK.test(row.file));
  const from = Math.floor(now / DAY_MS) * count;
  return Array.from({ length: count }, (_, at) => quick[(from + at) % quick.length]).filter(
    (task) => task !== undefined,
  );
}

/** The tests that fail, or do not run, with every guard in place. */
async function failingAnyway(folder: string, rows: readonly Row[]): Promise<string[]> {
  const failing: string[] = [];
  for (const [file, named = []] of Map.groupBy(rows, (row) => row.file)) {
    const { outcomes } = await runTests(folder, file, [...new Set(named.map(({ test }) => test))]);
    for (const [test, outcome] of outcomes) if (outcome !== 'green') failing.push(`${file}: ${test}`);
  }
  return failing;
}

async function tryWithout(folder: string, task: Task): Promise<Shown> {
  const { file, test } = task.row;
  let edited: Map<string, string>;
  try {
    edited = withoutGuard(task.edit, folder);
  } catch (error) {
    return { task, outcome: 'does not apply', output: (error as Error).message };
  }
  const originals = [...edited.keys()].map((path) => [path, readFileSync(join(folder, path), 'utf8')] as const);
  for (const [path, text] of edited) writeFileSync(join(folder, path), text);
  const { outcomes, output } = await runTests(folder, file, [test]);
  for (const [path, text] of originals) writeFileSync(join(folder, path), text);
  return { task, outcome: outcomes.get(test) ?? 'not shown', output };
}

/** Each folder takes the next task when it is free. */
async function tryAll(folders: readonly string[], tasks: readonly Task[]): Promise<Shown[]> {
  const waiting = [...tasks];
  const shown: Shown[] = [];
  const work = async (folder: string): Promise<void> => {
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
      const from = performance.now();
      const result = await tryWithout(folder, task);
      shown.push(result);
      const seconds = ((performance.now() - from) / 1000).toFixed(1).padStart(5);
      console.log(`${result.outcome.padEnd(14)} ${seconds} s  ${task.row.attack.padEnd(42)} ${filesOf(task)}`);
    }
  };
  await Promise.all(folders.map(work));
  return shown;
}

function filesOf({ edit }: Task): string {
  return [...new Set(changesOf(edit).map(([file]) => file))].join(', ');
}

function report(failing: readonly string[], shown: readonly Shown[], seconds: number): void {
  for (const test of failing) console.log(`\nfails with its guard in place: ${test}`);
  const notRed = shown.filter(({ outcome }) => outcome !== 'red');
  for (const { task, outcome, output } of notRed) {
    console.log(`\n${outcome}: ${task.row.attack}\n  ${task.row.file}: ${task.row.test}`);
    for (const [file, , put] of changesOf(task.edit)) console.log(`  ${file}: ${put.trim()}`);
    if (outcome !== 'green') console.log(output.replace(/^/gm, '    '));
  }
  const count = (outcome: Shown['outcome']) => shown.filter((one) => one.outcome === outcome).length;
  console.log(
    `\n${shown.length} guards removed: ${count('red')} red, ${count('green')} green, ${count('not shown')} not shown, ` +
      `${count('does not apply')} that do not apply, in ${seconds.toFixed(0)} s`,
  );
  if (failing.length > 0 || notRed.length > 0 || shown.length === 0) process.exitCode = 1;
}

const { values, positionals: words } = parseArgs({ allowPositionals: true, options: { drawn: { type: 'string' } } });
const wanted = attackRows().filter(({ attack }) => words.length === 0 || words.some((word) => attack.includes(word)));
const unedited = wanted.filter(({ attack }) => (EDITS[attack] ?? []).length === 0);
for (const { attack } of unedited) console.log(`without an edit: ${attack}`);
if (unedited.length > 0) process.exitCode = 1;
const all = wanted.flatMap((row) => (EDITS[row.attack] ?? []).map((edit) => ({ row, edit })));
const tasks = values.drawn === undefined ? all : drawn(all, Number(values.drawn));

const from = performance.now();
const folders = Array.from({ length: AT_ONCE }, () => copyProject('guards'));
try {
  const failing = await failingAnyway(folders[0] ?? '', [...new Set(tasks.map(({ row }) => row))]);
  report(failing, await tryAll(folders, tasks), (performance.now() - from) / 1000);
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
