// The theme editor in a real browser over the whole demo: pick a theme, edit it, reload, read the warnings, copy the
// CSS. test/demo/themes/themes.test.ts tests the themes themselves.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import type { Page } from 'playwright-core';
import { audit } from './audit.ts';
import { World } from './shopper.ts';
import type { Visitor } from './visitor.ts';

const world = await World.open();
afterEach(() => world.leave());
after(() => world.close());

async function atThemes(hash = '', device: Parameters<World['shopper']>[0] = {}): Promise<Visitor> {
  const { visitor } = await world.shopper(device);
  await visitor.page.goto(`${world.stack.shop}/themes${hash}`);
  await widgets(visitor.page).nth(1).locator('[part=pay]').waitFor();
  return visitor;
}

const widgets = (page: Page) => page.locator('payment-widget');
const css = async (page: Page) => (await page.locator('[data-css]').textContent()) ?? '';
const pick = (page: Page, label: string) => page.locator('.ready a', { hasText: label });
const EMPTY = '/* payment-widget { --payment-color-accent: …; } */';

/** The computed style of both widgets' sheets. */
async function styleOf(page: Page, property: 'backgroundColor' | 'borderRadius' | 'fontSize'): Promise<string[]> {
  return widgets(page).evaluateAll(
    (all, name) =>
      all.map((widget) => {
        const sheet = widget.shadowRoot?.querySelector('.sheet');
        return sheet ? getComputedStyle(sheet)[name] : '';
      }),
    property,
  );
}

test('a ready theme applies to both widgets, and the back button removes it', async () => {
  const visitor = await atThemes();
  const { page } = visitor;
  assert.equal(await css(page), EMPTY);
  const asked = await widgets(page).locator('legend').allTextContents();
  assert.deepEqual(asked, ['How would you like to pay?', 'How would you like to pay?']);
  assert.deepEqual(await styleOf(page, 'backgroundColor'), ['rgb(255, 255, 255)', 'rgb(22, 24, 30)']);
  await pick(page, 'Parchment').click();
  // A link within the page: the browser reports the new address a moment later.
  await page.locator('.ready a[aria-current=true]', { hasText: 'Parchment' }).waitFor();
  assert.deepEqual(await styleOf(page, 'backgroundColor'), ['rgb(255, 250, 240)', 'rgb(31, 27, 21)']);
  assert.deepEqual(await styleOf(page, 'fontSize'), ['17px', '17px']);
  await page.goBack();
  await page.locator('.ready a:not([aria-current=true])', { hasText: 'Parchment' }).waitFor();
  assert.deepEqual(await styleOf(page, 'backgroundColor'), ['rgb(255, 255, 255)', 'rgb(22, 24, 30)']);
});

test('a color with too little contrast is named with its ratio, and is not refused', async () => {
  const visitor = await atThemes();
  const { page } = visitor;
  const verdict = page.locator('[data-verdict]');
  assert.match((await verdict.textContent()) ?? '', /WCAG AA, light and dark/);
  await page.getByLabel('Muted, light', { exact: true }).fill('#7fb0ff');
  assert.match((await verdict.textContent()) ?? '', /^Muted, light: \d\.\d to 1 .*text needs 4\.5\.$/m);
  assert.match(await css(page), /#7fb0ff/);
});

test('axe finds no problem on the theme page at 320 px, in any ready theme', async () => {
  // The content security policy blocks the script of axe.
  const visitor = await atThemes('', { viewport: { width: 320, height: 800 }, bypassCSP: true });
  const { page } = visitor;
  for (const id of ['Plain', 'Parchment', 'Console', 'Sorbet']) {
    await pick(page, id).click();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, id);
    const { violations, contrasts } = await audit(page);
    assert.deepEqual(violations, [], id);
    assert.ok(contrasts > 40, `${id}: ${contrasts} texts were measured`);
  }
});
