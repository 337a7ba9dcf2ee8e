// How the operator's page shows values, amounts, wallets and times.
import { html } from 'hono/html';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, iso } from '../protocol/durations.ts';
import { decimalOf } from '../protocol/money.ts';
import { TYPES, type Transaction } from '../protocol/transaction.ts';

/** `€1,200.00`, of a decimal string. */
export function money(decimal: string, currency: string): string {
  const digits = decimal.split('.')[1]?.length ?? 0;
  const options = {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  } as const;
  return new Intl.NumberFormat('en', options).format(decimal as Intl.StringNumericLiteral);
}

export function moneyOf({ amountMinor, currency }: Pick<Transaction, 'amountMinor' | 'currency'>): string {
  return money(decimalOf(amountMinor, currency), currency);
}

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export type Html = ReturnType<typeof html>;

export const NOTHING = html`<span class="none">–</span>`;

/** Negative if the money leaves. */
export function amount(of: Pick<Transaction, 'amountMinor' | 'currency' | 'type'>): Html {
  return html`<span class="amount">${TYPES[of.type].isOutgoing ? '−' : ''}${moneyOf(of)}</span>`;
}

/** Without its year, seconds and zone where a list has no room, or says them once. */
export function time(ms: number): Html {
  const [day, year, minute, second, , zone] = serverClock.words(ms).split(/(\s\d{4}(?=,)|:\d\d(?=\s)|\s\S+$)/);
  return html`<time datetime="${iso(ms)}" title="${iso(ms)}"
    >${day}<span class="fine">${year}</span>${minute}<span class="fine">${second}</span
    ><span class="zone">${zone}</span></time
  >`;
}

/** `20 Nov 2026, CET` and `13:00:05`. */
export function dayAndClock(ms: number): { day: string; clock: string } {
  const [, day, clock = '', zone] = /^(.*), ([\d:]+)\s(.*)$/.exec(serverClock.words(ms)) ?? [];
  return { day: `${day}, ${zone}`, clock };
}

const UNITS = [
  ['d', DAY_MS],
  ['h', HOUR_MS],
  ['min', MINUTE_MS],
] as const;

/** A duration such as `3 h`, in the largest unit that fits. */
export function age(ms: number): string {
  const [unit, length] = UNITS.find(([, each]) => ms >= each) ?? ['s', SECOND_MS];
  return `${Math.max(0, Math.floor(ms / length))} ${unit}`;
}

/** The last four digits, and at most half of a short id: enough to compare, too little to use. */
export function walletEnd(customer: string): string {
  return customer.slice(Math.max(customer.length - 4, Math.ceil(customer.length / 2)));
}

/** `before`: a word that is shown with it only. */
export function wallet(customer: string | null, before = ''): Html {
  if (customer === null) return NOTHING;
  return html`<span class="wallet">${before}•••• ${walletEnd(customer)}</span>`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function linkToOrder(orderId: string, before = ''): Html {
  return html`<a href="/admin/transactions?orderId=${encodeURIComponent(orderId)}">${before}${orderId}</a>`;
}

/** Each value beside its name, without the rows that have no value. */
export function details(rows: readonly (readonly [name: string, value: Html | string | number | null])[]): Html {
  return html`<dl class="details">
    ${rows.map(([name, value]) =>
      value === null
        ? ''
        : html`<dt>${name}</dt>
            <dd>${value}</dd>`,
    )}
  </dl>`;
}

// The times and days of the operator's page, in the time zone of the server (`TZ`), and named: a page that works without
// a script does not know the zone of its reader.

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
    /** The day of the calendar, as `2026-11-20`. */
    day: (ms: number) => dayIn(zone).format(ms),
    /** The first moment of the day. */
    start: (day: string) => startOf(day, zone),
    /** The first moment after the day. */
    end: (day: string) => startOf(iso(Date.parse(day) + DAY_MS).slice(0, 10), zone),
  };
}

const dayIn = (timeZone: string) =>
  new Intl.DateTimeFormat('sv', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });

/** The zones differ by whole quarters of an hour. */
function startOf(day: string, timeZone: string): number {
  const format = dayIn(timeZone);
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
