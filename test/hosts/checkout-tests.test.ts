// demo/checkout-tests/ as a shop has it: in a folder of its own, with the three packages from their .tgz files. The
// examples of docs/testing.md run beside its tests.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { VERSION } from '../../backend-proxy/installation.ts';
import { findBrowser } from '../browser.ts';
import { findProgram, PHP } from '../debian-package.ts';
import { findPackages } from './built-packages.ts';

const LIMIT_MS = 120_000;
const MAX_INSTALLED = 20e6;
const MAX_LINES = 15;

/** The part of Playwright's that is read here. */
interface Report {
  suites: [{ specs: [{ tests: [{ results: [Result] }] }] }];
}
interface Result {
  error?: { message: string };
  attachments: { name: string; body?: string }[];
}

const folder = mkdtempSync(join(tmpdir(), 'checkout-tests-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
// With what it sets for the browser, and before a build sets NODE_ENV.
const { executablePath } = await findBrowser();
// The shop's own test runner is not a part of this one.
const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
const options = { cwd: folder, env: inherited, timeout: LIMIT_MS, shell: process.platform === 'win32' };
const run = promisify(execFile);

cpSync('demo/checkout-tests', folder, { recursive: true });
const [inPlaywright = '', inNode = ''] = Array.from(
  readFileSync('docs/testing.md', 'utf8').matchAll(/^```js\n(.*?)^```$/gms),
  ([, code]) => code,
);
writeFileSync(join(folder, 'test/documented.spec.js'), inPlaywright);
writeFileSync(join(folder, 'documented.js'), inNode);
const built = await findPackages();
await run('npm', ['pack', ...['npm', 'proxy', 'sandbox'].map((name) => join(built, name))], options);
// Offline: these two are the project's own copies.
const others = ['lit', '@playwright/test'].map((name) => resolve('node_modules', name));
const install = ['install', '--offline', '--no-audit', '--no-fund'];
await run('npm', [...install, ...globSync('*.tgz', { cwd: folder }), ...others], options);
// A later install keeps them.
await run('npm', install, options);

it('the three packages together are under 20 MB', () => {
  const files = globSync(join(folder, 'node_modules/payment-*/**/*'));
  const bytes = files.map((file) => statSync(file)).reduce((sum, { size }) => sum + size, 0);
  assert.ok(bytes > 1e6 && bytes < MAX_INSTALLED, `${bytes} bytes`);
});

it('a shop’s Playwright tests of a QR payment pass, also the documented one, and have at most 15 lines', async () => {
  for (const file of globSync(join(folder, 'test/*.spec.js'))) {
    const { length } = readFileSync(file, 'utf8').trim().split('\n');
    assert.ok(length <= MAX_LINES, `${file}: ${length} lines`);
  }
  const env = { ...inherited, CHROME_PATH: executablePath };
  const { stdout } = await run('npx', ['playwright', 'test'], { ...options, env });
  assert.match(stdout, /2 passed/);
});

it('the documented test without a browser passes', async () => {
  await run(process.execPath, ['documented.js'], options);
});

/** Its page is no file of a server, so Chromium lets it load from loopback only with a permission. */
const FAILING = `
import { test } from 'payment-widget/testing/playwright';

test('a page that the test answers', async ({ page, payments }) => {
  const body = '<script type="module" src="' + payments.url + '/widget.js"></script>';
  await page.route('https://shop.example/', (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto('https://shop.example/');
  await page.waitForFunction(() => customElements.get('payment-widget'), null, { timeout: 20_000 });
  throw new Error('the widget has loaded');
});
`;

it('a failed Playwright test has loaded the widget into a page of its own, and has the journal attached', async () => {
  writeFileSync(join(folder, 'failing.spec.js'), FAILING);
  writeFileSync(
    join(folder, 'failing.config.js'),
    `import config from './playwright.config.js';
    export default { ...config, testDir: '.', testMatch: 'failing.spec.js', reporter: 'json' };`,
  );
  const env = { ...inherited, CHROME_PATH: executablePath };
  const { stdout } = await run('npx', ['playwright', 'test', '-c', 'failing.config.js'], { ...options, env }).catch(
    (error: { stdout: string }) => error,
  );
  const [result] = (JSON.parse(stdout) as Report).suites[0].specs[0].tests[0].results;
  assert.match(result.error?.message ?? '', /the widget has loaded/, stdout);
  const journal = result.attachments.find(({ name }) => name === 'payments-journal.json');
  const entries = JSON.parse(Buffer.from(journal?.body ?? '', 'base64').toString()) as { path: string }[];
  assert.ok(entries.some(({ path }) => path === '/widget.js'));
});

it('a shop’s unit test of a component passes', async () => {
  const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap', 'test/thanks.test.js'], options);
  assert.match(stdout, /^# pass 1$/m);
});

it('a shop’s PHP test of a webhook and a refund passes', async (t) => {
  const php = await findProgram(PHP);
  if (typeof php === 'string') return t.skip(php);
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  if (php.path !== PHP.command) symlinkSync(php.path, join(bin, 'php'));
  const env = { ...inherited, ...php.env, PATH: `${bin}${delimiter}${inherited['PATH']}` };
  const { stdout } = await run('npm', ['run', 'test:php'], { ...options, env });
  assert.equal(stdout.match(/^ok: /gm)?.length, 4);
});

it('payment-widget/testing refuses a payment-sandbox of another version, and says which to install', async () => {
  const file = join(folder, 'node_modules/payment-sandbox/package.json');
  const description = readFileSync(file, 'utf8');
  writeFileSync(file, description.replace(`"version": "${VERSION}"`, '"version": "0.0.1"'));
  const script = `const { startPayments } = await import('payment-widget/testing');
    await startPayments().catch(({ message }) => console.log(message));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { ...options, shell: false });
  writeFileSync(file, description);
  const needed = `payment-widget/testing ${VERSION} needs payment-sandbox of the same version, not 0.0.1`;
  assert.equal(stdout, `${needed}: npm i -D payment-sandbox@${VERSION}\n`);
});
