// Sending a payment's money back.
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { keysWith } from '../http/access.ts';
import { answerJson } from '../http/answer.ts';
import { noQuery, refusedBy } from '../http/problem.ts';
import { serveRoute } from '../http/route.ts';
import { note } from '../observability/cause.ts';
import { line } from '../orders/order-token.ts';
import { parseExact } from '../protocol/exact-json.ts';
import { merchantRefund } from '../protocol/merchant-view.ts';
import type { Refunds } from '../refunds.ts';
import { BODY, MERCHANT, body, gatewayOrderIdSchema, json, orderIdParam, refundSchema } from './merchant-schemas.ts';
import { idempotencyKeyHeader } from './order.ts';

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
          amount: z
            .union([z.int().positive(), z.string().max(20)], { error: 'a whole number, or a decimal string' })
            .optional()
            .openapi({ description: 'Major units; what is left if it is missing' }),
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
    // The source text of the number, as for payouts.
    const { amount } = (parseExact(await c.req.text()) ?? {}) as { amount?: string };
    const idempotencyKey = headers['idempotency-key'];
    const refund = await refunds.start({ ...sent, ...params, amount, idempotencyKey }, source);
    return answerJson(c, merchantRefund(refund), 202);
  });
}
