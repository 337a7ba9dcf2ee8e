// Sums and counts of money over days. The transactions are read page by page by an index and added up here, so that
// memory depends on the number of sums alone, and nobody waits longer than a page takes.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Days } from './calendar-days.ts';
import { Refusal } from '../errors.ts';
import type { Counted, CountedBasis, Ledger } from '../ledger/ledger.ts';
import { decimalOf } from '../protocol/money.ts';
import type { TransactionType } from '../protocol/transaction.ts';
import type { Method, Status } from '../protocol/wire.ts';

const PAGE_SIZE = 500;
const MAX_TOTALS = 50_000;
const MAX_AT_ONCE = 2;
const RETRY_AFTER_S = 10;

export const DIMENSIONS = ['day', 'method', 'status'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export interface TotalsQuery {
  basis: CountedBasis;
  /** Days of the zone: from the first until before the second. */
  from: string;
  to: string;
  days: Days;
  by: readonly Dimension[];
  /** Only this currency. */
  currency?: string | undefined;
}

/** Always one type and one currency; a field that totals are not divided by is null. */
export interface Total {
  day: string | null;
  type: TransactionType;
  method: Method | null;
  status: Status | null;
  currency: string;
  count: number;
  amount: string;
}

interface Sum {
  total: Omit<Total, 'count' | 'amount'>;
  count: number;
  minor: bigint;
}

export interface Totals {
  /** Throws `too_many_requests`, and `invalid_request` if there would be too many. */
  read(query: TotalsQuery, signal?: AbortSignal): Promise<Total[]>;
}

export function createTotals(ledger: Pick<Ledger, 'counted'>): Totals {
  let running = 0;

  async function add(query: TotalsQuery, signal: AbortSignal | undefined): Promise<Map<string, Sum>> {
    const { basis, from, to, days, currency } = query;
    const before = days.start(to);
    const sums = new Map<string, Sum>();
    for (let after = { at: days.start(from), id: '' }; ;) {
      signal?.throwIfAborted();
      const page = await ledger.counted({ basis, after, before, limit: PAGE_SIZE });
      for (const each of page) if (currency === undefined || each.currency === currency) addTo(sums, query, each);
      if (sums.size > MAX_TOTALS) {
        throw new Refusal('invalid_request', `More than ${MAX_TOTALS} totals: ask for fewer days.`);
      }
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE_SIZE) return sums;
      after = { at: last.at, id: last.id };
      await yieldToOthers();
    }
  }

  return {
    async read(query, signal) {
      if (running >= MAX_AT_ONCE) {
        throw new Refusal('too_many_requests', `At most ${MAX_AT_ONCE} totals are made at once; try again.`, {
          retryAfterS: RETRY_AFTER_S,
        });
      }
      running += 1;
      try {
        const sums = await add(query, signal);
        return [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => totalOf(sum));
      } finally {
        running -= 1;
      }
    },
  };
}

function addTo(sums: Map<string, Sum>, { by, days }: TotalsQuery, each: Counted): void {
  const day = by.includes('day') ? days.of(each.at) : null;
  const method = by.includes('method') ? each.method : null;
  const status = by.includes('status') ? each.status : null;
  const { type, currency } = each;
  const key = `${day ?? ''} ${type} ${currency} ${method ?? ''} ${status ?? ''}`;
  let sum = sums.get(key);
  if (sum === undefined) sums.set(key, (sum = { total: { day, type, method, status, currency }, count: 0, minor: 0n }));
  sum.count += 1;
  // Amounts have up to 15 digits, so a sum of them may be more than a float holds.
  sum.minor += BigInt(each.amountMinor);
}

function totalOf({ total, count, minor }: Sum): Total {
  return { ...total, count, amount: decimalOf(minor, total.currency) };
}
