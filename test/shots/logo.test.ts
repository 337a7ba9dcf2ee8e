// A merchant's mark that cannot be loaded: its place stays free, without the browser's picture of a broken image.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chromium } from 'playwright-core';
import { PNG } from 'pngjs';
import { findBrowser } from '../browser.ts';
import { statesPageOpener } from './states-page.ts';

test('a mark of the merchant that cannot be loaded leaves its place free', async () => {
  const browser = await chromium.launch(await findBrowser());
  try {
    const open = await statesPageOpener(browser);
    const page = await open({ width: 320 }, ['paid']);
    const logo = page.locator('payment-widget [part=logo]');
    await logo.evaluate((image: HTMLImageElement) => {
      const failed = new Promise((resolve) => image.addEventListener('error', resolve));
      image.src = 'data:image/png;base64,AAAA';
      return failed;
    });
    const box = await logo.boundingBox();
    assert.deepEqual([box?.width, box?.height], [40, 40]);
    const { data } = PNG.sync.read(await logo.screenshot());
    assert.equal(new Set(new Uint32Array(Uint8Array.from(data).buffer)).size, 1, 'all pixels have one color');
  } finally {
    await browser.close();
  }
});
