// Brings node_modules up to the lock file before `npm start` and `npm test`; does nothing when they agree. The first argument:
//   all     (or none) everything
//   run     only what the sandbox and the proxy run on: a fifth of the packages, so that the first start is quick
//   demo    that, and what builds the widget, which the demo does by itself
//   check   what `run` installs, but installs nothing: if it is not there, says so as the proxy's log would, and fails
// Further arguments are folders with packages and a lock file of their own: a few tests need these, and daily work does not.
// Plain JavaScript without imports from the project but one, because it runs on whatever Node (18 or later) started npm:
// the Node 24 that runs everything else is one of the packages it installs. No package sees a secret while it is installed.
import '../widget/build/no-secrets.mjs';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const BUILDERS = ['vite', 'minify-literals'];
const [mode = 'all', ...folders] = process.argv.slice(2);

function packagesIn(...path) {
  return JSON.parse(readFileSync(join(...path), 'utf8')).packages;
}

function isCurrent(folder, wanted) {
  if (!existsSync(join(folder, 'node_modules/.package-lock.json'))) return false;
  const installed = packagesIn(folder, 'node_modules/.package-lock.json');
  const nothingStale = Object.entries(installed).every(([name, found]) => wanted[name]?.version === found.version);
  const isBuilder = (name) => mode === 'demo' && BUILDERS.some((builder) => name === `node_modules/${builder}`);
  const mayMiss = (name, p) =>
    name === '' || p.optional || p.devOptional || (mode !== 'all' && p.dev && !isBuilder(name));
  const nothingMissing = Object.entries(wanted).every(([name, p]) => mayMiss(name, p) || installed[name]);
  return nothingStale && nothingMissing;
}

/** For the demo, builders are added to what runs, at the lock's versions; neither package.json nor the lock is written. */
function npmArguments(folder, wanted) {
  // The project's .npmrc does not reach into its folders.
  if (folder !== '.') return ['ci', `--prefix=${folder}`, '--loglevel=error', '--no-fund', '--no-audit'];
  if (mode === 'all') return ['ci'];
  if (mode === 'run') return ['ci', '--omit=dev'];
  const builders = BUILDERS.map((name) => `${name}@${wanted[`node_modules/${name}`].version}`);
  return ['install', '--no-save', '--save-prod', '--omit=dev', ...builders];
}

for (const folder of ['.', ...folders]) {
  const wanted = packagesIn(folder, 'package-lock.json');
  if (isCurrent(folder, wanted)) continue;
  if (mode === 'check') {
    const error = 'The dependencies are not installed, or are not those of the lock file: run `npm ci` first.';
    console.log(JSON.stringify({ level: 'fatal', time: new Date().toISOString(), event: 'not started', error }));
    process.exit(1);
  }
  console.log(`Installing the locked dependencies${folder === '.' ? '' : ` of ${folder}`} …`);
  const onWindows = process.platform === 'win32';
  const options = { stdio: 'inherit', shell: onWindows };
  const { status } = spawnSync(onWindows ? 'npm.cmd' : 'npm', npmArguments(folder, wanted), options);
  if (status !== 0) process.exit(status ?? 1);
}
