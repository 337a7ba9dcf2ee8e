// Builds the widget for the demo and the journeys when its files are missing or older than what they are made from. Into a
// folder of its own first, then moved into place, so that nobody is ever served half a build; of two processes that build
// at once, one wins, and both have the same.
import { execFile } from 'node:child_process';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inheritedEnvironment } from './child.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BUILT = join(ROOT, 'dist/widget');
const SOURCES = ['widget', 'backend-proxy/protocol', 'vite.config.ts', 'package-lock.json'];

/** Whether there was anything to do. */
export async function buildWidgetIfStale(): Promise<boolean> {
  const changedAt = Math.max(...(await Promise.all(SOURCES.map((source) => lastChange(join(ROOT, source))))));
  const builtAt = await lastChange(join(BUILT, 'integrity.json'));
  if (builtAt > changedAt) return false;
  const outDir = `${BUILT}-${process.pid}`;
  // In a process of its own, which is given no more of this environment than it needs.
  const command = [
    'node_modules/vite/bin/vite.js',
    'build',
    '--logLevel',
    'error',
    '--outDir',
    outDir,
    '--emptyOutDir',
  ];
  await promisify(execFile)(process.execPath, command, { cwd: ROOT, env: inheritedEnvironment() });
  await rm(BUILT, { recursive: true, force: true });
  await rename(outDir, BUILT).catch(() => rm(outDir, { recursive: true, force: true }));
  return true;
}

/** Milliseconds since 1970 of the youngest file in it; 0 where there is none. */
async function lastChange(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  const names = await readdir(path);
  return Math.max(0, ...(await Promise.all(names.map((name) => lastChange(join(path, name))))));
}
