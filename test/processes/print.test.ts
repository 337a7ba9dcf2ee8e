// The printed page, read from the browser's print layout.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { chromium, type BrowserContextOptions, type Locator } from 'playwright-core';
import { findBrowser } from '../browser.ts';
import { statesPageOpener } from '../shots/states-page.ts';

const browser = await chromium.launch(await findBrowser());
after(() => browser.close());

/** The widget in that state, for the printer. */
async function printed(state: string, options: BrowserContextOptions = {}): Promise<Locator> {
  const page = await (await statesPageOpener(browser))({ width: 400, options }, [state]);
  const widget = page.locator('payment-widget');
  assert.ok((await widget.locator('button:visible, summary:visible').count()) > 0 || state === 'paid');
  await page.emulateMedia({ media: 'print' });
  return widget;
}

const PAYEE = ['Stillwater Coffee', 'Two packs of filters'];
const linesOf = async (widget: Locator) => (await widget.locator('.sheet').innerText()).split(/\n+/);

test('a printed code has its amount, order and shop in black on white, and no buttons', async () => {
  const widget = await printed('scan, app pressed', { colorScheme: 'dark' });
  assert.deepEqual(await linesOf(widget), [...PAYEE, '€10.10', 'Order: ABC-123 · shop.test']);
  assert.ok(await widget.locator('[part=code] svg').isVisible());
  assert.equal(await widget.locator('button:visible, a:visible').count(), 0);
  const colors = await widget.locator('.sheet').evaluate((sheet) => {
    const { backgroundColor, color } = getComputedStyle(sheet);
    return [backgroundColor, color];
  });
  assert.deepEqual(colors, ['rgb(255, 255, 255)', 'rgb(0, 0, 0)']);
});

test('a code that a phone has folded is printed too', async () => {
  const widget = await printed('scan', { hasTouch: true, isMobile: true });
  assert.deepEqual(await linesOf(widget), [...PAYEE, '€10.10', 'Order: ABC-123 · shop.test']);
  const box = await widget.locator('[part=code] svg').boundingBox();
  assert.ok(box && box.height > 100, JSON.stringify(box));
});

test('a printed receipt has the facts and the shop', async () => {
  const widget = await printed('paid');
  const lines = await linesOf(widget);
  for (const fact of [...PAYEE, '€10.10', 'Payment received', 'ABC-123']) assert.ok(lines.includes(fact), fact);
});
