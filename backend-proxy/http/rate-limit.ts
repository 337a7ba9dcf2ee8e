// Limits the payments that one address may start per minute. Counted per process: it keeps one visitor from filling
// the database, and is not exact. The ledger enforces the limits of orders and wallets.
import { Refusal } from '../errors.ts';
import { MINUTE_MS } from '../protocol/durations.ts';

export const STARTS_PER_MINUTE = 30;
const WINDOW_MS = MINUTE_MS;

/** Counts one start; throws `too_many_requests`. Undefined is not counted (see caller-address.ts). */
export type AddressLimit = (address: string | undefined) => void;

export function createRateLimit(now: () => number, most = STARTS_PER_MINUTE): AddressLimit {
  let windowEndsAt = 0;
  let counts = new Map<string, number>();

  return (address) => {
    if (address === undefined) return;
    if (now() >= windowEndsAt) {
      // All counts are dropped at once, so that addresses that never return cost nothing.
      counts = new Map();
      windowEndsAt = now() + WINDOW_MS;
    }
    const count = (counts.get(address) ?? 0) + 1;
    if (count > most) {
      throw new Refusal('too_many_requests', 'Too many payments were started from this address; try again shortly.', {
        retryAfterS: Math.ceil((windowEndsAt - now()) / 1000),
      });
    }
    counts.set(address, count);
  };
}
