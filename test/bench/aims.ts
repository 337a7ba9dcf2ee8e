// Compares the widget with its aims: shares of the figures of Adyen's Drop-in in the same run, and absolute limits.
// A missed aim does not fail the benchmark, because times depend on the machine and other tests limit the bytes.
import type { PageName } from './pages.ts';
import { number, table } from './table.ts';
import { PLAIN, SLOW } from './visit.ts';
import type { Visits } from './visits.ts';

export function aims(visits: Visits): string {
  return table(
    ['aims', 'our widget', 'aim', 'met', 'to bare'],
    [...shares(visits), ...limits(visits), firstPaint(visits)],
  );
}

/** Each aim is a maximum, as a share of the Drop-in's figure. */
function shares(visits: Visits): string[][] {
  const figures: [string, (page: PageName) => number, aim: number][] = [
    ['bytes before the first method', (page) => visits.bytes(page, 'bytes'), 0.16],
    ['time to interactive', (page) => visits.middle(SLOW, page, 'interactiveMs'), 0.77],
    ['… above the two round trips', (page) => visits.aboveFloor(SLOW, page), 0.33],
    ['heap over the blank page', (page) => visits.heapOverBlank(page), 0.35],
    ['click to code', (page) => visits.middle(SLOW, page, 'codeMs'), 0.36],
  ];
  return figures.map(([name, of, aim]) => {
    const [adyen, bare] = (['adyen', 'bare'] as const).map((peer) => of('widget') / of(peer));
    const times = (ratio = NaN) => `${number(ratio, 2)} ×`;
    return [name, times(adyen), `≤ ${aim} ×`, Number(adyen) <= aim ? 'yes' : 'no', times(bare)];
  });
}

/** Each aim is a maximum. */
function limits(visits: Visits): string[][] {
  const figures: [string, measured: number, aim: number, unit: string][] = [
    ['bytes before the first method', visits.bytes('widget', 'bytes'), 11_000, 'B'],
    ['bytes with the code drawn', visits.bytes('widget', 'bytesWithCode'), 11_776, 'B'],
    ['click to code above one round trip', visits.middle(SLOW, 'widget', 'codeMs') - SLOW.roundTripMs, 60, 'ms'],
    ['paid at once: later on another origin', visits.laterApart(SLOW), 60, 'ms'],
    ['blocking time', visits.middle(PLAIN, 'widget', 'blockingMs'), 0, 'ms'],
  ];
  return figures.map(([name, measured, aim, unit]) => [
    name,
    `${number(measured)} ${unit}`,
    `≤ ${number(aim)} ${unit}`,
    Math.round(measured) <= aim ? 'yes' : 'no',
  ]);
}

/** A difference counts only if the rounds of both pages do not overlap, because one frame alone takes 16 ms. */
function firstPaint(visits: Visits): string[] {
  const later = visits.middle(SLOW, 'widget', 'firstPaintMs') - visits.middle(SLOW, 'html', 'firstPaintMs');
  const least = Math.min(...visits.values(SLOW, 'widget', 'firstPaintMs'));
  const isOver = least > Math.max(...visits.values(SLOW, 'html', 'firstPaintMs'));
  const met = Math.round(later) <= 0 ? 'yes' : isOver ? 'no' : 'within noise';
  return ['first paint above HTML alone', `${number(later)} ms`, '≤ 0 ms', met];
}
