// `npm run bench -- widget`: every page visited once in each round, one after the other, so that whatever else the machine does
// falls on all alike; the order turns by one from round to round. Prints medians, and where the widget stands against the peer
// and the floors. It asserts nothing about time: that what was measured worked is visit.ts's to assert.
import { loadavg, cpus } from 'node:os';
import { chromium, type Browser } from 'playwright-core';
import { findBrowser } from '../browser.ts';
import { BLANK, buildFiles, PAGES, type PageName } from './pages.ts';
import { Site } from './site.ts';
import { median, number, spread, table } from './table.ts';
import { PLAIN, SLOW, visit, type Condition, type Visit } from './visit.ts';

const CONDITIONS = [PLAIN, SLOW];

/** By condition, then by page: one visit a round. */
type Visits = Map<Condition, Map<PageName, Visit[]>>;

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
  const visits: Visits = new Map(CONDITIONS.map((condition) => [condition, new Map()]));
  for (let round = 0; round < rounds; round++) {
    for (const [condition, pages] of visits) {
      for (let index = 0; index < PAGES.length; index++) {
        const page = PAGES[(index + round) % PAGES.length] ?? BLANK;
        const { name } = page;
        pages.set(name, [...(pages.get(name) ?? []), await visit(browser, site, page, condition)]);
      }
    }
    process.stderr.write(`round ${round + 1} of ${rounds}\n`);
  }
  return visits;
}

const values = (visits: Visits, condition: Condition, page: PageName, figure: keyof Visit): number[] =>
  (visits.get(condition)?.get(page) ?? []).flatMap((each) => each[figure] ?? []);

const middle = (visits: Visits, condition: Condition, page: PageName, figure: keyof Visit): number =>
  median(values(visits, condition, page, figure));

/** Bytes that were enough on the best visit: where there is time, a page may have loaded ahead of need. */
const bytes = (visits: Visits, page: PageName, figure: 'bytes' | 'bytesWithCode'): number =>
  Math.min(...CONDITIONS.flatMap((condition) => values(visits, condition, page, figure)));

const heapOver = (visits: Visits, page: PageName): number =>
  middle(visits, PLAIN, page, 'heapBytes') - middle(visits, PLAIN, 'blank', 'heapBytes');

/** The page and its script: two round trips that nobody can avoid. */
const aboveFloor = (visits: Visits, condition: Condition, page: PageName): number =>
  middle(visits, condition, page, 'interactiveMs') - 2 * condition.roundTripMs;

function weights(visits: Visits): string {
  const rows = PAGES.map(({ name, label }) => [
    label,
    number(bytes(visits, name, 'bytes')),
    number(bytes(visits, name, 'bytesWithCode')),
    number(heapOver(visits, name) / 1000),
    spread(values(visits, PLAIN, name, 'workMs')),
    spread(values(visits, PLAIN, name, 'blockingMs')),
  ]);
  return table(['page', 'br bytes', '… with code', 'heap kB', 'work ms', 'blocking ms'], rows);
}

function times(visits: Visits, condition: Condition): string {
  const rows = PAGES.map(({ name, label }) => [
    label,
    spread(values(visits, condition, name, 'firstPaintMs')),
    name === 'blank' ? '' : spread(values(visits, condition, name, 'interactiveMs')),
    name === 'blank' || name === 'html' ? '' : number(aboveFloor(visits, condition, name)),
    spread(values(visits, condition, name, 'codeMs')),
  ]);
  return table([condition.name, 'first paint ms', 'interactive ms', 'above floor ms', 'click to code ms'], rows);
}

function aims(visits: Visits): string {
  const slow = (page: PageName, figure: keyof Visit) => middle(visits, SLOW, page, figure);
  const ratio = (of: (page: PageName) => number, peer: PageName) => number(of('widget') / of(peer), 2);
  const figures: [string, (page: PageName) => number, aim: number][] = [
    ['bytes before the first method', (page) => bytes(visits, page, 'bytes'), 0.16],
    ['time to interactive', (page) => slow(page, 'interactiveMs'), 0.77],
    ['… above the two round trips', (page) => aboveFloor(visits, SLOW, page), 0.3],
    ['heap over the blank page', (page) => heapOver(visits, page), 0.35],
    ['click to code', (page) => slow(page, 'codeMs'), 0.36],
  ];
  const rows = figures.map(([name, of, aim]) => [
    name,
    `${ratio(of, 'adyen')} ×`,
    `≤ ${aim}`,
    of('widget') / of('adyen') <= aim ? 'yes' : 'no',
    `${ratio(of, 'auto')} ×`,
    `${ratio(of, 'bare')} ×`,
  ]);
  const limits: [string, measured: number, aim: number, unit: string][] = [
    ['bytes before the first method', bytes(visits, 'widget', 'bytes'), 10_240, 'B'],
    ['bytes with the code drawn', bytes(visits, 'widget', 'bytesWithCode'), 11_776, 'B'],
    ['click to code above one round trip', slow('widget', 'codeMs') - SLOW.roundTripMs, 60, 'ms'],
    ['first paint above HTML alone', slow('widget', 'firstPaintMs') - slow('html', 'firstPaintMs'), 0, 'ms'],
    ['blocking time', middle(visits, PLAIN, 'widget', 'blockingMs'), 0, 'ms'],
  ];
  for (const [name, measured, aim, unit] of limits) {
    const isKept = Math.round(measured) <= aim;
    rows.push([name, `${number(measured)} ${unit}`, `≤ ${number(aim)} ${unit}`, isKept ? 'yes' : 'no', '', '']);
  }
  return table(['aims', 'our widget', 'aim', 'kept', 'to auto', 'to bare'], rows);
}

function load(): string {
  return `load ${number(loadavg()[0] ?? 0, 1)} on ${cpus().length} processors`;
}

const NOTES = `br bytes: scripts and styles, Brotli, that had come when a method could be chosen; "with code", when the code was drawn.
Heap: after a collection, over the shop's page. Work: the main thread's processor time until a method could be chosen.
Blocking: what its tasks take above 50 ms each until then, and from the click to the code, by processor time × ${SLOW.cpuSlowdown}.
Above floor: the page and its script are two round trips (${number(2 * SLOW.roundTripMs)} ms on slow 4G) that nobody can avoid.
Times are wall clock: on a machine with other work trust the ratios, and even those little.`;
