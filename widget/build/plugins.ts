// Vite plugins of the builds: minify templates and scripts, keep the first bundle one file, name its version, add the
// themes, write integrity hashes. Runs in Node and is in no bundle. Apart from vite.config.ts because the packages'
// builds use some as well.
import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { minifyHTMLLiterals } from 'minify-literals';
import { minify as terser } from 'terser';
import { minify, type Plugin } from 'vite';

/** Removes the white space in Lit's templates and styles, which JavaScript minifiers keep. */
export function minifyTemplates(): Plugin {
  return {
    name: 'minify-templates',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /widget\/.*\.ts$/, code: /(html|css|svg)`/ },
      async handler(code, id) {
        const minified = await minifyHTMLLiterals(code, { fileName: id });
        return minified ? { code: minified.code, map: minified.map ?? null } : null;
      },
    },
  };
}

/**
 * Members that only Lit's own packages and the element's class use, beside those that begin with `_$`: shorter names
 * for them take 2% of the first bundle. Ours are not shortened, because JSON, events and pages have the same names.
 */
const LIT = `
  addInitializer converter createProperty createRenderRoot creationScope elementStyles enableUpdating endNode finalize
  finalized finalizeStyles firstUpdated fromAttribute getPropertyDescriptor getPropertyOptions getUpdateComplete
  hasChanged hasUpdated isUpdatePending noAccessor parts performUpdate reflect renderBefore renderOptions renderRoot
  scheduleUpdate setConnected shadowRootOptions startNode strings toAttribute useDefault willUpdate wrapped`;
const OF_LIT = new RegExp(String.raw`^(?:_\$.*|${LIT.trim().replaceAll(/\s+/g, '|')})$`);

/** By the bundler's minifier and then by Terser, which takes another 2% of the bytes. */
export function minifyScripts(): Plugin {
  return {
    name: 'minify-scripts',
    apply: 'build',
    async renderChunk(source, { fileName, isEntry }) {
      const first = await minify(fileName, source, { module: true, sourcemap: true });
      const compress = { ecma: 2020, passes: 3, unsafe: true, unsafe_arrows: true, unsafe_methods: true } as const;
      const mangle = isEntry ? { properties: { regex: OF_LIT } } : true;
      const used = isEntry ? undefined : first.code.match(/(?<=\.)[\w$]+/g)?.find((name) => OF_LIT.test(name));
      if (used) throw new Error(`${fileName} uses ${used}, which has another name in the first bundle`);
      const content = JSON.stringify(first.map);
      const { code = '', map } = await terser(first.code, { module: true, compress, mangle, sourceMap: { content } });
      return { code, map: map as string };
    },
  };
}

const LOADER = String.raw`\s*"?([\w-]+)"?: \(\) => import\("\./locale-\1\.js"\),?`;

/** Writes the loaders of the dictionaries, which differ only by a name, as one: 1% of the first bundle. */
export function joinLoaders(): Plugin {
  return {
    name: 'join-loaders',
    apply: 'build',
    renderChunk(code, { isEntry }) {
      if (!isEntry) return null;
      const [loaders, ...others] = code.match(new RegExp(String.raw`\{(?:${LOADER})+\s*\}`, 'g')) ?? [];
      if (!loaders || others.length > 0) throw new Error('The loaders of the dictionaries were not found in one place');
      const names = [...loaders.matchAll(new RegExp(LOADER, 'g'))].map(([, name]) => name).join(' ');
      const joined = `Object.fromEntries('${names}'.split(' ').map((name) => [name, () => import(\`./locale-\${name}.js\`)]))`;
      // As many lines as before, for the source map.
      return { code: code.replace(loaders, () => joined + '\n'.repeat(loaders.split('\n').length - 1)), map: null };
    },
  };
}

/** The marks of each later bundle's copies of modules. */
const FLOW = '?flow';
const AMOUNT = '?amount';

/** The mark of the later bundle that a module belongs to, if any. */
function bundleOf(id: string): string | undefined {
  if (id.endsWith(AMOUNT) || id.endsWith('/widget/flow/amount.ts')) return AMOUNT;
  return id.endsWith(FLOW) || id.includes('/widget/flow/') ? FLOW : undefined;
}

/**
 * Gives each later bundle its own copies of the pure modules that it shares with another one, a few hundred bytes.
 * Shared, they would become a file of their own, which widget.js or the second bundle imports: one more round trip
 * before the first paint or the press. Lit and the choice are not copied (widget/flow/provided.ts).
 */
export function copySharedModules(): Plugin {
  return {
    name: 'copy-shared-modules',
    apply: 'build',
    enforce: 'pre',
    async resolveId(source, importer, options) {
      const mark = importer && bundleOf(importer);
      if (!mark || !source.startsWith('.')) return null;
      const found = await this.resolve(source, importer.replace(mark, ''), { ...options, skipSelf: true });
      return !found || bundleOf(found.id) === mark ? found : { ...found, id: `${found.id}${mark}` };
    },
  };
}

/**
 * Adds `widget-1.2.3.js`, whose content never changes: the bytes of widget.js. The other files are shared, because no
 * file imports widget.js. A page that loads both defines the element once (widget/index.ts).
 */
export function versionedEntry(root: string): Plugin {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return {
    name: 'versioned-entry',
    apply: 'build',
    writeBundle({ dir }) {
      const folder = dir ?? 'dist/widget';
      copyFileSync(join(folder, 'widget.js'), join(folder, `widget-${version}.js`));
    },
  };
}

/** Adds the ready themes, which a page loads as style sheets of their own. */
export function themes(root: string): Plugin {
  return {
    name: 'themes',
    apply: 'build',
    writeBundle({ dir }) {
      cpSync(join(root, 'widget/themes'), join(dir ?? 'dist/widget', 'themes'), { recursive: true });
    },
  };
}

/** For `sourcemapPathTransform`: paths that do not depend on where a build is written. */
export function rootRelative(root: string): (source: string, map: string) => string {
  return (source, map) => relative(root, resolve(dirname(map), source)).replaceAll('\\', '/');
}

/** Writes integrity.json, file name → `sha384-…`, for the `integrity` attribute of script tags. */
export function integrity(): Plugin {
  return {
    name: 'integrity',
    apply: 'build',
    // After all other plugins have written theirs.
    writeBundle({ dir }) {
      const folder = dir ?? 'dist/widget';
      const hash = (file: string) =>
        `sha384-${createHash('sha384')
          .update(readFileSync(join(folder, file)))
          .digest('base64')}`;
      const scripts = readdirSync(folder)
        .filter((file) => file.endsWith('.js'))
        .toSorted();
      const hashes = Object.fromEntries(scripts.map((file) => [file, hash(file)]));
      writeFileSync(join(folder, 'integrity.json'), `${JSON.stringify(hashes, null, 2)}\n`);
    },
  };
}

/** Adds a copy in Brotli and one in gzip of each script, for servers that send compressed files. */
export function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    // After all other plugins have written theirs.
    async writeBundle({ dir }) {
      const folder = dir ?? 'dist/widget';
      const scripts = readdirSync(folder).filter((file) => file.endsWith('.js'));
      const compress = async (file: string) => {
        const bytes = readFileSync(join(folder, file));
        writeFileSync(join(folder, `${file}.br`), await promisify(brotliCompress)(bytes));
        writeFileSync(join(folder, `${file}.gz`), await promisify(gzip)(bytes));
      };
      await Promise.all(scripts.map(compress));
    },
  };
}
