// What `npm run build` makes: two npm packages that the registry's checkers accept. Then the proxy's package: its types,
// what it imports, and that its command starts.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, mkdirSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { VERSION } from '../../backend-proxy/version.ts';
import { copyProject, digestsOf } from './project-copy.ts';
import { proxyEnvironment, RUNTIMES } from './server.ts';

const run = promisify(execFile);
const LIMIT_MS = 60_000;

interface Line {
  event: string;
}

const here = copyProject('build');
await run(process.execPath, ['widget/build/main.ts'], { cwd: here, maxBuffer: 1e7 });
const PROXY = join(here, 'dist/proxy');
const text = (name: string) => readFileSync(join(PROXY, name), 'utf8');
const json = (name: string): unknown => JSON.parse(text(name));
const files = Object.keys(digestsOf(PROXY));

describe('npm packages', () => {
  const ATTW = resolve('test/hosts/node_modules/@arethetypeswrong/cli/dist/index.js');
  /** Exports that are not modules. */
  const SHEETS = readdirSync('widget/themes').map((name) => `themes/${name}`);
  const DATA = { npm: ['custom-elements.json', ...SHEETS], proxy: [] };

  for (const [part, data] of Object.entries(DATA)) {
    it(`publint and "Are the types wrong?" find nothing in dist/${part}`, async () => {
      const pkgDir = join(here, 'dist', part);
      const { messages } = await publint({ pkgDir, strict: true });
      assert.deepEqual(messages, []);
      const excluded = [...data, 'package.json'].flatMap((name) => ['--exclude-entrypoints', `./${name}`]);
      // Only as ES modules: a CommonJS program can require() them, because they have no top-level await.
      const args = [
        ATTW,
        '--pack',
        pkgDir,
        '--profile',
        'esm-only',
        '--no-definitely-typed',
        '--no-color',
        ...excluded,
      ];
      // Rejects at a problem.
      const { stdout } = await run(process.execPath, args);
      assert.match(stdout, /node16 \(from ESM\)/);
    });

    it(`npm pack of dist/${part} includes every file of it and no other`, async () => {
      const cwd = join(here, 'dist', part);
      const { stdout } = await run('npm', ['pack', '--dry-run', '--json'], {
        cwd,
        shell: process.platform === 'win32',
      });
      const [packed] = JSON.parse(stdout) as [{ files: { path: string }[] }];
      const paths = packed.files.map(({ path }) => path);
      assert.deepEqual(paths.toSorted(), Object.keys(digestsOf(cwd)).toSorted());
    });
  }
});

describe('the proxy’s package', () => {
  interface Description {
    version: string;
    bin: Record<string, string>;
    exports: Record<string, unknown>;
    files: string[];
  }
  const description = json('package.json') as Description;
  const scripts = files.filter((file) => /^lib\/.*\.js$/.test(file));

  it('the proxy’s package imports only its own files and modules of Node, and an addon that it never loads', () => {
    const found = scripts.flatMap((file) =>
      [...text(file).matchAll(/^(?:import|export) .*?from "([^"]+)"|^import "([^"]+)"|import\("([^"]+)"\)/gm)].map(
        ([, from, bare, lazy]) => from ?? bare ?? lazy ?? '',
      ),
    );
    const required = scripts.flatMap((file) =>
      [...text(file).matchAll(/__require\("([^"]+)"\)/g)].map(([, name = '']) => name),
    );
    assert.ok(found.length > 10 && required.length > 10);
    const isKnown = (name: string) =>
      name.startsWith('node:') || builtinModules.includes(name) || scripts.includes(name.replace('./', 'lib/'));
    const others = [...new Set([...found, ...required])].filter((name) => !isKnown(name));
    assert.deepEqual(others, ['pg-native']);
  });

  describe('installed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'proxy-types-'));
    after(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
    symlinkSync(PROXY, join(folder, 'node_modules/payment-proxy'), 'junction');
    for (const name of ['@types/node', 'undici-types'])
      symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name), 'junction');
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');

    it('the proxy’s types accept correct use and reject wrong use, with nothing of the project installed', async () => {
      writeFileSync(
        join(folder, 'shop.ts'),
        `import { createServer } from 'node:http';
         import { createGateway, createProxy, createProxyFrom, openLedger, VERSION, type Log, type OwnedProxy } from 'payment-proxy';
         const log: Log = (level, event) => console.log(level, event);
         const proxy: OwnedProxy = await createProxyFrom(process.env, { prefix: '/pay', log });
         createServer(proxy.handler);
         const answer: Response = await proxy.fetch(new Request('https://shop.example/pay/healthz'));
         const ledger = await openLedger('file:payments.db', { onFatal: () => process.exit(1) });
         const gateway = createGateway({ url: 'https://gateway.example', apiKey: VERSION });
         const config = { orderSecrets: [], merchantKeys: [], ipnSecrets: [], allowedOrigins: [] };
         await createProxy({ gateway, ledger, config }, { prefix: '/pay' }).run().stop();
         // @ts-expect-error: there is no such option
         await createProxyFrom({}, { path: '/pay' });
         // @ts-expect-error: a proxy needs a ledger
         createProxy({ gateway, config });
         await ledger.close();
         // @ts-expect-error: what is in a ledger is the proxy's own
         await ledger.counts();
         // @ts-expect-error: only openLedger() opens one
         createProxy({ gateway, ledger: { close: () => Promise.resolve() }, config });
         export { answer };`,
      );
      const compilerOptions = {
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmit: true,
        target: 'es2023',
        lib: ['es2024'],
        module: 'nodenext',
        types: ['node'],
        preserveSymlinks: true,
      };
      const config = join(folder, 'tsconfig.json');
      writeFileSync(config, JSON.stringify({ compilerOptions, files: ['shop.ts'] }));
      const tsc = resolve('node_modules/typescript/bin/tsc');
      const { stdout } = await run(process.execPath, [tsc, '-p', config]).catch((error: { stdout: string }) => error);
      assert.equal(stdout, '');
    });

    const command = join(PROXY, description.bin['payment-proxy'] ?? '');
    /** Starts the proxy, and ends it by SIGTERM once it listens. Rejects if it fails. */
    async function startAndEnd([program, ...args]: readonly [string, ...string[]]) {
      const env = { ...proxyEnvironment(folder, 'http://127.0.0.1:1'), DRAIN_SECONDS: '0', PORT: '0' };
      const running = run(program, [...args, command], { env, cwd: folder, timeout: LIMIT_MS });
      running.child.stdout?.on('data', (lines: string) => {
        if (lines.includes('"listening"')) running.child.kill('SIGTERM');
      });
      const { stdout, stderr } = await running;
      const events = stdout.split('\n').flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as Line).event]));
      return { events, stderr };
    }

    for (const [name, program] of Object.entries(RUNTIMES)) {
      it(`the command payment-proxy starts in ${name} and ends cleanly on SIGTERM`, async () => {
        const { events, stderr } = await startAndEnd(program);
        assert.deepEqual([events.at(-2), events.at(-1), stderr], ['stopping', 'stopped', '']);
      });
    }

    it('the command payment-proxy version prints the version', async () => {
      const { stdout } = await run(process.execPath, [command, 'version']);
      assert.equal(stdout.trim(), VERSION);
    });
  });
});
