// `npm run bench -- widget`: every page visited once in each round, one after the other, so that whatever else the machine does
// falls on all alike; the order turns by one from round to round. Prints medians, and where the widget stands against the peer
// and the floors. It asserts nothing about time: that what was measured worked is visit.ts's to assert.
import { availableParallelism, loadavg } from 'node:os';
import { chromium, type Browser } from 'playwright-core';
import { findBrowser } from '../browser.ts';
import { aims } from './aims.ts';
import { BLANK, buildFiles, PAGES } from './pages.ts';
import { Site } from './site.ts';
import { number, spread, table } from './table.ts';
import { PLAIN, SLOW, visit, type Condition } from './visit.ts';
import { Visits } from './visits.ts';

const CONDITIONS = [PLAIN, SLOW];

export async function benchWidget(rounds: number): Promise<void> {
  const [files, found] = await Promise.all([buildFiles(), findBrowser()]);
  const site = await Site.open(files);
  const browser = await chromium.launch(found);
  try {
    console.log(`Chromium ${browser.version()}, ${rounds} rounds, medians (least–most); ${load()}`);
    await visit(browser, site, BLANK, PLAIN);
    const visits = await visitAll(browser, site, rounds);
    const tables = [weights(visits), ...CONDITIONS.map((condition) => times(visits, condition)), aims(visits)];
    console.log(`\n${tables.join('\n\n')}\n\n${NOTES}\nAt the end ${load()}.`);
  } finally {
    await browser.close();
    await site.close();
  }
}

async function visitAll(browser: Browser, site: Site, rounds: number): Promise<Visits> {
  const visits = new Visits();
  for (let round = 0; round < rounds; round++) {
    const pages = [...PAGES.slice(round % PAGES.length), ...PAGES.slice(0, round % PAGES.length)];
    for (const condition of CONDITIONS) {
      for (const page of pages) {
        // The page without a payment is there for its heap, and that is measured in plain.
        if (condition === SLOW && page === BLANK) continue;
        visits.add(condition, page.name, await visit(browser, site, page, condition));
      }
    }
    process.stderr.write(`round ${round + 1} of ${rounds}\n`);
  }
  return visits;
}

/** What does not depend on the network. */
function weights(visits: Visits): string {
  const rows = PAGES.map(({ name, label }) => [
    label,
    number(visits.bytes(name, 'bytes')),
    number(visits.bytes(name, 'bytesWithCode')),
    number(visits.heapOverBlank(name) / 1000),
    spread(visits.values(PLAIN, name, 'workMs')),
    spread(visits.values(PLAIN, name, 'blockingMs')),
  ]);
  return table(['page', 'br bytes', '… with code', 'heap kB', 'work ms', 'blocking ms'], rows);
}

function times(visits: Visits, condition: Condition): string {
  const rows = PAGES.filter(({ name }) => name !== 'blank').map(({ name, label }) => [
    label,
    spread(visits.values(condition, name, 'firstPaintMs')),
    spread(visits.values(condition, name, 'interactiveMs')),
    name === 'html' ? '' : number(visits.aboveFloor(condition, name)),
    spread(visits.values(condition, name, 'codeMs')),
  ]);
  return table([condition.name, 'first paint ms', 'interactive ms', 'above floor ms', 'click to code ms'], rows);
}

function load(): string {
  return `load ${number(loadavg()[0] ?? 0, 1)} on ${availableParallelism()} processors`;
}

const NOTES = `br bytes: scripts and styles, Brotli, that had come when a method could be chosen; "with code", when the code was drawn.
Heap: after a collection, over the shop's page. Work: the main thread's processor time until a method could be chosen.
Blocking: what its tasks take above 50 ms each until then, and from the click to the code, by processor time × ${SLOW.cpuSlowdown}.
Above floor: the page and its script are two round trips (${number(2 * SLOW.roundTripMs)} ms on slow 4G) that nobody can avoid.
Times are wall clock: on a machine with other work trust the ratios, and even those little.`;
