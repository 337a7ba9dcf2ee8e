// A clock that only advance() moves, so that no test of the widget depends on real time.
import { setImmediate } from 'node:timers/promises';
import type { Wait } from '../../widget/flow/stream.ts';

interface Sleeper {
  until: number;
  wake: () => void;
}

export class Clock {
  #now = Date.parse('2026-11-20T12:00:00.000Z');
  readonly #sleepers = new Set<Sleeper>();

  readonly now = (): number => this.#now;

  readonly wait: Wait = (ms, signal) =>
    new Promise((resolve) => {
      const sleeper = {
        until: this.#now + ms,
        wake: () => {
          this.#sleepers.delete(sleeper);
          resolve();
        },
      };
      if (signal.aborted) return resolve();
      this.#sleepers.add(sleeper);
      signal.addEventListener('abort', sleeper.wake);
    });

  /** Moves the clock by `ms`; waits that end on the way end in their order, each with all its consequences. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (;;) {
      const [next] = [...this.#sleepers].filter(({ until }) => until <= end).toSorted((a, b) => a.until - b.until);
      if (!next) break;
      this.#now = Math.max(this.#now, next.until);
      next.wake();
      await settle();
    }
    this.#now = end;
  }

  /** Moves the clock without ending any wait, as if the machine had slept. */
  sleep(ms: number): void {
    this.#now += ms;
  }
}

/** Resolves once nothing is left to do at the current time. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
}
