// `node test/shots/main.ts`: draws every state of the widget in every scene into shots/, with index.html as the contact sheet.
// Owns scenes and files; what the states are is in test/widget/states.ts. For people to look at: nothing is compared.
import { mkdir, writeFile } from 'node:fs/promises';
import { chromium, type BrowserContextOptions } from 'playwright-core';
import { createServer } from 'vite';
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

const server = await createServer({
  configFile: false,
  logLevel: 'error',
  server: { port: 0, host: '127.0.0.1', hmr: false },
  optimizeDeps: { noDiscovery: true },
});
const browser = await chromium.launch(await findBrowser());
try {
  await server.listen();
  const base = server.resolvedUrls?.local[0] ?? '';
  await mkdir(FOLDER, { recursive: true });
  await Promise.all(SCENES.map((scene) => draw(base, scene)));
  await writeFile(`${FOLDER}/index.html`, contactSheet());
  console.log(`${SCENES.length} scenes in ${FOLDER}/index.html`);
} finally {
  await browser.close();
  await server.close();
}

async function draw(base: string, { name, width, lang = 'en', options }: Scene): Promise<void> {
  const columns = width < 400 ? 6 : width > 400 ? 2 : 4;
  const context = await browser.newContext({
    viewport: { width: columns * (width + 24) + 24, height: 900 },
    deviceScaleFactor: 1,
    ...options,
  });
  const page = await context.newPage();
  page.on('pageerror', (error) => console.error(`${name}: ${error.message}`));
  await page.goto(`${base}test/shots/page.html?width=${width}&lang=${lang}`);
  await page.waitForFunction(() => document.title === 'ready', undefined, { timeout: 30_000 });
  await page.screenshot({ path: `${FOLDER}/${name}.png`, fullPage: true });
  await context.close();
}

function contactSheet(): string {
  const figures = SCENES.map(
    ({ name, width }) =>
      `<h2>${name}, ${width} px</h2>\n<a href="${name}.png"><img src="${name}.png" alt="${name}" width="100%"></a>`,
  );
  return `<!doctype html>\n<meta charset="utf-8">\n<title>Contact sheet</title>\n${figures.join('\n')}\n`;
}
