// Virtual time: what happens later, in order. Nothing in a history waits for real time.
import { NOON } from '../backend-proxy/time.ts';

export class Agenda {
  /** True time, ms since 1970; the clocks of the proxies and of the database may differ from it. */
  now = NOON;
  readonly #entries: { at: number; work: () => void }[] = [];

  later(ms: number, work: () => void): void {
    const at = this.now + Math.max(0, ms);
    // Entries of the same time keep their order.
    const after = this.#entries.findLastIndex((entry) => entry.at <= at);
    this.#entries.splice(after + 1, 0, { at, work });
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.later(ms, resolve));
  }

  nextAt(): number {
    return this.#entries[0]?.at ?? Infinity;
  }

  runDue(): void {
    while (this.nextAt() <= this.now) this.#entries.shift()?.work();
  }
}
