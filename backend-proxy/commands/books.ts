// Reads the proxy's side of a comparison through the merchant API, as CSV, so that it works from any machine and
// changes nothing.
import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { unguarded } from '../reports/csv.ts';
import { minorOf } from '../protocol/money.ts';
import type { TransactionType } from '../protocol/transaction.ts';
import type { Status } from '../protocol/wire.ts';
import type { Outcome } from './statement.ts';
import { codeOf } from './visit.ts';

export const OUTCOMES: Record<Status, Outcome> = {
  INITIALIZED: 'PENDING',
  PROCESSING: 'PENDING',
  SUCCESS: 'SUCCESS',
  FAILED: 'FAILED',
};

export interface Booked {
  id: string;
  paymentId: string | null;
  amountMinor: number;
  currency: string;
  outcome: Outcome;
  type: TransactionType;
  needsReview: boolean;
  /** When it succeeded, ms since 1970. */
  succeededAt: number | null;
}

export interface Books {
  /** All transactions created at or after `from` and before `before`, ms since 1970. */
  between(from: number, before: number): AsyncGenerator<Booked>;
  /** By its id at the gateway. */
  find(id: string): Promise<Booked | undefined>;
}

const FIND_LIMIT_MS = 15_000;

interface View extends Record<string, unknown> {
  needsReview?: boolean;
  history?: { at: string; event: string }[];
}

export function openBooks(proxy: string, key: string, request: typeof fetch = fetch): Books {
  async function get(path: string, accept: string, signal?: AbortSignal): Promise<Response> {
    const headers = { Authorization: `Bearer ${key}`, Accept: accept };
    const response = await request(`${proxy}${path}`, { headers, redirect: 'error', ...(signal && { signal }) }).catch(
      (error: unknown) => {
        const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
        throw new Error(`${proxy} does not answer: ${codeOf(reason)}`, { cause: error });
      },
    );
    if (response.ok || response.status === 404) return response;
    if (response.status === 401) throw new Error(`${proxy} refuses MERCHANT_API_KEY`);
    throw new Error(`${proxy} answers HTTP ${response.status}`);
  }

  return {
    async *between(from, before) {
      const query = new URLSearchParams({ from: new Date(from).toISOString(), to: new Date(before).toISOString() });
      const { body, headers } = await get(`/transactions?${query}`, 'text/csv');
      if (body === null || !headers.get('content-type')?.startsWith('text/csv')) {
        throw new Error(`${proxy} answers no CSV: is it a proxy of this version?`);
      }
      // An interrupted export ends with an error here, never early.
      const source = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
      const parser = parse({ columns: true });
      source.on('error', (error) => parser.destroy(new Error(`${proxy} broke the list off`, { cause: error })));
      for await (const row of source.pipe(parser) as AsyncIterable<Record<string, string>>) {
        yield bookedOf(Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, unguarded(cell)])));
      }
    },
    async find(id) {
      const path = `/transactions/${encodeURIComponent(id)}`;
      const response = await get(path, 'application/json', AbortSignal.timeout(FIND_LIMIT_MS));
      if (response.status === 404) return undefined;
      const view = (await response.json()) as View;
      const succeededAt = view.history?.find(({ event }) => event === 'succeeded')?.at;
      return bookedOf({ ...view, needsReview: String(view.needsReview), succeededAt });
    },
  };
}

/** `row`: the cells of a CSV line, or the fields of a view. */
function bookedOf(row: Record<string, unknown>): Booked {
  const cell = (name: string): string => {
    const value = row[name];
    return typeof value === 'string' ? value : '';
  };
  const [amount, currency] = [cell('amount'), cell('currency')];
  const amountMinor = minorOf(amount, currency);
  const outcome = OUTCOMES[cell('status') as Status];
  if (amountMinor === undefined || outcome === undefined) throw new Error('The proxy answers what is no transaction');
  return {
    id: cell('gatewayOrderId'),
    paymentId: cell('paymentId') || null,
    amountMinor,
    currency,
    outcome,
    type: cell('type') as TransactionType,
    needsReview: cell('needsReview') === 'true',
    succeededAt: cell('succeededAt') === '' ? null : Date.parse(cell('succeededAt')),
  };
}
