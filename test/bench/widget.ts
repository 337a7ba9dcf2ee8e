// `npm run bench -- widget`: visits every page once per round and condition, one at a time, and prints medians and
// comparisons with the peer and the floors. Each round begins with another page, so that other load on the machine
// affects all pages alike. Nothing fails because of a time; visit.ts fails if a page does not work.
import { availableParallelism, loadavg } from 'node:os';
import { chromium, type Browser } from 'playwright-core';
import { findBrowser } from '../browser.ts';
import { aims } from './aims.ts';
import { BLANK, buildFiles, PAGES, type Page } from './pages.ts';
import { Site } from './site.ts';
import { number, spread, table } from './table.ts';
import { PLAIN, SLOW, visit, type Condition } from './visit.ts';
import { Visits } from './visits.ts';

const CONDITIONS = [PLAIN, SLOW];

export interface Settings {
  rounds: number;
  /** All by default. */
  pages?: readonly Page[];
  conditions?: readonly Condition[];
  print?: (text: string) => void;
}

export async function benchWidget(settings: Settings): Promise<void> {
  const { rounds, pages = PAGES, conditions = CONDITIONS, print = console.log } = settings;
  const [files, found] = await Promise.all([buildFiles(pages), findBrowser()]);
  const site = await Site.open(files);
  const browser = await chromium.launch(found);
  try {
    print(`Chromium ${browser.version()}, ${rounds} rounds, medians (least–most); ${load()}`);
    await visit(browser, site, BLANK, PLAIN);
    const visits = await visitAll(browser, site, { rounds, pages, conditions });
    const tables = [
      weights(visits, pages),
      ...conditions.map((condition) => times(visits, pages, condition)),
      aims(visits),
    ];
    print(`\n${tables.join('\n\n')}\n\n${NOTES}\nAt the end ${load()}.`);
  } finally {
    await browser.close();
    await site.close();
  }
}

async function visitAll(
  browser: Browser,
  site: Site,
  { rounds, pages, conditions }: Required<Omit<Settings, 'print'>>,
): Promise<Visits> {
  const visits = new Visits();
  for (let round = 0; round < rounds; round++) {
    const turn = [...pages.slice(round % pages.length), ...pages.slice(0, round % pages.length)];
    for (const condition of conditions) {
      for (const page of turn) {
        // The blank page is needed only for its heap, and the heap is measured only under PLAIN.
        if (condition === SLOW && page === BLANK) continue;
        visits.add(condition, page.name, await visit(browser, site, page, condition));
      }
    }
    process.stderr.write(`round ${round + 1} of ${rounds}\n`);
  }
  return visits;
}

/** The figures that do not depend on the network. */
function weights(visits: Visits, pages: readonly Page[]): string {
  const rows = pages.map(({ name, label }) => [
    label,
    number(visits.bytes(name, 'bytes')),
    number(visits.bytes(name, 'bytesWithCode')),
    number(visits.heapOverBlank(name) / 1000),
    spread(visits.values(PLAIN, name, 'workMs')),
    spread(visits.values(PLAIN, name, 'blockingMs')),
  ]);
  return table(['page', 'br bytes', '… with code', 'heap kB', 'work ms', 'blocking ms'], rows);
}

function times(visits: Visits, pages: readonly Page[], condition: Condition): string {
  const rows = pages
    .filter(({ name }) => name !== 'blank')
    .map(({ name, label }) => [
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

const NOTES = `br bytes: Brotli size of the scripts and styles loaded before a method can be chosen; "with code", before the code is drawn.
Heap: after a garbage collection, minus the shop's page without a payment.
Work: processor time of the main thread until a method can be chosen.
Blocking: the time above 50 ms of each task until then, and from the click to the code, by processor time × ${SLOW.cpuSlowdown}.
Above floor: without the two round trips that every page with a script needs (${number(2 * SLOW.roundTripMs)} ms on slow 4G).
Times are wall clock: if the machine has other load, compare only the ratios, and those with caution.`;
