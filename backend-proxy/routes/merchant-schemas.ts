// What the merchant routes share: schemas, parameters, CSV, a resolution's body; and the OpenAPI document.
// Schemas of answers only generate the document and validate nothing.
import { z, type OpenAPIHono } from '@hono/zod-openapi';
import type { UnmatchedIpn, Webhook } from '../ledger/model.ts';
import { orderIdSchema } from '../orders/order-token.ts';
import { answerJson } from '../http/answer.ts';
import { VERSION } from '../installation.ts';
import { iso } from '../protocol/durations.ts';
import {
  WEBHOOKS,
  merchantView,
  type MerchantPayment,
  type MerchantPayout,
  type MerchantRefund,
} from '../protocol/merchant-view.ts';
import {
  GATEWAY_TYPES,
  TRANSACTION_TYPES,
  TYPES,
  succeededAt,
  type Transaction,
  type TransactionType,
} from '../protocol/transaction.ts';
import { METHODS, REASONS, STATUSES } from '../protocol/wire.ts';

/** How any of them may be refused, and how those with a body. */
export const MERCHANT = ['unauthorized', 'forbidden_origin', 'forbidden_scope'] as const;
export const BODY = ['invalid_request', 'payload_too_large', 'unsupported_media_type'] as const;
export const orderIdParam = z.object({ orderId: orderIdSchema });
const MAX_ROWS = 200;
const LIMIT = { error: `a whole number from 1 to ${MAX_ROWS}` };
export const limitQuery = z.coerce.number(LIMIT).int(LIMIT).min(1, LIMIT).max(MAX_ROWS, LIMIT);
export const gatewayOrderIdSchema = z.string().regex(/^(?!\.{1,2}$)[!-~]{1,100}$/, { error: 'a gatewayOrderId' });
export const gatewayOrderIdParam = z.object({ gatewayOrderId: gatewayOrderIdSchema });

const historySchema = z.array(
  z.object({ at: z.string(), event: z.string(), source: z.string(), detail: z.string().nullable() }),
);
export const metadataSchema = z
  .record(z.string(), z.string())
  .nullable()
  .openapi({ description: "The order's; null without any, and once erased" });
const settlingShape = {
  orderId: z.string(),
  paymentId: z.string().nullable(),
  amount: z.string(),
  currency: z.string(),
  customer: z
    .string()
    .nullable()
    .openapi({ description: 'The wallet that was asked, or the receiver of a payout or refund' }),
  status: z.enum(STATUSES),
  reason: z.enum(REASONS).nullable(),
  needsReview: z.boolean(),
  version: z.int(),
  createdAt: z.string(),
  updatedAt: z.string(),
  reportedFailedAt: z.string().nullable().openapi({
    description: 'Of a payout or refund: since when the gateway reports it failed, which a second check confirms',
  }),
  erasedAt: z.string().nullable(),
  history: historySchema,
};
export const paymentSchema = z
  .object({
    type: z.literal('PAY'),
    gatewayOrderId: z.string(),
    method: z.enum(METHODS).nullable(),
    late: z.boolean(),
    surplus: z.boolean(),
    payer: z.string().nullable().openapi({ description: 'The wallet that paid, as the gateway reports it' }),
    afterClose: z.boolean(),
    settled: z.string().openapi({ description: 'What of money that pays no order was settled without a refund' }),
    metadata: metadataSchema,
    ...settlingShape,
  })
  .openapi('Payment') satisfies z.ZodType<Omit<MerchantPayment, 'history'>>;
export const payoutSchema = z
  .object({ type: z.literal('PAYOUT'), gatewayOrderId: z.string(), note: z.string().nullable(), ...settlingShape })
  .openapi('Payout') satisfies z.ZodType<Omit<MerchantPayout, 'history'>>;
export const refundSchema = z
  .object({
    type: z.literal('REFUND'),
    gatewayOrderId: z.string(),
    refundOf: z.string().nullable().openapi({ description: 'The gatewayOrderId of the payment that is sent back' }),
    note: z.string().nullable(),
    metadata: metadataSchema,
    ...settlingShape,
  })
  .openapi('Refund') satisfies z.ZodType<Omit<MerchantRefund, 'history'>>;
