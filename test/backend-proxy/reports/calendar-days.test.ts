// Days of time zones, with clocks that are put forward and back.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { daysBetween, daysIn, isDay } from '../../../backend-proxy/reports/calendar-days.ts';

it('a day begins when the zone says so, also on days of 23 and 25 hours and where midnight is skipped', () => {
  for (const [zone, day, start] of [
    ['UTC', '2026-11-20', '2026-11-20T00:00Z'],
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00Z'],
    ['Europe/Berlin', '2026-03-30', '2026-03-29T22:00Z'],
    ['Europe/Berlin', '2026-10-26', '2026-10-25T23:00Z'],
    ['Asia/Kathmandu', '2026-11-20', '2026-11-19T18:15Z'],
    ['Pacific/Kiritimati', '2026-11-20', '2026-11-19T10:00Z'],
    ['Etc/GMT+12', '2026-11-20', '2026-11-20T12:00Z'],
    // The clock goes from 0:00 to 1:00.
    ['Africa/Cairo', '2026-04-24', '2026-04-23T22:00Z'],
    // This day did not exist there.
    ['Pacific/Apia', '2011-12-30', '2011-12-30T10:00Z'],
  ] as const) {
    assert.equal(new Date(daysIn(zone).start(day)).toISOString(), new Date(start).toISOString(), `${zone} ${day}`);
  }
});

it('each quarter of an hour of a year belongs to the day that began last', () => {
  for (const zone of ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe']) {
    const days = daysIn(zone);
    const end = days.start('2027-01-01');
    for (let at = days.start('2026-01-01'), before = ''; at < end; at += 900_000) {
      const day = days.of(at);
      if (day !== before) assert.equal(days.start(day), at, `${zone} ${day}`);
      before = day;
    }
    assert.equal(days.of(end - 1), '2026-12-31');
  }
});

it('a zone that does not exist is a RangeError', () => {
  for (const zone of ['Mars/Olympus', '', 'UTC; x']) assert.throws(() => daysIn(zone), RangeError);
});

it('an offset is a RangeError: its days may begin at any minute', () => {
  for (const zone of ['+05:37', '-00:07', '+05:30', '+0530', '+00:00']) assert.throws(() => daysIn(zone), RangeError);
});

it('isDay() takes days of the calendar only', () => {
  for (const day of ['2026-11-20', '2024-02-29']) assert.ok(isDay(day));
  for (const day of ['2026-02-29', '2026-13-01', '2026-1-1', '20261120', '2026-11-20T00:00', ''])
    assert.ok(!isDay(day));
  assert.equal(daysBetween('2026-01-01', '2027-01-02'), 366);
});
