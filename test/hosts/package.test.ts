// The npm package in a project that has installed it: its types, its files, its imports, and its use on a server.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { build } from 'esbuild';
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
    'web-types': string;
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

  it('the package names its manifest and its data for editors in package.json', () => {
    assert.equal((json('custom-elements.json') as { schemaVersion: string }).schemaVersion, '1.0.0');
    assert.equal(description.customElements, 'custom-elements.json');
    const { name, version } = json(description['web-types']) as Description;
    assert.deepEqual([name, version], [description.name, description.version]);
    for (const file of ['vscode.html-custom-data.json', 'vscode.css-custom-data.json']) {
      assert.equal((json(file) as { version: number }).version, 1.1);
    }
  });

  it('the package has the project’s version, Lit as its only dependency, and none of the project’s scripts', () => {
    const root = JSON.parse(readFileSync('package.json', 'utf8')) as Description;
    assert.equal(description.name, 'payment-widget');
    assert.equal(description.version, root.version);
    assert.deepEqual(description.dependencies, { lit: root.dependencies['lit'] });
    for (const key of ['private', 'scripts', 'devDependencies', 'optionalDependencies', 'overrides', 'engines']) {
      assert.ok(!(key in description), key);
    }
  });

  it('the package contains every file that it exports or lists as having side effects', () => {
    const targets = Object.values(description.exports).flatMap((target) =>
      typeof target === 'string' ? target : Object.values(target),
    );
    assert.ok(targets.length >= 9, targets.join());
    for (const path of [...targets, ...description.sideEffects])
      assert.ok(existsSync(join(project.package, path)), path);
  });

  it('the package imports only its own files and Lit, and in types also its peer dependencies', () => {
    const allowed = { '.js': ['lit'], '.d.ts': ['lit', 'react', 'vue', 'svelte/elements'] };
    const scripts = files.filter((file) => /\.(js|d\.ts)$/.test(file));
    assert.ok(scripts.length > 15);
    for (const file of scripts) {
      const packages = file.endsWith('.d.ts') ? allowed['.d.ts'] : allowed['.js'];
      for (const [, from = ''] of text(file).matchAll(/(?:from |import\(|import )["']([^"']+)["']/g)) {
        const target = file.endsWith('.d.ts') ? from.replace(/\.js$/, '.d.ts') : from;
        const exists = from.startsWith('.')
          ? existsSync(join(project.package, dirname(file), target))
          : packages.includes(from);
        assert.ok(exists, `${file} imports ${from}`);
      }
    }
  });

  it('the package contains its own license and Lit’s', () => {
    assert.equal(text('LICENSE'), readFileSync('LICENSE', 'utf8'));
    assert.ok(text('LICENSES.txt').includes(readFileSync('node_modules/lit/LICENSE', 'utf8').trim()));
  });

  it('the README of the package documents the element, and links to no file outside the package', () => {
    const readme = text('README.md');
    for (const passage of ['## The element', '`checkout-target`', 'payment-widget/react', '`--payment-radius`'])
      assert.ok(readme.includes(passage), passage);
    assert.doesNotMatch(readme, /npm start|npm run proxy/);
    const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
    const local = links.filter((link) => !/^(https:|#)/.test(link));
    assert.deepEqual(local, []);
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

  it('the package’s module for React is a client module that exports what the package exports, each by its name', async () => {
    const module = text('react.js');
    assert.match(module, /^'use client';\n/);
    assert.doesNotMatch(module, /export \*/, 'Next.js refuses it in a client module');
    const namesIn = async (file: string) => Object.keys((await import(join(project.package, file))) as object);
    assert.deepEqual(await namesIn('react.js'), await namesIn('index.js'));
  });

  it('the package can be bundled into a classic script', async () => {
    const entry = project.write('classic.js', `import 'payment-widget'; console.log('fine');`);
    const outfile = join(project.folder, 'classic.cjs');
    // Not warnings, because esbuild warns that import.meta is empty in a classic script.
    await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      format: 'iife',
      platform: 'neutral',
      mainFields: ['module', 'main'],
      conditions: ['node'],
      external: [...builtinModules],
      logLevel: 'error',
    });
    const { stdout, stderr } = await run(process.execPath, [outfile]);
    assert.deepEqual([stdout.trim(), stderr], ['fine', '']);
  });
});
