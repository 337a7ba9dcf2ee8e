// Every script of package.json is run by `npm test`, whole or with a small size: what nothing runs stops working, and
// nobody notices. The weekly workflow runs whole what takes longer.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { it } from 'node:test';
import { testsOf } from './test-names.ts';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const RUN = readFileSync('test/run.ts', 'utf8');
const WEEKLY = readFileSync('.github/workflows/weekly.yml', 'utf8');

const SMOKES = 'test/processes/scripts.test.ts';
const BENCH = 'test/processes/bench.test.ts';
/** The test that runs each script which is no part of `npm test`. */
const RUN_BY: Record<string, readonly [file: string, ...tests: string[]]> = {
  start: [SMOKES, 'npm start prints links that answer'],
  proxy: ['test/processes/commands.test.ts', 'npm run proxy starts only the proxy, builds and installs nothing, and prints only log lines'], // prettier-ignore
  sandbox: [SMOKES, 'npm run sandbox prints its address and answers there'],
  map: ['test/architecture.test.ts', 'npm run map prints each source file with its first line, or those of a folder'],
  format: [SMOKES, 'npm run format changes a file that check would refuse'],
  shots: [SMOKES, 'npm run shots draws a scene that looks as kept'],
  bench: [
    BENCH,
    'the benchmark of the proxy runs, and both databases have what was answered',
    'the benchmark of the widget visits a page, pays there and reads the code',
    'npm run bench without a known name prints its usage',
  ],
  'test:watch': [SMOKES, 'npm run test:watch runs a file'],
  'test:engines': [SMOKES, 'npm run test:engines runs a file in each engine that is installed'],
};
/** One asks the registry, which a test must not need; the other runs what `npm test` has with a small size. */
const ONLY_WEEKLY = ['audit', 'test:long'];
const WHOLE_EACH_WEEK = ['test:mutation -- --seconds 14000', 'test:engines', 'test:long', 'bench -- --quick', 'audit'];

const isPart = (script: string) => RUN.includes(`'${script}'`);

it('each script is a part of npm test or has a test that runs it, and no row is about a script that is gone', () => {
  const names = Object.keys(scripts).filter((name) => !name.startsWith('pre') && name !== 'test' && !isPart(name));
  assert.deepEqual([...Object.keys(RUN_BY), ...ONLY_WEEKLY].toSorted(), names.toSorted());
});

it('the tests that run the scripts exist', () => {
  for (const [script, [file, ...tests]] of Object.entries(RUN_BY)) {
    assert.ok(tests.length > 0, script);
    for (const test of tests) assert.ok(testsOf(file).includes(test), `${script}: ${file}: ${test}`);
  }
});

it('the weekly workflow runs whole what takes too long for npm test', () => {
  for (const command of WHOLE_EACH_WEEK) {
    assert.ok(WEEKLY.includes(`- ${command}\n`), command);
    assert.ok((command.split(' ')[0] ?? '') in scripts, command);
  }
});

it('only scripts that promise it install or check packages before they start, those of their own folder too', () => {
  const before = Object.entries(scripts).flatMap(([name, command]) =>
    name.startsWith('pre') ? [[name, command.split(' && ')[0]]] : [],
  );
  assert.deepEqual(Object.fromEntries(before), {
    prestart: 'node widget/build/install.mjs demo',
    preproxy: 'node widget/build/install.mjs check',
    pretest: 'node widget/build/install.mjs',
    prebench: 'node widget/build/install.mjs all test/bench',
    'pretest:hosts': 'node widget/build/install.mjs all test/hosts',
  });
});

it('test:long runs each test that has a long size', () => {
  const patterns = [...(scripts['test:long'] ?? '').matchAll(/[^\s']+\.test\.ts/g)].map(([pattern]) => pattern);
  for (const pattern of patterns) assert.ok(globSync(pattern).length > 0, pattern);
  const run = new Set(globSync(patterns));
  const long = globSync('test/**/*.test.ts').filter((file) =>
    /process\.env\['LONG'\]|\b(?:size|isLong)\b.* from '.*fault-test\.ts'/.test(readFileSync(file, 'utf8')),
  );
  assert.ok(long.length > 10);
  const unrun = long.filter((file) => !run.has(file));
  assert.deepEqual(unrun, []);
});
