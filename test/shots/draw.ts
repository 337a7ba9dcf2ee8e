// Draws a scene: one screenshot of the page with its states, cut into a picture of each. What could differ from run to
// run is held still: animations, the focus, and fractions of a pixel between the widgets.
import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';
import type { Scene } from './scenes.ts';
import type { OpenStatesPage } from './states-page.ts';

export interface Drawing {
  /** All states, each below its name. */
  sheet: Buffer;
  /** By the state's name. */
  pictures: ReadonlyMap<string, PNG>;
}

interface Box {
  state: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

interface Wanted {
  /** All by default. */
  states?: readonly string[] | undefined;
  /** Called when all states are shown. */
  change?: (page: Page) => Promise<void>;
}

/** Around each widget, px: shows what it draws outside its box. The states' names are further away. */
const MARGIN = 6;

export async function drawScene(open: OpenStatesPage, scene: Scene, { states, change }: Wanted = {}): Promise<Drawing> {
  const page = await open({ ...scene, options: { reducedMotion: 'reduce', ...scene.options } }, states);
  try {
    await change?.(page);
    const boxes = await arrange(page);
    const sheet = await page.screenshot({ animations: 'disabled', timeout: 60_000 });
    const all = PNG.sync.read(sheet);
    return { sheet, pictures: new Map(boxes.map((box) => [box.state, cut(all, box)])) };
  } finally {
    await page.context().close();
  }
}

/** Puts each widget at whole pixels, removes the focus, and makes the window as high as the page. */
async function arrange(page: Page): Promise<Box[]> {
  const { pageHeight, boxes } = await page.evaluate(() => {
    let focused = document.activeElement;
    while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
    if (focused instanceof HTMLElement) focused.blur();
    const figures = [...document.querySelectorAll('figure')];
    const heights = figures.map((figure) => Math.ceil(figure.getBoundingClientRect().height));
    for (const [index, figure] of figures.entries()) {
      figure.style.height = `${heights[index]}px`;
      // A layer of its own: otherwise rounded corners depend on the place in the page, and so on the other states.
      figure.style.willChange = 'transform';
    }
    scrollTo(0, 0);
    return {
      pageHeight: document.documentElement.scrollHeight,
      boxes: figures.map((figure) => {
        const { x, y, width, height } = figure.querySelector('payment-widget')!.getBoundingClientRect();
        const state = figure.querySelector('figcaption')!.textContent;
        return { state, x, y, width, height: Math.ceil(height) };
      }),
    };
  });
  // Not `fullPage`: while it stretches the page, Chromium forgets that the device has no mouse.
  await page.setViewportSize({ width: await page.evaluate(() => innerWidth), height: pageHeight });
  return boxes;
}

function cut(sheet: PNG, { state, x, y, width, height }: Box): PNG {
  if (!Number.isInteger(x) || !Number.isInteger(y)) throw new Error(`"${state}" is at ${x}, ${y}: not whole pixels.`);
  const picture = new PNG({ width: width + 2 * MARGIN, height: height + 2 * MARGIN });
  PNG.bitblt(sheet, picture, x - MARGIN, y - MARGIN, picture.width, picture.height);
  return picture;
}
