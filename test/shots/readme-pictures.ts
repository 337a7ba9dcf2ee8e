// The pictures of the README, for light and for dark pages, for an order of the demo's shop: the code on a desktop, the
// choice and the receipt on a phone; and for a phone these two alone. They are transparent around the screens. Then what
// the demo opens, and the operator's page. The last has the widget beside Adyen Web's Drop-in 6.45, whose two pictures
// in drop-in/ were taken of the pages of test/bench/, which answer each of its logos by a gray box.
import { existsSync, readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { PNG } from 'pngjs';
import { decimal, PRODUCTS } from '../../demo/shop/catalog.ts';
import { compare } from './compare.ts';
import { drawDemo } from './demo-picture.ts';
import { drawOperator } from './operator-picture.ts';
import type { StateName } from './scenes.ts';
import type { OpenStatesPage, Variant } from './states-page.ts';

type Draw = (browser: Browser, open: OpenStatesPage) => Promise<Buffer>;

export const README_PICTURES: Readonly<Record<string, Draw>> = {
  'docs/pictures/widget.png': (browser, open) => drawScreens(browser, open, ['code', 'choice', 'paid'], 'light'),
  'docs/pictures/widget-in-the-dark.png': (browser, open) =>
    drawScreens(browser, open, ['code', 'choice', 'paid'], 'dark'),
  'docs/pictures/widget-on-a-phone.png': (browser, open) => drawScreens(browser, open, ['choice', 'paid'], 'light'),
  'docs/pictures/widget-on-a-phone-in-the-dark.png': (browser, open) =>
    drawScreens(browser, open, ['choice', 'paid'], 'dark'),
  'docs/pictures/demo.png': (browser) => frame(browser, drawDemo(browser, 'light', SCALE)),
  'docs/pictures/demo-in-the-dark.png': (browser) => frame(browser, drawDemo(browser, 'dark', SCALE)),
  'docs/pictures/operators-page.png': (browser) => frame(browser, drawOperator(browser, 'light', SCALE)),
  'docs/pictures/operators-page-in-the-dark.png': (browser) => frame(browser, drawOperator(browser, 'dark', SCALE)),
  'docs/pictures/side-by-side.png': drawSideBySide,
};

const [COFFEE] = PRODUCTS;
const ICON = readFileSync('demo/shop/public/icon.svg', 'base64');
const ORDER = {
  walletName: 'Jeton',
  logo: `data:image/svg+xml;base64,${ICON}`,
  ...(COFFEE && { description: COFFEE.name, amount: decimal(COFFEE.cents) }),
};

type Scheme = 'light' | 'dark';
type Screen = 'code' | 'choice' | 'paid';
const PHONE = { device: 'phone', width: 320, options: { hasTouch: true, isMobile: true } } as const;
const SCREENS = {
  code: { state: 'scan, time left', device: 'desktop', width: 480, options: {} },
  choice: { state: 'choose', ...PHONE },
  // As it was chosen beside it, at the time on the operator's page.
  paid: { state: 'paid', payment: { method: 'JETGO', paidAt: '2026-11-20T12:13:00.000Z' }, ...PHONE },
} as const satisfies Record<Screen, { state: StateName; device: string } & Variant>;
/** Pixels of the picture for each of the page. */
const SCALE = 1.75;
/**
 * The phone has an edge that is seen on a page of any color. The desktop's window is as high as the phone and has the
 * whole widget.
 */
const STYLE = `
  * { box-sizing: border-box; overflow: hidden; }
  body { display: flex; width: max-content; gap: 36px; margin: 0; padding: 3px 3px 9px; }
    div { position: relative; }
  .phone { display: grid; place-items: start center; height: 579px; padding: 30px 0 4px; background: light-dark(#fff, #16181e);
    border: 10px solid light-dark(#14171d, #2b313b); border-radius: 48px; box-shadow: 0 0 0 2px #8b95a5, 0 6px 8px -4px #0f182a2e; }
  .phone::before, .phone::after { content: ''; position: absolute; inset: 14px 0 auto; width: 88px; height: 24px;
    margin: auto; border-radius: 12px; background: light-dark(#14171d, #000); }
  .phone::after { inset: auto 0 10px; width: 112px; height: 4px; background: light-dark(#14171d, #d5d9e1); }
  .desktop { height: 579px; padding: 52px 20px 0; border-radius: 16px;
    background: linear-gradient(light-dark(#fff, #20242c) 36px, light-dark(#d6dae2, #343a45) 36px 37px,
      light-dark(#f4f5f8, #0d0f13) 37px);
    box-shadow: 0 0 0 1px #7f8a9c80; }
  .desktop::after { content: 'stillwater.example'; position: absolute; inset: 9px 0 auto; color: light-dark(#5d6675, #a9b1bf);
    font: 12px/20px Inter, sans-serif; text-align: center; }
  .desktop img { width: auto; height: 507px; }
  .desktop::before { content: ''; position: absolute; inset: 13px auto auto 16px; width: 10px; height: 10px;
    border-radius: 50%; background: #98a1b0; box-shadow: 18px 0 #98a1b0, 36px 0 #98a1b0; }
  img { display: block; }`;

async function drawScreens(browser: Browser, open: OpenStatesPage, screens: readonly Screen[], scheme: Scheme) {
  const frames = await Promise.all(
    screens.map(async (screen) => {
      const { state, device, options, ...rest } = SCREENS[screen];
      const variant: Variant = { ...rest, options: { ...options, colorScheme: scheme }, claims: ORDER };
      return `<div class="${device}">${await drawState(open, state, variant, SCALE)}</div>`;
    }),
  );
  const style = `:root { color-scheme: ${scheme}; } ${STYLE}`;
  return drawPage(browser, { width: 100, height: 100 }, SCALE, style, frames.join(''));
}

/** Screens beside each other. */
const FRAME_STYLE = `
  body { display: flex; gap: 24px; width: max-content; margin: 0; padding: 2px; }
  img { border-radius: 16px; box-shadow: 0 0 0 1px #7f8a9c80; }`;

async function frame(browser: Browser, screens: Promise<[Buffer, number][]>): Promise<Buffer> {
  const images = (await screens).map(([png, width]) => imageOf(png, width));
  return drawPage(browser, { width: 100, height: 100 }, SCALE, FRAME_STYLE, images.join(''));
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
  const options = { ...variant.options, deviceScaleFactor: scale };
  const page = await open({ ...variant, options }, [state]);
  // On a phone the sheet is as wide as the screen, so that its edge is not seen.
  if (options.isMobile)
    await page.addStyleTag({
      content: 'body { background: light-dark(#fff, #16181e) } ::part(sheet) { border-color: #0000; border-radius: 0 }',
    });
  // Each animation is at its start or at its end, so that the picture is the same each time.
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
