// The three npm packages that `npm run build` makes: the registry's checkers accept them. Then those for Node: what they
// import, their types, and that their commands start.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  mkdirSync,
  writeFileSync,
} from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, delimiter, join, relative, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { VERSION } from '../../backend-proxy/installation.ts';
import { SECRETS, SHOP } from '../backend-proxy/world.ts';
import { findPackages } from './built-packages.ts';

const run = promisify(execFile);
const LIMIT_MS = 60_000;

/** The program and arguments that run a script with each runtime. */
const RUNTIMES = {
  node: [process.execPath],
  bun: [resolve('test/hosts/node_modules/.bin/bun')],
  deno: [resolve('test/hosts/node_modules/.bin/deno'), 'run', '--allow-all'],
} as const;

/** Of a proxy that runs in the folder. */
const proxyEnvironment = (folder: string): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: folder,
  GATEWAY_URL: 'http://127.0.0.1:1',
  GATEWAY_API_KEY: SECRETS.gatewayKey,
  ORDER_SECRET: SECRETS.order,
  MERCHANT_API_KEY: SECRETS.merchant,
  IPN_SECRET: SECRETS.ipn,
  ALLOWED_ORIGINS: SHOP,
  DATABASE_URL: `file:${join(folder, 'payments.db')}`,
  DRAIN_SECONDS: '0',
  PORT: '0',
});

interface Line {
  event: string;
}

/** Of package.json. */
interface Published {
  repository: object;
  homepage: string;
  bugs: object;
  publishConfig: object;
  sideEffects: string[];
}

/** The packages in `dist`, as they are published, with what test/release.ts compares them with. */
const here = mkdtempSync(join(tmpdir(), 'release-'));
process.once('exit', () => rmSync(here, { recursive: true, force: true }));
const packages = await findPackages();
for (const part of ['npm', 'proxy', 'sandbox']) {
  // A proxy that another test has started keeps its compiled code in such a folder, which npm leaves out.
  const filter = (path: string) => basename(path) !== 'node_modules';
  cpSync(join(packages, part), join(here, 'dist', part), { recursive: true, filter });
}
for (const file of ['package.json', 'package-lock.json', 'CHANGELOG.md']) cpSync(file, join(here, file));
const PROXY = join(here, 'dist/proxy');

