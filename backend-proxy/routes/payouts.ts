// Starting a payout and reading it.
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { note } from '../observability/cause.ts';
import { Refusal } from '../errors.ts';
import { currencySchema, line, orderIdSchema, walletIdSchema } from '../orders/order-token.ts';
import type { Payouts } from '../payouts.ts';
import { parseExact } from '../protocol/exact-json.ts';
import { merchantPayout } from '../protocol/merchant-view.ts';
import { keysWith } from '../http/access.ts';
import { answerJson } from '../http/answer.ts';
import { noQuery, refusedBy } from '../http/problem.ts';
import { serveRoute } from '../http/route.ts';
import { BODY, MERCHANT, body, json, orderIdParam, payoutSchema } from './merchant-schemas.ts';

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
          amount: z
            .union([z.int().positive(), z.string().max(20)], { error: 'a whole number, or a decimal string' })
            .openapi({ description: 'Major units; whole unless the gateway takes decimals in payouts' }),
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
    // The source text of the number: JSON.parse reads 1e3 and 1.00000000000000001 as whole numbers.
    note({ orderId: sent.orderId });
    const { amount } = parseExact(await c.req.text()) as { amount: string };
    return answerJson(c, merchantPayout(await payouts.start({ ...sent, amount }, source)), 202);
  });

  serveRoute(app, getPayout, async (c, { params }) => {
    const payout = await payouts.find(params.orderId);
    if (payout === undefined) throw new Refusal('not_found', 'No such payout.');
    note({ orderId: payout.orderId });
    return answerJson(c, merchantPayout(payout), 200);
  });
}
