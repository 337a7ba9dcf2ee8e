// Units of time in milliseconds. Pure.

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Formats ms since 1970 as RFC 3339, in UTC with milliseconds. */
export function iso(ms: number): string {
  return new Date(ms).toISOString();
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
