// `npm run test:unit` and `npm run test:watch`, the same with --watch: the tests that start no process and no browser.
//   npm run test:unit -- test/backend-proxy/payouts.test.ts --test-name-pattern='restore'
// Paths replace the list below; options are those of `node --test`. Code stays compiled from one run to the next.
// Without paths the files run in a few processes instead of one each: loading the modules took half of the time.
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { testFolder } from './memory-folder.ts';

const ALL = ['test/*.test.ts', 'test/{backend-proxy,demo,widget}/**/*.test.ts'];
/** Of a test and of a process with its share of the files. */
const TIME_LIMIT_MS = 600_000;
/** More than two cores need, because some tests wait for the network or, without a folder in memory, for the disk. */
const PROCESSES = Math.max(4, availableParallelism());

/** Writes a file for each process that imports every nth test file, so that each gets some of every folder. */
function shares(): string[] {
  const files = globSync(ALL).toSorted();
  return Array.from({ length: PROCESSES }, (_, share) => {
    const urls = files.filter((_file, at) => at % PROCESSES === share).map((file) => pathToFileURL(resolve(file)).href);
    const file = join(folder, `share-${share + 1}.test.mjs`);
    writeFileSync(file, urls.map((url) => `import ${JSON.stringify(url)};\n`).join(''));
    return file;
  });
}

const options = process.argv.slice(2).filter((word) => word.startsWith('-'));
const paths = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const folder = mkdtempSync(join(testFolder(), 'unit-tests-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void child.kill(signal));

const files = paths.length > 0 ? paths : options.includes('--watch') ? ALL : shares();
const args = [`--test-timeout=${TIME_LIMIT_MS}`, `--test-concurrency=${PROCESSES}`, ...options, ...files];
const child = spawn(process.execPath, ['--test', ...args], {
  stdio: 'inherit',
  env: { ...process.env, NODE_COMPILE_CACHE: 'node_modules/.cache/compiled', TMPDIR: folder },
});
child.once('exit', (code) => (process.exitCode = code ?? 1));
