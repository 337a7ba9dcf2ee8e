// The deliveries to WEBHOOK_URL, resolving a transaction, and IPNs that match no transaction.
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { Refusal } from '../errors.ts';
import { answerJson, noQuery, refusedBy } from '../http/answer.ts';
import { keysWith } from '../http/guards.ts';
import {
  resolutionSchema,
  MERCHANT,
  json,
  limitQuery,
  sentWebhookSchema,
  webhookSchema,
  webhookView,
  BODY,
  body,
  gatewayOrderIdParam,
  ipnSchema,
  ipnView,
  transactionSchema,
} from './merchant-schemas.ts';
import { serveRoute } from '../http/route.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { WEBHOOK_CURSOR } from '../ledger/queries/webhooks.ts';
import { note } from '../observability/log.ts';
import { orderIdSchema } from '../orders/order-token.ts';
import { merchantView } from '../protocol/merchant-view.ts';

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

// Resolving a transaction, and IPNs that match none.

const resolveTransaction = createRoute({
  method: 'post',
  path: '/transactions/{gatewayOrderId}/resolve',
  operationId: 'resolveTransaction',
  summary: 'Resolve a payment, payout or refund that needs review',
  security: keysWith('operate'),
  request: {
    params: gatewayOrderIdParam,
    query: noQuery,
    body: body(resolutionSchema),
  },
  responses: {
    200: json(transactionSchema, 'The current state of the transaction'),
    ...refusedBy(...MERCHANT, ...BODY, 'not_found', 'no_review_needed', 'version_changed', 'gateway_contradicts'),
  },
});

const getIpns = createRoute({
  method: 'get',
  path: '/ipns',
  operationId: 'listUnmatchedIpns',
  summary: 'List IPNs of the last 7 days that match no transaction',
  security: keysWith('read'),
  request: { query: z.strictObject({ limit: limitQuery.default(50) }) },
  responses: {
    200: json(z.object({ ipns: z.array(ipnSchema) }), 'Newest first'),
    ...refusedBy(...MERCHANT, 'invalid_request'),
  },
});

/** `onDue`: called after a resolution, which may have made a webhook due. */
export function serveReviews(app: OpenAPIHono, ledger: Ledger, onDue: () => void): void {
  serveRoute(app, resolveTransaction, async (c, { params, sent, source }) => {
    const { version, ...resolution } = sent;
    const expected = version === undefined ? undefined : { version };
    const resolved = await ledger.resolve(params.gatewayOrderId, resolution, expected, source);
    if (resolved === undefined) throw new Refusal('not_found', 'No such transaction.');
    note({ orderId: resolved.orderId, transactionId: resolved.id });
    onDue();
    return answerJson(c, merchantView(resolved), 200);
  });

  serveRoute(app, getIpns, async (c, { query }) => {
    return answerJson(c, { ipns: (await ledger.unmatchedIpns(query.limit)).map(ipnView) }, 200);
  });
}
