// `npm run test:mutation`: changes one place of money's core or of a guard at a time, and says what the tests notice.
//   npm run test:mutation -- --count 300 --seed 7    300 random changes, the same ones for the same seed
//   npm run test:mutation -- --seconds 45            as many as fit; other ones each day
//   npm run test:mutation -- --only ledger/rules     only files whose path contains these words
// Each change is made in a copy of the project. The tests that import the changed file come first, then all others
// that reach it, and the first failure ends the run. What no unit test notices meets the types and the simulator.
import { spawn } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseSync, Visitor } from 'vite';
import { createRandom } from './faults/random.ts';
import { testFolder } from './memory-folder.ts';
import { copyProject } from './project-copy.ts';

const SOURCES = [
  'backend-proxy/{use-cases,protocol,orders,config}/*.ts',
  'backend-proxy/ledger/{rules,queries,sqlite,postgres}/*.ts',
  'backend-proxy/ledger/{ledger,access,store}.ts',
  'backend-proxy/gateway/{answers,http}.ts',
  'backend-proxy/{errors,http/guards,routes/ipn,admin/session}.ts',
  'widget/flow/{session,view,stream}.ts',
];
const TESTS = ['test/{backend-proxy,widget}/**/*.test.ts'];
/** They need a server, so only what is PostgreSQL's own meets them. */
const POSTGRES_TESTS = ['test/postgres/*.test.ts'];
/** How many test files share a process; the nearest are few, so that most changes are noticed within seconds. */
const NEAREST = 6;
const SHARE = 40;
/** A change that makes a loop endless is noticed by this. The longest share takes a tenth of it. */
const PROCESS_LIMIT_MS = 300_000;
const SIMULATOR_SECONDS = 20;
const FIRST_FAILURE = `export default async function* (events) {
  for await (const { type, data } of events) if (type === 'test:fail') {
    console.log(data.name);
    process.exit(1);
  }
}`;

interface Mutant {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const COMPARISONS: Record<string, string> = { '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===' };
const SIGNS: Record<string, string> = { '+': '-', '-': '+', '*': '/', '/': '*', '+=': '-=', '-=': '+=' };

function mutantsOf(path: string): Mutant[] {
  const source = readFileSync(path, 'utf8');
  const found: Mutant[] = [];
  const add = ({ start, end }: { start: number; end: number }, text: string) => found.push({ path, start, end, text });
  const of = ({ start, end }: { start: number; end: number }) => source.slice(start, end);
  const condition = (test: { start: number; end: number }) => {
    add(test, 'true');
    add(test, `!(${of(test)})`);
  };
  new Visitor({
    IfStatement: ({ test }) => condition(test),
    ConditionalExpression: ({ test }) => condition(test),
    LogicalExpression(node) {
      add(node, of(node.left));
      add(node, of(node.right));
    },
    BinaryExpression(node) {
      const operator = COMPARISONS[node.operator] ?? SIGNS[node.operator];
      if (operator !== undefined) add(node, `${of(node.left)} ${operator} ${of(node.right)}`);
    },
    AssignmentExpression(node) {
      const operator = SIGNS[node.operator];
      if (operator !== undefined) add(node, `${of(node.left)} ${operator} ${of(node.right)}`);
    },
    ExpressionStatement: (node) => add(node, ';'),
    AwaitExpression: (node) => add(node, of(node.argument)),
    CallExpression({ arguments: [first, second] }) {
      if (first === undefined || second === undefined) return;
      add({ start: first.start, end: second.end }, `${of(second)}, ${of(first)}`);
    },
    Literal(node) {
      if (typeof node.value === 'number') add(node, String(node.value + 1));
      else if (typeof node.value === 'boolean') add(node, String(!node.value));
    },
  }).visit(parseSync(path, source).program);
  return found;
}

const imports = new Map<string, string[]>();
/** The files that a file imports, as paths. */
function importsOf(path: string): string[] {
  const known = imports.get(path);
  if (known !== undefined) return known;
  const matches = readFileSync(path, 'utf8').matchAll(/(?:from|import)\s*\(?'(\.[^']+\.ts)'/g);
  const found = [...matches].map(([, to = '']) => join(dirname(path), to)).filter((to) => existsSync(to));
  imports.set(path, found);
  return found;
}

/** The tests that reach a file, nearest first. */
function testsOf(path: string): string[] {
  const all = globSync(path.includes('postgres') ? [...TESTS, ...POSTGRES_TESTS] : TESTS);
  const distances = new Map<string, number>();
  for (const test of all) {
    const seen = new Set([test]);
    let layer = [...seen];
    for (let distance = 0; layer.length > 0 && !seen.has(path); distance += 1) {
      distances.set(test, distance);
      layer = layer.flatMap(importsOf).filter((imported) => !seen.has(imported));
      for (const imported of layer) seen.add(imported);
    }
    if (!seen.has(path)) distances.delete(test);
  }
  return [...distances].toSorted((a, b) => a[1] - b[1]).map(([test]) => test);
}

async function failureOf(folder: string, args: readonly string[]): Promise<string | null> {
  const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, '.compiled'), TMPDIR: scratch };
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const limitMs = Math.max(1, Math.min(PROCESS_LIMIT_MS, endsAt - performance.now()));
  const limit = setTimeout(() => child.kill('SIGKILL'), limitMs);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  clearTimeout(limit);
  if (code === 0) return null;
  return code === null ? 'the time limit' : (output.trim().split('\n').at(-1) ?? '');
}

