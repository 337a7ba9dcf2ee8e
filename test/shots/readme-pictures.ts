// The pictures of the README. One is a desktop, a phone and a dark screen of one height, each with a state of the
// widget for an order of the demo's shop; a phone shows its phone alone. Both are transparent around the screens, for
// light and dark pages. The last has the widget beside Adyen Web's Drop-in 6.45, whose two pictures in drop-in/ were
// taken of the pages of test/bench/, which answer each of its logos by a gray box.
import { existsSync, readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { PNG } from 'pngjs';
import { decimal, PRODUCTS } from '../../demo/shop/catalog.ts';
import { compare } from './compare.ts';
import type { StateName } from './scenes.ts';
import type { OpenStatesPage, Variant } from './states-page.ts';

type Draw = (browser: Browser, open: OpenStatesPage) => Promise<Buffer>;

export const README_PICTURES: Readonly<Record<string, Draw>> = {
  'docs/pictures/widget.png': (browser, open) => drawScreens(browser, open, SCREENS, 1.5),
  'docs/pictures/widget-on-a-phone.png': (browser, open) =>
    drawScreens(
      browser,
      open,
      SCREENS.filter(({ name }) => name === 'phone'),
      2,
    ),
  'docs/pictures/side-by-side.png': drawSideBySide,
};

interface Screen {
  name: 'phone' | 'desktop' | 'dark';
  state: StateName;
  variant: Variant;
}

const [COFFEE] = PRODUCTS;
const ICON = readFileSync('demo/shop/public/icon.svg', 'base64');
const ORDER = {
  orderId: 'ST-7KQ4MXTR2D',
  logo: `data:image/svg+xml;base64,${ICON}`,
  ...(COFFEE && { description: COFFEE.name, amount: decimal(COFFEE.cents) }),
};

const SCREENS: readonly Screen[] = [
  { name: 'desktop', state: 'choose', variant: { width: 400 } },
  { name: 'phone', state: 'scan, time left', variant: { width: 320, options: { hasTouch: true, isMobile: true } } },
  { name: 'dark', state: 'paid', variant: { width: 400, options: { colorScheme: 'dark' } } },
];
const STYLE = `
  body { display: flex; width: max-content; gap: 40px; margin: 0; padding: 16px 40px 40px; }
  div { position: relative; box-sizing: border-box; display: grid; place-items: center; height: 740px; overflow: hidden;
    background: #f4f5f8; border-radius: 16px; box-shadow: 0 0 0 1px #7f8a9c66, 0 12px 24px #0f182a2e; }
  .phone { padding: 44px 0 26px; border: 10px solid #14171d; border-radius: 48px; background: #fff; }
  .phone::before, .phone::after { content: ''; position: absolute; inset: 14px 0 auto; width: 88px; height: 24px;
    margin: auto; border-radius: 12px; background: #14171d; }
  .phone::after { inset: auto 0 10px; width: 112px; height: 4px; }
  .desktop, .dark { padding: 64px 32px 24px; background: linear-gradient(#fff 36px, #d6dae2 36px 37px, #f4f5f8 37px); }
  .dark { background: linear-gradient(#20242c 36px, #343a45 36px 37px, #0d0f13 37px); }
  .desktop::before, .dark::before { content: ''; position: absolute; inset: 13px auto auto 16px; width: 10px;
    height: 10px; border-radius: 50%; background: #98a1b0; box-shadow: 18px 0 #98a1b0, 36px 0 #98a1b0; }
  img { display: block; }`;

/** `scale`: pixels of the picture for each of the page. */
async function drawScreens(browser: Browser, open: OpenStatesPage, screens: readonly Screen[], scale: number) {
  const frames = await Promise.all(
    screens.map(async ({ name, state, variant }) => {
      const image = await drawState(open, state, { ...variant, claims: ORDER }, scale);
      return `<div class="${name}">${image}</div>`;
    }),
  );
  return drawPage(browser, { width: 100, height: 100 }, scale, STYLE, frames.join(''));
}

const BESIDE = ['choose', 'scan'] as const;
const BESIDE_STYLE = `
  body { display: grid; grid-template-columns: 400px 400px; align-items: start; gap: 24px 32px; width: max-content;
    margin: 0; padding: 32px; background: #f4f5f8; }
  h2 { margin: 0; color: #14171d; font: 600 16px/1 Inter, sans-serif; }
  img { display: block; border-radius: 8px; }`;

async function drawSideBySide(browser: Browser, open: OpenStatesPage): Promise<Buffer> {
  const rows = await Promise.all(
    BESIDE.map(async (state) => {
      const peer = readFileSync(new URL(`drop-in/${state}.png`, import.meta.url));
      return `${await drawState(open, state, { width: 400 }, 1)}${imageOf(peer, 400)}`;
    }),
  );
  const titles = '<h2>This widget</h2><h2>Adyen Drop-in 6.45</h2>';
  return drawPage(browser, { width: 896, height: 100 }, 1, BESIDE_STYLE, titles + rows.join(''));
}

async function drawState(open: OpenStatesPage, state: StateName, variant: Variant, scale: number): Promise<string> {
  const options = { ...variant.options, reducedMotion: 'reduce', deviceScaleFactor: scale } as const;
  const page = await open({ ...variant, options }, [state]);
  // On a phone the sheet is as wide as the screen, so that its edge is not seen.
  if (options.isMobile) await page.addStyleTag({ content: '::part(sheet) { border-color: #fff; border-radius: 0 }' });
  const image = await page.locator('payment-widget').screenshot({ animations: 'disabled' });
  await page.context().close();
  return imageOf(image, variant.width);
}

const imageOf = (png: Buffer, width: number) =>
  `<img src="data:image/png;base64,${png.toString('base64')}" width="${width}" alt="">`;

async function drawPage(
  browser: Browser,
  viewport: { width: number; height: number },
  deviceScaleFactor: number,
  style: string,
  body: string,
): Promise<Buffer> {
  const page = await browser.newPage({ viewport, deviceScaleFactor });
  await page.setContent(`<!doctype html><style>${style}</style><body>${body}</body>`);
  const picture = await page.screenshot({ fullPage: true, omitBackground: true });
  await page.close();
  return picture;
}

/** How the kept picture differs, in words; undefined if it looks the same. */
export function differenceFromKept(path: string, drawn: Buffer): string | undefined {
  if (!existsSync(path)) return 'no picture is kept';
  return compare(PNG.sync.read(readFileSync(path)), PNG.sync.read(drawn))?.words;
}
