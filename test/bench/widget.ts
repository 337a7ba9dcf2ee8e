// `npm run bench -- widget`: visits every page once per round and condition, one at a time, and prints medians and the
// widget's share of the Drop-in's figures. Each round begins with another page, so that other load on the machine
// affects all pages alike. Nothing fails because of a time; visit.ts fails if a page does not work.
import { chromium } from 'playwright-core';
import { findBrowser } from '../browser.ts';
import { BLANK, buildFiles, PAGES, type Page } from './pages.ts';
import { Site } from './site.ts';
import { median, number, spread, table } from './table.ts';
import { PLAIN, SLOW, visit, type Condition, type Visit } from './visit.ts';

export interface Settings {
  rounds: number;
  /** All by default. */
  pages?: readonly Page[];
}

interface Visited {
  name: Page['name'];
  condition: Condition;
  visit: Visit;
}

/** What is compared, and the most that the widget may have of the Drop-in's figure. */
const FIGURES: readonly [label: string, of: (visit: Visit) => number | undefined, condition: Condition, aim: number][] =
  [
    ['Brotli bytes until a method can be chosen', ({ bytes }) => bytes, SLOW, 0.16],
    ['memory, bytes', ({ heapBytes }) => heapBytes, PLAIN, 0.35],
    ['time until a method can be chosen, ms', ({ interactiveMs }) => interactiveMs, SLOW, 0.77],
    ['… above the two round trips', ({ interactiveMs }) => interactiveMs - 2 * SLOW.roundTripMs, SLOW, 0.33],
    ['from the click to the code, ms', ({ codeMs }) => codeMs, SLOW, 0.36],
    ['first paint, ms', ({ firstPaintMs }) => firstPaintMs, SLOW, 1],
    ['time above 50 ms of each task, ms', ({ blockingMs }) => blockingMs, SLOW, 0],
  ];

export async function benchWidget(settings: Settings): Promise<string> {
  const { rounds, pages = PAGES } = settings;
  const [files, found] = await Promise.all([buildFiles(pages), findBrowser()]);
  const site = await Site.open(files);
  const browser = await chromium.launch(found);
  const visited: Visited[] = [];
  try {
    await visit(browser, site, BLANK, PLAIN);
    for (let round = 0; round < rounds; round++) {
      const first = round % pages.length;
      for (const condition of [PLAIN, SLOW]) {
        for (const page of [...pages.slice(first), ...pages.slice(0, first)])
          visited.push({ name: page.name, condition, visit: await visit(browser, site, page, condition) });
      }
      process.stderr.write(`round ${round + 1} of ${rounds}\n`);
    }
    return tableOf(visited, pages, `Chromium ${browser.version()}, ${rounds} rounds, median (least–most)`);
  } finally {
    await browser.close();
    await site.close();
  }
}

function tableOf(visited: readonly Visited[], pages: readonly Page[], title: string): string {
  const rows = FIGURES.map(([label, of, condition, aim]) => {
    const valuesOf = (name: Page['name']) => {
      const own = visited.filter((each) => each.name === name && each.condition === condition);
      return own.flatMap(({ visit: one }) => of(one) ?? []);
    };
    // Memory is what the payment takes, over the page's own.
    const pageItself = label.startsWith('memory') ? median(valuesOf('blank')) : 0;
    const over = (name: Page['name']) => valuesOf(name).map((value) => value - pageItself);
    const share = median(over('widget')) / median(over('adyen'));
    return [label, ...pages.map(({ name }) => spread(over(name))), `${number(share, 2)} ×`, `≤ ${aim} ×`];
  });
  return table([title, ...pages.map(({ label }) => label), 'share', 'aim'], rows);
}
