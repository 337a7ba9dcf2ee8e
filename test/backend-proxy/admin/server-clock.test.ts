import assert from 'node:assert/strict';
import { it } from 'node:test';
import { clockIn, isDay } from '../../../backend-proxy/admin/values.ts';

const berlin = clockIn('Europe/Berlin');
const words = (iso: string, clock = berlin) => clock.words(Date.parse(iso)).replaceAll('\u00A0', ' ');

it('clockIn() writes a time in its zone with the name of the zone, in summer too', () => {
  assert.equal(words('2026-11-20T12:00:05Z'), '20 Nov 2026, 13:00:05 CET');
  assert.equal(words('2026-07-20T22:30:00Z'), '21 Jul 2026, 00:30:00 CEST');
  assert.equal(words('2026-11-20T12:00:05Z', clockIn('UTC')), '20 Nov 2026, 12:00:05 UTC');
});

it('clockIn() breaks a time at its comma only', () => {
  assert.equal(berlin.words(0).indexOf(' '), berlin.words(0).indexOf(', ') + 1);
  assert.equal(berlin.words(0).split(' ').length, 2);
});

it('a day begins when the zone says so, also on days of 23 and 25 hours and where midnight is skipped', () => {
  for (const [zone, day, start] of [
    ['UTC', '2026-11-20', '2026-11-20T00:00Z'],
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00Z'],
    ['Europe/Berlin', '2026-03-30', '2026-03-29T22:00Z'],
    ['Asia/Kathmandu', '2026-11-20', '2026-11-19T18:15Z'],
    ['Pacific/Kiritimati', '2026-11-20', '2026-11-19T10:00Z'],
    ['Etc/GMT+12', '2026-11-20', '2026-11-20T12:00Z'],
    // The clock goes from 0:00 to 1:00.
    ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00Z'],
    // This day did not exist there.
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00Z'],
  ] as const) {
    assert.equal(clockIn(zone).start(day), Date.parse(start), `${zone} ${day}`);
  }
});

it('isDay() takes days of the calendar only', () => {
  for (const day of ['2026-11-20', '2024-02-29']) assert.ok(isDay(day));
  for (const day of ['2026-02-29', '2026-13-01', '2026-1-1', '20261120', '2026-11-20T00:00', ''])
    assert.ok(!isDay(day));
});

it('clockIn() begins and ends a day in its zone, also one of 25 hours', () => {
  const spanOf = (day: string) => [berlin.start(day), berlin.end(day)].map((ms) => new Date(ms).toISOString());
  assert.deepEqual(spanOf('2026-11-20'), ['2026-11-19T23:00:00.000Z', '2026-11-20T23:00:00.000Z']);
  assert.deepEqual(spanOf('2026-10-25'), ['2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z']);
});
