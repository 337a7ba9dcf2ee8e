// Runs scripts of package.json that are no part of `npm test`, in a copy of the project, as far as shows in seconds
// that they work. test/scripts.test.ts has the list.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { buildWidgetIfStale } from '../../demo/widget-build.ts';
import { findPinnedBrowser } from '../browser.ts';
import { listeningUrl } from '../listening.ts';
import { copyProject } from '../project-copy.ts';

/** Only against a hang. */
const LIMIT_MS = 240_000;

interface Ended {
  code: number | null;
  output: string;
}

interface Settings {
  cwd?: string;
  env?: Record<string, string>;
  /** Whether it has printed what is waited for; otherwise it runs to its end. */
  isReady?: (output: string) => boolean;
  /** Called once it is ready, before it is ended by SIGTERM. */
  whileReady?: (output: string) => Promise<void>;
}

let folder = '';
before(async () => {
  await buildWidgetIfStale();
  folder = copyProject('scripts');
});
after(() => rmSync(folder, { recursive: true, force: true }));

async function run([program = '', ...args]: readonly string[], settings: Settings = {}): Promise<Ended> {
  const { cwd = folder, env, isReady = () => false, whileReady } = settings;
  const child = spawn(program, args, {
    cwd,
    // With NODE_TEST_CONTEXT a test runner reports to the one that runs this file.
    env: { ...process.env, NODE_TEST_CONTEXT: undefined, FORCE_COLOR: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // In its own process group, so that what npm starts ends with it.
    detached: true,
  });
  const end = (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), signal);
  };
  const killer = setTimeout(() => end('SIGKILL'), LIMIT_MS);
  let output = '';
  const ready = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (isReady(output)) ready.resolve();
    });
  }
  const closed = once(child, 'close') as Promise<[number | null]>;
  try {
    await Promise.race([ready.promise, closed]);
    if (isReady(output)) await whileReady?.(output);
  } finally {
    if (isReady(output)) end('SIGTERM');
    await closed;
    clearTimeout(killer);
  }
  return { code: child.exitCode, output };
}

const ON_WINDOWS = process.platform === 'win32' && 'process groups';
const npm = (...words: string[]) => ['npm', 'run', '--silent', ...words];

async function ok(url: string | undefined): Promise<string> {
  assert.ok(url !== undefined);
  const response = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS) });
  assert.equal(response.status, 200, url);
  return response.text();
}

describe('scripts that serve', { skip: ON_WINDOWS }, () => {
  it('npm start prints links that answer', async () => {
    const links = (output: string) => [...output.matchAll(/^ {2}\w+ +(http:\S+)$/gm)].map(([, url]) => url);
    const { output } = await run(['npm', 'start', '--silent'], {
      isReady: (text) => text.includes('Ctrl-C'),
      async whileReady(text) {
        for (const url of links(text)) await ok(url);
      },
    });
    assert.equal(links(output).length, 5, output);
  });

  it('npm run themes serves the editor and all that its page names', async () => {
    const address = (output: string) => /^Themes +(http:\S+)$/m.exec(output)?.[1];
    let named: string[] = [];
    await run(npm('themes'), {
      env: { PORT: '0' },
      isReady: (output) => address(output) !== undefined,
      async whileReady(output) {
        const page = await ok(address(output));
        named = [...page.matchAll(/ (?:src|href)="(?!data:)([^"#]+)"/g)].map(([, path = '']) => path);
        for (const path of [...named, '/widget/widget.js']) await ok(new URL(path, address(output)).href);
      },
    });
    assert.ok(named.length >= 3, named.join());
  });

  it('npm run sandbox prints its address and answers there', async () => {
    let page = '';
    await run(npm('sandbox'), {
      env: { PORT: '0', GATEWAY_API_KEY: 'any' },
      isReady: (output) => listeningUrl(output) !== undefined,
      async whileReady(output) {
        page = await ok(listeningUrl(output));
      },
    });
    assert.match(page, /<html/);
  });
});

// Beside each other, because some of them wait.
describe('scripts for those who change the project', { skip: ON_WINDOWS, concurrency: 3 }, () => {
  it('npm run format changes a file that check would refuse', async () => {
    // A folder of its own, because it formats all files.
    const cwd = mkdtempSync(join(folder, 'format-'));
    cpSync('package.json', join(cwd, 'package.json'));
    writeFileSync(join(cwd, 'file.ts'), 'export   const  x = "1"\n');
    const { code, output } = await run(npm('format'), { cwd });
    assert.equal(code, 0, output);
    assert.equal(readFileSync(join(cwd, 'file.ts'), 'utf8'), "export const x = '1';\n");
  });

  it('npm run map prints the first line of each source file', async (t) => {
    if (!existsSync('.git')) return t.skip('it asks git for the files');
    const { output } = await run(npm('map', '--', 'backend-proxy'), { cwd: '.' });
    assert.match(output, /^backend-proxy\/app\.ts:\/\/ /m);
  });

  it('npm run test:watch runs a file', async () => {
    const { output } = await run(npm('test:watch', '--', 'test/prose.test.ts'), {
      isReady: (text) => /^ℹ fail \d/m.test(text),
    });
    assert.match(output, /^ℹ fail 0$/m);
  });

  it('npm run test:guards finds a failing test for three guards a day', async () => {
    const { code, output } = await run(npm('test:guards', '--', '--drawn', '3'));
    assert.equal(code, 0, output);
    assert.match(output, /^3 guards removed: 3 red, /m);
  });

  it('a fault test with LONG=1 has its full size', async () => {
    const file = 'test/faults/shared-account.test.ts';
    const only = ['--test-name-pattern=different prefixes', file];
    const { code, output } = await run([process.execPath, '--test', ...only], { env: { LONG: '1' } });
    assert.equal(code, 0, output);
    assert.match(output, / orders=100 /);
  });

  it('npm run test:engines runs a file in each engine that is installed', async () => {
    const { code, output } = await run(
      npm('test:engines', '--', '--files', 'test/widget/element-announcements.browser.ts'),
    );
    assert.equal(code, 0, output);
    assert.match(output, /^Chromium +[\d.]+ +[1-9]\d* passed, 0 failed$/m);
  });

  it('npm run shots draws a scene that looks as kept', async (t) => {
    if ((await findPinnedBrowser()) === undefined) return t.skip('Linux on x64 only');
    const { code, output } = await run(npm('shots', '--', '--scene', 'phone'));
    assert.equal(code, 0, output);
    assert.match(output, /^Every state looks as kept\./);
    assert.match(readFileSync(join(folder, 'shots/index.html'), 'utf8'), /phone/);
  });
});
