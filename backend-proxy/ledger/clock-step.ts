// Notices when the database's clock steps, by comparing it with a monotonic clock.

/** Between two readings, the two clocks may differ by this much. */
const STEP_MS = 60_000;

/** `elapsed`: a monotonic clock, ms. `onStep` may fail; then the next reading detects the step again. */
export function createStepDetector(elapsed: () => number, onStep: (time: number) => Promise<void>) {
  let last: { time: number; elapsed: number } | undefined;
  return {
    /** `time`: the database's clock, ms since 1970. */
    async detect(time: number): Promise<void> {
      const reading = { time, elapsed: elapsed() };
      const step = last === undefined ? 0 : reading.time - last.time - (reading.elapsed - last.elapsed);
      if (Math.abs(step) > STEP_MS) await onStep(time);
      last = reading;
    },
  };
}
