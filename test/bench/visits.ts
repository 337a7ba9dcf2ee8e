// Collects the visits of all rounds and computes the medians and differences for the tables and the aims.
import { PLAIN, type Condition, type Visit } from './visit.ts';
import type { PageName } from './pages.ts';
import { median } from './table.ts';

export type Figure = keyof Visit;

export class Visits {
  readonly #all: { condition: Condition; page: PageName; visit: Visit }[] = [];

  add(condition: Condition, page: PageName, visit: Visit): void {
    this.#all.push({ condition, page, visit });
  }

  /** One value per round; none if the figure does not apply to the page. */
  values(condition: Condition, page: PageName, figure: Figure): number[] {
    const own = this.#all.filter((each) => each.condition === condition && each.page === page);
    return own.flatMap(({ visit }) => visit[figure] ?? []);
  }

  middle(condition: Condition, page: PageName, figure: Figure): number {
    return median(this.values(condition, page, figure));
  }

  /** The fewest bytes of all visits, because a page may load files early if it has time. */
  bytes(page: PageName, figure: 'bytes' | 'bytesWithCode'): number {
    const own = this.#all.filter((each) => each.page === page);
    return Math.min(...own.flatMap(({ visit }) => visit[figure] ?? []));
  }

  heapOverBlank(page: PageName): number {
    return this.middle(PLAIN, page, 'heapBytes') - this.middle(PLAIN, 'blank', 'heapBytes');
  }

  /** How much longer the code takes with the proxy on another origin, if the shopper pays at once. */
  laterApart(condition: Condition): number {
    return this.middle(condition, 'hasty-apart', 'codeMs') - this.middle(condition, 'hasty', 'codeMs');
  }

  /** Time to interactive without the two unavoidable round trips: one for the page, one for its script. */
  aboveFloor(condition: Condition, page: PageName): number {
    return this.middle(condition, page, 'interactiveMs') - 2 * condition.roundTripMs;
  }
}