async function failingTest(folder: string, tests: readonly string[]): Promise<string | null> {
  const share = join(folder, 'share.mjs');
  writeFileSync(share, tests.map((test) => `import './${test}';\n`).join(''));
  return failureOf(folder, [`--test-reporter=data:text/javascript,${encodeURIComponent(FIRST_FAILURE)}`, share]);
}

async function noticedBy(folder: string, tests: readonly string[]): Promise<string | null> {
  for (let at = 0; at < tests.length; at += at === 0 ? NEAREST : SHARE) {
    const failure = await failingTest(folder, tests.slice(at, at + (at === 0 ? NEAREST : SHARE)));
    if (failure !== null) return failure;
  }
  if ((await failureOf(folder, ['node_modules/typescript/bin/tsc'])) !== null) return 'the types';
  if (!values.simulator) return null;
  const simulator = ['test/simulator/main.ts', '--brief', '--seconds', String(SIMULATOR_SECONDS)];
  return (await failureOf(folder, simulator)) === null ? null : 'the simulator';
}

/** Whether the change was noticed, printed too; undefined if the time was over before. */
async function isNoticed(folder: string, { path, start, end, text }: Mutant): Promise<boolean | undefined> {
  const source = readFileSync(path, 'utf8');
  writeFileSync(join(folder, path), source.slice(0, start) + text + source.slice(end));
  const by = await noticedBy(folder, testsOf(path));
  writeFileSync(join(folder, path), source);
  if (performance.now() >= endsAt) return undefined;
  const line = source.slice(0, start).split('\n').length;
  const change = `${source.slice(start, end)}  =>  ${text}`.replaceAll(/\s+/g, ' ');
  console.log(
    `${by === null ? 'NOT NOTICED' : 'noticed'} ${path}:${line} ${change}${by === null ? '' : `  by: ${by}`}`,
  );
  return by !== null;
}

async function work(folder: string): Promise<void> {
  const first = waiting[0];
  const failure = first && (await failingTest(folder, testsOf(first.path).slice(0, NEAREST)));
  if (failure !== null && performance.now() < endsAt)
    throw new Error('The tests fail without a change, or none is there.');
  for (let next = waiting.shift(); next !== undefined && performance.now() < endsAt; next = waiting.shift()) {
    const is = await isNoticed(folder, next);
    tried += Number(is !== undefined);
    noticed += Number(is === true);
  }
}

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: 'Infinity' },
    seconds: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: String(Math.floor(Date.now() / 86_400_000)) },
    only: { type: 'string', default: '' },
    simulator: { type: 'boolean', default: true },
  },
  allowNegative: true,
});

const scratch = mkdtempSync(join(testFolder(), 'mutation-'));
const folders = Array.from({ length: availableParallelism() }, () => copyProject('mutation'));
process.once('exit', () => {
  for (const folder of [scratch, ...folders]) rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const paths = globSync(SOURCES).filter((path) => path.includes(values.only));
const all = paths.toSorted().flatMap(mutantsOf);
const waiting = createRandom(Number(values.seed)).shuffled(all).slice(0, Number(values.count));
const endsAt = performance.now() + Number(values.seconds) * 1_000;
let tried = 0;
let noticed = 0;
await Promise.all(folders.map(work));
const percent = Math.round((100 * noticed) / Math.max(tried, 1));
console.log(`${noticed} of ${tried} noticed (${percent} %), of ${all.length} changes; seed ${values.seed}`);
