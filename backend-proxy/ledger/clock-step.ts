// Notices when the database's clock steps, by comparing it with a monotonic clock at each look, in writes too. Steps
// are counted, in one row of `meta`; a count that is not stored yet is in the rows that it was used for. A transaction
// whose own count is lower was planned before the last step: it is due, and its waits start again with its next write.
// So a step is one small write, however many transactions are open and whoever holds one of them.

/** Between two looks, the two clocks may differ by this much. */
const STEP_MS = 5_000;

export class ClockSteps {
  /** The steps that this process has seen, or read from the database. */
  count = 0;
  /** A monotonic clock, ms. */
  readonly elapsed: () => number;
  /** The least and the most by which the database's clock is ahead of the monotonic one. */
  #ahead: [number, number] | undefined;

  constructor(elapsed: () => number) {
    this.elapsed = elapsed;
  }

  /** `time`: the database's clock, ms since 1970, read after `since` by the monotonic one. */
  look(time: number, since: number): void {
    const [least, most] = [time - this.elapsed(), time - since];
    const [knownLeast, knownMost] = this.#ahead ?? [least, most];
    if (least > knownMost + STEP_MS || most < knownLeast - STEP_MS) this.count += 1;
    // A slow answer leaves a wide range; what both allow is narrower, unless the clocks drift.
    const both: [number, number] = [Math.max(least, knownLeast), Math.min(most, knownMost)];
    this.#ahead = both[0] <= both[1] ? both : [least, most];
  }
}
