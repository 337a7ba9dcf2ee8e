// The times and days of the operator's page, in the time zone of the server (`TZ`), and named: without a script no page
// knows the zone of its reader.
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../protocol/durations.ts';
import { iso } from '../protocol/iso-time.ts';

const QUARTER_MS = 15 * MINUTE_MS;
/** Every zone is within this of UTC. */
const FARTHEST_MS = 15 * HOUR_MS;

export function clockIn(zone: string) {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  });
  return {
    zone,
    /** `20 Nov 2026, 13:00:05 CET`; it breaks at the comma only. */
    words: (ms: number) => format.format(ms).replaceAll(/(?<!,) /g, '\u00A0'),
    /** The first moment of the day. */
    start: (day: string) => startOf(day, zone),
    /** The first moment after the day. */
    end: (day: string) => startOf(iso(Date.parse(day) + DAY_MS).slice(0, 10), zone),
  };
}

/** The zones differ by whole quarters of an hour. */
function startOf(day: string, timeZone: string): number {
  const format = new Intl.DateTimeFormat('sv', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  let [before, at] = [Date.parse(day) - FARTHEST_MS, Date.parse(day) + FARTHEST_MS];
  while (at - before > QUARTER_MS) {
    const middle = Math.floor((before + at) / 2 / QUARTER_MS) * QUARTER_MS;
    if (format.format(middle) < day) before = middle;
    else at = middle;
  }
  return at;
}

/** Whether it is a day of the calendar, as `2026-11-20`. */
export function isDay(text: string): boolean {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

/** UTC if `TZ` names no zone. */
function serverZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return Intl.supportedValuesOf('timeZone').includes(timeZone) ? timeZone : 'UTC';
}

export const serverClock = clockIn(serverZone());
