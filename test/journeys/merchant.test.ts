// The merchant's journeys: send money from the desk, see customers' payments there, and edit a theme.
// test/demo/themes/themes.test.ts tests the themes themselves.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { until } from '../backend-proxy/until.ts';
import { createSearch } from '../secret-search.ts';
import { audit } from './audit.ts';
import { findIn } from './evidence.ts';
import { BRUNO, World } from './shopper.ts';
import type { Visitor } from './visitor.ts';

const world = await World.open();
afterEach(() => world.leave());
after(() => world.close());

test('a payout goes from the desk to the customer’s phone, and the desk follows its status', async () => {
  const staff = await world.staff();
  const phone = await world.phone(BRUNO);
  await staff.page.getByRole('link', { name: 'Send a payout' }).click();
  await staff.page.getByLabel('Amount').fill('25');
  await staff.page.getByLabel('Wallet ID').fill(BRUNO);
  await staff.page.getByLabel('Note').fill('For the broken dripper');
  await staff.page.getByRole('button', { name: 'Continue' }).click();
  await staff.page.getByRole('button', { name: 'Send €25' }).click();
  const row = staff.page.getByRole('listitem').filter({ hasText: 'For the broken dripper' });
  await row.and(staff.page.locator('[data-moved="yes"]')).waitFor();
  await phone.page.getByText('For the broken dripper').waitFor();
  assert.equal(await row.count(), 1);
});

/** Bruno's phone is asked to pay for a dripper. */
async function asked() {
  const staff = await world.staff();
  const shopper = await world.shopper();
  const phone = await world.phone(BRUNO);
  await shopper.order('Stone Dripper');
  await shopper.pay('DIRECT', BRUNO);
  return { staff, shopper, phone };
}

test('the desk’s search leaves the rows with all its words, says how many, and what to type if there is none', async () => {
  const { staff, shopper, phone } = await asked();
  const found = staff.page.getByRole('searchbox', { name: 'Find a payment' });
  const said = staff.page.locator('output');
  const rows = staff.page.getByRole('listitem');
  await rows.filter({ hasText: shopper.orderId }).waitFor();
  await found.fill(`€76 ${shopper.orderId.toLowerCase()}`);
  await said.and(staff.page.getByText('1 found', { exact: true })).waitFor();
  assert.equal(await rows.count(), 1);
  await phone.approve();
  await rows.and(staff.page.locator('[data-moved="yes"]')).waitFor();
  assert.equal(await rows.count(), 1, 'also after the list has changed');
  await found.fill(`today ${shopper.orderId}`);
  await said.and(staff.page.getByText('1 found', { exact: true })).waitFor();
  await found.fill(`dripper 76,00 ${shopper.orderId}`);
  await said.and(staff.page.getByText('1 found', { exact: true })).waitFor();
  await found.fill(BRUNO.replace(/\d{4}/, '$& '));
  await rows.filter({ hasText: shopper.orderId }).waitFor();
  await found.fill(`waiting ${shopper.orderId}`);
  await said.and(staff.page.getByText(/^Nothing found/)).waitFor();
  await found.fill(`${shopper.orderId} ${new Date().getFullYear()}-`);
  await said.and(staff.page.getByText(/^Nothing found/)).waitFor();
  await found.fill('nobody');
  await said
    .and(staff.page.getByText(/^Nothing found\. Type an order, goods, an amount, a day, or a wallet’s last digits\.$/))
    .waitFor();
  assert.deepEqual([await rows.count(), await staff.page.getByRole('region').count()], [0, 0]);
  await found.fill('');
  await rows.filter({ hasText: shopper.orderId }).waitFor();
  assert.equal(await said.textContent(), '');
  staff.allowed = /503/;
  await staff.page.route('**/desk/list*', (route) => route.fulfill({ status: 503 }));
  await said.and(staff.page.getByText('This list is not up to date: the shop does not answer.')).waitFor();
  await staff.page.unroute('**/desk/list*');
  await staff.page.waitForFunction(() => document.querySelector('output')?.value === '');
});

