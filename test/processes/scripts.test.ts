// Runs scripts of package.json that are no part of `npm test`, in a copy of the project, as far as shows in seconds
// that they work. test/scripts.test.ts has the list.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { buildWidgetIfStale } from '../../demo/widget-build.ts';
import { findPinnedBrowser } from '../browser.ts';
import { listeningUrl } from '../listening.ts';
import { copyProject } from '../project-copy.ts';
import { runCommand, type Ended, type Settings } from './run-command.ts';

let folder = '';
before(async () => {
  await buildWidgetIfStale();
  folder = copyProject('scripts');
});
after(() => rmSync(folder, { recursive: true, force: true }));

function run(command: readonly string[], { env, cwd = folder, ...settings }: Partial<Settings> = {}): Promise<Ended> {
  // With NODE_TEST_CONTEXT a test runner reports to the one that runs this file.
  const ofTheCopy = { NODE_COMPILE_CACHE: join(folder, 'compiled'), BUILT_PROXY: undefined };
  const all = { ...process.env, NODE_TEST_CONTEXT: undefined, ...ofTheCopy, FORCE_COLOR: '0', ...env };
  return runCommand(command, { cwd, env: all, ...settings });
}

const ON_WINDOWS = process.platform === 'win32' && 'process groups';
const npm = (...words: string[]) => ['npm', 'run', '--silent', ...words];

async function ok(url: string | undefined): Promise<string> {
  assert.ok(url !== undefined);
  const response = await fetch(url);
  assert.equal(response.status, 200, url);
  return response.text();
}

describe('scripts that serve', { skip: ON_WINDOWS }, () => {
  it('npm start prints links that answer', async () => {
    const links = (out: string) => [...out.matchAll(/^ {2}\w+ +(http:\S+)$/gm)].map(([, url]) => url);
    const { out } = await run(['npm', 'start', '--silent'], {
      isReady: (text) => text.includes('Ctrl-C'),
      async whileReady(text) {
        for (const url of links(text)) await ok(url);
      },
    });
    assert.equal(links(out).length, 5, out);
  });

  it('npm run sandbox prints its address and answers there', async () => {
    let page = '';
    await run(npm('sandbox'), {
      env: { PORT: '0', GATEWAY_API_KEY: 'any' },
      isReady: (out) => listeningUrl(out) !== undefined,
      async whileReady(out) {
        page = await ok(listeningUrl(out));
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
    const { code, out, err } = await run(npm('format'), { cwd });
    assert.equal(code, 0, out + err);
    assert.equal(readFileSync(join(cwd, 'file.ts'), 'utf8'), "export const x = '1';\n");
  });

  it('npm run test:watch runs a file', async () => {
    const { out } = await run(npm('test:watch', '--', 'test/backend-proxy/errors.test.ts'), {
      isReady: (text) => /^ℹ fail \d/m.test(text),
    });
    assert.match(out, /^ℹ fail 0$/m);
  });

  it('npm run test:engines runs a file in each engine that is installed', async () => {
    const { code, out, err } = await run(
      npm('test:engines', '--', '--files', 'test/widget/element-announcements.browser.ts'),
    );
    assert.equal(code, 0, out + err);
    assert.match(out, /^Chromium +[\d.]+ +[1-9]\d* passed, 0 failed$/m);
  });

  it('npm run shots draws a scene that looks as kept', async (t) => {
    if ((await findPinnedBrowser()) === undefined) return t.skip('Linux on x64 only');
    const { code, out, err } = await run(npm('shots', '--', '--scene', 'more contrast'));
    assert.equal(code, 0, out + err);
    assert.match(out, /^Every state looks as kept\./);
    assert.match(readFileSync(join(folder, 'shots/index.html'), 'utf8'), /more contrast/);
  });
});
