// The times and days of the operator's page, in the time zone of the server (`TZ`), and named: without a script no page
// knows the zone of its reader.
import { DAY_MS } from '../protocol/durations.ts';
import { iso } from '../protocol/iso-time.ts';
import { daysIn } from '../reports/calendar-days.ts';

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
  const days = daysIn(zone);
  return {
    zone,
    /** `20 Nov 2026, 13:00:05 CET`; it breaks at the comma only. */
    words: (ms: number) => format.format(ms).replaceAll(/(?<!,) /g, '\u00A0'),
    /** The first moment of the day. */
    start: (day: string) => days.start(day),
    /** The first moment after the day. */
    end: (day: string) => days.start(iso(Date.parse(day) + DAY_MS).slice(0, 10)),
  };
}

/** UTC if `TZ` names no zone. */
function serverZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return Intl.supportedValuesOf('timeZone').includes(timeZone) ? timeZone : 'UTC';
}

export const serverClock = clockIn(serverZone());
