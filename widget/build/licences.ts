// Writes LICENSES.txt: the licences of the packages that a build bundles or imports. Most licences require to be
// included in every copy. They are read from the packages, so that a new package or a changed text is included too.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const FILE = 'LICENSES.txt';

export function licences(root: string): Plugin {
  return {
    name: 'licences',
    apply: 'build',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const bundled = chunks
        .flatMap(({ moduleIds }) => moduleIds)
        .map((id) => id.split('/node_modules/').slice(1).at(-1));
      const imported = chunks.flatMap(({ imports }) => imports).filter((name) => !(name in bundle));
      const packages = [...bundled, ...imported].flatMap((path) => (path === undefined ? [] : packageOf(path)));
      const texts = [...new Set(packages)].toSorted().map((name) => licenceOf(join(root, 'node_modules', name)));
      this.emitFile({ type: 'asset', fileName: FILE, source: texts.join(`\n${'-'.repeat(80)}\n\n`) });
    },
  };
}

/** `lit/static-html.js` → `lit`; `@lit/reactive-element/x.js` → `@lit/reactive-element`. */
function packageOf(path: string): string {
  return path.split('/', path.startsWith('@') ? 2 : 1).join('/');
}

/** Throws if the package contains no licence, because it may not be shipped then. */
function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
    string,
    string
  >;
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.\w+)?$/i.test(entry));
  if (!file) throw new Error(`${name} contains no licence file, so it may not be shipped.`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}
