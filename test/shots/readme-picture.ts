// The picture in the README: a desktop, a phone and a dark screen of one height, each with a state of the widget.
import { existsSync, readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { PNG } from 'pngjs';
import { compare } from './compare.ts';
import type { StateName } from './scenes.ts';
import type { OpenStatesPage, Variant } from './states-page.ts';

export const README_PICTURE = 'docs/pictures/widget.png';

interface Screen {
  name: 'phone' | 'desktop' | 'dark';
  state: StateName;
  variant: Variant;
}

const SCREENS: readonly Screen[] = [
  { name: 'desktop', state: 'choose', variant: { width: 400 } },
  { name: 'phone', state: 'wallet, time left', variant: { width: 320, options: { hasTouch: true, isMobile: true } } },
  { name: 'dark', state: 'paid', variant: { width: 400, options: { colorScheme: 'dark' } } },
];
/** Pixels of the picture for each of the page. */
const SCALE = 1.5;

const STYLE = `
  body { display: flex; width: max-content; gap: 40px; margin: 0; padding: 40px; background: #e3e7ee; }
  div { position: relative; box-sizing: border-box; display: grid; place-items: center; height: 740px; overflow: hidden;
    background: #f4f5f8; border-radius: 16px; box-shadow: 0 2px 4px #0f182a1f, 0 24px 48px #0f182a2e; }
  .phone { padding: 56px 8px 24px; border: 10px solid #14171d; border-radius: 48px; }
  .desktop, .dark { padding: 64px 32px 24px; background: linear-gradient(#fff 36px, #d6dae2 36px 37px, #f4f5f8 37px); }
  .dark { background: linear-gradient(#20242c 36px, #343a45 36px 37px, #0d0f13 37px); }
  .desktop::before, .dark::before { content: ''; position: absolute; inset: 13px auto auto 16px; width: 10px;
    height: 10px; border-radius: 50%; background: #98a1b0; box-shadow: 18px 0 #98a1b0, 36px 0 #98a1b0; }
  img { display: block; }`;

export async function drawReadmePicture(browser: Browser, open: OpenStatesPage): Promise<Buffer> {
  const frames = await Promise.all(
    SCREENS.map(async ({ name, state, variant }) => {
      const options = { ...variant.options, reducedMotion: 'reduce', deviceScaleFactor: SCALE } as const;
      const page = await open({ ...variant, options }, [state]);
      const image = await page.locator('payment-widget').screenshot({ animations: 'disabled' });
      await page.context().close();
      const src = `data:image/png;base64,${image.toString('base64')}`;
      return `<div class="${name}"><img src="${src}" width="${variant.width}" alt=""></div>`;
    }),
  );
  const page = await browser.newPage({ viewport: { width: 1444, height: 820 }, deviceScaleFactor: SCALE });
  await page.setContent(`<!doctype html><style>${STYLE}</style><body>${frames.join('')}</body>`);
  const picture = await page.screenshot();
  await page.close();
  return picture;
}

/** How the kept picture differs, in words; undefined if it looks the same. */
export function differenceFromKept(drawn: Buffer): string | undefined {
  if (!existsSync(README_PICTURE)) return 'no picture is kept';
  return compare(PNG.sync.read(readFileSync(README_PICTURE)), PNG.sync.read(drawn))?.words;
}
