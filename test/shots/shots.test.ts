// Draws the states whose pictures are kept and compares them, so that no change alters the look unseen. The last tests
// change the widget in the page, and expect the comparison to find it.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { chromium, type Browser, type Page } from 'playwright-core';
import { findPinnedBrowser } from '../browser.ts';
import { compare } from './compare.ts';
import { drawScene } from './draw.ts';
import { compareWithKept, NO_PICTURE, readKept, type Finding } from './kept.ts';
import { messageOf, writeFindings, writeIndex } from './report.ts';
import { README_PICTURES, differenceFromKept } from './readme-pictures.ts';
import { SCENES } from './scenes.ts';
import { PNG } from 'pngjs';
import { statesPageOpener, type OpenStatesPage } from './states-page.ts';

const launch = await findPinnedBrowser();
const skip = launch ? false : 'The browser of the pictures comes from a package for Linux on x64.';

let browser: Browser;
let open: OpenStatesPage;

before(async () => {
  if (!launch) return;
  browser = await chromium.launch(launch);
  open = await statesPageOpener(browser);
});
after(() => browser?.close());

describe('the look', { skip, concurrency: 2 }, () => {
  const findings: Finding[] = [];
  after(() => (findings.length > 0 ? writeIndex(findings, []) : undefined));

  for (const [name, scene] of Object.entries(SCENES)) {
    it(`each state looks as kept in the scene "${name}"`, async () => {
      const { pictures } = await drawScene(open, scene, { states: scene.kept });
      const found = compareWithKept(name, pictures);
      await writeFindings(found);
      findings.push(...found);
      if (found.length > 0) assert.fail(messageOf(found));
    });
  }
});

for (const [path, draw] of Object.entries(README_PICTURES)) {
  it(`${path} shows the widget as it looks`, { skip }, async () => {
    const difference = differenceFromKept(path, await draw(browser, open));
    assert.equal(difference, undefined, `npm run shots -- --update draws ${path} again`);
  });
}

/** Adds a rule to each widget. */
function withRule(rule: string): (page: Page) => Promise<void> {
  return (page) =>
    page.evaluate((text) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      for (const { shadowRoot } of document.querySelectorAll('payment-widget'))
        shadowRoot?.adoptedStyleSheets.push(sheet);
    }, rule);
}

async function replaceWord(page: Page): Promise<void> {
  await page.evaluate(() => {
    const heading = document.querySelector('payment-widget')?.shadowRoot?.querySelector('h2');
    const walker = document.createTreeWalker(heading!, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      node.nodeValue = node.nodeValue!.replace(/\w+\W*$/, (word) => `${word.slice(0, -1)}.`);
    }
  });
}

it('a difference names the state: one that changed, one that is new, and one that is gone', () => {
  const scene = 'wide';
  const drawn = new Map(readKept(scene));
  const { width, height } = drawn.get('paid')!;
  drawn.set('paid', new PNG({ width, height, fill: true })).set('new', new PNG({ width, height }));
  drawn.delete('scan');
  const found = compareWithKept(scene, drawn);
  const shown = found.map(({ state, words }) => [state, words.replace(/\d+/, 'N')]);
  assert.deepEqual(shown, [
    ['paid', 'N pixels differ'],
    ['new', NO_PICTURE],
    ['scan', 'is not drawn any more'],
  ]);
});

describe('the comparison', { skip }, () => {
  const STATE = 'paid';
  const draw = async (change?: (page: Page) => Promise<void>): Promise<PNG> => {
    const { pictures } = await drawScene(open, { width: 320 }, { states: [STATE], ...(change && { change }) });
    return pictures.get(STATE)!;
  };
  let asKept: PNG;
  before(async () => {
    asKept = await draw();
  });

  it('the comparison finds nothing if nothing changed', async () => {
    assert.equal(compare(asKept, await draw())?.words, undefined);
  });

  for (const [what, change] of Object.entries({
    '2 px more padding': withRule('.sheet { padding-inline-start: 26px }'),
    'a color that is 8 steps darker': withRule('h2 { color: #0c0f17 }'),
    'a border that is 8 steps darker': withRule('.sheet { border-color: #d7dae1 }'),
    'one letter': replaceWord,
  })) {
    it(`the comparison finds ${what}`, async () => {
      assert.ok(compare(asKept, await draw(change)));
    });
  }
});
