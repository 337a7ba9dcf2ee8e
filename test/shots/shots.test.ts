// Draws the states whose pictures are kept and compares them, so that no change alters the look unseen. The last test
// changes the widget in the page, and expects the comparison to find it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
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
  it(`${path} looks as it is kept`, { skip }, async () => {
    const difference = differenceFromKept(path, await draw(browser, open));
    assert.equal(difference, undefined, `npm run shots -- --update draws ${path} again`);
  });
}

it('the README shows each of its pictures, and no other', () => {
  const shown = readFileSync('README.md', 'utf8').match(/docs\/pictures\/[\w-]+\.png/g) ?? [];
  assert.deepEqual(shown.toSorted(), Object.keys(README_PICTURES).toSorted());
});

/** Changes a color of each widget. */
async function darken(page: Page): Promise<void> {
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('h2 { color: #0c0f17 }');
    for (const { shadowRoot } of document.querySelectorAll('payment-widget'))
      shadowRoot?.adoptedStyleSheets.push(sheet);
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

it('the comparison finds a color that is 8 steps darker', { skip }, async () => {
  const draw = (change?: (page: Page) => Promise<void>) =>
    drawScene(open, { width: 320 }, { states: ['paid'], ...(change && { change }) });
  const [asIs, changed] = [await draw(), await draw(darken)].map(({ pictures }) => pictures.get('paid')!);
  assert.ok(compare(asIs!, changed!));
});
