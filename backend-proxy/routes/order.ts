// Routes for the widget: the order view, starting a payment, the event stream. The order token is the only
// credential.
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { note } from '../observability/log.ts';
import { Refusal } from '../errors.ts';
import { languageSchema, walletIdSchema, type OrderTerms, type OrderTokens } from '../orders/order-token.ts';
import type { Payments } from '../use-cases/payments.ts';
import { ANSWERS, CAUSES, METHODS, REASONS, STATUSES, type OrderView, type StartPayment } from '../protocol/wire.ts';
import { type AddressLimit, SHOPPER, bearerOf } from '../http/guards.ts';
import { answer, answerJson, noQuery, refusedBy } from '../http/answer.ts';
import { STREAM_HEADERS, type Streams } from './events.ts';
import type { CallerAddress } from '../http/caller-address.ts';
import { serveRoute } from '../http/route.ts';

const TOKEN = ['invalid_token', 'token_expired', 'forbidden_origin'] as const;
const nullableText = z.string().nullable();

const paymentSchema = z.object({
  method: z.enum(METHODS),
  asked: z.enum(METHODS),
  status: z.enum(STATUSES),
  reason: z.enum(REASONS).nullable(),
  cause: z.enum(CAUSES).nullable(),
  answer: z.enum(ANSWERS),
  checkoutUrl: nullableText,
  qr: z
    .union([z.object({ text: z.string(), size: z.int(), modules: z.string() }), z.object({ image: z.string() })])
    .nullable(),
  appUrl: nullableText,
  walletLast4: nullableText,
  expiresAt: nullableText,
  createdAt: z.string(),
  paidAt: nullableText,
  late: z.boolean(),
});

const orderViewSchema = z
  .object({
    orderId: z.string(),
    amount: nullableText,
    currency: z.string(),
    description: nullableText,
    supportUrl: nullableText,
    methods: z.array(z.enum(METHODS)),
    paid: z.boolean(),
    checking: z.boolean(),
    closed: z.boolean(),
    test: z.boolean(),
    surplus: z.boolean(),
    surplusAmount: nullableText,
    owedAmount: nullableText,
    otherOpen: z.boolean(),
    otherPayments: z.array(z.object({ method: z.enum(METHODS), walletLast4: nullableText, createdAt: z.string() })),
    received: z.array(
      z.object({ amount: z.string(), method: z.enum(METHODS), walletLast4: nullableText, paidAt: nullableText }),
    ),
    refunds: z.array(z.object({ amount: z.string(), status: z.enum(['PROCESSING', 'SUCCESS']) })),
    refundInDoubtAmount: nullableText,
    refundFailedAmount: nullableText,
    version: z.int(),
    serverTime: z.string(),
    payment: paymentSchema.nullable(),
    openPayment: paymentSchema.nullable(),
  })
  .openapi('OrderView') satisfies z.ZodType<OrderView>;

const startSchema = z
  .strictObject({
    method: z.enum(METHODS),
    customer: walletIdSchema.optional(),
    amount: z.string().max(20).optional(),
    language: languageSchema.optional(),
  } satisfies Record<keyof StartPayment, z.ZodType>)
  .openapi('StartPayment');

const orderView = { description: 'The order view', content: { 'application/json': { schema: orderViewSchema } } };

const getOrder = createRoute({
  method: 'get',
  path: '/order',
  operationId: 'getOrderView',
  summary: 'Get the order view',
  security: SHOPPER,
  request: { query: noQuery },
  responses: { 200: orderView, ...refusedBy(...TOKEN, 'invalid_request') },
});

const IDEMPOTENCY_KEY = { error: 'send the header Idempotency-Key, 1 to 255 printable characters without spaces' };
export const idempotencyKeyHeader = z.object({
  'idempotency-key': z.string(IDEMPOTENCY_KEY).regex(/^[!-~]{1,255}$/, IDEMPOTENCY_KEY),
});

const startPayment = createRoute({
  method: 'post',
  path: '/order/payments',
  operationId: 'startPayment',
  summary: 'Start a payment; an open one is replaced',
  security: SHOPPER,
  request: {
    query: noQuery,
    headers: idempotencyKeyHeader,
    body: { content: { 'application/json': { schema: startSchema } }, required: true },
  },
  responses: {
    200: { ...orderView, description: 'The key was used before: the order view; nothing was sent' },
    201: { ...orderView, description: 'Started' },
    ...refusedBy(
      ...TOKEN,
      'invalid_request',
      'method_unavailable',
      'already_paid',
      'order_closed',
      'payment_under_review',
      'order_changed',
      'idempotency_key_reused',
      'too_many_payments',
      'too_many_prompts',
      'too_many_requests',
      'payload_too_large',
      'unsupported_media_type',
    ),
  },
});

const getEvents = createRoute({
  method: 'get',
  path: '/order/events',
  operationId: 'streamOrderView',
  summary: 'Stream the order view at once and after every change, until it is final',
  security: SHOPPER,
  request: { query: noQuery },
  responses: {
    200: {
      description: 'Events named `order`, each with a complete order view',
      content: { 'text/event-stream': { schema: z.string() } },
    },
    ...refusedBy(...TOKEN, 'invalid_request', 'too_many_streams'),
  },
});

interface Deps {
  tokens: OrderTokens;
  payments: Payments;
  streams: Streams;
  limitStarts: AddressLimit;
  callers: CallerAddress;
}

export function serveOrder(app: OpenAPIHono, { tokens, payments, streams, limitStarts, callers }: Deps): void {
  const termsOf = async (c: Context): Promise<OrderTerms> => {
    const token = bearerOf(c);
    if (token === '') throw new Refusal('invalid_token', 'Send Authorization: Bearer and the order token.');
    const terms = await tokens.verify(token);
    note({ orderId: terms.orderId });
    return terms;
  };
  const answerView = <Status extends 200 | 201>(c: Context, view: OrderView, status: Status) =>
    answerJson(c, view, status, { 'Cache-Control': 'no-store' });

  serveRoute(app, getOrder, async (c) => answerView(c, await payments.view(await termsOf(c)), 200));

  serveRoute(app, startPayment, async (c, { headers, sent }) => {
    limitStarts(callers.of(c));
    const { created, view } = await payments.start(await termsOf(c), sent as StartPayment, headers['idempotency-key']);
    return answerView(c, view, created ? 201 : 200);
  });

  serveRoute(app, getEvents, async (c) => {
    const terms = await termsOf(c);
    const stream = c.req.method === 'HEAD' ? null : streams.open(terms, callers.of(c));
    return answer(c, stream, 200, STREAM_HEADERS);
  });
}
