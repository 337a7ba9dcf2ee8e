// What the merchant's server does with an order: sign it, read it, close it, erase its personal data.
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { note } from '../observability/log.ts';
import { Refusal } from '../errors.ts';
import type { Closings } from '../use-cases/payments.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { ClosedOrder } from '../ledger/model.ts';
import { MAX_LIFETIME_S, line, orderClaimsShape, type OrderTokens } from '../orders/order-token.ts';
import { shownAmount } from '../orders/order-view.ts';
import { iso } from '../protocol/durations.ts';
import { decimalOf } from '../protocol/money.ts';
import { PAYS_BY, METHODS } from '../protocol/wire.ts';
import { CHECKOUT_LIFETIME_MS } from '../protocol/schedule.ts';
import { isPayable } from '../protocol/transaction.ts';
import { refundables, type RefundRules } from '../protocol/refundable.ts';
import { merchantPayment, merchantRefund, merchantView } from '../protocol/merchant-view.ts';
import { keysWith } from '../http/guards.ts';
import { answerJson, invalid, noQuery, refusedBy } from '../http/answer.ts';
import { serveRoute } from '../http/route.ts';
import { payPageOf } from './pay-page.ts';
import {
  BODY,
  MERCHANT,
  body,
  json,
  metadataSchema,
  orderIdParam,
  paymentSchema,
  transactionSchema,
  refundSchema,
} from './merchant-schemas.ts';

const DEFAULT_LIFETIME_S = 3600;
const LIFETIME = { error: `a whole number of seconds, 60 to ${MAX_LIFETIME_S}` };

const postOrder = createRoute({
  method: 'post',
  path: '/orders',
  operationId: 'signOrder',
  summary: 'Sign an order and return its token',
  security: keysWith('orders'),
  request: {
    query: noQuery,
    body: body(
      z
        .strictObject({
          ...orderClaimsShape,
          expiresIn: z.int(LIFETIME).min(60, LIFETIME).max(MAX_LIFETIME_S, LIFETIME).default(DEFAULT_LIFETIME_S),
        })
        .openapi('NewOrder'),
    ),
  },
  responses: {
    201: json(
      z
        .object({
          orderId: z.string(),
          token: z.string(),
          expiresAt: z.string(),
          url: z.string().nullable().openapi({ description: 'The payment page; null without PUBLIC_URL' }),
        })
        .openapi('SignedOrder'),
      'The signed order',
    ),
    ...refusedBy(...MERCHANT, ...BODY),
  },
});

const orderSchema = z.object({
  orderId: z.string(),
  amount: z.string().nullable(),
  currency: z.string().openapi({ description: 'XXX (none) of an order that was closed before it was started' }),
  paid: z.boolean(),
  closed: z.boolean(),
  closedAt: z.string().nullable(),
  closeReason: z.string().nullable(),
  metadata: metadataSchema,
  payments: z.array(paymentSchema),
  refunds: z.array(refundSchema),
  refundable: z
    .array(z.object({ gatewayOrderId: z.string(), amount: z.string() }))
    .openapi({ description: 'What can be sent back now, of each payment' }),
});

const getOrder = createRoute({
  method: 'get',
  path: '/orders/{orderId}',
  operationId: 'getOrder',
  summary: 'Get an order with all its payments; 404 until the first is started or it is closed',
  security: keysWith('orders', 'read'),
  request: { params: orderIdParam, query: noQuery },
  responses: {
    200: json(orderSchema, 'The order, every payment of it and what was sent back, oldest first'),
    ...refusedBy(...MERCHANT, 'not_found', 'invalid_request'),
  },
});

const closedSchema = z.object({
  orderId: z.string(),
  closed: z.literal(true),
  closedAt: z.string(),
  mayStillBePaid: z.array(
    z.object({
      gatewayOrderId: z.string(),
      method: z.enum(METHODS).nullable(),
      until: z.string().nullable().openapi({ description: 'When the checkout of the gateway ends; null: not known' }),
    }),
  ),
});