test('the desk asks for its list by itself, not while it is paused, and at once when it is resumed', async () => {
  const { page } = await world.staff();
  let requests = 0;
  await page.route('**/desk/list*', (route) => ((requests += 1), route.fulfill({ body: `<p>List ${requests}</p>` })));
  await page.clock.install();
  await page.reload();
  await page.clock.runFor(2_000);
  await page.getByText('List 1').waitFor();
  await page.getByRole('button', { name: 'Pause updates' }).click();
  await page.clock.runFor(10_000);
  assert.equal(requests, 1);
  await page.getByRole('button', { name: 'Resume updates' }).click();
  await page.getByText('List 2').waitFor();
  await page.clock.runFor(2_000);
  await page.getByText('List 3').waitFor();
});

test('the desk refunds a coffee in part and then the rest, and the customer’s open page follows', async () => {
  const { staff, shopper, phone } = await asked();
  const payment = staff.page.getByRole('listitem').filter({ hasText: shopper.orderId }).last();
  await payment.getByRole('link', { name: `Close order ${shopper.orderId}` }).waitFor();
  await phone.approve();
  const refund = async (amount: string, left: string) => {
    await staff.page.getByRole('link', { name: `Refund ${shopper.orderId}` }).click();
    assert.equal(await staff.page.getByLabel('Amount').inputValue(), left);
    await staff.page.getByLabel('Amount').fill(amount);
    await staff.page.getByRole('button', { name: 'Continue' }).click();
    await staff.page.getByRole('button', { name: `Refund €${amount}` }).click();
    await payment.getByText(`−€${amount}.00 ✓ Refunded`).waitFor();
    const done = staff.page.getByRole('status').filter({ hasText: ': refunded' });
    assert.equal(
      (await done.innerText()).trimEnd(),
      `€${amount}.00 of ${shopper.orderId} to ••••\u00A0${BRUNO.slice(-4)}: refunded.`,
    );
  };
  await payment.and(staff.page.locator('[data-moved="yes"]')).waitFor();
  await refund('20', '76');
  await shopper.page.getByRole('heading', { name: 'Refunded: €20.00 of €76.00' }).waitFor();
  await stepsEnd(shopper.page);
  await shopper.widget.getByText('€20.00').first().waitFor();
  await refund('56', '56');
  await shopper.page.getByRole('heading', { name: 'Order refunded' }).waitFor();
  await stepsEnd(shopper.page);
  await shopper.page.getByRole('link', { name: 'Back to the coffee' }).waitFor();
  assert.deepEqual(await world.atGateway(`${shopper.orderId}-r1`), ['SUCCESS']);
  assert.deepEqual(await world.atGateway(`${shopper.orderId}-r2`), ['SUCCESS']);
  // A refund is found by its own id, in its payment's row.
  await staff.page.goto(`${world.stack.shop}/desk?find=${shopper.orderId}-r2`);
  await staff.page.getByText('1 found', { exact: true }).waitFor();
  assert.equal(await staff.page.getByRole('searchbox').inputValue(), `${shopper.orderId}-r2`);
  await staff.page.getByRole('status').filter({ hasText: ': refunded' }).waitFor({ state: 'hidden' });
  assert.equal(await payment.getByRole('link', { name: 'Refund' }).count(), 0);
});

/** The demo's steps are done, on one line of a phone too, and lead on. */
async function stepsEnd(page: Page): Promise<void> {
  const size = page.viewportSize();
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    const { height = 0 } = (await page.locator('.demo').boundingBox()) ?? {};
    assert.ok(height > 0 && height < 50, `${width}: ${height}`);
    const shown = (await page.locator('.demo ol').innerText()).replaceAll(/\s+/g, ' ').trim();
    assert.ok(
      shown.endsWith(width === 320 ? 'Refunded Try a fault' : 'Paid Refunded Try a fault at the gateway'),
      shown,
    );
  }
  if (size) await page.setViewportSize(size);
}

