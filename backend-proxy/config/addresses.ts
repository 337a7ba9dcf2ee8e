// PRIVATE_HOSTS: the hosts that the operator has named, for GATEWAY_URL and WEBHOOK_URL inside one's own network. Only
// these may have private addresses or plain http.
import { lookup } from 'node:dns/promises';
import { isIP, BlockList } from 'node:net';
import { isLoopbackName } from '../protocol/links.ts';

/** Whether the host is named, with the URL's port or for every port. */
export function isNamedHost({ hostname, port, protocol }: URL, hosts: readonly string[]): boolean {
  const itsPort = port || (protocol === 'https:' ? '443' : '80');
  return hosts.includes(hostname) || hosts.includes(`${hostname}:${itsPort}`);
}

/** Whether the URL may lead to private addresses: its host is named, or the host is a loopback name. */
export function mayBePrivate(url: URL, hosts: readonly string[]): boolean {
  return isLoopbackName(url.hostname) || isNamedHost(url, hosts);
}

/** A warning if the URL's name resolves only to private addresses now, and none is allowed; DNS may change. */
export async function privateHostWarning(
  variable: string,
  url: URL,
  hosts: readonly string[],
  resolve: (name: string) => Promise<string[]> = resolveAll,
): Promise<string | undefined> {
  if (isIP(hostOf(url)) !== 0 || mayBePrivate(url, hosts)) return undefined;
  const addresses = await resolve(url.hostname).catch(() => []);
  if (addresses.length === 0 || addresses.some(isPublicAddress)) return undefined;
  return `${variable}: ${url.hostname} has only private addresses, so nothing is sent to it; ${remedyFor(url)}`;
}

export function remedyFor({ host }: URL): string {
  return `if it is inside your own network, set PRIVATE_HOSTS=${host}`;
}

/** Without the brackets of an IPv6 address. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '');
}

async function resolveAll(name: string): Promise<string[]> {
  return (await lookup(name, { all: true })).map(({ address }) => address);
}

// Tells which IP addresses are public, for webhook targets and rate limits, and which address a caller is counted by.
// The ranges are those of the IANA special-purpose registries (RFC 6890 and successors). In IPv6 only 2000::/3 is
// allocated, so the table starts from what is allowed.

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
 * Public ranges that are reachable only within a cloud, for services that trust every caller: the host of Azure, the
 * services of IBM Cloud. Those of other clouds are in the ranges above (169.254.169.254, 100.100.100.200,
 * 192.0.0.192) or not global in IPv6.
 */
const HOST_SERVICES_V4 = [
  ['168.63.129.16', 32],
  ['161.26.0.0', 16],
  ['166.8.0.0', 14],
] as const;

const GLOBAL_V6 = ['2000::', 3] as const;
/**
 * Within 2000::/3: Teredo and related protocols, documentation, and 6to4, which can carry any IPv4 address, private
 * ones too.
 */
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

/** Whether the text is a public IP address. */
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
