// Public and reserved addresses in every notation.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { callerAt, isPublicAddress } from '../../../backend-proxy/config/addresses.ts';

const PUBLIC = [
  '1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0',
  '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '191.255.255.255', '192.0.1.0', '192.0.3.0',
  '192.88.98.255', '192.88.100.0', '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '198.51.99.255',
  '198.51.101.0', '168.63.129.15', '168.63.129.17', '161.25.255.255', '161.27.0.0', '166.7.255.255', '166.12.0.0', '203.0.112.255', '203.0.114.0', '223.255.255.255',
  '2001:4860:4860::8888', '2606:4700::1111', '2a00::1', '2003::1', '2001:200::1', '2001:db7:ffff::', '2001:db9::',
  '3ffe:ffff::1', '2620:fe::9', '3fff:1000::1',
]; // prettier-ignore

const SET_ASIDE = [
  '0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255', '127.0.0.1', '127.255.255.255',
  '169.254.0.0', '169.254.169.254', '172.16.0.0', '172.31.255.255', '192.0.0.0', '192.0.0.255', '192.0.2.1', '192.88.99.1',
  '192.168.0.0', '192.168.255.255', '198.18.0.0', '198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.0',
  '239.255.255.255', '240.0.0.0', '255.255.255.255',
  // Services reachable only within a cloud.
  '168.63.129.16', '161.26.0.10', '166.8.0.1', '166.11.255.255', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254',
  // Unspecified, loopback, IPv4-compatible, IPv4-mapped in both notations, NAT64, discard-only.
  '::', '::1', '::127.0.0.1', '::8.8.8.8', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8', '::ffff:0:8.8.8.8',
  '64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::1', '100::1',
  // Teredo, ORCHID, documentation, 6to4 of a private address, unique local, link-local, site-local, multicast, SRv6.
  '2001::1', '2001:10::1', '2001:1ff:ffff::', '2001:db8::1', '2001:db8:ffff::', '2002:7f00:1::', '2002:c0a8:1::1',
  '2002:808:808::', '3fff::1', '3fff:fff:ffff::', 'fc00::1', 'fdff:ffff::', 'fe80::1', 'fe80::1%eth0', 'febf::1',
  'fec0::1', 'ff02::1', '5f00::1', '4000::1', '1fff::1', '0:0:0:0:0:0:0:1', '0000:0000:0000:0000:0000:ffff:7f00:0001',
]; // prettier-ignore

/** Texts that are not IP addresses, though a C library may accept them. */
const NO_ADDRESS = ['', 'localhost', '127.1', '0x7f.1', '0x7f000001', '2130706433', '0177.0.0.1', '127.0.0.1 ', '[::1]', '8.8.8.8:80', '::g', '256.1.1.1', '1.1.1', 'example.com']; // prettier-ignore

it('public addresses are public up to the edges of the reserved ranges', () => {
  for (const address of PUBLIC) assert.equal(isPublicAddress(address), true, address);
});

it('reserved addresses are not public, in any notation', () => {
  for (const address of SET_ASIDE) assert.equal(isPublicAddress(address), false, address);
});

it('a text that is not an address is not public', () => {
  for (const text of NO_ADDRESS) assert.equal(isPublicAddress(text), false, text);
});

it('callerAt() returns one key per IPv4 address in any notation, and one per first 64 bits of IPv6', () => {
  for (const [address, caller] of [
    ['1.2.3.4', '1.2.3.4'],
    ['::ffff:1.2.3.4', '1.2.3.4'],
    ['::FFFF:102:304', '1.2.3.4'],
    ['0:0:0:0:0:ffff:255.254.1.0', '255.254.1.0'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:DB8:0::ffff:1', '2001:db8:0:0::/64'],
    ['2001:0db8:0001:0002:0003:0004:0005:0006', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['::8.8.8.8', '0:0:0:0::/64'],
  ])
    assert.equal(callerAt(address ?? ''), caller, address);
});

it('callerAt() returns undefined for a text that is not an address', () => {
  for (const text of NO_ADDRESS) assert.equal(callerAt(text), undefined, text);
});
