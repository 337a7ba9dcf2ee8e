// Units of time, a wait with a limit, and the limits of a gateway call, from which other limits follow.
// Pure, except a timer.

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Formats ms since 1970 as RFC 3339, in UTC with milliseconds. */
export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** Whether two times are less than a limit apart, in either order, because a clock may be set back. */
export function isWithin(limitMs: number, at: number, now: number): boolean {
  return Math.abs(now - at) < limitMs;
}

// Waits for something, but not forever.

/** The result of `work`, or undefined if it did not end within the limit. */
export async function withinLimit<T>(work: Promise<T>, limitMs: number): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), limitMs);
  });
  return Promise.race([work, over]).finally(() => clearTimeout(timer));
}

// How long a call to the gateway may last, and how many status checks run at once. Every limit that has to be longer
// is a sum of these, so that changing one keeps shutdowns, leases, idle limits and the widget right.

/** From the connection to the last byte of the answer. */
export const GATEWAY_TIMEOUT_MS = 30 * SECOND_MS;
/**
 * After this from the commit, others take the answer for lost. A call that was sent late may end later still; its
 * answer is recorded all the same.
 */
export const CALL_OVER_MS = GATEWAY_TIMEOUT_MS + 15 * SECOND_MS;
/** Connections for status checks: one more check would wait for one, and appear slow. */
export const STATUS_CONNECTIONS = 24;
/** The most status checks that one proxy begins in a second, unless the operator says otherwise. */
export const CHECKS_PER_SECOND = 500;
