// What asks for a person: resolving a transaction, and IPNs that match none.
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { note } from '../observability/cause.ts';
import { Refusal } from '../errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { merchantView } from '../protocol/merchant-view.ts';
import { keysWith } from '../http/access.ts';
import { answerJson } from '../http/answer.ts';
import { resolutionSchema } from '../http/resolution.ts';
import { noQuery, refusedBy } from '../http/problem.ts';
import { serveRoute } from '../http/route.ts';
import {
  BODY,
  MERCHANT,
  body,
  gatewayOrderIdParam,
  ipnSchema,
  ipnView,
  json,
  limitQuery,
  transactionSchema,
} from './merchant-schemas.ts';

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
