// LICENSES.txt: the licences of other people's packages that a build bundles, or leaves for its reader to install. Read from the
// packages themselves, so that none is forgotten when one is added or its text changes. Most licences ask to go with every copy.
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

/** `lit/static-html.js` is of `lit`, `@lit/reactive-element/x.js` of `@lit/reactive-element`. */
function packageOf(path: string): string {
  return path.split('/', path.startsWith('@') ? 2 : 1).join('/');
}

/** Throws where a package has no licence in it: it may not be shipped then. */
function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
    string,
    string
  >;
  const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.\w+)?$/i.test(entry));
  if (!file) throw new Error(`${name} has no licence that could be shipped with it.`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
}
