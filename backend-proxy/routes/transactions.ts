// GET /transactions, as JSON or CSV; one transaction; and long answers, which are made while they are read.
// JSON has pages; one CSV has any length.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { Refusal, type FieldError } from '../errors.ts';
import { answerJson, answer, invalid, noQuery, refusedBy } from '../http/answer.ts';
import { keysWith } from '../http/guards.ts';
import { serveRoute } from '../http/route.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { TransactionPage, TransactionQuery, TransactionSort } from '../ledger/model.ts';
import { isCursorOf } from '../ledger/queries/transaction-list.ts';
import { orderIdSchema } from '../orders/order-token.ts';
import { HOUR_MS } from '../protocol/durations.ts';
import { merchantView } from '../protocol/merchant-view.ts';
import { TRANSACTION_TYPES } from '../protocol/transaction.ts';
import { STATUSES } from '../protocol/wire.ts';
import {
  csvLine,
  MERCHANT,
  TRANSACTION_COLUMNS,
  csv,
  gatewayOrderIdParam,
  json,
  limitQuery,
  transactionSchema,
  transactionCells,
} from './merchant-schemas.ts';

const SORTS = ['updatedAt', 'createdAt', '-createdAt'] as const satisfies TransactionSort[];
/** Rows of a CSV that are read together: each part keeps the process busy for some milliseconds. */
const EXPORT_PAGE = 200;

const time = z.iso.datetime({ offset: true, error: 'an RFC 3339 time' });

const listQuery = z.strictObject({
  orderId: orderIdSchema.optional(),
  from: time.optional().openapi({ description: 'Created at or after this time' }),
  to: time.optional().openapi({ description: 'Created before this time' }),
  updatedSince: time.optional().openapi({ description: 'Changed at or after this time; only with sort=updatedAt' }),
  status: z.enum(STATUSES).optional(),
  type: z.enum(TRANSACTION_TYPES).optional(),
  needsReview: z.stringbool({ truthy: ['true'], falsy: ['false'], error: 'true or false' }).optional(),
  sort: z
    .enum(SORTS, { error: `one of ${SORTS.join(', ')}` })
    .optional()
    .openapi({ description: 'Default: updatedAt; with `from` or `to` and as CSV createdAt' }),
  cursor: z
    .string()
    .regex(/^[cn]?[0-9]{1,15}~[!-~]{1,100}$/, { error: 'the nextCursor of an earlier response' })
    .optional(),
  limit: limitQuery.optional().openapi({ description: 'Rows of a page, 50 by default; not for CSV' }),
});

const getTransactions = createRoute({
  method: 'get',
  path: '/transactions',
  operationId: 'listTransactions',
  summary: 'List payments, payouts and refunds by last change or creation; as CSV, all of them',
  security: keysWith('read'),
  request: { query: listQuery },
  responses: {
    200: {
      description: 'A page, or with `Accept: text/csv` all that match, oldest first',
      content: {
        ...json(
          z.object({
            transactions: z.array(transactionSchema),
            nextCursor: z.string().nullable(),
          }),
          '',
        ).content,
        ...csv.content,
      },
    },
    ...refusedBy(...MERCHANT, 'invalid_request', 'too_many_requests'),
  },
});

const getTransaction = createRoute({
  method: 'get',
  path: '/transactions/{gatewayOrderId}',
  operationId: 'getTransaction',
  summary: 'Get a payment, payout or refund by its id at the gateway',
  security: keysWith('read'),
  request: { params: gatewayOrderIdParam, query: noQuery },
  responses: {
    200: json(transactionSchema, 'The transaction'),
    ...refusedBy(...MERCHANT, 'not_found', 'invalid_request'),
  },
});

interface Deps {
  ledger: Ledger;
  exports: Exports;
}

export function serveTransactions(app: OpenAPIHono, { ledger, exports }: Deps): void {
  serveRoute(app, getTransactions, async (c, { query: asked }) => {
    const isCsv = wantsCsv(c);
    const query = ledgerQuery(asked, isCsv);
    const name = csvName('transactions', asked);
    if (isCsv && c.req.method === 'HEAD') return csvAnswer(c, '', name);
    if (isCsv) return csvAnswer(c, exports.open(exported(ledger, query)), name);
    const { transactions, nextCursor } = await ledger.transactions({ ...query, limit: asked.limit ?? 50 });
    return answerJson(c, { transactions: transactions.map(merchantView), nextCursor }, 200, { Vary: 'Accept' });
  });

  serveRoute(app, getTransaction, async (c, { params }) => {
    const transaction = await ledger.transaction(params.gatewayOrderId);
    if (transaction === undefined) throw new Refusal('not_found', 'No such transaction.');
    return answerJson(c, merchantView(transaction), 200);
  });
}

