// Finds a Chromium for the tests: CHROME_PATH, then an installed one, then the one inside @sparticuz/chromium (Linux
// x64). With BUNDLED_CHROMIUM, as in `npm test`, that one comes before an installed one: without a window it takes a
// third of the processor time. The caller starts and ends it. That package's own flags are not used, because they
// switch web security off.
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, LaunchOptions } from 'playwright-core';

const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:/Program Files/Google/Chrome/Application/chrome.exe',
];

// The last three prevent Chromium's own network requests at every start.
const ARGS = [
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const CAN_RUN_BUNDLED = process.platform === 'linux' && process.arch === 'x64';

/** The options for puppeteer's and playwright's `launch`. Throws with a remedy if there is no browser. */
export async function findBrowser(): Promise<{ executablePath: string; args: string[] }> {
  const args = process.platform === 'linux' ? [...ARGS, '--no-sandbox'] : ARGS;
  const { CHROME_PATH } = process.env;
  if (CHROME_PATH !== undefined && !existsSync(CHROME_PATH))
    throw new Error(`CHROME_PATH names no file: ${CHROME_PATH}`);
  const takesBundled = CAN_RUN_BUNDLED && process.env['BUNDLED_CHROMIUM'] !== undefined;
  const found = CHROME_PATH ?? (takesBundled ? undefined : INSTALLED.find((path) => existsSync(path)));
  if (found !== undefined) return { executablePath: found, args };
  if (!CAN_RUN_BUNDLED) {
    throw new Error('No Chrome or Chromium found: install one, or set CHROME_PATH to its executable.');
  }
  return { executablePath: await unpackBundled(), args: [...args, '--headless'] };
}

/**
 * The options for playwright's `launch` of the Chromium inside @sparticuz/chromium, which sees only the fonts of that
 * package: the same page has the same pixels on each machine. Undefined where that Chromium cannot run.
 */
export async function findPinnedBrowser(): Promise<LaunchOptions | undefined> {
  if (!CAN_RUN_BUNDLED) return undefined;
  const executablePath = await unpackBundled();
  const fonts = join(dirname(executablePath), 'only-bundled-fonts.conf');
  await writeFile(fonts, fontsConfig(dirname(executablePath), []));
  return {
    executablePath,
    args: [...ARGS, '--no-sandbox', '--headless', '--disable-lcd-text'],
    env: { ...process.env, FONTCONFIG_FILE: fonts },
  };
}

/** Prints the content of pages that failed tests left open. */
export async function reportOpenPages(browser: Browser): Promise<void> {
  for (const page of browser.contexts().flatMap((context) => context.pages())) {
    const body = page.locator('body').ariaSnapshot({ timeout: 10_000 });
    console.error(`Left open: ${page.url()}\n${await body.catch(String)}\n`);
  }
}

/**
 * Unpacks into a temporary folder and renames it, because test files run at the same time and must not find half a
 * browser. If two processes unpack at once, the second keeps the folder of the first.
 */
async function unpackBundled(): Promise<string> {
  const cache = resolve('node_modules/.cache/bundled-chromium');
  if (!existsSync(cache)) {
    const folder = `${cache}-${process.pid}`;
    await unpackInto(folder);
    await writeFile(join(folder, 'fonts.conf'), fontsConfig(cache));
    await rename(folder, cache).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
    await rm(folder, { recursive: true, force: true });
  }
  const libraries = join(cache, 'al2023', 'lib');
  process.env['LD_LIBRARY_PATH'] = [libraries, process.env['LD_LIBRARY_PATH']].filter(Boolean).join(':');
  process.env['FONTCONFIG_FILE'] = join(cache, 'fonts.conf');
  process.env['TMPDIR'] = cache;
  return join(cache, 'chromium');
}

async function unpackInto(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const archives = join(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '..', 'bin');
  const { inflate } = await import('@sparticuz/chromium');
  const { TMPDIR } = process.env;
  // inflate() reads it when called, and unpacks there.
  process.env['TMPDIR'] = folder;
  const unpacked = ['chromium', 'fonts.tar', 'swiftshader.tar', 'al2023.tar'].map((name) =>
    inflate(join(archives, `${name}.br`)),
  );
  if (TMPDIR === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = TMPDIR;
  await Promise.all(unpacked);
}

/** The package's own fonts.conf names a folder that does not exist here, and without fonts all text is 0 px wide. */
function fontsConfig(cache: string, others = ['/usr/share/fonts']): string {
  const folders = [join(cache, 'fonts'), ...others].map((folder) => `<dir>${folder}</dir>`).join('');
  return `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${folders}<cachedir>${join(cache, 'fontcache')}</cachedir></fontconfig>`;
}