/** Schema of each transaction type. */
const SCHEMAS = { PAY: paymentSchema, PAYOUT: payoutSchema, REFUND: refundSchema } as const satisfies Record<
  TransactionType,
  z.ZodType
>;

export const transactionSchema = z.union(Object.values(SCHEMAS));

/** Names of the columns: stable, new ones are added at the end. */
export const TRANSACTION_COLUMNS = [
  'type',
  'orderId',
  'gatewayOrderId',
  'paymentId',
  'method',
  'amount',
  'currency',
  'status',
  'reason',
  'late',
  'surplus',
  'needsReview',
  'customer',
  'note',
  'createdAt',
  'updatedAt',
  'succeededAt',
  'payer',
  'afterClose',
  'refundOf',
  'metadata',
  'settled',
] as const;

export function transactionCells(transaction: Transaction): Cell[] {
  const paidAt = succeededAt(transaction);
  const view: Record<string, unknown> = {
    ...merchantView({ ...transaction, history: [] }),
    succeededAt: paidAt === undefined ? null : iso(paidAt),
    metadata: metadataCell(transaction),
  };
  return TRANSACTION_COLUMNS.map((column) => (view[column] ?? null) as Cell);
}

/** JSON without a semicolon, at which some spreadsheets split even a quoted cell: what followed could be a formula. */
function metadataCell({ metadata }: Transaction): string | null {
  return metadata && JSON.stringify(metadata).replaceAll(';', String.raw`\u003b`);
}

export const csv = { content: { 'text/csv': { schema: z.string() } } };

export const webhookSchema = z
  .object({
    id: z.string(),
    type: z.string(),
    orderId: z.string(),
    state: z.enum(['pending', 'delivered', 'dead']),
    attempts: z.int(),
    nextAttemptAt: z.string().nullable(),
    lastAnswer: z.string().nullable(),
    erased: z.boolean().openapi({ description: 'The body is erased, so it cannot be sent again' }),
    createdAt: z.string(),
  })
  .openapi('Webhook');

export const sentWebhookSchema = webhookSchema
  .extend({ body: z.string().openapi({ description: 'What is sent, byte for byte' }) })
  .openapi('WebhookWithBody');

export const ipnSchema = z
  .object({
    gatewayOrderId: z.string(),
    type: z.enum(GATEWAY_TYPES),
    paymentId: z.string().nullable(),
    amount: z.string().nullable(),
    currency: z.string().nullable(),
    status: z.enum(['PROCESSING', 'SUCCESS', 'FAILED']).nullable(),
    seen: z.int(),
    firstAt: z.string(),
    lastAt: z.string(),
  })
  .openapi('UnmatchedIpn');

export const json = <Schema extends z.ZodType>(schema: Schema, description: string) => ({
  description,
  content: { 'application/json': { schema } },
});
export const body = <Schema extends z.ZodType>(schema: Schema) => ({
  content: { 'application/json': { schema } },
  required: true,
});

const IPN_STATUSES = { pending: 'PROCESSING', succeeded: 'SUCCESS', failed: 'FAILED' } as const;

export function ipnView({ reading, seen, firstAt, lastAt }: UnmatchedIpn) {
  const { transactionId: gatewayOrderId, type, paymentId, amount, currency, outcome } = reading;
  const status = outcome && IPN_STATUSES[outcome];
  const times = { seen, firstAt: iso(firstAt), lastAt: iso(lastAt) };
  return { gatewayOrderId, type, paymentId, amount, currency, status, ...times };
}

export function webhookView(webhook: Webhook) {
  const { id, type, orderId, state, attempts, lastAnswer } = webhook;
  const nextAttemptAt = state === 'pending' ? iso(webhook.nextAt) : null;
  const createdAt = iso(webhook.createdAt);
  return { id, type, orderId, state, attempts, nextAttemptAt, lastAnswer, erased: webhook.body === '', createdAt };
}

const SCHEMAS_BY_WEBHOOK = new Map<string, z.ZodType>(
  TRANSACTION_TYPES.map((type) => [TYPES[type].webhooks, SCHEMAS[type]]),
);

