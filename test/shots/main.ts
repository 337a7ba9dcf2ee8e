// `node test/shots/main.ts`: draws every state of the widget in every scene into shots/, with index.html as the contact sheet.
// Owns scenes and files; what the states are is in test/widget/states.ts. For people to look at: nothing is compared.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';
import { chromium, type BrowserContextOptions } from 'playwright-core';
import { findBrowser } from '../browser.ts';

const FOLDER = 'shots';

interface Scene {
  name: string;
  width: number;
  lang?: string;
  options?: BrowserContextOptions;
}

const SCENES: Scene[] = [
  { name: 'light', width: 400 },
  { name: 'dark', width: 400, options: { colorScheme: 'dark' } },
  { name: 'wide', width: 640 },
  { name: 'phone', width: 320, options: { hasTouch: true, isMobile: true } },
  { name: 'narrow', width: 240 },
  { name: 'right-to-left', width: 400, lang: 'ar' },
  { name: 'german', width: 240, lang: 'de' },
  { name: 'forced-colors', width: 400, options: { forcedColors: 'active', colorScheme: 'dark' } },
];

const bundle = await build({
  entryPoints: ['test/shots/page.ts'],
  bundle: true,
  format: 'esm',
  target: 'es2022',
  write: false,
});
const script = bundle.outputFiles[0]?.text ?? '';
const html = await readFile('test/shots/page.html', 'utf8');
const browser = await chromium.launch(await findBrowser());
try {
  await mkdir(FOLDER, { recursive: true });
  // Two lanes: more only wait for the same processor.
  const queue = SCENES.values();
  const lane = async () => {
    for (const scene of queue) await draw(scene);
  };
  await Promise.all([lane(), lane()]);
  await writeFile(`${FOLDER}/index.html`, contactSheet());
  console.log(`${SCENES.length} scenes in ${FOLDER}/index.html`);
} finally {
  await browser.close();
}

/** The page lives at an address that only this browser knows, so no server and no port are needed. */
async function draw({ name, width, lang = 'en', options }: Scene): Promise<void> {
  const columns = width < 400 ? 6 : width > 400 ? 3 : 4;
  const viewportWidth = columns * (width + 24) + 24;
  const context = await browser.newContext({
    viewport: { width: viewportWidth, height: 900 },
    deviceScaleFactor: 1,
    ...options,
  });
  const page = await context.newPage();
  page.on('pageerror', (error) => console.error(`${name}: ${error.message}`));
  await page.route('https://shop.test/**', (route) =>
    route.request().url().endsWith('.ts')
      ? route.fulfill({ contentType: 'text/javascript', body: script })
      : route.fulfill({ contentType: 'text/html', body: html }),
  );
  await page.goto(`https://shop.test/?width=${width}&lang=${lang}`);
  await page.waitForFunction(() => document.title === 'ready', undefined, { timeout: 60_000 });
  // Not `fullPage`: while it stretches the page, Chromium forgets that the device has no mouse.
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width: viewportWidth, height });
  await page.screenshot({ path: `${FOLDER}/${name}.png`, animations: 'disabled', timeout: 60_000 });
  await context.close();
}

function contactSheet(): string {
  const figures = SCENES.map(
    ({ name, width }) =>
      `<h2>${name}, ${width} px</h2>\n<a href="${name}.png"><img src="${name}.png" alt="${name}" width="100%"></a>`,
  );
  return `<!doctype html>\n<meta charset="utf-8">\n<title>Contact sheet</title>\n${figures.join('\n')}\n`;
}
