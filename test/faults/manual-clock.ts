// The test's clock, shared by the gateway, the in-process proxy and the merchant: it runs, and tests advance it. Other
// processes use the machine's time.

export interface Clock {
  now(): number;
  advance(ms: number): void;
}

/** The machine's time plus all advances. */
export function createRunningClock(): Clock {
  let aheadMs = 0;
  return {
    now: () => Date.now() + aheadMs,
    advance: (ms) => void (aheadMs += ms),
  };
}
