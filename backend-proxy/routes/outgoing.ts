// Starting a payout, reading it, and sending a payment's money back.
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { Refusal } from '../errors.ts';
import { answerJson, noQuery, refusedBy } from '../http/answer.ts';
import { keysWith } from '../http/guards.ts';
import { serveRoute } from '../http/route.ts';
import { note } from '../observability/log.ts';
import { currencySchema, line, orderIdSchema, walletIdSchema } from '../orders/order-token.ts';
import { merchantPayout, merchantRefund } from '../protocol/merchant-view.ts';
import type { Payouts, Refunds } from '../use-cases/outgoing.ts';
import {
  BODY,
  MERCHANT,
  body,
  json,
  orderIdParam,
  payoutSchema,
  gatewayOrderIdSchema,
  refundSchema,
} from './merchant-schemas.ts';
import { idempotencyKeyHeader } from './order.ts';

const amountSchema = z
  .union([z.int().positive(), z.string().max(20)], { error: 'a whole number, or a decimal string' })
  .transform(String);

const postPayout = createRoute({
  method: 'post',
  path: '/payouts',
  operationId: 'sendPayout',
  summary: 'Send money to a wallet once; repeating the same body returns the stored payout',
  security: keysWith('payouts'),
  request: {
    query: noQuery,
    body: body(
      z
        .strictObject({
          orderId: orderIdSchema,
          amount: amountSchema.openapi({
            description: 'Major units; whole unless the gateway takes decimals in payouts',
          }),
          currency: currencySchema,
          customer: walletIdSchema,
          note: line(200).optional(),
        })
        .openapi('NewPayout'),
    ),
  },
  responses: {
    202: json(payoutSchema, 'The current state of the payout'),
    ...refusedBy(...MERCHANT, ...BODY, 'order_id_taken'),
  },
});

const getPayout = createRoute({
  method: 'get',
  path: '/payouts/{orderId}',
  operationId: 'getPayout',
  summary: 'Get a payout',
  security: keysWith('payouts', 'read'),
  request: { params: orderIdParam, query: noQuery },
  responses: { 200: json(payoutSchema, 'The payout'), ...refusedBy(...MERCHANT, 'not_found', 'invalid_request') },
});

export function servePayouts(app: OpenAPIHono, payouts: Payouts): void {
  serveRoute(app, postPayout, async (c, { sent, source }) => {
    note({ orderId: sent.orderId });
    return answerJson(c, merchantPayout(await payouts.start(sent, source)), 202);
  });

  serveRoute(app, getPayout, async (c, { params }) => {
    const payout = await payouts.find(params.orderId);
    if (payout === undefined) throw new Refusal('not_found', 'No such payout.');
    note({ orderId: payout.orderId });
    return answerJson(c, merchantPayout(payout), 200);
  });
}

// Sending a payment's money back.

const postRefund = createRoute({
  method: 'post',
  path: '/orders/{orderId}/refunds',
  operationId: 'refundOrder',
  summary: 'Send money of a payment back to the wallet that paid, once for each Idempotency-Key',
  security: keysWith('refunds'),
  request: {
    params: orderIdParam,
    query: noQuery,
    headers: idempotencyKeyHeader,
    body: body(
      z
        .strictObject({
          amount: amountSchema.optional().openapi({ description: 'Major units; what is left if it is missing' }),
          note: line(200).optional(),
          gatewayOrderId: gatewayOrderIdSchema
            .optional()
            .openapi({ description: 'Of the payment; required where more than one succeeded' }),
        })
        .openapi('NewRefund'),
    ),
  },
  responses: {
    202: json(refundSchema, 'The current state of the refund'),
    ...refusedBy(...MERCHANT, ...BODY, 'not_found', 'not_refundable', 'idempotency_key_reused'),
  },
});

export function serveRefunds(app: OpenAPIHono, refunds: Refunds): void {
  serveRoute(app, postRefund, async (c, { params, headers, sent, source }) => {
    note({ orderId: params.orderId });
    const idempotencyKey = headers['idempotency-key'];
    const refund = await refunds.start({ ...sent, ...params, idempotencyKey }, source);
    return answerJson(c, merchantRefund(refund), 202);
  });
}