test('the four totals of a day are in one row, or two by two', async () => {
  const { page } = await world.staff();
  const rows: number[][] = [];
  for (const width of [320, 390, 430, 520, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    const tops = await page.locator('.totals').evaluate((totals) => {
      const [first] = totals.children;
      totals.replaceChildren(...Array.from({ length: 4 }, () => first?.cloneNode(true) ?? ''));
      return [...totals.children].map((figure) => figure.getBoundingClientRect().top);
    });
    rows.push([...Map.groupBy(tops, (top) => top).values()].map((row) => row.length));
  }
  assert.deepEqual(rows, [[2, 2], [2, 2], [2, 2], [4], [4]]);
});

test('no row of the desk is cut off at 320 px, whatever its state', async () => {
  const { page } = await world.staff();
  await page.setViewportSize({ width: 320, height: 800 });
  const row = page.getByRole('listitem').first();
  const overflow = await row.evaluate((shown) => {
    const set = (part: string, text: string) => shown.querySelector(part)?.replaceChildren(text);
    set('.chip', '! Paid after closing, needs review');
    set('.amount', '−€1,225.00');
    const button = document.createElement('a');
    button.className = 'act button';
    button.append('Review');
    shown.append(button);
    return shown.scrollWidth - shown.clientWidth;
  });
  assert.equal(overflow, 0);
});

// World.close() finds secrets by the same search.
test('planted values are found in every kind of evidence', async () => {
  const planted = { note: `note-${randomUUID()}`, requestId: `request-${randomUUID()}` };
  const staff = await world.staff();
  await staff.page.getByRole('link', { name: 'Send a payout' }).click();
  await staff.page.getByLabel('Amount').fill('7');
  await staff.page.getByLabel('Wallet ID').fill(BRUNO);
  await staff.page.getByLabel('Note').fill(planted.note);
  await staff.page.getByRole('button', { name: 'Continue' }).click();
  await staff.page.getByRole('button', { name: /^Send €/ }).click();
  const row = staff.page.getByRole('listitem').filter({ hasText: planted.note });
  await row.and(staff.page.locator('[data-moved="yes"]')).waitFor();
  await staff.leave();
  await fetch(`${world.stack.proxy}/order`, { headers: { 'X-Request-Id': planted.requestId } });
  // The answer may come before the line of the log, which goes through a pipe.
  await until(() => world.stack.logs.proxy.some((line) => line.includes(planted.requestId)));

  const evidence = await world.evidence();
  assert.deepEqual(findIn(evidence, createSearch(planted)), [
    'note in HAR',
    'note in database',
    'note in pages',
    'note in webhooks',
    'requestId in logs',
  ]);
});

async function atThemes(hash = '', device: Parameters<World['shopper']>[0] = {}): Promise<Visitor> {
  const { visitor } = await world.shopper(device);
  await visitor.page.goto(`${world.stack.shop}/themes${hash}`);
  // A phone shows one of them.
  await widgets(visitor.page).nth(1).locator('[part=pay]').waitFor({ state: 'attached' });
  return visitor;
}

const widgets = (page: Page) => page.locator('payment-widget');
const css = async (page: Page) => (await page.locator('[data-css]').textContent()) ?? '';
const pick = (page: Page, label: string) => page.locator('.ready a', { hasText: label });
/** Folded until then, as most shops set only the others. */
const unfold = (page: Page, name: string) => page.getByText(name, { exact: true }).click();
const EMPTY = '/* Plain needs no CSS. */';

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

test('a wrong font or color is named at its field, and the CSS to copy keeps the value before', async () => {
  const { page } = await atThemes('#font=banana%20banana');
  assert.equal(await css(page), EMPTY);
  await pick(page, 'Parchment').click();
  await page.locator('.ready a[aria-current=true]', { hasText: 'Parchment' }).waitFor();
  const ready = await css(page);
  const font = page.getByLabel('Font', { exact: true });
  const accent = page.getByLabel('Accent, light, as #rrggbb', { exact: true });
  await font.fill('2rem; } nonsense');
  await page.locator('[data-key=font]', { hasText: 'Type a font such as 1rem Georgia, serif' }).waitFor();
  assert.equal(await font.getAttribute('aria-invalid'), 'true');
  await accent.fill('#0B7A4');
  await page.locator('[data-key=color-accent]', { hasText: 'Type a color such as #2348d5' }).waitFor();
  assert.equal(await css(page), ready);
  assert.match((await page.locator('[data-verdict]').textContent()) ?? '', /^All text meets WCAG AA/);
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByText(/^(Copied\.|Selected: copy it\.)$/).waitFor();
  await page.getByRole('button', { name: 'Reset Font' }).click();
  assert.equal(await font.getAttribute('aria-invalid'), 'false');
  assert.equal(await page.getByText(/^Type a /).count(), 0);
  await font.fill('2rem Georgia');
  assert.match(await css(page), /--payment-font: 2rem Georgia;/);
});

test('a ready theme applies to both widgets, and the back button removes it', async () => {
  const visitor = await atThemes();
  const { page } = visitor;
  assert.equal(await css(page), EMPTY);
  assert.equal(await page.getByRole('button', { name: 'Copy CSS' }).isDisabled(), true);
  const questions = await widgets(page).locator('legend').allTextContents();
  assert.deepEqual(questions, ['How would you like to pay?', 'How would you like to pay?']);
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
  assert.equal(await verdict.textContent(), 'All text meets WCAG AA, light and dark.');
  await unfold(page, 'More colors');
  await page.getByLabel('Muted, light', { exact: true }).fill('#7fb0ff');
  assert.match((await verdict.textContent()) ?? '', /^Muted, light: \d\.\d to 1 .*text needs 4\.5\. Use #[\da-f]{6}$/m);
  assert.match(await css(page), /#7fb0ff/);
  const marked = await page.locator('[aria-invalid=true]').evaluateAll((all) => all.map(({ ariaLabel }) => ariaLabel));
  assert.deepEqual(marked, ['Muted, light', 'Muted, light, as #rrggbb']);
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByText(/^(Copied\.|Selected: copy it\.)$/).waitFor();
});

test('a contrast that is too low opens the state that shows it, at the field of its color', async () => {
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const { page } = await atThemes('#color-warning=7a4b00-554411', phone);
  await page.getByRole('button', { name: 'Warning, dark', exact: true }).click();
  await page.locator('[data-state=checking][aria-pressed=true]').waitFor();
  await widgets(page).nth(1).locator('.warning').waitFor();
  const field = page.getByLabel('Warning, dark, as #rrggbb', { exact: true });
  assert.ok(await field.evaluate((element) => element === document.activeElement));
  const { top, bottom } = await field.evaluate((element) => element.getBoundingClientRect().toJSON() as DOMRect);
  assert.ok(top > 0 && bottom <= 844, `the field is at ${top} to ${bottom}`);
  const chip = page.locator('[data-state=checking]');
  const right = await chip.evaluate((element) => element.getBoundingClientRect().right);
  assert.ok(right <= 390, `the state ends at ${right}`);
});

test('light and dark fit into half of a phone or tablet down to the button, in each ready theme', async () => {
  const { page } = await atThemes();
  for (const [width, height] of [
    [1024, 768],
    [390, 844],
    [320, 800],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const name of ['Plain', 'Parchment', 'Console', 'Sorbet']) {
      await pick(page, name).click();
      await page.locator('.ready a[aria-current=true]', { hasText: name }).waitFor();
      await page.evaluate(() => scrollTo({ top: 600, behavior: 'instant' }));
      const edges = await pick(page, name).evaluate((card) => {
        const [outer, inner] = [card, card.querySelector('strong') ?? card].map((each) => each.getBoundingClientRect());
        return (outer?.width ?? 0) - (inner?.width ?? 0);
      });
      assert.ok(edges >= 6, `${name}, ${width} px: ${edges} px beside its name`);
      const [looks, ...buttons] = await page
        .locator('.looks, [part=pay]')
        .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().bottom));
      assert.ok(looks !== undefined && looks <= height / 2, `${name}, ${width} px: ${looks}`);
      assert.equal(buttons.length, 2);
      assert.ok(Math.max(...buttons) < looks, `${name}, ${width} px: ${buttons.join()}`);
    }
  }
});

test('the previews show each state that a theme may have to fit', async () => {
  const { page } = await atThemes('', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const dark = widgets(page).nth(1);
  await page.getByRole('button', { name: 'Code', exact: true }).click();
  await dark.getByRole('img', { name: /^QR code/ }).waitFor();
  await page.getByRole('button', { name: 'A payment is open', exact: true }).click();
  await dark.getByText('Another payment can still be confirmed.').filter({ visible: true }).first().waitFor();
  await dark.getByRole('button', { name: 'Back to that payment' }).waitFor();
  await page.getByRole('button', { name: 'Paid twice', exact: true }).click();
  await dark.getByText('The shop owes you €30.00.').filter({ visible: true }).first().waitFor();
});

test('a button beside a contrast that is too low sets a color that has enough', async () => {
  const { page } = await atThemes(
    '#color-accent=ffd84d-3f63ee&color-on-accent=ffffff-ffffff&color-muted=9a9a9a-a6adbb',
  );
  await page.getByRole('button', { name: 'Use #000000' }).click();
  assert.match(await css(page), /--payment-color-on-accent: light-dark\(#000000, #ffffff\);/);
  const field = page.getByLabel('On accent, light, as #rrggbb', { exact: true });
  assert.ok(await field.evaluate((element) => element === document.activeElement));
  await page.getByRole('button', { name: /^Use #(?!000000)/ }).click();
  assert.match((await page.locator('[data-verdict]').textContent()) ?? '', /^All text meets WCAG AA/);
});

test('a phone shows the whole message on contrast and no line of the CSS beyond its box', async () => {
  const { page } = await atThemes('#color-accent=e8e800-e8e801&color-warning=7a4b00-ffc04e', {
    viewport: { width: 390, height: 844 },
  });
  for (const [width, height] of [
    [390, 844],
    [1280, 800],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const box of ['[data-verdict]', '[data-css]']) {
      const cut = await page
        .locator(box)
        .evaluate((each) => [each.scrollWidth - each.clientWidth, each.scrollHeight - each.clientHeight]);
      assert.deepEqual(cut, [0, 0], `${box} at ${width} px`);
    }
  }
});

test('a color can be typed, and a new accent says that as text it may be drawn in another shade', async () => {
  const { page } = await atThemes();
  const typed = page.getByLabel('Accent, light, as #rrggbb', { exact: true });
  assert.equal(await typed.inputValue(), '#2348d5');
  await typed.fill('#0B7A4');
  assert.equal(await css(page), EMPTY, 'it is not a color yet');
  await typed.fill('#FD4');
  await typed.press('Tab');
  assert.equal(await typed.inputValue(), '#ffdd44');
  await typed.fill('#0B7A4B');
  assert.match(await css(page), /#0b7a4b/);
  assert.equal(await page.getByLabel('Accent, light', { exact: true }).inputValue(), '#0b7a4b');
  assert.match(
    (await page.locator('[data-verdict]').textContent()) ?? '',
    /Links and text use a darker or lighter shade of the accent if it is hard to read\.$/,
  );
});

test('the dark accent follows the light one until it is set, with the contrast that a dark surface needs', async () => {
  const { page } = await atThemes();
  const light = page.getByLabel('Accent, light, as #rrggbb', { exact: true });
  const dark = page.getByLabel('Accent, dark, as #rrggbb', { exact: true });
  const follows = page.locator('[data-key=color-accent]', { hasText: 'Dark follows light' });
  await light.fill('#0b7a4b');
  await light.fill('#8a1c5b');
  assert.equal(await follows.count(), 1);
  assert.match(await css(page), /color-accent: #8a1c5b;/);
  await light.fill('');
  assert.equal(await css(page), EMPTY);
  await pick(page, 'Sorbet').click();
  await page.locator('.ready a[aria-current=true]', { hasText: 'Sorbet' }).waitFor();
  await light.fill('#0b7a4b');
  assert.match(await css(page), /color-accent: light-dark\(#0b7a4b, #489b78\);/);
  await page.getByRole('button', { name: /^Use #/ }).click();
  await light.fill('#8a1c5b');
  assert.match(await css(page), /color-accent: light-dark\(#8a1c5b, #b9779d\);/);
  assert.equal(await page.locator('[data-verdict]').textContent(), 'All text meets WCAG AA, light and dark.');
  await dark.fill('#ffffff');
  assert.equal(await follows.count(), 0);
  await light.fill('#0a6b42');
  assert.match(await css(page), /color-accent: light-dark\(#0a6b42, #ffffff\);/);
});

test('the text on the button follows the accent until it is chosen, and again once its field is emptied', async () => {
  const { page } = await atThemes('#color-accent=ffd84d-3f63ee');
  await unfold(page, 'More colors');
  const field = page.getByLabel('On accent, light, as #rrggbb', { exact: true });
  assert.equal(await field.inputValue(), '#000000');
  await field.fill('#ffffff');
  assert.match(await css(page), /--payment-color-on-accent: #ffffff;/);
  assert.match((await page.locator('[data-verdict]').textContent()) ?? '', /^On accent, light: /);
  await field.fill('');
  await field.press('Tab');
  assert.equal(await field.inputValue(), '#000000');
  assert.doesNotMatch(await css(page), /on-accent/);
});

test('changes to a ready theme can be taken back, and it is named', async () => {
  const { page } = await atThemes();
  const undo = page.locator('[data-undo]');
  await pick(page, 'Sorbet').click();
  await page.locator('.ready a[aria-current=true]', { hasText: 'Sorbet' }).waitFor();
  assert.equal(await undo.isVisible(), false);
  const ready = await css(page);
  await unfold(page, 'More colors');
  await page.getByLabel('Muted, light', { exact: true }).fill('#7fb0ff');
  assert.equal(await undo.textContent(), 'Reset to Sorbet');
  await undo.click();
  await page.locator('.ready a[aria-current=true]', { hasText: 'Sorbet' }).waitFor();
  assert.equal(await css(page), ready);
});

test('each changed value can be set back to that of the ready theme alone', async () => {
  const { page } = await atThemes();
  await pick(page, 'Sorbet').click();
  await page.locator('.ready a[aria-current=true]', { hasText: 'Sorbet' }).waitFor();
  const ready = await css(page);
  const resets = page.getByRole('button', { name: 'Reset' });
  assert.equal(await resets.count(), 0);
  const accent = page.getByLabel('Accent, dark, as #rrggbb', { exact: true });
  await accent.fill('#7fb0ff');
  await page.getByLabel('Corners', { exact: true }).fill('3');
  assert.deepEqual(await resets.evaluateAll((all) => all.map(({ ariaLabel }) => ariaLabel)), [
    'Reset Accent',
    'Reset Corners',
  ]);
  await resets.first().click();
  assert.equal(await css(page), ready.replace(/(radius): \d+px/, '$1: 3px'));
  await resets.first().click();
  assert.equal(await css(page), ready);
  assert.equal(await page.evaluate(() => document.activeElement?.ariaLabel), 'Corners');
});

test('the state "No wallet ID" of the editor shows an error in both widgets', async () => {
  const { page } = await atThemes();
  await page.getByRole('button', { name: 'No wallet ID', exact: true }).click();
  for (const widget of await widgets(page).all()) await widget.locator('[aria-invalid=true]').waitFor();
});

test('on a phone, the widgets stay in sight while the last control is used', async () => {
  const { page } = await atThemes('', { viewport: { width: 390, height: 844 } });
  await unfold(page, 'Name and logo, in the order token');
  const last = page.locator('[data-claim=walletName]');
  await last.focus();
  await last.pressSequentially('Jeton');
  const boxOf = async (at: Locator) => (await at.boundingBox()) ?? assert.fail('not drawn');
  const [previews, field] = [await boxOf(page.locator('.previews')), await boxOf(last)];
  assert.ok(previews.y >= 0, `they begin at ${previews.y}`);
  assert.ok(field.y >= previews.y + previews.height, 'they do not cover the control');
});

test('the widgets cover nothing of the CSS, wherever the page is scrolled to', async () => {
  const { page } = await atThemes();
  await pick(page, 'Console').click();
  await page.locator('.ready a[aria-current=true]', { hasText: 'Console' }).waitFor();
  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await page.setViewportSize(viewport);
    const gaps = await page.evaluate(() => {
      const [looks, rule] = ['.looks', '.rule'].map((each) => document.querySelector(each));
      if (!looks || !rule) throw new Error('The page has no widgets or no CSS.');
      return Array.from({ length: 40 }, (_, at) => {
        scrollTo({ top: at * 100, behavior: 'instant' });
        const [code, covering] = [rule.getBoundingClientRect(), looks.getBoundingClientRect()];
        return code.left >= covering.right ? 0 : code.top - covering.bottom;
      });
    });
    assert.ok(Math.min(...gaps) >= 0, `${viewport.width} px: ${gaps.join()}`);
  }
});

test('axe finds no problem on the theme page at 320 px, in any ready theme', async () => {
  // The content security policy blocks the script of axe.
  const visitor = await atThemes('', { viewport: { width: 320, height: 800 }, bypassCSP: true });
  const { page } = visitor;
  for (const fold of await page.locator('.editor > form summary').all()) await fold.click();
  for (const id of ['Plain', 'Parchment', 'Console', 'Sorbet']) {
    await pick(page, id).click();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, id);
    const { violations, contrasts } = await audit(page);
    assert.deepEqual(violations, [], id);
    assert.ok(contrasts > 40, `${id}: ${contrasts} texts were measured`);
  }
});
