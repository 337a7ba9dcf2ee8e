// How often an address may try to log in. ADMIN_TOKEN is too long to be guessed; the limit keeps attempts from filling
// the log and using the processor.
import { isIPv6 } from 'node:net';

const MAX_FAILURES = 10;
const WITHIN_MS = 600_000;
/** Addresses that are remembered; beyond that the oldest are forgotten. */
const MAX_ADDRESSES = 10_000;

export interface LoginLimit {
  isReached(address: string): boolean;
  fail(address: string): void;
}

export function createLoginLimit(now: () => number): LoginLimit {
  const failures = new Map<string, number[]>();
  const recent = (address: string) => (failures.get(networkOf(address)) ?? []).filter((at) => now() - at < WITHIN_MS);
  return {
    isReached: (address) => {
      const times = recent(address);
      return times.length >= MAX_FAILURES;
    },
    fail(address) {
      const times = [...recent(address), now()];
      failures.delete(networkOf(address));
      failures.set(networkOf(address), times);
      const [oldest] = failures.keys();
      if (failures.size > MAX_ADDRESSES && oldest !== undefined) failures.delete(oldest);
    },
  };
}

/** The first 64 bits of an IPv6 address, because one caller usually has all of the rest; other addresses unchanged. */
function networkOf(address: string): string {
  const [plain = ''] = address.split('%');
  if (!isIPv6(plain) || /^::ffff:/i.test(plain)) return address;
  const [left = '', right = ''] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string) => part.split(':').filter((group) => group !== '');
  const zeros = Array<string>(8 - groups(left).length - groups(right).length).fill('0');
  return [...groups(left), ...zeros, ...groups(right)].slice(0, 4).join(':');
}
