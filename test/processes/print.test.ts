// The printed page, read from the browser's print layout.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chromium } from 'playwright-core';
import { findBrowser } from '../browser.ts';
import { statesPageOpener } from '../shots/states-page.ts';

test('a printed code has its amount, order and shop in black on white, and no buttons', async () => {
  const browser = await chromium.launch(await findBrowser());
  try {
    const page = await (await statesPageOpener(browser))({ width: 400, options: { colorScheme: 'dark' } });
    const widget = page
      .locator('figure')
      .filter({ has: page.getByText('scan, app pressed', { exact: true }) })
      .locator('payment-widget');
    const lines = async () => (await widget.locator('.sheet').innerText()).split(/\n+/);
    assert.ok((await lines()).includes('Use another method'), 'the screen also has buttons');
    await page.emulateMedia({ media: 'print' });
    assert.deepEqual(await lines(), ['€10.10', 'Order: ABC-123 · shop.test']);
    assert.ok(await widget.locator('[part=code] svg').isVisible());
    assert.equal(await widget.locator('button:visible, a:visible').count(), 0);
    const colors = await widget.locator('.sheet').evaluate((sheet) => {
      const { backgroundColor, color } = getComputedStyle(sheet);
      return [backgroundColor, color];
    });
    assert.deepEqual(colors, ['rgb(255, 255, 255)', 'rgb(0, 0, 0)']);
  } finally {
    await browser.close();
  }
});
