// `npm run shots`: draws every state of the widget in every variant of the page into shots/, with index.html as the
// contact sheet. The images are for people to look at and are not compared. The states are in test/widget/states.ts.
import { mkdir, writeFile } from 'node:fs/promises';
import { chromium } from 'playwright-core';
import { findBrowser } from '../browser.ts';
import { statesPageOpener, type Variant } from './states-page.ts';

const FOLDER = 'shots';

const VARIANTS: Record<string, Variant> = {
  light: { width: 400 },
  dark: { width: 400, options: { colorScheme: 'dark' } },
  wide: { width: 640 },
  phone: { width: 320, options: { hasTouch: true, isMobile: true } },
  narrow: { width: 240 },
  'right-to-left': { width: 400, lang: 'ar' },
  german: { width: 240, lang: 'de' },
  'forced-colors': { width: 400, options: { forcedColors: 'active', colorScheme: 'dark' } },
};

const browser = await chromium.launch(await findBrowser());
try {
  await mkdir(FOLDER, { recursive: true });
  const open = await statesPageOpener(browser);
  // Two at a time: more would only wait for the processor.
  const queue = Object.entries(VARIANTS).values();
  const drawNext = async () => {
    for (const [name, variant] of queue) {
      const page = await open(variant);
      // Not `fullPage`: while it stretches the page, Chromium forgets that the device has no mouse.
      const { width, height } = await page.evaluate(() => ({
        width: innerWidth,
        height: document.documentElement.scrollHeight,
      }));
      await page.setViewportSize({ width, height });
      await page.screenshot({ path: `${FOLDER}/${name}.png`, animations: 'disabled', timeout: 60_000 });
      await page.context().close();
    }
  };
  await Promise.all([drawNext(), drawNext()]);
  await writeFile(`${FOLDER}/index.html`, contactSheet());
  console.log(`${Object.keys(VARIANTS).length} variants in ${FOLDER}/index.html`);
} finally {
  await browser.close();
}

function contactSheet(): string {
  const figures = Object.entries(VARIANTS).map(
    ([name, { width }]) =>
      `<h2>${name}, ${width} px</h2>\n<a href="${name}.png"><img src="${name}.png" alt="${name}" width="100%"></a>`,
  );
  return `<!doctype html>\n<meta charset="utf-8">\n<title>Contact sheet</title>\n${figures.join('\n')}\n`;
}