/** Refuses combinations that no list supports: each follows one index. */
function ledgerQuery(asked: z.infer<typeof listQuery>, isCsv: boolean): Omit<TransactionQuery, 'limit'> {
  const { from, to, updatedSince, limit, cursor, ...filters } = asked;
  const isByCreation = from !== undefined || to !== undefined || isCsv;
  const sort = asked.sort ?? (isByCreation ? 'createdAt' : 'updatedAt');
  const errors: FieldError[] = [];
  if (isByCreation && sort === 'updatedAt') {
    errors.push({ field: 'sort', detail: 'createdAt or -createdAt with from, to and text/csv' });
  }
  if (updatedSince !== undefined && sort !== 'updatedAt') {
    errors.push({ field: 'updatedSince', detail: 'not with from, to, text/csv or a sort by creation' });
  }
  if (isCsv && (limit !== undefined || cursor !== undefined)) {
    errors.push({ field: limit === undefined ? 'cursor' : 'limit', detail: 'not with text/csv, which has all rows' });
  }
  if (cursor !== undefined && !isCursorOf(cursor, sort)) {
    errors.push({ field: 'cursor', detail: 'the nextCursor of an earlier response with the same sort' });
  }
  if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to)) {
    errors.push({ field: 'to', detail: 'later than from' });
  }
  if (errors.length > 0) throw invalid(...errors);
  const ms = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text));
  return { ...filters, sort, cursor, updatedSince: ms(updatedSince), createdFrom: ms(from), createdBefore: ms(to) };
}

/**
 * The lines of a CSV. Between two pages nothing of the database is held. A page without a match is an empty part,
 * because an export that nobody reads any more ends at its next part.
 */
async function* exported(ledger: Ledger, query: Omit<TransactionQuery, 'limit'>): AsyncGenerator<string> {
  yield csvLine(TRANSACTION_COLUMNS);
  for (let cursor: string | undefined; ;) {
    const page: TransactionPage = await ledger.transactions({
      ...query,
      cursor,
      successOnly: true,
      limit: EXPORT_PAGE,
    });
    yield page.transactions.map((transaction) => csvLine(transactionCells(transaction))).join('');
    if (page.nextCursor === null) return;
    cursor = page.nextCursor;
    await yieldToOthers();
  }
}

// Long answers, made while they are read: the next part is read from the database when the connection has taken the
// last one. Between two parts only the position is held, and a client that disconnects ends the export. A failed export
// is cut off, so that nobody takes it for complete.

const MAX_AT_ONCE = 4;
/** A slow reader holds one of the places. */
const LIMIT_MS = HOUR_MS;
const RETRY_AFTER_S = 30;

export interface Exports {
  /** Throws `too_many_requests`. */
  open(parts: AsyncIterator<string>): ReadableStream<Uint8Array>;
  /** Aborts all of them, for a shutdown. */
  close(): void;
}

interface Options {
  atOnce?: number;
  limitMs?: number;
  onError?: (error: unknown) => void;
}

export function createExports(options: Options = {}): Exports {
  const { atOnce = MAX_AT_ONCE, limitMs = LIMIT_MS, onError = () => undefined } = options;
  const open = new Set<{ breakOff(): void }>();

  return {
    open(parts) {
      if (open.size >= atOnce) {
        throw new Refusal('too_many_requests', `At most ${atOnce} exports run at once; try again later.`, {
          retryAfterS: RETRY_AFTER_S,
        });
      }
      const running = { breakOff: end };
      open.add(running);
      const timer = setTimeout(() => running.breakOff(), limitMs);
      timer.unref();

      function end(): void {
        clearTimeout(timer);
        open.delete(running);
      }

      return webStream(parts, running, end, onError);
    },
    close() {
      for (const { breakOff } of open) breakOff();
    },
  };
}

function webStream(
  parts: AsyncIterator<string>,
  running: { breakOff(): void },
  end: () => void,
  onError: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let isOver = false;
  const stop = () => {
    isOver = true;
    end();
    void parts.return?.();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        running.breakOff = () => {
          stop();
          // Without the cause, because the server may show this text to the reader.
          controller.error(new Error('The export was cut off'));
        };
      },
      async pull(controller) {
        try {
          const { done, value } = await parts.next();
          if (isOver) return;
          if (!done) return controller.enqueue(encoder.encode(value));
          stop();
          controller.close();
        } catch (error) {
          onError(error);
          running.breakOff();
        }
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  );
}

// Answers of text/csv.

function wantsCsv(c: Context): boolean {
  return /\btext\/csv\b/i.test(c.req.header('Accept') ?? '');
}

/** The type says nothing: the document describes CSV as a string. */
function csvAnswer(c: Context, body: string | ReadableStream<Uint8Array>, name: string): never {
  return answer(c, body, 200, {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="${name}.csv"`,
    'Cache-Control': 'no-store, no-transform',
    Vary: 'Accept',
    'X-Accel-Buffering': 'no',
  }) as never;
}

/** The file's name, of checked times and days only. */
function csvName(what: string, { from, to }: { from?: string | undefined; to?: string | undefined }): string {
  const parts = [what, from && `from-${from.slice(0, 10)}`, to && `to-${to.slice(0, 10)}`];
  return parts.filter((part) => part !== undefined && part !== '').join('-');
}
