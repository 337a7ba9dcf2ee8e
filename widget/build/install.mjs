// Installs the lock file's packages before `npm start`, `npm test` and others, if node_modules differs from the file.
// The first argument selects the packages:
//   all     every package; the default
//   demo    what the sandbox and the proxy need, and what builds the widget: a third of all, for a quick first start
//   check   installs nothing: if a package of the proxy is missing or differs, prints a line of its log and fails
// Further arguments are folders with their own package.json and lock file, which only a few tests need.
// Plain JavaScript with one import from the project, because the Node that started npm (18 or later) runs it: Node 24,
// which runs everything else, is one of the packages it installs. The import keeps secrets from the packages' scripts.
import './no-secrets.mjs';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const BUILDERS = ['vite', 'minify-literals'];
const [mode = 'all', ...folders] = process.argv.slice(2);
const onWindows = process.platform === 'win32';

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

/** `demo` installs the builders at the lock file's versions, and changes neither package.json nor the lock file. */
function npmArguments(folder, wanted) {
  // npm does not apply the project's .npmrc to a folder with its own package.json.
  if (folder !== '.') return ['ci', `--prefix=${folder}`, '--loglevel=error', '--no-fund', '--no-audit'];
  if (mode === 'all') return ['ci'];
  const builders = BUILDERS.map((name) => `${name}@${wanted[`node_modules/${name}`].version}`);
  return ['install', '--no-save', '--save-prod', '--omit=dev', ...builders];
}

function refuse(error) {
  const line = { level: 'fatal', time: new Date().toISOString(), event: 'not started', error };
  console.log(mode === 'check' ? JSON.stringify(line) : error);
  process.exit(1);
}

const brought = `node_modules/node-${onWindows ? 'win' : process.platform}-${process.arch}`;

/** Where the packages bring no Node, as for macOS or without optional ones, the installed one runs the project. */
function requireNode(isBrought) {
  if (isBrought || Number.parseInt(process.versions.node, 10) >= 24) return;
  refuse(`Install Node 24 or newer: for ${process.platform} on ${process.arch} none comes with the packages.`);
}

for (const folder of ['.', ...folders]) {
  const wanted = packagesIn(folder, 'package-lock.json');
  if (folder === '.') requireNode(wanted[brought]);
  if (isCurrent(folder, wanted)) continue;
  if (mode === 'check') refuse('The dependencies are not installed, or differ from the lock file: run `npm ci` first.');
  console.log(`Installing the locked dependencies${folder === '.' ? '' : ` of ${folder}`} …`);
  const options = { stdio: 'inherit', shell: onWindows };
  const { status } = spawnSync(onWindows ? 'npm.cmd' : 'npm', npmArguments(folder, wanted), options);
  if (status !== 0) process.exit(status ?? 1);
}
if (mode === 'check') requireNode(existsSync(brought));
