// The time of a test's world, one for the gateway, the proxy in this process, and the merchant: it runs on like a real
// clock or stands still, and is moved ahead by hand. Processes of their own keep the machine's time.

export interface Clock {
  now(): number;
  advance(ms: number): void;
}

/** With the machine's time, plus what it was advanced by. */
export function createRunningClock(): Clock {
  let aheadMs = 0;
  return {
    now: () => Date.now() + aheadMs,
    advance: (ms) => void (aheadMs += ms),
  };
}

/** Stands still between its advances, so that nothing depends on how fast the machine is. */
export function createManualClock(startAt = Date.UTC(2026, 10, 20, 12)): Clock {
  let at = startAt;
  return {
    now: () => at,
    advance: (ms) => void (at += ms),
  };
}
