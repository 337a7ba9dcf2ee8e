// The deliveries to WEBHOOK_URL: listing them, and sending one again.
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { note } from '../observability/cause.ts';
import { Refusal } from '../errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { WEBHOOK_CURSOR } from '../ledger/queries/webhooks.ts';
import { orderIdSchema } from '../orders/order-token.ts';
import { keysWith } from '../http/access.ts';
import { answerJson } from '../http/answer.ts';
import { noQuery, refusedBy } from '../http/problem.ts';
import { serveRoute } from '../http/route.ts';
import { MERCHANT, json, limitQuery, sentWebhookSchema, webhookSchema, webhookView } from './merchant-schemas.ts';

const getWebhooks = createRoute({
  method: 'get',
  path: '/webhooks',
  operationId: 'listWebhooks',
  summary: 'List deliveries to WEBHOOK_URL',
  security: keysWith('read'),
  request: {
    query: z.strictObject({
      state: z.enum(['pending', 'delivered', 'dead']).optional(),
      orderId: orderIdSchema.optional(),
      cursor: z.string().regex(WEBHOOK_CURSOR, { error: 'the nextCursor of an earlier response' }).optional(),
      limit: limitQuery.default(50),
    }),
  },
  responses: {
    200: json(z.object({ webhooks: z.array(webhookSchema), nextCursor: z.string().nullable() }), 'Newest first'),
    ...refusedBy(...MERCHANT, 'invalid_request'),
  },
});

const webhookIdParam = z.object({ id: z.string().regex(/^[!-~]{1,100}$/, { error: 'the id of a webhook' }) });

const getWebhook = createRoute({
  method: 'get',
  path: '/webhooks/{id}',
  operationId: 'getWebhook',
  summary: 'Get a delivery with its body',
  security: keysWith('read'),
  request: { params: webhookIdParam, query: noQuery },
  responses: {
    200: json(sentWebhookSchema, 'The delivery'),
    ...refusedBy(...MERCHANT, 'not_found', 'invalid_request'),
  },
});

const redeliver = createRoute({
  method: 'post',
  path: '/webhooks/{id}/redeliver',
  operationId: 'redeliverWebhook',
  summary: 'Send a webhook again now',
  security: keysWith('operate'),
  request: { params: webhookIdParam, query: noQuery },
  responses: {
    202: json(webhookSchema, 'The webhook is due now'),
    ...refusedBy(...MERCHANT, 'not_found', 'invalid_request', 'erased'),
  },
});

/** `onDue`: called after a redelivery. */
export function serveWebhooks(app: OpenAPIHono, ledger: Ledger, onDue: () => void): void {
  serveRoute(app, getWebhooks, async (c, { query }) => {
    const { state, limit, ...range } = query;
    const { webhooks, nextCursor } = await ledger.webhooks(state, limit, range);
    return answerJson(c, { webhooks: webhooks.map(webhookView), nextCursor }, 200);
  });

  serveRoute(app, getWebhook, async (c, { params }) => {
    const webhook = await ledger.webhook(params.id);
    if (webhook === undefined) throw new Refusal('not_found', 'No such webhook.');
    return answerJson(c, { ...webhookView(webhook), body: webhook.body }, 200);
  });

  serveRoute(app, redeliver, async (c, { params }) => {
    const webhook = await ledger.redeliver(params.id);
    if (webhook === undefined) throw new Refusal('not_found', 'No such webhook.');
    note({ orderId: webhook.orderId, transactionId: webhook.transactionId });
    onDue();
    return answerJson(c, webhookView(webhook), 202);
  });
}
