// A copy of the project in another folder, for builds that must not depend on where they run.
import { cpSync, linkSync, mkdirSync, readFileSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join, relative, resolve } from 'node:path';

const SOURCES = [
  'backend-proxy',
  'demo',
  'docs',
  'widget',
  '.env.example',
  'CHANGELOG.md',
  'LICENSE',
  'package-lock.json',
  'package.json',
  'tsconfig.json',
  'vite.config.ts',
];

/**
 * Within dist/, and so on the same disk as node_modules, whose files are linked: a package must lie where its name is,
 * because a path through a symbolic link would be another one. Deleted when this process ends.
 */
export function copyProject(name: string): string {
  const folder = resolve('dist', `${name}-${process.pid}`);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(folder, { recursive: true });
  for (const source of SOURCES) cpSync(source, join(folder, source), { recursive: true });
  linkFiles('node_modules', join(folder, 'node_modules'));
  return folder;
}

function linkFiles(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.name === '.cache') continue;
    if (entry.isDirectory()) linkFiles(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else linkSync(source, target);
  }
}

/** The digest of each file, by its path in the folder. */
export function digestsOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const digests = files.map(({ parentPath, name }) => {
    const path = join(parentPath, name);
    const digest = createHash('sha256').update(readFileSync(path)).digest('hex');
    return [relative(folder, path).replaceAll('\\', '/'), digest] as const;
  });
  return Object.fromEntries(digests.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
