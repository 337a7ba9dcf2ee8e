// Which transactions the desk shows: narrowed by kind, state and order id, one page of them, grouped by day, with the
// totals of a day. Pure: the filter is the page's own address, so that a form and links are enough to set it.
import { CURRENCY, centsOf, decimal } from './catalog.ts';
import type { Clock } from './desk-clock.ts';
import { STATE_NAMES, stateOf, type State } from './desk-words.ts';
import { isPayment, isRefund, type Transaction } from './proxy-client.ts';

export interface Filter {
  show: 'all' | 'payments' | 'payouts';
  state: State | 'all';
  /** Part of an order id. */
  find: string;
  page: number;
}

/** Money and count, of the shop's currency. */
export interface Sum {
  amount: string;
  count: number;
}

export interface Day {
  name: string;
  paidIn: Sum;
  paidOut: Sum;
  rows: Transaction[];
}

export interface View {
  filter: Filter;
  /** How many there are of each state, whatever state is chosen. */
  counts: Record<Filter['state'], number>;
  days: Day[];
  /** How many match, and which of them are on this page, counted from 1. */
  matching: number;
  first: number;
  last: number;
  today: { paidIn: Sum; paidOut: Sum };
  waiting: Sum;
  toReview: number;
}

const PAGE_SIZE = 25;
const MAX_SEARCH = 64;
const STATES = ['all', ...Object.keys(STATE_NAMES)] as Filter['state'][];
const SHOWN = ['all', 'payments', 'payouts'] as const;

/** From the address. Anything else shows everything. */
export function filterOf(query: Record<string, string | undefined>): Filter {
  const { show, state, find = '', page = '' } = query;
  return {
    show: SHOWN.find((known) => known === show) ?? 'all',
    state: STATES.find((known) => known === state) ?? 'all',
    find: find.trim().slice(0, MAX_SEARCH),
    page: /^[1-9]\d{0,3}$/.test(page) ? Number(page) : 1,
  };
}

/** The desk's address with a filter; what is not mentioned is not narrowed. */
export function addressOf({ show = 'all', state = 'all', find = '', page = 1 }: Partial<Filter>): string {
  const query = new URLSearchParams({
    ...(show !== 'all' && { show }),
    ...(state !== 'all' && { state }),
    ...(find !== '' && { find }),
    ...(page > 1 && { page: String(page) }),
  }).toString();
  return query === '' ? '/desk' : `/desk?${query}`;
}

/** Of transactions with the newest first. A page beyond the last is the last. */
export function viewOf(all: readonly Transaction[], wanted: Filter, { dayOf, dayName }: Clock, now: Date): View {
  const { show, state, find } = wanted;
  const refunds = all.filter(isRefund);
  const stateIn = (entry: Transaction) => stateOf(entry, refunds);
  const shown = all.filter((entry) => {
    const isOfKind = show === 'all' || (show === 'payments') === isPayment(entry);
    return isOfKind && idsOf(entry).some((id) => id.includes(find.toUpperCase()));
  });
  const matching = state === 'all' ? shown : shown.filter((entry) => stateIn(entry) === state);
  const page = Math.min(wanted.page, Math.max(1, Math.ceil(matching.length / PAGE_SIZE)));
  const start = (page - 1) * PAGE_SIZE;
  const rows = matching.slice(start, start + PAGE_SIZE);
  const keyOf = (entry: Transaction) => dayOf(new Date(entry.createdAt));
  const allByDay = Map.groupBy(all, keyOf);
  const counts = { all: shown.length, waiting: 0, paid: 0, unpaid: 0, review: 0 };
  for (const entry of shown) counts[stateIn(entry)] += 1;
  const totalsOf = (day: string) =>
    totalsOfPaid((allByDay.get(day) ?? []).filter((entry) => stateIn(entry) === 'paid'));
  return {
    filter: { ...wanted, page },
    counts,
    days: [...Map.groupBy(rows, keyOf)].map(([day, entries]) => ({
      name: dayName(new Date(entries[0]?.createdAt ?? now)),
      ...totalsOf(day),
      rows: entries,
    })),
    matching: matching.length,
    first: rows.length === 0 ? 0 : start + 1,
    last: start + rows.length,
    today: totalsOf(dayOf(now)),
    waiting: sumOf(all.filter((entry) => isPayment(entry) && stateIn(entry) === 'waiting')),
    toReview: all.filter((entry) => stateIn(entry) === 'review').length,
  };
}

function idsOf(entry: Transaction): string[] {
  return [entry.orderId, ...('gatewayOrderId' in entry ? [entry.gatewayOrderId] : [])].map((id) => id.toUpperCase());
}

/** Of those that the tab "Paid" counts: money that waits for a person is not called paid. */
function totalsOfPaid(paid: readonly Transaction[]): { paidIn: Sum; paidOut: Sum } {
  return { paidIn: sumOf(paid.filter(isPayment)), paidOut: sumOf(paid.filter((entry) => !isPayment(entry))) };
}

/** Another currency cannot be added, so it does not count; this shop's tokens have only one. */
function sumOf(entries: readonly Transaction[]): Sum {
  const ours = entries.filter(({ currency }) => currency === CURRENCY);
  return { amount: decimal(ours.reduce((sum, { amount }) => sum + centsOf(amount), 0)), count: ours.length };
}