describe('npm packages', () => {
  const ATTW = resolve('test/hosts/node_modules/@arethetypeswrong/cli/dist/index.js');
  /** Exports that are not modules. */
  const SHEETS = readdirSync('widget/themes').map((name) => `themes/${name}`);
  const DATA = { npm: ['custom-elements.json', ...SHEETS], proxy: [], sandbox: [] };

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

    it(`dist/${part} has where the project lives, what a bundler may drop, and that it is published with provenance`, () => {
      const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Published;
      const { sideEffects, repository, ...built } = read(join(here, 'dist', part, 'package.json'));
      assert.deepEqual(repository, read('package.json').repository);
      assert.match(built.homepage, /^https:\/\/github\.com\/[\w-]+\/payment-widget#readme$/);
      assert.deepEqual(built.bugs, { url: built.homepage.replace('#readme', '/issues') });
      assert.deepEqual(built.publishConfig, { access: 'public', provenance: true });
      assert.ok(sideEffects.length > 0 && sideEffects.every((path) => path.startsWith('./')), sideEffects.join());
    });

    it(`npm pack of dist/${part} includes every file of it and no other`, async () => {
      const cwd = join(here, 'dist', part);
      const { stdout } = await run('npm', ['pack', '--dry-run', '--json'], {
        cwd,
        shell: process.platform === 'win32',
      });
      const [packed] = JSON.parse(stdout) as [{ files: { path: string }[] }];
      const paths = packed.files.map(({ path }) => path);
      const entries = readdirSync(cwd, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      const files = entries.map(({ parentPath, name }) => relative(cwd, join(parentPath, name)).replaceAll('\\', '/'));
      assert.deepEqual(paths.toSorted(), files.toSorted());
    });
  }
});

it('test/release.ts accepts the packages as they are, and says of a tag what is missing', async () => {
  const release = (...args: string[]) =>
    run(process.execPath, [resolve('test/release.ts'), ...args], { cwd: here }).catch(
      (error: { code: number; stderr: string }) => error,
    );
  assert.deepEqual(await release(), { stdout: `The release ${VERSION} holds together.\n`, stderr: '' });
  const refused = await release('v9.9.9');
  assert.equal('code' in refused && refused.code, 1);
  assert.match(refused.stderr, new RegExp(`^The tag v9\\.9\\.9 is not v${VERSION}, as package\\.json says\\.$`, 'm'));
});

describe('the packages for Node', () => {
  const scriptsOf = (part: string) => globSync(join(here, 'dist', part, 'lib/*.js'));
  /** What is imported by any statement or function that a bundle has. */
  const importedBy = (script: string) =>
    [
      ...readFileSync(script, 'utf8').matchAll(
        /^(?:import|export) .*?from "([^"]+)"|^import "([^"]+)"|import\("([^"]+)"\)|__require\("([^"]+)"\)/gm,
      ),
    ].map((found) => found.slice(1).find((name) => name !== undefined) ?? '');

  for (const part of ['proxy', 'sandbox']) {
    it(`dist/${part} imports only its own files and modules of Node, and an addon that it never loads`, () => {
      const scripts = scriptsOf(part);
      const names = [...new Set(scripts.flatMap(importedBy))];
      assert.ok(names.length > 20);
      const own = scripts.map((script) => `./${basename(script)}`);
      const isKnown = (name: string) => name.startsWith('node:') || builtinModules.includes(name) || own.includes(name);
      assert.deepEqual(
        names.filter((name) => !isKnown(name)),
        ['pg-native'],
      );
    });
  }

  it('the variables of payment-proxy name nothing of a clone', () => {
    assert.doesNotMatch(readFileSync(join(PROXY, '.env.example'), 'utf8'), /clone|npm run|demo\//);
  });

  it('the sandbox is not inside payment-proxy', () => {
    const withSandbox = (part: string) =>
      scriptsOf(part).filter((script) => readFileSync(script, 'utf8').includes('/_sandbox'));
    assert.deepEqual(withSandbox('proxy'), []);
    assert.ok(withSandbox('sandbox').length > 0);
  });

  it('payment-proxy/client imports nothing', () => {
    assert.deepEqual(importedBy(join(PROXY, 'lib/client.js')), []);
  });

  it('the command payment-sandbox runs a command in a test world with its pages and the widget', async () => {
    const script = `
      const { PAYMENT_PROXY_URL: proxy, PAYMENT_SANDBOX_URL: sandbox } = process.env;
      const urls = [proxy + '/widget.js', sandbox + '/assets/sandbox.css', sandbox + '/wallet'];
      Promise.all(urls.map((url) => fetch(url))).then((answers) => console.log(answers.map(({ status }) => status)));`;
    const command = [join(here, 'dist/sandbox/lib/main.js'), 'exec', '--', process.execPath, '-e', script];
    const { stdout } = await run(process.execPath, command, { timeout: LIMIT_MS });
    assert.equal(stdout, '[ 200, 200, 200 ]\n');
  });
});

/** Of those on the PATH; merchants have them. */
async function olderNode(): Promise<string | undefined> {
  for (const path of (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'))) {
    const { stdout } = await run(path, ['-p', 'process.versions.node']).catch(() => ({ stdout: '' }));
    if (/^2[0-3]\./.test(stdout)) return path;
  }
  return undefined;
}

it('Node 20 runs payment-proxy/client, and all else says in one sentence which Node it needs', async (t) => {
  const older = await olderNode();
  if (older === undefined) return t.skip('no Node from 20 to 23 is on the PATH');
  const { now, orderSecret, webhookSecret, tokens, webhooks } = JSON.parse(readFileSync('docs/vectors.json', 'utf8'));
  const script = `
    const [client, testing] = process.argv.slice(1);
    const { signOrder, verifyWebhook } = await import(client);
    const { startPayments } = await import(testing);
    const { now, orderSecret, webhookSecret, webhooks, order } = JSON.parse(process.env.INPUT);
    const verified = webhooks.map(({ body, headers, secret = webhookSecret }) =>
      verifyWebhook(body, headers, secret, now).then(() => true, () => false));
    const token = await signOrder(order, orderSecret, now);
    const refused = await startPayments().catch(({ message }) => message);
    console.log(JSON.stringify({ token, verified: await Promise.all(verified), refused }));`;
  const order = { orderId: 'A-1', amount: '10.10', currency: 'EUR', returnUrl: 'https://shop.example/thanks' };
  const INPUT = JSON.stringify({ now: now * 1000, orderSecret, webhookSecret, webhooks, order });
  const modules = [join(PROXY, 'lib/client.js'), join(here, 'dist/npm/testing/testing.js')];
  const { stdout } = await run(older, ['--input-type=module', '-e', script, ...modules], { env: { INPUT } });
  const { token, verified, refused } = JSON.parse(stdout);
  assert.equal(token, tokens[0].token);
  assert.deepEqual(
    verified,
    webhooks.map(({ valid }: { valid: boolean }) => valid),
  );
  assert.match(refused, /^payment-sandbox needs Node 24 or newer; this is 2\d\.\d+\.\d+$/);
  for (const [part, args] of [
    ['proxy', ['check']],
    ['sandbox', []],
  ] as const) {
    const command = join(here, 'dist', part, 'lib/main.js');
    const { code, stderr }: { code?: number; stderr: string } = await run(older, [command, ...args]).catch(
      (error: { code: number; stderr: string }) => error,
    );
    assert.deepEqual([code, stderr], [1, `${refused.replace('sandbox', part)}\n`]);
  }
});

describe('the proxy’s package', () => {
  interface Description {
    bin: Record<string, string>;
  }
  const description = JSON.parse(readFileSync(join(PROXY, 'package.json'), 'utf8')) as Description;

  describe('installed', () => {
    const folder = mkdtempSync(join(tmpdir(), 'proxy-types-'));
    after(() => rmSync(folder, { recursive: true, force: true }));
    mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
    symlinkSync(PROXY, join(folder, 'node_modules/payment-proxy'), 'junction');
    for (const name of ['@types/node', 'undici-types', 'hono'])
      symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name), 'junction');
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');

    it('the proxy’s types accept correct use and reject wrong use, with nothing of the project installed but Hono', async () => {
      writeFileSync(
        join(folder, 'shop.ts'),
        `import { Hono } from 'hono';
         import { createProxy, VERSION, type Log, type RunningProxy } from 'payment-proxy';
         import { PaymentProxy, type Order } from 'payment-proxy/client';
         const log: Log = (level, event) => console.log(level, event, VERSION);
         const proxy: RunningProxy = await createProxy(process.env, { log });
         const pages = new Hono().route('/pay', proxy.app);
         const answer: Response = await proxy.fetch(new Request('https://shop.example/healthz'));
         // @ts-expect-error: there is no such option
         await createProxy({}, { path: '/pay' });
         await proxy.stop();
         const shop = new PaymentProxy({ url: 'https://pay.shop.example', key: VERSION });
         const order: Order | null = await shop.order('A-1');
         // @ts-expect-error: a refund needs the shop's own id of it
         await shop.refund('A-1', { amount: '4' });
         export { answer, order, pages };`,
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
      const env = proxyEnvironment(folder);
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
  });
});
