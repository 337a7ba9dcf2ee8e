// Each state as readers see it who enlarge it, space its text or choose their own colors: nothing is cut off, covered
// or beside the window, each control is large enough, and each shows that it has the focus.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { after, before, describe, it } from 'node:test';
import { chromium, type Browser, type Page } from 'playwright-core';
import { findBrowser } from '../browser.ts';
import { statesPageOpener, type OpenStatesPage, type Variant } from '../shots/states-page.ts';
import { layoutFaults } from './layout-probe.ts';

/** The spacing that WCAG 1.4.12 wants to be possible. */
const TEXT_SPACING = `
  * { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }
  p { margin-block-end: 2em !important; }`;

/** A window of 1280 × 1024 px at 400%; the page around each widget leaves 24 px at both sides. */
const AT_400: Variant = { width: 272, options: { viewport: { width: 320, height: 256 } } };

interface View extends Variant {
  isSpaced?: boolean;
}

const VIEWS: Record<string, View> = {
  'at 400 %': AT_400,
  'at 400 % in German, with the spacing of WCAG 1.4.12': {
    ...AT_400,
    lang: 'de',
    isSpaced: true,
  },
  'with text at 200 %': { width: 400, textSize: 32, options: { viewport: { width: 448, height: 900 } } },
  'on a phone with folds open': {
    ...AT_400,
    options: { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true },
  },
  'in forced colors': { ...AT_400, options: { ...AT_400.options, forcedColors: 'active', colorScheme: 'dark' } },
};

interface Axe {
  run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}

let browser: Browser;
let open: OpenStatesPage;
let axe: string;

before(async () => {
  browser = await chromium.launch(await findBrowser());
  open = await statesPageOpener(browser);
  axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
});
after(() => browser?.close());

describe('the layout', { concurrency: 2 }, () => {
  for (const [name, { isSpaced, options, ...variant }] of Object.entries(VIEWS)) {
    it(`every state ${name} is complete, and shows the focus on each of its controls`, async () => {
      const page = await open({ ...variant, options: { reducedMotion: 'reduce', ...options } });
      try {
        if (isSpaced) await addRules(page, TEXT_SPACING);
        await openFolds(page);
        assert.deepEqual(await page.evaluate(layoutFaults), []);
        assert.deepEqual(await smallTargets(page), []);
      } finally {
        await page.context().close();
      }
    });
  }
});

describe('the probe of the layout', () => {
  const PLANTED: Record<string, [rule: string, fault: RegExp]> = {
    'text beside the window': ['.sheet { inline-size: 400px }', /the page is/],
    'text that is cut off': ['h2 { overflow: hidden; block-size: 9px }', /is cut off by/],
    'text above text': ['.method { margin-block-start: -3em }', /overlap/],
    'a currency above the amount': ['.unit { position: absolute; inset: 0 }', /the unit covers/],
    'a low button': ['.primary { block-size: 40px; min-block-size: 0 }', /is 40 px high/],
    'a button without a focus': ['.primary { outline: none !important }', /shows no focus/],
    'a focus that is cut off': ['form { overflow: hidden }', /the focus of .* is cut off/],
    'a covered button': [
      '.panel { position: relative } .panel::after { content: ""; position: absolute; inset: 0 }',
      /is covered/,
    ],
    'a motion': ['h2 { animation: turn 9s infinite }', /1 things move/],
  };

  let page: Page;
  before(async () => {
    page = await open({ ...AT_400, options: { ...AT_400.options, reducedMotion: 'reduce' } }, ['choose, amount open']);
  });
  after(() => page.context().close());

  for (const [name, [rule, fault]] of Object.entries(PLANTED)) {
    it(`the probe of the layout finds ${name}`, async () => {
      assert.deepEqual(await page.evaluate(layoutFaults), []);
      await addRules(page, rule);
      const found = await page.evaluate(layoutFaults);
      await page.evaluate(() => document.querySelector('payment-widget')?.shadowRoot?.adoptedStyleSheets.pop());
      assert.match(found.join('\n'), fault);
    });
  }
});

async function smallTargets(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: Axe }).axe.run({ runOnly: ['target-size'] }),
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

async function addRules(page: Page, rules: string): Promise<void> {
  await page.evaluate((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    for (const { shadowRoot } of document.querySelectorAll('payment-widget'))
      shadowRoot?.adoptedStyleSheets.push(sheet);
  }, rules);
}

async function openFolds(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const { shadowRoot } of document.querySelectorAll('payment-widget'))
      for (const fold of shadowRoot?.querySelectorAll('details') ?? []) fold.open = true;
  });
}
