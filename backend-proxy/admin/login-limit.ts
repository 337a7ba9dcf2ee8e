// How often an address may try to log in. ADMIN_TOKEN is too long to be guessed; the limit keeps attempts from filling
// the log and using the processor.
import { callerAt } from '../config/public-address.ts';

const MAX_FAILURES = 10;
const WITHIN_MS = 600_000;
/** Addresses that are remembered; beyond that the oldest are forgotten. */
const MAX_ADDRESSES = 10_000;

export function createLoginLimit(now: () => number) {
  const failures = new Map<string, number[]>();
  const callerOf = (address: string) => callerAt(address) ?? address;
  const recent = (caller: string) => (failures.get(caller) ?? []).filter((at) => now() - at < WITHIN_MS);
  return {
    isReached: (address: string) => {
      const times = recent(callerOf(address));
      return times.length >= MAX_FAILURES;
    },
    fail(address: string) {
      const caller = callerOf(address);
      const times = [...recent(caller), now()];
      failures.delete(caller);
      failures.set(caller, times);
      const [oldest] = failures.keys();
      if (failures.size > MAX_ADDRESSES && oldest !== undefined) failures.delete(oldest);
    },
  };
}
