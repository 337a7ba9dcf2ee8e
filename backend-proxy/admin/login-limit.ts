// How often an address may try to log in. ADMIN_TOKEN is too long to be guessed; this keeps the log and the processor
// free of those who try.

const MOST_FAILURES = 10;
const WITHIN_MS = 600_000;
/** Addresses that are remembered; beyond that the oldest are forgotten. */
const MOST_ADDRESSES = 10_000;

export interface LoginLimit {
  isReached(address: string): boolean;
  fail(address: string): void;
}

export function createLoginLimit(now: () => number): LoginLimit {
  const failures = new Map<string, number[]>();
  const recent = (address: string) => (failures.get(address) ?? []).filter((at) => now() - at < WITHIN_MS);
  return {
    isReached: (address) => {
      const times = recent(address);
      return times.length >= MOST_FAILURES;
    },
    fail(address) {
      const times = [...recent(address), now()];
      failures.delete(address);
      failures.set(address, times);
      const [oldest] = failures.keys();
      if (failures.size > MOST_ADDRESSES && oldest !== undefined) failures.delete(oldest);
    },
  };
}
