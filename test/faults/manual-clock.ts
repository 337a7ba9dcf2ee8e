// The test's clock, shared by the gateway, the in-process proxy and the merchant. It runs or is stopped, and tests
// advance it. Other processes use the machine's time.
import { NOON } from '../backend-proxy/time.ts';

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

/** Stands still between advances, so that results do not depend on the machine's speed. */
export function createManualClock(startAt = NOON): Clock {
  let at = startAt;
  return {
    now: () => at,
    advance: (ms) => void (at += ms),
  };
}
