// Opens the page of all states in a browser. It is bundled once and served, with its fonts, at an address that only
// this browser knows, so that no server and no port are needed. Its clock is stopped.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { PaymentView } from '../../backend-proxy/protocol/wire.ts';
import type { ClaimsChange } from '../../widget/testing/fake-proxy.ts';

export interface Variant {
  /** Of each widget, px. */
  width: number;
  lang?: string;
  /** Of the page, px; 16 by default. */
  textSize?: number;
  options?: BrowserContextOptions;
  /** In place of the states' own. */
  claims?: ClaimsChange;
  /** In place of what the states' payments have. */
  payment?: Partial<PaymentView>;
}

/** `states` are names in test/widget/states.ts; all by default. */
export type OpenStatesPage = (variant: Variant, states?: readonly string[]) => Promise<Page>;

const READY_TIMEOUT_MS = 120_000;
const NOW = '2026-11-20T12:01:30Z';

const FONTS = {
  'inter-latin': '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2',
  'inter-latin-ext': '@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2',
  'noto-sans-arabic': '@fontsource-variable/noto-sans-arabic/files/noto-sans-arabic-arabic-wght-normal.woff2',
  'kosugi-japanese': '@fontsource/kosugi/files/kosugi-japanese-400-normal.woff2',
};

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

  return async function openStatesPage(
    { width, lang = 'en', textSize = 16, options, claims = {}, payment = {} },
    states = [],
  ) {
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
    await page.clock.setFixedTime(NOW);
    await page.route('https://shop.test/**', (route) =>
      route.request().url().endsWith('.ts')
        ? route.fulfill({ contentType: 'text/javascript', body: script })
        : route.fulfill({ contentType: 'text/html', body: html }),
    );
    for (const [name, file] of Object.entries(FONTS)) {
      const path = fileURLToPath(import.meta.resolve(file));
      await page.route(`https://shop.test/fonts/${name}.woff2`, (route) => route.fulfill({ path }));
    }
    const query = new URLSearchParams([
      ...Object.entries({ width, lang, textSize }).map(([name, value]) => [name, String(value)]),
      ...states.map((state) => ['state', state]),
      ['claims', JSON.stringify(claims)],
      ['payment', JSON.stringify(payment)],
    ]);
    await page.goto(`https://shop.test/?${query}`);
    await page
      .waitForFunction(() => document.title === 'ready', undefined, { timeout: READY_TIMEOUT_MS })
      .catch(async (error: unknown) => {
        throw new Error(`The page is not ready: ${await page.title()}`, { cause: error });
      });
    return page;
  };
}
