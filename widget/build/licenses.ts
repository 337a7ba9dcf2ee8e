// Writes LICENSES.txt: the licenses of the packages that a build bundles or imports. Most licenses require to be
// included in every copy. They are read from the packages, so that a new package or a changed text is included too.
import { isBuiltin } from 'node:module';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin, Rolldown } from 'vite';

const FILE = 'LICENSES.txt';
const RULE = `\n${'-'.repeat(80)}\n\n`;

export function licenses(root: string): Plugin {
  return {
    name: 'licenses',
    apply: 'build',
    generateBundle(_options, bundle) {
      this.emitFile({ type: 'asset', fileName: FILE, source: licenseTexts(root, packagesIn(bundle)) });
    },
  };
}

/** Folders of the packages in a bundle, relative to the project's, like the keys of a lock file. Sorted. */
export function packagesIn(bundle: Rolldown.OutputBundle): string[] {
  const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
  const bundled = chunks.flatMap(({ moduleIds }) => moduleIds);
  const imported = chunks
    .flatMap(({ imports }) => imports)
    .filter((name) => !(name in bundle) && !isBuiltin(name))
    .map((name) => `/node_modules/${name}`);
  return packagesOf([...bundled, ...imported]);
}

/** The same of the bundle that a folder holds, by its source maps. */
export function packagesInFolder(folder: string): string[] {
  const maps = readdirSync(folder).filter((name) => name.endsWith('.map'));
  const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as { sources: string[] };
  return packagesOf(maps.flatMap((name) => read(name).sources).map((source) => `/${source}`));
}

/** A package may have packages of its own: the last folder of a path counts. */
function packagesOf(paths: readonly string[]): string[] {
  const folder = /\/(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)/;
  const folders = paths.flatMap((path) => folder.exec(path.replaceAll('\\', '/'))?.[1] ?? []);
  return [...new Set(folders)].toSorted();
}

/** `folders`: as of `packagesIn`. */
export function licenseTexts(root: string, folders: readonly string[]): string {
  return folders.map((folder) => licenseOf(root, folder)).join(RULE);
}

interface Description {
  name: string;
  version: string;
  license: string;
  author?: string | { name: string };
}

function licenseOf(root: string, folder: string): string {
  const path = join(root, folder);
  const description = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Description;
  const file = readdirSync(path).find((entry) => /^licen[cs]e(\.\w+)?$/i.test(entry));
  const text = file === undefined ? declaredLicence(root, description) : readFileSync(join(path, file), 'utf8');
  return `${description.name} ${description.version} (${description.license})\n\n${text.trim()}\n`;
}

/**
 * Some packages only name their license. Throws if its text is unknown, because the package may not be shipped then.
 */
function declaredLicence(root: string, { name, license, author }: Description): string {
  if (license !== 'MIT') throw new Error(`${name} contains no license file, so it may not be shipped.`);
  const holder = typeof author === 'object' ? author.name : author?.replace(/ *<.*>/, '');
  const ours = readFileSync(join(root, 'LICENSE'), 'utf8');
  return ours.replace(/^Copyright .*$/m, `Copyright (c) ${holder ?? `the authors of ${name}`}`);
}