function documentWebhooks({ openAPIRegistry: registry }: OpenAPIHono): void {
  for (const [type, summary] of Object.entries(WEBHOOKS)) {
    const data = SCHEMAS_BY_WEBHOOK.get(type.split('.')[0] ?? '');
    registry.registerWebhook({
      method: 'post',
      path: type,
      operationId: type.replaceAll(/[._](\w)/g, (_, letter: string) => letter.toUpperCase()),
      tags: ['Webhooks'],
      security: [],
      summary,
      description: 'Signed by the Standard Webhooks scheme.',
      request: { body: body(z.object({ type: z.literal(type), timestamp: z.string(), data: data ?? z.never() })) },
      responses: {
        '2XX': { description: 'Delivered' },
        410: { description: 'The webhook is dead and not sent again' },
      },
    });
  }
}

// GET /openapi.json: the OpenAPI document of all routes.

const TAGS = [
  { name: 'Shopper', description: 'Called by the widget with an order token' },
  { name: 'Merchant', description: "Called by the merchant's server with its key" },
  { name: 'Public', description: 'Called without a token: by pages, the gateway and operators' },
  { name: 'Webhooks', description: "Sent to the merchant's server, signed by the Standard Webhooks scheme" },
];

export function serveDocument(app: OpenAPIHono, publicUrl: string | undefined): void {
  const { openAPIRegistry: registry } = app;
  registry.registerComponent('securitySchemes', 'orderToken', { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' });
  registry.registerComponent('securitySchemes', 'merchantKey', { type: 'http', scheme: 'bearer' });
  // Relative to the document's own address, because the proxy may not see it: a reverse proxy or a host server can
  // remove a prefix, and the host is set by the caller.
  const url = publicUrl?.replace(/\/$/, '') ?? '.';
  // Built on the first request, because it takes 100 ms.
  let routes: object | undefined;
  app.get('/openapi.json', (c) => {
    if (routes === undefined) {
      documentWebhooks(app);
      routes = app.getOpenAPI31Document({
        openapi: '3.1.0',
        info: {
          title: 'Payment widget proxy',
          version: VERSION,
          license: { name: 'MIT', url: 'https://spdx.org/licenses/MIT.html' },
        },
        tags: TAGS,
      });
    }
    return answerJson(c, { ...routes, servers: [{ url }] }, 200, { 'Cache-Control': 'public, max-age=60' });
  });
}

// Writes CSV (RFC 4180). Merchants open it in spreadsheets, which run a cell that begins with `=`, `+`, `-`, `@` (full
// width too), a tab or a line break as a formula, and an order id may begin so. Such a cell begins with an apostrophe
// instead; so does one that begins with an apostrophe itself, so that removing one gets back every text.

const FORMULA = /^['=+\-@＝＋－＠\t\r\n]/;
/** Some spreadsheets also split at semicolons and tabs. */
const QUOTED = /[",;\t\r\n]/;

export type Cell = string | number | boolean | null;

export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

function cellOf(value: Cell): string {
  if (value === null) return '';
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value);
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// A person's resolution of a review, as the merchant's server or the operator's page sends it.

export const resolutionSchema = z
  .strictObject({
    status: z
      .enum(['SUCCESS', 'FAILED', 'SETTLED'], { error: 'SUCCESS, FAILED or SETTLED' })
      .openapi({ description: 'SETTLED: what is owed of a payment that pays no order was settled without a refund' }),
    by: personText(100).openapi({ description: 'The person who resolves it' }),
    note: personText(500).openapi({ description: 'How the person verified the outcome' }),
    gatewayReports: z
      .enum(['SUCCESS', 'FAILED'])
      .optional()
      .openapi({ description: 'What the gateway reports, to decide against it knowingly' }),
    version: z.int().optional().openapi({ description: 'Of the transaction: refuse if it has changed since' }),
  })
  .openapi('Resolution');

function personText(most: number) {
  const allowed = { error: `1 to ${most} characters, no control characters` };
  return z
    .string(allowed)
    .min(1, allowed)
    .max(most, allowed)
    .regex(/^\P{Cc}*$/u, allowed);
}
