// The sandbox's time: what time it is, and what will happen later. It owns the injected clock, how far a test has moved
// it ahead, and the list of due work (IPNs, payouts, expiry, delayed answers). It does not know what the work is.
// One list serves both lives: `run()` sets one timer to the earliest entry (a server), `tick()` does what is due and
// waits for it (a test with a virtual clock). Nothing else in the sandbox calls setTimeout.

type Work = () => void | Promise<void>;

/** setTimeout's limit, about 24.8 days; a later entry is looked at again by then. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class Clock {
  readonly #source: () => number;
  #aheadMs = 0;
  /** By time, then by order of entry. */
  readonly #due: { at: number; work: Work }[] = [];
  #running = false;
  #timer: NodeJS.Timeout | undefined;

  /** `source` answers milliseconds since 1970. */
  constructor(source: () => number) {
    this.#source = source;
  }

  now(): number {
    return this.#source() + this.#aheadMs;
  }

  advance(ms: number): void {
    this.#aheadMs += ms;
    this.#arm();
  }

  at(time: number, work: Work): void {
    let low = 0;
    let high = this.#due.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#due[middle]?.at ?? Infinity) <= time) low = middle + 1;
      else high = middle;
    }
    this.#due.splice(low, 0, { at: time, work });
    this.#arm();
  }

  /** Never to be awaited inside scheduled work: a tick waits for its work. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.at(this.now() + ms, resolve);
    });
  }

  /** Does everything that is due, and what becomes due by doing it; resolves when all of it has ended. */
  async tick(): Promise<void> {
    for (let works = this.#takeDue(); works.length > 0; works = this.#takeDue()) {
      await Promise.all(works.map(async (work) => work()));
    }
  }

  /** Returns the way to stop. */
  run(): () => void {
    this.#running = true;
    this.#arm();
    return () => {
      this.#running = false;
      clearTimeout(this.#timer);
    };
  }

  #takeDue(): Work[] {
    const now = this.now();
    const end = this.#due.findIndex(({ at }) => at > now);
    return this.#due.splice(0, end === -1 ? this.#due.length : end).map(({ work }) => work);
  }

  #arm(): void {
    if (!this.#running) return;
    clearTimeout(this.#timer);
    const next = this.#due[0];
    if (!next) return;
    const waitMs = Math.min(Math.max(next.at - this.now(), 0), LONGEST_TIMER_MS);
    this.#timer = setTimeout(() => {
      this.tick().catch((error: unknown) => console.error('sandbox: scheduled work failed', error));
      this.#arm();
    }, waitMs);
  }
}
