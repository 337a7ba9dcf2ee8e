// The days of a time zone: the day of a time, and when a day begins.
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../protocol/durations.ts';

const QUARTER_MS = 15 * MINUTE_MS;
/** Every zone is within this of UTC. */
const FARTHEST_MS = 15 * HOUR_MS;

export interface Days {
  /** `2026-11-20`. */
  of(ms: number): string;
  /** The first moment of the day. */
  start(day: string): number;
}

/** Throws a RangeError for a zone that this Node does not know, and for an offset, which may be of any minute. */
export function daysIn(timeZone: string): Days {
  if (!/^[a-z]/i.test(timeZone)) throw new RangeError(`${timeZone} is not the name of a zone`);
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  // Zones differ by whole quarters of an hour, so a year has at most 35,136 of them; each is formatted once.
  const known = new Map<number, string>();

  function of(ms: number): string {
    const quarter = Math.floor(ms / QUARTER_MS);
    const found = known.get(quarter);
    if (found !== undefined) return found;
    const parts = new Map(format.formatToParts(quarter * QUARTER_MS).map(({ type, value }) => [type, value]));
    const day = `${parts.get('year')?.padStart(4, '0')}-${parts.get('month')}-${parts.get('day')}`;
    known.set(quarter, day);
    return day;
  }

  return {
    of,
    start(day) {
      let [before, at] = [Date.parse(day) - FARTHEST_MS, Date.parse(day) + FARTHEST_MS];
      while (at - before > QUARTER_MS) {
        const middle = Math.floor((before + at) / 2 / QUARTER_MS) * QUARTER_MS;
        if (of(middle) < day) before = middle;
        else at = middle;
      }
      return at;
    },
  };
}

/** Whether it is a day of the calendar, as `2026-11-20`. */
export function isDay(text: string): boolean {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

/** The number of days between the two. */
export function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS;
}
