// How many payments one address may start in a minute. In this process only: it keeps one visitor from filling the books
// and the gateway's order ids, and is no accounting. The limits that protect orders and wallets are the ledger's.
import { Refusal } from '../errors.ts';

export const STARTS_PER_MINUTE = 30;
const WINDOW_MS = 60_000;

/** Counts one start; throws `too_many_requests`. An unknown address is not counted (guards.ts says when it is). */
export type AddressLimit = (address: string | undefined) => void;

export function createRateLimit(now: () => number, most = STARTS_PER_MINUTE): AddressLimit {
  let windowEndsAt = 0;
  let counts = new Map<string, number>();

  return (address) => {
    if (address === undefined) return;
    if (now() >= windowEndsAt) {
      // All at once, so that addresses that never come back cost nothing.
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
