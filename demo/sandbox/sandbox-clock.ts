// The sandbox's clock and its scheduled work: IPNs, payout steps, expiry, delayed answers. A test can advance it. A
// server calls `run()`, which sets one timer for the earliest entry; a test with a virtual clock calls `tick()`,
// which runs the due work and waits for it. No other file of the sandbox calls setTimeout.

type Work = () => void | Promise<void>;

/** The limit of setTimeout, about 24.8 days; the timer is set again for a later entry. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export class Clock {
  readonly #source: () => number;
  #aheadMs = 0;
  /** Sorted by time, then by order of entry. */
  readonly #due: { at: number; work: Work }[] = [];
  readonly #sleepers = new Set<() => void>();
  #running = false;
  #timer: NodeJS.Timeout | undefined;

  /** `source` returns milliseconds since 1970. */
  constructor(source: () => number) {
    this.#source = source;
  }

  now(): number {
    return this.#source() + this.#aheadMs;
  }

  /** By how much it was advanced. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** When the next entry is due. */
  get nextAt(): number | undefined {
    return this.#due[0]?.at;
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

  /** How many answers wait for their time. */
  get sleeping(): number {
    return this.#sleepers.size;
  }

  /** Ends all of these waits at once. */
  wake(): void {
    for (const wakeUp of this.#sleepers) wakeUp();
  }

  /** Must not be awaited inside scheduled work: `tick()` would wait for itself. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wakeUp = () => {
        this.#sleepers.delete(wakeUp);
        resolve();
      };
      this.#sleepers.add(wakeUp);
      this.at(this.now() + ms, wakeUp);
    });
  }

  /** Runs the due work, and the work that becomes due by it; resolves when all of it has ended. */
  async tick(): Promise<void> {
    for (let works = this.#takeDue(); works.length > 0; works = this.#takeDue()) {
      await Promise.all(works.map(async (work) => work()));
    }
  }

  /** Returns a function that stops it. */
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
    const waitMs = Math.min(Math.max(next.at - this.now(), 0), MAX_TIMER_MS);
    this.#timer = setTimeout(() => {
      this.tick().catch((error: unknown) => console.error('sandbox: scheduled work failed', error));
      this.#arm();
    }, waitMs);
  }
}
