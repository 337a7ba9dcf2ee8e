// The npm package in a project that has installed it: its types, its files, its imports, and its use on a server.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { installPackage } from './consumer.ts';
import { FIXTURES } from './type-fixtures.ts';

const project = await installPackage();

const run = promisify(execFile);
const text = (name: string) => readFileSync(join(project.package, name), 'utf8');
const json = (name: string): unknown => JSON.parse(text(name));

describe('the package’s types', () => {
  const TSC = resolve('node_modules/typescript/bin/tsc');

  for (const [resolution, module] of Object.entries({ nodenext: 'nodenext', bundler: 'esnext' })) {
    it(`the package’s types accept correct use and reject wrong use with moduleResolution ${resolution}`, async () => {
      for (const [name, source] of Object.entries(FIXTURES)) project.write(name, source);
      const config = {
        compilerOptions: {
          strict: true,
          exactOptionalPropertyTypes: true,
          noEmit: true,
          types: [],
          jsx: 'react-jsx',
          target: 'es2022',
          lib: ['es2023', 'dom', 'dom.iterable'],
          module,
          moduleResolution: resolution,
          // The frameworks' own declarations need to be checked only once.
          skipLibCheck: resolution !== 'nodenext',
        },
        files: Object.keys(FIXTURES),
      };
      const path = project.write('tsconfig.json', JSON.stringify(config));
      const { stdout } = await run(process.execPath, [TSC, '-p', path]).catch((error: { stdout: string }) => error);
      assert.equal(stdout, '');
    });
  }
});

describe('the package', () => {
  interface Description {
    name: string;
    version: string;
    exports: Record<string, string | { types: string; default: string }>;
    sideEffects: string[];
    files: string[];
    dependencies: Record<string, string>;
    customElements: string;
  }
  const description = json('package.json') as Description;
  const files = readdirSync(project.package, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) =>
      join(parentPath, name)
        .slice(project.package.length + 1)
        .replaceAll('\\', '/'),
    )
    .toSorted();

  it('the package has the project’s version, Lit as its only dependency, and none of the project’s scripts', () => {
    const root = JSON.parse(readFileSync('package.json', 'utf8')) as Description;
    assert.equal(description.name, 'payment-widget');
    assert.equal(description.version, root.version);
    assert.deepEqual(description.dependencies, { lit: root.dependencies['lit'] });
    for (const key of ['private', 'scripts', 'devDependencies', 'optionalDependencies', 'overrides', 'engines']) {
      assert.ok(!(key in description), key);
    }
  });

  it('the package imports only its own files and Lit, in types and for tests also its peer dependencies', () => {
    const allowed = { '.js': ['lit'], '.d.ts': ['lit', 'react', 'vue', 'svelte/elements'] };
    // The fake runs in browsers, the rest of the kit in Node.
    const isKitImport = (file: string, from: string) =>
      /testing\/(?!fake)/.test(file) && (from.startsWith('node:') || from === '@playwright/test');
    const scripts = files.filter((file) => /\.(js|d\.ts)$/.test(file));
    assert.ok(scripts.length > 15);
    for (const file of scripts) {
      const packages = file.endsWith('.d.ts') ? allowed['.d.ts'] : allowed['.js'];
      for (const [, from = ''] of text(file).matchAll(/(?:from |import\(|import )["']([^"']+)["']/g)) {
        const target = file.endsWith('.d.ts') ? from.replace(/\.js$/, '.d.ts') : from;
        const exists = from.startsWith('.')
          ? existsSync(join(project.package, dirname(file), target))
          : packages.includes(from) || isKitImport(file, from);
        assert.ok(exists, `${file} imports ${from}`);
      }
    }
  });

  it('the package can be imported on a server, without a DOM', async () => {
    for (const entry of ['payment-widget', 'payment-widget/react', 'payment-widget/vue', 'payment-widget/svelte']) {
      for (const program of [`await import('${entry}')`, `require('${entry}')`]) {
        const { stdout, stderr } = await run(process.execPath, ['-p', `(async () => { ${program} })(); 'fine'`], {
          cwd: project.folder,
        });
        assert.deepEqual([stdout.trim(), stderr], ['fine', ''], program);
      }
    }
  });
});
