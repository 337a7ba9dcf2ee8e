// Limits the status checks per second to what the gateway can take. The rate grows while answers are good and quick
// and the whole rate is used: it doubles each second until the gateway first objects, and grows slowly from then on.
// It is halved by a 429 of a status check, and while most status checks are unanswered (5xx, timeouts, garbage): where
// a network loses a part of the answers at random, asking less loses no fewer. It is one a second for as long as a
// Retry-After asks.
// Payments and payouts do not count: one shopper's wallet over its limit must not stop everybody's checks. Only a
// fraction of a second of unused rate is saved, so there is no burst.
// The limit is per process: proxies that share a database or an account do not coordinate. The gateway answers each
// of them, and each slows down.
import type { Call } from '../observability/metrics.ts';
import { CHECKS_PER_SECOND } from '../protocol/durations.ts';

/** The detail of a call that the gateway limits. */
const TOO_MANY = 'HTTP 429';
const START_PER_SECOND = 20;
const MIN_PER_SECOND = 1;
/** Growth per second of good answers, once it was halved; below this rate, each good answer adds one. */
const GROWTH_PER_SECOND = 20;
/** Above this share of unanswered checks, each of them halves the rate. */
const OVERLOADED_SHARE = 0.5;
/** The share is that of about so many last answers. */
const SHARE_OF_LAST = 50;
/** Slower answers do not raise the rate. */
const QUICK_MS = 1_000;
/** The rate counts as fully used if it was used up within this time. */
const USED_UP_WITHIN_MS = 1_000;
/**
 * Halved at most once in this time, or once per round trip if that is longer, so that one bad moment halves it once.
 */
const HALVE_EVERY_MS = 250;
/** Unused rate is saved for this long. */
const SAVE_MS = 200;
/** Given out in shares of this much time, so that a claim of many checks costs one commit. */
const SHARE_MS = 25;

export interface CheckRate {
  /** Records a gateway call that has ended. */
  record(call: Call): void;
  /** How many checks may begin now. */
  available(): number;
  /** Subtracts checks that have begun. */
  take(count: number): void;
  /** Milliseconds until `available()` is above 0. */
  availableInMs(): number;
  perSecond(): number;
}

/** `clock` returns milliseconds and is monotonic. */
export function createCheckRate({
  limit = CHECKS_PER_SECOND,
  clock = () => performance.now(),
}: { limit?: number; clock?: (() => number) | undefined } = {}): CheckRate {
  let perSecond = Math.min(START_PER_SECOND, limit);
  /** The end of what a Retry-After asked for. */
  let slowUntil = -Infinity;
  let saved = atLeastOne(SAVE_MS);
  /** Time up to which `saved` has been counted. */
  let countedAt = clock();
  let usedUpAt = -Infinity;
  let halvedAt = -Infinity;
  let wasHalved = false;
  /** 0 to 1. */
  let unanswered = 0;

  function current(): number {
    return clock() < slowUntil ? MIN_PER_SECOND : perSecond;
  }

  function atLeastOne(ms: number): number {
    return Math.max(1, (current() * ms) / 1000);
  }

  function count(): void {
    const elapsedMs = Math.max(0, clock() - countedAt);
    saved = Math.min(atLeastOne(SAVE_MS), saved + (current() * elapsedMs) / 1000);
    countedAt += elapsedMs;
  }

  function halve(beganAt: number): void {
    // A call that began before the last halving took effect adds no information.
    if (beganAt < halvedAt + HALVE_EVERY_MS) return;
    halvedAt = clock();
    wasHalved = true;
    perSecond = Math.max(MIN_PER_SECOND, perSecond / 2);
  }

  function grow(): void {
    if (clock() - usedUpAt > USED_UP_WITHIN_MS) return;
    perSecond = Math.min(limit, perSecond + (wasHalved ? Math.min(1, GROWTH_PER_SECOND / perSecond) : 1));
  }

  return {
    record({ operation, outcome, ms, detail, retryAfterMs }) {
      if (operation !== 'status') return;
      count();
      const isUnanswered = outcome === 'unavailable';
      unanswered += (Number(isUnanswered) - unanswered) / SHARE_OF_LAST;
      if (!isUnanswered) {
        if (ms <= QUICK_MS) grow();
        return;
      }
      if (detail === TOO_MANY || unanswered > OVERLOADED_SHARE) halve(clock() - ms);
      if (retryAfterMs === undefined) return;
      saved = 0;
      slowUntil = Math.max(slowUntil, clock() + retryAfterMs);
    },
    available() {
      count();
      return saved < atLeastOne(SHARE_MS) ? 0 : Math.floor(saved);
    },
    take(checks) {
      saved -= checks;
      if (checks > 0 && saved < 1) usedUpAt = clock();
    },
    availableInMs() {
      count();
      return Math.max(0, Math.ceil(((atLeastOne(SHARE_MS) - saved) / current()) * 1000));
    },
    perSecond: current,
  };
}
