// PRIVATE_HOSTS: the hosts that the operator has named, for GATEWAY_URL and WEBHOOK_URL inside one's own network. Only
// these may have private addresses or plain http.
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isLoopbackName } from '../protocol/links.ts';
import { isPublicAddress } from './public-address.ts';

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
