// Which IP addresses belong to the public internet: where a webhook may go, and whose requests can be counted one by one.
// And for whom an address stands where callers are counted.
// A table of what is set aside (IANA's special-purpose registries, RFC 6890 and its successors); in IPv6 only 2000::/3 is
// handed out at all, so there the table starts from what is allowed.
import { BlockList, isIP } from 'node:net';

const SET_ASIDE_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;

/**
 * Handed out as public, but answered within a cloud alone, by services that trust whoever reaches them: Azure's host, IBM Cloud's
 * services. What other clouds have is within the ranges above (169.254.169.254, 100.100.100.200, 192.0.0.192) or no global IPv6.
 */
const HOST_SERVICES_V4 = [
  ['168.63.129.16', 32],
  ['161.26.0.0', 16],
  ['166.8.0.0', 14],
] as const;

const GLOBAL_V6 = ['2000::', 3] as const;
/** Within 2000::/3: Teredo and its kin, documentation, 6to4 (which carries any IPv4 address, private ones too). */
const SET_ASIDE_V6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const setAside = new BlockList();
for (const [network, prefix] of [...SET_ASIDE_V4, ...HOST_SERVICES_V4]) setAside.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of SET_ASIDE_V6) setAside.addSubnet(network, prefix, 'ipv6');
const handedOutV6 = new BlockList();
handedOutV6.addSubnet(...GLOBAL_V6, 'ipv6');

/** Whether an IP address is one of the public internet; false for anything that is no IP address. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !setAside.check(address, 'ipv4');
    case 6:
      return handedOutV6.check(address, 'ipv6') && !setAside.check(address, 'ipv6');
    default:
      return false;
  }
}

/**
 * The caller that an IP address stands for where callers are counted: IPv4 as it is, also where it is written as IPv6; of IPv6 the
 * first 64 bits, because the other 64 are each caller's own to choose. Undefined for anything that is no IP address.
 */
export function callerAt(address: string): string | undefined {
  if (isIP(address) === 4) return address;
  if (isIP(address) !== 6) return undefined;
  // The URL's parser writes every form as hexadecimal groups; it knows no zone (`%eth0`), which is no part of the address.
  const [head = '', tail] = new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1).split('::');
  const groups = [head, tail ?? ''].map((half) => half.split(':').filter((group) => group !== ''));
  const [before = [], after = []] = groups;
  const all = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  if (all.slice(0, 6).join(':') === '0:0:0:0:0:ffff') return dotted(all.slice(6));
  return `${all.slice(0, 4).join(':')}::/64`;
}

function dotted(groups: readonly string[]): string {
  return groups.flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff]).join('.');
}
