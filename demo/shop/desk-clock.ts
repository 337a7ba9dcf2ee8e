// Days and times of the desk, in the time zone of the person who reads it. The browser names its zone in a cookie;
// without one it is the server's.
export interface Clock {
  zone: string;
  /** Such as "Europe/Helsinki, GMT+2". */
  zoneName: string;
  /** 2026-11-22; equal for the same day. */
  dayOf(at: Date): string;
  /** Such as "Today, 22 November" and "Friday, 20 November". */
  dayName(at: Date): string;
  /** Such as "18:23". */
  timeOf(at: Date): string;
  /** With seconds. */
  exactTimeOf(at: Date): string;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** An unknown zone counts as none. */
export function clockOf(wanted: string | undefined, now: Date): Clock {
  const zone = isZone(wanted) ? wanted : new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const format = (locale: string, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { timeZone: zone, ...options });
  const keys = format('en-CA', { dateStyle: 'short' });
  const dates = format('en-IE', { day: 'numeric', month: 'long' });
  const weekdays = format('en-IE', { weekday: 'long' });
  const times = format('en-IE', { timeStyle: 'short', hourCycle: 'h23' });
  const exactTimes = format('en-IE', { timeStyle: 'medium', hourCycle: 'h23' });
  const offset = format('en', { timeZoneName: 'shortOffset' })
    .formatToParts(now)
    .find(({ type }) => type === 'timeZoneName')?.value;
  const near = new Map([
    [keys.format(now.getTime() - DAY_MS), 'Yesterday'],
    [keys.format(now), 'Today'],
  ]);
  return {
    zone,
    zoneName: offset === undefined || zone === 'UTC' ? zone : `${zone}, ${offset}`,
    dayOf: (at) => keys.format(at),
    dayName: (at) => `${near.get(keys.format(at)) ?? weekdays.format(at)}, ${dates.format(at)}`,
    timeOf: (at) => times.format(at),
    exactTimeOf: (at) => exactTimes.format(at),
  };
}

function isZone(wanted: string | undefined): wanted is string {
  if (wanted === undefined) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: wanted }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
