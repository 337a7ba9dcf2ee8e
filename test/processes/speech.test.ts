// Compares the browser's accessibility tree in each state, which screen readers read, with speech.txt. After an
// intended change, write it with `WRITE_SPEECH=1 node --test test/processes/speech.test.ts` and review the difference.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { chromium } from 'playwright-core';
import { findBrowser } from '../browser.ts';
import { statesPageOpener } from '../shots/states-page.ts';
import { STATES } from '../widget/states.ts';

const FILE = 'test/processes/speech.txt';

test('the accessibility tree of the widget in each state has the roles and names in speech.txt', async () => {
  const browser = await chromium.launch(await findBrowser());
  try {
    const page = await (await statesPageOpener(browser))({ width: 400 });
    const found: string[] = [];
    for (const name of Object.keys(STATES)) {
      const figure = page.locator('figure').filter({ has: page.getByText(name, { exact: true }) });
      const tree = await figure.locator('payment-widget').ariaSnapshot();
      found.push(`# ${name}\n\n${tree.replaceAll(/\d+:\d\d/g, '0:00')}\n`);
    }
    const speech = found.join('\n');
    if (process.env['WRITE_SPEECH']) writeFileSync(FILE, speech);
    assert.equal(speech, readFileSync(FILE, 'utf8'));
  } finally {
    await browser.close();
  }
});
