// Builds the widget for the demo and the journeys if its files are missing or older than their sources. Builds into a
// new folder and then renames it, so that a half-finished build is never served. If two processes build at once, the
// results are the same, and either may be kept.
import { execFile } from 'node:child_process';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inheritedEnvironment } from './child.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const BUILT = join(ROOT, 'dist/widget');
const SOURCES = ['widget', 'backend-proxy/protocol', 'vite.config.ts', 'package-lock.json'];

/** Calls `onStart` if it has to be built, which takes some seconds. */
export async function buildWidgetIfStale(onStart?: () => void): Promise<void> {
  const changedAt = Math.max(...(await Promise.all(SOURCES.map((source) => lastChange(join(ROOT, source))))));
  const builtAt = await lastChange(join(BUILT, 'integrity.json'));
  if (builtAt > changedAt) return;
  onStart?.();
  const outDir = `${BUILT}-${process.pid}`;
  // A separate process, so that the build cannot read this process's secrets.
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
}

/** The latest change of a file in it, ms since 1970; 0 if there is none. */
async function lastChange(path: string): Promise<number> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  const names = await readdir(path);
  return Math.max(0, ...(await Promise.all(names.map((name) => lastChange(join(path, name))))));
}
