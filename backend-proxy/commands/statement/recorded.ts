// What the proxy has recorded, read through the merchant API, so that a comparison works from any machine and changes
// nothing.
import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { unguarded } from '../../reports/csv.ts';
import { minorOf } from '../../protocol/money.ts';
import { TYPES, type GatewayType, type TransactionType } from '../../protocol/transaction.ts';
import type { Status } from '../../protocol/wire.ts';
import type { Outcome } from './lines.ts';
import { codeOf } from '../../received.ts';
import { gatewayOrderIdSchema } from '../../routes/merchant-schemas.ts';

const OUTCOMES: Record<Status, Outcome> = {
  INITIALIZED: 'PENDING',
  PROCESSING: 'PENDING',
  SUCCESS: 'SUCCESS',
  FAILED: 'FAILED',
};

export interface Recorded {
  id: string;
  paymentId: string | null;
  amountMinor: number;
  currency: string;
  outcome: Outcome;
  type: GatewayType;
  /** When it succeeded, ms since 1970. */
  succeededAt: number | null;
}

export interface Records {
  /** All transactions created at or after `from` and before `before`, ms since 1970. */
  between(from: number, before: number): AsyncGenerator<Recorded>;
  /** By its id at the gateway. */
  find(id: string): Promise<Recorded | undefined>;
}

const FIND_TIMEOUT_MS = 15_000;

export function openRecords(proxy: string, key: string, request: typeof fetch = fetch): Records {
  async function get(path: string, accept: string, signal?: AbortSignal): Promise<Response> {
    const headers = { Authorization: `Bearer ${key}`, Accept: accept };
    const response = await request(`${proxy}${path}`, { headers, redirect: 'error', ...(signal && { signal }) }).catch(
      (error: unknown) => {
        const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
        throw new Error(`${proxy} does not answer: ${codeOf(reason)}`, { cause: error });
      },
    );
    if (response.ok || response.status === 404) return response;
    if (response.status === 401) throw new Error(`${proxy} refuses the merchant's key`);
    throw new Error(`${proxy} answers HTTP ${response.status}`);
  }

  return {
    async *between(from, before) {
      const query = new URLSearchParams({ from: new Date(from).toISOString(), to: new Date(before).toISOString() });
      const { body, headers } = await get(`/transactions?${query}`, 'text/csv');
      if (body === null || !headers.get('content-type')?.startsWith('text/csv')) {
        throw new Error(`${proxy} does not answer with CSV: is it a proxy of this version?`);
      }
      // An interrupted export ends with an error here, never early.
      const source = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
      const parser = parse({ columns: true });
      source.on('error', (error) => parser.destroy(new Error(`${proxy} cut the list off`, { cause: error })));
      for await (const row of source.pipe(parser) as AsyncIterable<Record<string, string>>) {
        yield recordedOf(Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, unguarded(cell)])));
      }
    },
    async find(id) {
      // The statement is of the whole account: this may be another shop's, which the proxy would refuse to look up.
      if (!gatewayOrderIdSchema.safeParse(id).success) return undefined;
      const path = `/transactions/${encodeURIComponent(id)}`;
      const response = await get(path, 'application/json', AbortSignal.timeout(FIND_TIMEOUT_MS));
      if (response.status === 404) return undefined;
      const view = (await response.json()) as Record<string, unknown> & { history?: { at: string; event: string }[] };
      const succeededAt = view.history?.find(({ event }) => event === 'succeeded')?.at;
      return recordedOf({ ...view, succeededAt });
    },
  };
}

/** `row`: the cells of a CSV line, or the fields of a view. */
function recordedOf(row: Record<string, unknown>): Recorded {
  const cell = (name: string): string => {
    const value = row[name];
    return typeof value === 'string' ? value : '';
  };
  const [amount, currency] = [cell('amount'), cell('currency')];
  const amountMinor = minorOf(amount, currency);
  const outcome = OUTCOMES[cell('status') as Status];
  if (amountMinor === undefined || outcome === undefined) throw new Error("The proxy's answer is not a transaction");
  return {
    id: cell('gatewayOrderId'),
    paymentId: cell('paymentId') || null,
    amountMinor,
    currency,
    outcome,
    type: TYPES[cell('type') as TransactionType].atGateway,
    succeededAt: cell('succeededAt') === '' ? null : Date.parse(cell('succeededAt')),
  };
}
