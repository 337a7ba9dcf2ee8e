// Scans the code on the screen, with the wallet's mark in its middle, by two decoders that share no code.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { chromium, type Browser } from 'playwright-core';
import { PNG } from 'pngjs';
import { decodeQR } from 'qr/decode.js';
import { findBrowser } from '../browser.ts';
import { readQrCodes } from '../qr-reader.ts';
import { CODE } from '../../widget/testing/fake-proxy.ts';
import { statesPageOpener } from './states-page.ts';

/** Solid, so that it hides every module below it. */
const MARK = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="#2348d5"/></svg>',
)}`;

describe('a code on the screen', () => {
  let browser: Browser;
  before(async () => {
    browser = await chromium.launch(await findBrowser());
  });
  after(() => browser.close());

  it('a code with the mark of the wallet is read by two decoders, as large as on a desk and as on a phone', async () => {
    const open = await statesPageOpener(browser);
    for (const options of [{ deviceScaleFactor: 1 }, { deviceScaleFactor: 2, colorScheme: 'dark' }] as const) {
      // Nothing is still fading in.
      const page = await open({ width: 320, options: { ...options, reducedMotion: 'reduce' } }, ['scan, time left']);
      const widget = page.locator('payment-widget');
      await widget.evaluate((element, src) => {
        const mark = document.createElement('img');
        Object.assign(mark, { slot: 'mark', src, alt: '' });
        element.append(mark);
        return mark.decode();
      }, MARK);
      const { width, height, data } = PNG.sync.read(await widget.locator('[part=code]').screenshot());
      const middle = (height >> 1) * width + (width >> 1);
      assert.deepEqual([...data.subarray(middle * 4, middle * 4 + 3)], [35, 72, 213], 'the mark is drawn');
      const image = { width, height, data: Uint8ClampedArray.from(data), colorSpace: 'srgb' as const };
      const [byZxing] = await readQrCodes(image);
      assert.equal(byZxing?.text, CODE.text);
      assert.equal(decodeQR({ width, height, data }), CODE.text);
      await page.context().close();
    }
  });
});