const closeOrder = createRoute({
  method: 'post',
  path: '/orders/{orderId}/close',
  operationId: 'closeOrder',
  summary: 'Close an order, started or not, for good; again it changes nothing',
  security: keysWith('orders'),
  request: {
    params: orderIdParam,
    query: noQuery,
    body: body(
      z
        .strictObject({
          reason: line(200).optional(),
          ifUnpaid: z
            .boolean()
            .optional()
            .openapi({ description: 'Asks the gateway first, and refuses while a payment is under way' }),
        })
        .openapi('Closing'),
    ),
  },
  responses: {
    200: json(closedSchema, 'Closed; the gateway cannot cancel, so these payments may still be paid'),
    ...refusedBy(...MERCHANT, ...BODY, 'already_paid', 'payment_open'),
  },
});

const erase = createRoute({
  method: 'delete',
  path: '/orders/{orderId}/personal-data',
  operationId: 'erasePersonalData',
  summary: 'Erase the personal data of an order or payout that has ended; again it changes nothing',
  security: keysWith('operate'),
  request: { params: orderIdParam, query: noQuery },
  responses: {
    200: json(
      z.object({ orderId: z.string(), transactions: z.array(transactionSchema) }),
      'What is left of the order or payout',
    ),
    ...refusedBy(...MERCHANT, 'not_found', 'invalid_request', 'not_ended'),
  },
});

interface Deps {
  ledger: Ledger;
  closings: Closings;
  tokens: OrderTokens;
  refundRules: RefundRules;
  publicUrl: string | undefined;
  /** Whether there is a WEBHOOK_URL. */
  sendsWebhooks: boolean;
}

export function serveOrders(app: OpenAPIHono, deps: Deps): void {
  const { ledger, closings, tokens, refundRules, publicUrl, sendsWebhooks } = deps;
  serveRoute(app, postOrder, async (c, { sent }) => {
    const { expiresIn, ...claims } = sent;
    const errors = tokens.check(claims);
    if (errors.length > 0) throw invalid(...errors);
    note({ orderId: claims.orderId });
    const { token, expiresAt } = await tokens.sign(claims, expiresIn);
    const url = publicUrl === undefined ? null : payPageOf(publicUrl, token);
    return answerJson(c, { orderId: claims.orderId, token, expiresAt: iso(expiresAt), url }, 201);
  });

  serveRoute(app, getOrder, async (c, { params }) => {
    const { order, now } = await ledger.orderAt(params.orderId);
    if (order === undefined || (order.payments.length === 0 && order.closed === null))
      throw new Refusal('not_found', 'No such order, or none of its payments was started.');
    const { orderId, currency, paidBy, closed, payments, refunds } = order;
    note({ orderId });
    const amount = shownAmount(order, order);
    return answerJson(
      c,
      {
        orderId,
        amount,
        currency,
        paid: paidBy !== null,
        closed: closed !== null,
        closedAt: closed && iso(closed.at),
        closeReason: closed && closed.reason,
        // All have the same, and retention erases one payment before another.
        metadata: payments.find(({ metadata }) => metadata !== null)?.metadata ?? null,
        payments: payments.map(merchantPayment),
        refunds: refunds.map(merchantRefund),
        refundable: refundables(order, refundRules, now).map(({ payment, minor }) => ({
          gatewayOrderId: payment.id,
          amount: decimalOf(minor, currency),
        })),
      },
      200,
    );
  });

  serveRoute(app, closeOrder, async (c, { params, sent }) => {
    note({ orderId: params.orderId });
    return answerJson(c, closedView(await closings.close(params.orderId, sent)), 200);
  });

  serveRoute(app, erase, async (c, { params, source }) => {
    const { orderId } = params;
    const transactions = await ledger.erase(orderId, { sendsWebhooks }, source);
    if (transactions === undefined)
      throw new Refusal('not_found', 'No such order or payout, or nothing of it was started.');
    return answerJson(c, { orderId, transactions: transactions.map(merchantView) }, 200);
  });
}

function closedView({ orderId, closed, payments }: ClosedOrder) {
  const mayStillBePaid = payments.filter(isPayable).map(({ id, method, createdAt }) => ({
    gatewayOrderId: id,
    method,
    until: method !== null && PAYS_BY[method] === 'link' ? iso(createdAt + CHECKOUT_LIFETIME_MS) : null,
  }));
  return { orderId, closed: true as const, closedAt: iso(closed.at), mayStillBePaid };
}
