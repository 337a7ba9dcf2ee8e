// Private addresses, and those that callers are counted by, in every notation.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { callerAt, isPrivateAddress } from '../../../backend-proxy/config/addresses.ts';

const PUBLIC = [
  '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0',
  '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.167.255.255', '192.169.0.0',
  '::ffff:8.8.8.8', '2606:4700::1111', '::2', 'fbff::1', 'fe00::1', 'fec0::1',
]; // prettier-ignore

const PRIVATE = [
  '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255', '127.0.0.1', '127.255.255.255', '169.254.169.254',
  '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1',
  '::ffff:7f00:1', 'fc00::1', 'fdff:ffff::', 'fe80::1', 'fe80::1%eth0', 'febf::1',
]; // prettier-ignore

/** Texts that are not IP addresses, though a C library may accept them. */
const NO_ADDRESS = ['', 'localhost', '127.1', '0x7f.1', '0x7f000001', '2130706433', '0177.0.0.1', '127.0.0.1 ', '[::1]', '8.8.8.8:80', '::g', '256.1.1.1', '1.1.1', 'example.com']; // prettier-ignore

it('private addresses are private up to the edges of their ranges, in any notation', () => {
  for (const address of PRIVATE) assert.equal(isPrivateAddress(address), true, address);
  for (const address of [...PUBLIC, ...NO_ADDRESS]) assert.equal(isPrivateAddress(address), false, address);
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
