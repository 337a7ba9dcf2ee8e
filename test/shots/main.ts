// `npm run shots`: draws every state of the widget in every scene into shots/, and compares those that are kept in
// test/shots/pictures/. index.html shows the differences and all scenes.
//   npm run shots -- --update          keeps what was drawn, and the README's pictures
//   npm run shots -- --scene dark      one scene only
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { findPinnedBrowser } from '../browser.ts';
import { drawScene } from './draw.ts';
import { compareWithKept, fileOf, keep, keptOf, type Finding } from './kept.ts';
import { FOLDER, messageOf, writeFindings, writeIndex } from './report.ts';
import { README_PICTURES, differenceFromKept } from './readme-pictures.ts';
import { SCENES } from './scenes.ts';
import { statesPageOpener } from './states-page.ts';

const { values } = parseArgs({ options: { update: { type: 'boolean' }, scene: { type: 'string' } } });
const scenes = Object.entries(SCENES).filter(([name]) => (values.scene ?? name) === name);
if (scenes.length === 0) throw new Error(`The scenes are: ${Object.keys(SCENES).join(', ')}`);
const launch = await findPinnedBrowser();
if (!launch) throw new Error('The pictures need Linux on x64, where the browser that draws them comes from a package.');

const browser = await chromium.launch(launch);
try {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER);
  const open = await statesPageOpener(browser);
  const findings: Finding[] = [];
  // Two at a time: more would only wait for the processor.
  const queue = scenes.values();
  const drawNext = async () => {
    for (const [name, scene] of queue) {
      const { sheet, pictures } = await drawScene(open, scene);
      await writeFile(`${FOLDER}/${fileOf(name)}.png`, sheet);
      const wanted = keptOf(scene, pictures);
      const found = compareWithKept(name, wanted);
      findings.push(...found);
      if (values.update) keep(name, wanted, found);
    }
  };
  await Promise.all([drawNext(), drawNext()]);
  const names = scenes.map(([name]) => name);
  await writeFindings(findings);
  await writeIndex(findings, names);
  if (values.update) {
    for (const [path, draw] of Object.entries(README_PICTURES)) {
      const picture = await draw(browser, open);
      if (differenceFromKept(path, picture) !== undefined) await writeFile(path, picture);
    }
    console.log(`${findings.length} pictures changed in test/shots/pictures/`);
  } else if (findings.length > 0) {
    console.error(messageOf(findings));
    process.exitCode = 1;
  } else console.log(`Every state looks as kept. All scenes: ${FOLDER}/index.html`);
} finally {
  await browser.close();
}
