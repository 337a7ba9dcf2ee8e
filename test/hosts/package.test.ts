// The npm package, as those meet it who install it: its types accept what works and refuse what does not, everything it names is
// in it, and a server may import it.
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

describe('the types', () => {
  const TSC = resolve('node_modules/typescript/bin/tsc');

  for (const [resolution, module] of Object.entries({ nodenext: 'nodenext', bundler: 'esnext' })) {
    it(`accept what works and refuse what does not, with moduleResolution ${resolution}`, async () => {
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
          // Once is enough for what the frameworks themselves declare.
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

  it('names its manifest and the data for editors where they look for them', () => {
    assert.equal((json('custom-elements.json') as { schemaVersion: string }).schemaVersion, '1.0.0');
    assert.equal(description.customElements, 'custom-elements.json');
    const { name, version } = json(description['web-types']) as Description;
    assert.deepEqual([name, version], [description.name, description.version]);
    for (const file of ['vscode.html-custom-data.json', 'vscode.css-custom-data.json']) {
      assert.equal((json(file) as { version: number }).version, 1.1);
    }
  });

  it('has the project’s version, Lit as its only dependency, and nothing of the project’s own tools', () => {
    const root = JSON.parse(readFileSync('package.json', 'utf8')) as Description;
    assert.equal(description.name, 'payment-widget');
    assert.equal(description.version, root.version);
    assert.deepEqual(description.dependencies, { lit: root.dependencies['lit'] });
    for (const key of ['private', 'scripts', 'devDependencies', 'optionalDependencies', 'overrides', 'engines']) {
      assert.ok(!(key in description), key);
    }
  });

  it('holds every file that it exports, or says has side effects', () => {
    const targets = Object.values(description.exports).flatMap((target) =>
      typeof target === 'string' ? target : Object.values(target),
    );
    assert.ok(targets.length >= 9, targets.join());
    for (const path of [...targets, ...description.sideEffects])
      assert.ok(existsSync(join(project.package, path)), path);
  });

  it('is published whole: every file in it, and none beside', async () => {
    const { stdout } = await run('npm', ['pack', '--dry-run', '--json'], {
      cwd: project.package,
      shell: process.platform === 'win32',
    });
    const packed = JSON.parse(stdout) as [{ files: { path: string }[] }];
    assert.deepEqual(packed[0].files.map(({ path }) => path).toSorted(), files);
  });

  it('imports only files of its own, Lit, and in types what it asks for', () => {
    const allowed = { '.js': ['lit'], '.d.ts': ['lit', 'react', 'vue', 'svelte/elements'] };
    const scripts = files.filter((file) => /\.(js|d\.ts)$/.test(file));
    assert.ok(scripts.length > 15);
    for (const file of scripts) {
      const packages = file.endsWith('.d.ts') ? allowed['.d.ts'] : allowed['.js'];
      for (const [, from = ''] of text(file).matchAll(/(?:from |import\(|import )["']([^"']+)["']/g)) {
        const target = file.endsWith('.d.ts') ? from.replace(/\.js$/, '.d.ts') : from;
        const isThere = from.startsWith('.')
          ? existsSync(join(project.package, dirname(file), target))
          : packages.includes(from);
        assert.ok(isThere, `${file} imports ${from}`);
      }
    }
  });

  it('holds its own licence, and that of Lit, which it imports', () => {
    assert.equal(text('LICENSE'), readFileSync('LICENSE', 'utf8'));
    assert.ok(text('LICENSES.txt').includes(readFileSync('node_modules/lit/LICENSE', 'utf8').trim()));
  });

  it('the README of the package documents the element, and links to no file outside the package', () => {
    const readme = text('README.md');
    for (const told of ['## The element', '`checkout-target`', 'payment-widget/react', '`--payment-radius`'])
      assert.ok(readme.includes(told), told);
    assert.doesNotMatch(readme, /npm start|npm run proxy/);
    const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
    assert.deepEqual(
      links.filter((link) => !/^(https:|#)/.test(link)),
      [],
    );
  });

  it('can be imported on a server, where there is no DOM', async () => {
    for (const entry of ['payment-widget', 'payment-widget/react', 'payment-widget/vue', 'payment-widget/svelte']) {
      for (const program of [`await import('${entry}')`, `require('${entry}')`]) {
        const { stdout, stderr } = await run(process.execPath, ['-p', `(async () => { ${program} })(); 'fine'`], {
          cwd: project.folder,
        });
        assert.deepEqual([stdout.trim(), stderr], ['fine', ''], program);
      }
    }
  });

  it('can be bundled into a script that is no module', async () => {
    const entry = project.write('classic.js', `import 'payment-widget'; console.log('fine');`);
    const outfile = join(project.folder, 'classic.cjs');
    // That the address of the script is not known in such a bundle is what the warning says.
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
