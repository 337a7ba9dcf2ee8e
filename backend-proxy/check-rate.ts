// How many status checks a second the gateway takes well. It grows while answers are good and quick and all of it is used, is halved
// by what says "too much" or "not now", and pauses for as long as the gateway asks. Nothing is saved up but a fraction of a second,
// so there is no burst. Owns how many may begin now, not which.
// A process knows of its own calls alone, so the limit is one process's. Proxies that share books or an account never speak of it:
// what is too much for the gateway is answered so to each of them, and each asks less.
import type { Call } from './gateway/instrumented.ts';

/** The most that it grows to, where the operator says nothing else. */
export const CHECKS_PER_SECOND = 500;
const START_PER_SECOND = 20;
const LEAST_PER_SECOND = 1;
/** A second of good answers adds so much; below so many a second, each good answer adds one. */
const GROWTH_PER_SECOND = 20;
/** An answer that took longer is no reason to ask more. */
const QUICK_MS = 1_000;
/** All of it is used where it ran out within so long. */
const USED_WITHIN_MS = 1_000;
/** It is halved once in so long, and once in a round trip where that is longer: one bad moment is one halving. */
const MOMENT_MS = 250;
/** What is not used is saved up for so long. */
const SAVED_MS = 200;
/** And is given out in shares of so much time, so that a claim of many costs one commit. */
const SHARE_MS = 25;

/** A port's word for an HTTP answer; a code of the gateway's may follow. */
const TOO_MANY = /^HTTP 429\b/;

export interface CheckRate {
  /** Every call to the gateway, when it has ended. */
  noted(call: Call): void;
  /** How many checks may begin now. */
  room(): number;
  /** So many of them did. */
  began(count: number): void;
  /** Until there is room. */
  dueInMs(): number;
  perSecond(): number;
}

/** `clock`: milliseconds of a clock that is never set back. */
export function createCheckRate({ limit = CHECKS_PER_SECOND, clock = () => performance.now() } = {}): CheckRate {
  let perSecond = Math.min(START_PER_SECOND, limit);
  let saved = atLeastOne(SAVED_MS);
  /** Up to when `saved` is counted; ahead of now while the gateway wants to be left alone. */
  let countedAt = clock();
  let ranOutAt = -Infinity;
  let halvedAt = -Infinity;

  function atLeastOne(ms: number): number {
    return Math.max(1, (perSecond * ms) / 1000);
  }

  function count(): void {
    const sinceMs = Math.max(0, clock() - countedAt);
    saved = Math.min(atLeastOne(SAVED_MS), saved + (perSecond * sinceMs) / 1000);
    countedAt += sinceMs;
  }

  function halve(beganAt: number): void {
    // What began before the last halving had its effect says nothing new.
    if (beganAt < halvedAt + MOMENT_MS) return;
    halvedAt = clock();
    perSecond = Math.max(LEAST_PER_SECOND, perSecond / 2);
  }

  function grow(): void {
    if (clock() - ranOutAt > USED_WITHIN_MS) return;
    perSecond = Math.min(limit, perSecond + Math.min(1, GROWTH_PER_SECOND / perSecond));
  }

  function pause(ms: number): void {
    saved = 0;
    countedAt = Math.max(countedAt, clock() + ms);
  }

  return {
    noted(call) {
      count();
      if (isTooMuch(call)) {
        halve(clock() - call.ms);
        if (call.retryAfterMs !== undefined) pause(call.retryAfterMs);
      } else if (isGood(call)) {
        grow();
      }
    },
    room() {
      count();
      return saved < atLeastOne(SHARE_MS) ? 0 : Math.floor(saved);
    },
    began(checks) {
      saved -= checks;
      if (checks > 0 && saved < 1) ranOutAt = clock();
    },
    dueInMs() {
      count();
      const lackMs = ((atLeastOne(SHARE_MS) - saved) / perSecond) * 1000;
      return Math.max(0, Math.ceil(countedAt - clock() + lackMs));
    },
    perSecond: () => perSecond,
  };
}

/** A 429 is about us, whatever was asked; all else about that one operation, and a pay endpoint that fails holds up no check. */
function isTooMuch({ outcome, detail = '' }: Call): boolean {
  return TOO_MANY.test(detail) || outcome === 'unavailable';
}

function isGood({ outcome, ms }: Call): boolean {
  return (outcome === 'found' || outcome === 'unknown') && ms <= QUICK_MS;
}
