// Finds a Chromium for the tests: CHROME_PATH, then an installed one, then the one inside @sparticuz/chromium (Linux x64).
// Owns only the finding; who starts a browser also ends it. That package's own flags are not used: they switch web security off.
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:/Program Files/Google/Chrome/Application/chrome.exe',
];

// The last three keep Chromium from looking up hosts of its own at every start.
const ARGS = [
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** What puppeteer's and playwright's `launch` take. Throws, naming the way out, where there is no browser to be had. */
export async function findBrowser(): Promise<{ executablePath: string; args: string[] }> {
  const args = process.platform === 'linux' ? [...ARGS, '--no-sandbox'] : ARGS;
  const { CHROME_PATH } = process.env;
  if (CHROME_PATH !== undefined && !existsSync(CHROME_PATH))
    throw new Error(`CHROME_PATH names no file: ${CHROME_PATH}`);
  const found =
    CHROME_PATH ?? (process.env['BUNDLED_CHROMIUM'] ? undefined : INSTALLED.find((path) => existsSync(path)));
  if (found !== undefined) return { executablePath: found, args };
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('No Chrome or Chromium found: install one, or set CHROME_PATH to its executable.');
  }
  return { executablePath: await unpackBundled(), args: [...args, '--headless'] };
}

/** The package holds archives; its own fonts.conf names a folder that is not ours, and without fonts all text is 0 px wide. */
async function unpackBundled(): Promise<string> {
  const cache = resolve('node_modules/.cache/chromium');
  await mkdir(cache, { recursive: true });
  process.env['TMPDIR'] = cache;
  const { default: chromium, inflate } = await import('@sparticuz/chromium');
  const archives = join(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))), '..', 'bin');
  const executablePath = await chromium.executablePath();
  const libraries = join(await inflate(join(archives, 'al2023.tar.br')), 'lib');
  process.env['LD_LIBRARY_PATH'] = [libraries, process.env['LD_LIBRARY_PATH']].filter(Boolean).join(':');
  const folders = [join(cache, 'fonts'), '/usr/share/fonts'].map((folder) => `<dir>${folder}</dir>`).join('');
  await writeFile(
    join(cache, 'fonts.conf'),
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${folders}<cachedir>${join(cache, 'fontcache')}</cachedir></fontconfig>`,
  );
  process.env['FONTCONFIG_FILE'] = join(cache, 'fonts.conf');
  delete process.env['FONTCONFIG_PATH'];
  return executablePath;
}
