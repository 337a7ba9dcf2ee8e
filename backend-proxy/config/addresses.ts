// Which addresses are private, and which address a caller is counted by.
import { isIP, BlockList } from 'node:net';
import { isLoopbackName } from '../protocol/links.ts';

const PRIVATE_V4 = [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const;
const PRIVATE_V6 = [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const;

const privateRanges = new BlockList();
for (const [network, prefix] of PRIVATE_V4) privateRanges.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of PRIVATE_V6) privateRanges.addSubnet(network, prefix, 'ipv6');

/** Whether the text is an address of a private network, a link or this machine; also IPv4 written as IPv6. */
export function isPrivateAddress(address: string): boolean {
  const version = isIP(address);
  // A zone (`%eth0`) is no part of the address.
  const [bare = ''] = address.split('%');
  return version !== 0 && privateRanges.check(bare, version === 4 ? 'ipv4' : 'ipv6');
}

/** Without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** Whether the URL names a server within one's own network, to which plain http is allowed. */
export function isInOwnNetwork(url: URL): boolean {
  const host = hostOf(url);
  const hasNoDot = isIP(host) === 0 && !host.includes('.');
  return isLoopbackName(url.hostname) || hasNoDot || isPrivateAddress(host);
}

/**
 * The key by which a caller is counted: the IPv4 address, also if it is written as IPv6; the first 64 bits of an IPv6
 * address, because each caller can choose the rest. Undefined if the text is no IP address.
 */
export function callerAt(address: string): string | undefined {
  if (isIP(address) === 4) return address;
  if (isIP(address) !== 6) return undefined;
  // The URL parser normalizes every form to hexadecimal groups; it rejects a zone (`%eth0`), which is not part of the
  // address.
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
