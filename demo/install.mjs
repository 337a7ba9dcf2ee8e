// Brings node_modules up to the lock file before `npm start` and `npm test`; does nothing when they agree.
// Plain JavaScript without imports from the project, because it runs on whatever Node (18 or later) started npm:
// the Node 24 that runs everything else is one of the packages it installs.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const LOCK = 'package-lock.json';
const INSTALLED = 'node_modules/.package-lock.json';

function packagesIn(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}

function isCurrent() {
  if (!existsSync(INSTALLED)) return false;
  const wanted = packagesIn(LOCK);
  const installed = packagesIn(INSTALLED);
  const nothingStale = Object.entries(installed).every(([name, found]) => wanted[name]?.version === found.version);
  const nothingMissing = Object.entries(wanted).every(([name, p]) => name === '' || p.optional || installed[name]);
  return nothingStale && nothingMissing;
}

if (!isCurrent()) {
  console.log('Installing the locked dependencies (npm ci) …');
  const onWindows = process.platform === 'win32';
  const { status } = spawnSync(onWindows ? 'npm.cmd' : 'npm', ['ci'], { stdio: 'inherit', shell: onWindows });
  process.exit(status ?? 1);
}
