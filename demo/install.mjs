// Brings node_modules up to the lock file before `npm start` and `npm test`; does nothing when they agree.
// With --omit=dev, only what the demo and the proxy run on: a fifth of the packages, so that the first start is quick.
// Plain JavaScript without imports from the project, because it runs on whatever Node (18 or later) started npm:
// the Node 24 that runs everything else is one of the packages it installs.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const LOCK = 'package-lock.json';
const INSTALLED = 'node_modules/.package-lock.json';
const omitsDev = process.argv.includes('--omit=dev');

function packagesIn(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}

function isCurrent() {
  if (!existsSync(INSTALLED)) return false;
  const wanted = packagesIn(LOCK);
  const installed = packagesIn(INSTALLED);
  const nothingStale = Object.entries(installed).every(([name, found]) => wanted[name]?.version === found.version);
  const mayMiss = (name, p) => name === '' || p.optional || p.devOptional || (omitsDev && p.dev);
  const nothingMissing = Object.entries(wanted).every(([name, p]) => mayMiss(name, p) || installed[name]);
  return nothingStale && nothingMissing;
}

if (!isCurrent()) {
  console.log('Installing the locked dependencies …');
  const onWindows = process.platform === 'win32';
  const args = omitsDev ? ['ci', '--omit=dev'] : ['ci'];
  const { status } = spawnSync(onWindows ? 'npm.cmd' : 'npm', args, { stdio: 'inherit', shell: onWindows });
  process.exit(status ?? 1);
}
