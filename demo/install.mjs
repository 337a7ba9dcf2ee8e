// Brings node_modules up to the lock file before `npm start` and `npm test`; does nothing when they agree.
//   (nothing)   everything
//   run         the packages of the sandbox and the proxy, a fifth of all, so that the first start is quick
//   demo        those, and the packages that build the widget
//   check       installs nothing: if a package of `run` is missing, writes a line like the proxy's log, and fails
// Plain JavaScript with only one import from the project, because it runs on the Node (18 or later) that started npm:
// the Node 24 that runs everything else is one of the packages it installs. The import keeps secrets from install
// scripts.
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

/** For the demo, adds the builders at the lock file's versions; writes neither package.json nor the lock file. */
function npmArguments() {
  if (mode === 'all') return ['ci'];
  if (mode === 'run') return ['ci', '--omit=dev'];
  const builders = BUILDERS.map((name) => `${name}@${wanted[`node_modules/${name}`].version}`);
  return ['install', '--no-save', '--save-prod', '--omit=dev', ...builders];
}

if (!isCurrent()) {
  if (mode === 'check') {
    const error = 'The dependencies are not installed, or are not those of the lock file: run `npm ci` first.';
    console.log(JSON.stringify({ level: 'fatal', time: new Date().toISOString(), event: 'not started', error }));
    process.exit(1);
  }
  console.log('Installing the locked dependencies …');
  const onWindows = process.platform === 'win32';
  const { status } = spawnSync(onWindows ? 'npm.cmd' : 'npm', npmArguments(), { stdio: 'inherit', shell: onWindows });
  process.exit(status ?? 1);
}
