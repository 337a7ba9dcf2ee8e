// Builds the npm package `payment-widget`: ES modules without Lit, types, the themes, the manifest and what is made
// from it, and a package.json. Decides what the package contains; the neighboring files make each part.
import { copyFileSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { FRAMEWORKS, frameworkModule, frameworkTypes } from './frameworks.ts';
import { elementOf, readManifest } from './manifest.ts';
import { bundleForNode } from './node-bundle.ts';
import { minifyTemplates, themes } from './plugins.ts';
import { publishing, replaceFolder, withoutRelativeLinks, writeDeclarations, type Project } from './project.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NAME = 'payment-widget';
const ENTRY = 'index.js';
const SOURCES = { index: 'widget/index.ts', 'testing/fake': 'widget/testing/fake.ts' };
const PLAYWRIGHT = '@playwright/test';
/** For tests in Node, by the names of their bundles. */
const TESTING = { testing: 'demo/kit/testing.ts', playwright: 'demo/kit/playwright.ts' };

/** Replaces the folder `to`. */
export async function buildPackage(to: string): Promise<void> {
  await replaceFolder(to, writePackage);
}

async function writePackage(folder: string): Promise<void> {
  const project = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Project;
  await Promise.all([
    writeModules(folder),
    writeDeclarations(join(ROOT, 'widget/build/widget.tsconfig.json'), Object.values(SOURCES), join(folder, 'types')),
    bundleForNode(ROOT, TESTING, join(folder, 'testing'), [PLAYWRIGHT]),
    writeDeclarations(
      join(ROOT, 'widget/build/node.tsconfig.json'),
      Object.values(TESTING),
      join(folder, 'types/testing'),
    ),
  ]);

  const manifest = readManifest(ROOT, ENTRY);
  const element = elementOf(manifest);
  const json = (name: string, value: object) =>
    writeFileSync(join(folder, name), `${JSON.stringify(value, null, 2)}\n`);
  json('custom-elements.json', manifest);
  for (const framework of FRAMEWORKS) {
    writeFileSync(join(folder, `${framework}.js`), frameworkModule(framework, ENTRY));
    writeFileSync(join(folder, `types/${framework}.d.ts`), frameworkTypes(framework, element));
  }
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'README.md'), packageReadme());
  json('package.json', describePackage(project, readdirSync(folder)));
}

/** Not minified: bundlers do that later, and unminified code can be debugged. */
async function writeModules(outDir: string): Promise<void> {
  await build({
    root: ROOT,
    configFile: false,
    logLevel: 'error',
    plugins: [minifyTemplates(), themes(ROOT)],
    publicDir: false,
    build: {
      outDir,
      emptyOutDir: false,
      target: 'es2022',
      minify: false,
      license: { fileName: 'LICENSES.txt' },
      modulePreload: false,
      lib: { entry: SOURCES, formats: ['es'] },
      rolldownOptions: {
        external: /^lit(\/|$)/,
        output: { entryFileNames: '[name].js', chunkFileNames: 'chunks/[name].js' },
      },
    },
  });
}

function describePackage(project: Project, contents: string[]): object {
  const { version, license, dependencies } = project;
  const exported = (name: string) => ({ types: `./types/${name}.d.ts`, default: `./${name}.js` });
  const exports = Object.fromEntries(FRAMEWORKS.map((name) => [`./${name}`, exported(name)]));
  const sheets = readdirSync(join(ROOT, 'widget/themes')).map((name) => `./themes/${name}`);
  return {
    name: NAME,
    version,
    description: 'A custom element that collects a wallet payment and follows it until it is settled',
    keywords: ['payment', 'wallet', 'qr-code', 'web-components', 'custom-element', 'lit'],
    license,
    ...publishing(project),
    type: 'module',
    exports: {
      '.': exported('index'),
      ...exports,
      './testing/fake': { types: './types/fake.d.ts', default: './testing/fake.js' },
      './testing': { types: './types/testing/testing.d.ts', default: './testing/testing.js' },
      './testing/playwright': { types: './types/testing/playwright.d.ts', default: './testing/playwright.js' },
      './custom-elements.json': './custom-elements.json',
      ...Object.fromEntries(sheets.map((sheet) => [sheet, sheet])),
    },
    // Importing one of these defines the element or styles it, so a bundler must not drop it.
    sideEffects: [...['index', ...FRAMEWORKS].map((name) => `./${name}.js`), ...sheets],
    files: contents.toSorted(),
    customElements: 'custom-elements.json',
    dependencies: { lit: dependencies.lit },
    peerDependencies: {
      [PLAYWRIGHT]: '>=1.55',
      '@types/react': '>=19',
      'payment-sandbox': version,
      svelte: '>=5',
      vue: '>=3.5',
    },
    peerDependenciesMeta: {
      [PLAYWRIGHT]: { optional: true },
      'payment-sandbox': { optional: true },
      '@types/react': { optional: true },
      svelte: { optional: true },
      vue: { optional: true },
    },
  };
}

/** The project's pages about the element, which is all that the package holds. */
function packageReadme(): string {
  const pages = ['element', 'theming'].map((name) => readFileSync(join(ROOT, `docs/${name}.md`), 'utf8'));
  const intro =
    'The element of payment-widget. It needs the proxy, which is in the project’s repository, and an order token from there.';
  return `# payment-widget\n\n${intro}\n\n${withoutRelativeLinks(pages.join('\n')).replaceAll(/^#/gm, '##')}`;
}
