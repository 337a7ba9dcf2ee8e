// Which IP addresses belong to the public internet: where a webhook may go, and whose requests can be counted one by one.
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

const GLOBAL_V6 = ['2000::', 3] as const;
/** Within 2000::/3: Teredo and its kin, documentation, 6to4 (which carries any IPv4 address, private ones too). */
const SET_ASIDE_V6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const setAside = new BlockList();
for (const [network, prefix] of SET_ASIDE_V4) setAside.addSubnet(network, prefix, 'ipv4');
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
