import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clockIn } from '../../../backend-proxy/admin/server-clock.ts';

const berlin = clockIn('Europe/Berlin');
const words = (iso: string, clock = berlin) => clock.words(Date.parse(iso)).replaceAll('\u00A0', ' ');

describe('clockIn()', () => {
  it('clockIn() writes a time in its zone with the name of the zone, in summer too', () => {
    assert.equal(words('2026-11-20T12:00:05Z'), '20 Nov 2026, 13:00:05 CET');
    assert.equal(words('2026-07-20T22:30:00Z'), '21 Jul 2026, 00:30:00 CEST');
    assert.equal(words('2026-11-20T12:00:05Z', clockIn('UTC')), '20 Nov 2026, 12:00:05 UTC');
  });

  it('clockIn() breaks a time at its comma only', () => {
    assert.equal(berlin.words(0).indexOf(' '), berlin.words(0).indexOf(', ') + 1);
    assert.equal(berlin.words(0).split(' ').length, 2);
  });

  it('clockIn() begins and ends a day in its zone, also one of 25 hours', () => {
    const spanOf = (day: string) => [berlin.start(day), berlin.end(day)].map((ms) => new Date(ms).toISOString());
    assert.deepEqual(spanOf('2026-11-20'), ['2026-11-19T23:00:00.000Z', '2026-11-20T23:00:00.000Z']);
    assert.deepEqual(spanOf('2026-10-25'), ['2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z']);
  });
});
