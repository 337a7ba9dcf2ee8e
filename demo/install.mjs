// Brings node_modules up to the lock file before `npm start` and `npm test`; does nothing when they agree.
//   (nothing)   everything
//   run         only what the sandbox and the proxy run on: a fifth of the packages, so that the first start is quick
//   demo        that, and what builds the widget, which the demo does by itself
//   check       what `run` installs, but installs nothing: says so where it is not there, as the proxy's log would, and fails
// Plain JavaScript without imports from the project but one, because it runs on whatever Node (18 or later) started npm:
// the Node 24 that runs everything else is one of the packages it installs. No package sees a secret while it is installed.
import '../widget/build/no-secrets.mjs';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const LOCK = 'package-lock.json';
const INSTALLED = 'node_modules/.package-lock.json';
const BUILDERS = ['vite', 'minify-literals'];
const mode = process.argv[2] ?? 'all';

function packagesIn(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}

const wanted = packagesIn(LOCK);

function isCurrent() {
  if (!existsSync(INSTALLED)) return false;
  const installed = packagesIn(INSTALLED);
  const nothingStale = Object.entries(installed).every(([name, found]) => wanted[name]?.version === found.version);
  const isBuilder = (name) => mode === 'demo' && BUILDERS.some((builder) => name === `node_modules/${builder}`);
  const mayMiss = (name, p) =>
    name === '' || p.optional || p.devOptional || (mode !== 'all' && p.dev && !isBuilder(name));
  const nothingMissing = Object.entries(wanted).every(([name, p]) => mayMiss(name, p) || installed[name]);
  return nothingStale && nothingMissing;
}

/** For the demo, builders are added to what runs, at the lock's versions; neither package.json nor the lock is written. */
function npmArguments() {
  if (mode === 'all') return ['ci'];
  if (mode === 'run') return ['ci', '--omit=dev'];
  const builders = BUILDERS.map((name) => `${name}@${wanted[`node_modules/${name}`].version}`);
  return ['install', '--no-save', '--save-prod', '--omit=dev', ...builders];
}

if (!isCurrent()) {
  if (mode === 'check') {
    const error = 'The dependencies are not installed, or not those of the lock file: run `npm ci` before.';
    console.log(JSON.stringify({ level: 'fatal', time: new Date().toISOString(), event: 'not started', error }));
    process.exit(1);
  }
  console.log('Installing the locked dependencies …');
  const onWindows = process.platform === 'win32';
  const { status } = spawnSync(onWindows ? 'npm.cmd' : 'npm', npmArguments(), { stdio: 'inherit', shell: onWindows });
  process.exit(status ?? 1);
}
