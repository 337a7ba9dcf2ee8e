// Opens the page of all states in a browser. It is bundled once and served at an address that only this browser knows,
// so that no server and no port are needed.
import { readFile } from 'node:fs/promises';
import { build } from 'esbuild';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

export interface Variant {
  /** Of each widget, px. */
  width: number;
  lang?: string;
  options?: BrowserContextOptions;
}

export type OpenStatesPage = (variant: Variant) => Promise<Page>;

const READY_TIMEOUT_MS = 120_000;

export async function statesPageOpener(browser: Browser): Promise<OpenStatesPage> {
  const bundle = await build({
    entryPoints: ['test/shots/page.ts'],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  const script = bundle.outputFiles[0]?.text ?? '';
  const html = await readFile('test/shots/page.html', 'utf8');

  return async function openStatesPage({ width, lang = 'en', options }) {
    const columns = width < 400 ? 6 : width > 400 ? 3 : 4;
    const context = await browser.newContext({
      viewport: { width: columns * (width + 24) + 24, height: 900 },
      deviceScaleFactor: 1,
      timezoneId: 'UTC',
      ...options,
    });
    context.setDefaultTimeout(READY_TIMEOUT_MS);
    const page = await context.newPage();
    page.on('pageerror', (error) => console.error(`${width} px, ${lang}: ${error.message}`));
    await page.route('https://shop.test/**', (route) =>
      route.request().url().endsWith('.ts')
        ? route.fulfill({ contentType: 'text/javascript', body: script })
        : route.fulfill({ contentType: 'text/html', body: html }),
    );
    await page.goto(`https://shop.test/?width=${width}&lang=${lang}`);
    await page
      .waitForFunction(() => document.title === 'ready', undefined, { timeout: READY_TIMEOUT_MS })
      .catch(async (error: unknown) => {
        throw new Error(`The page is not ready: ${await page.title()}`, { cause: error });
      });
    return page;
  };
}
