// What the visits of all rounds amount to: the medians and differences that the tables and the aims are made of.
import { PLAIN, type Condition, type Visit } from './visit.ts';
import type { PageName } from './pages.ts';
import { median } from './table.ts';

export type Figure = keyof Visit;

export class Visits {
  readonly #all: { condition: Condition; page: PageName; visit: Visit }[] = [];

  add(condition: Condition, page: PageName, visit: Visit): void {
    this.#all.push({ condition, page, visit });
  }

  /** One of each round, where the page has such a thing. */
  values(condition: Condition, page: PageName, figure: Figure): number[] {
    const own = this.#all.filter((each) => each.condition === condition && each.page === page);
    return own.flatMap(({ visit }) => visit[figure] ?? []);
  }

  middle(condition: Condition, page: PageName, figure: Figure): number {
    return median(this.values(condition, page, figure));
  }

  /** That were enough on the best visit: where there is time, a page loads ahead of need. */
  bytes(page: PageName, figure: 'bytes' | 'bytesWithCode'): number {
    const own = this.#all.filter((each) => each.page === page);
    return Math.min(...own.flatMap(({ visit }) => visit[figure] ?? []));
  }

  heapOverBlank(page: PageName): number {
    return this.middle(PLAIN, page, 'heapBytes') - this.middle(PLAIN, 'blank', 'heapBytes');
  }

  /** Time to interactive without the two round trips, of the page and of its script, that nobody can avoid. */
  aboveFloor(condition: Condition, page: PageName): number {
    return this.middle(condition, page, 'interactiveMs') - 2 * condition.roundTripMs;
  }
}
