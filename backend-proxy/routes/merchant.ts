// Routes for the merchant's server: orders, payouts, reconciliation, webhooks. Browsers are refused.
import { OpenAPIHono, createRoute, z } from '@hono/zod-openapi';
import { note } from '../observability/cause.ts';
import { Refusal } from '../errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import {
  MAX_LIFETIME_S,
  checkTerms,
  currencySchema,
  line,
  orderClaimsShape,
  orderIdSchema,
  walletIdSchema,
  type OrderTokens,
} from '../orders/order-token.ts';
import type { Payouts } from '../payouts.ts';
import { parseExact } from '../protocol/exact-json.ts';
import { iso } from '../protocol/iso-time.ts';
import { merchantPayment, merchantPayout, merchantView } from '../protocol/merchant-view.ts';
import { shownAmount } from '../orders/order-view.ts';
import { createTotals } from '../reports/totals.ts';
import { answerJson } from '../http/answer.ts';
import { merchantOnly } from '../http/guards.ts';
import type { Exports } from './exports.ts';
import {
  MERCHANT,
  body,
  gatewayOrderIdParam,
  ipnSchema,
  ipnView,
  json,
  limitQuery,
  paymentSchema,
  payoutSchema,
  resolutionSchema,
  sentWebhookSchema,
  webhookSchema,
  webhookView,
} from './merchant-schemas.ts';
import { noQuery, refuseInvalid, refusedBy } from '../http/problem.ts';
import { totalsRoutes } from './totals.ts';
import { transactionRoutes } from './transactions.ts';

const BODY = ['invalid_request', 'payload_too_large', 'unsupported_media_type'] as const;
const DEFAULT_LIFETIME_S = 3600;

const security = [{ merchantKey: [] }];
const orderIdParam = z.object({ orderId: orderIdSchema });

const LIFETIME = { error: `a whole number of seconds, 60 to ${MAX_LIFETIME_S}` };

const postOrder = createRoute({
  method: 'post',
  path: '/orders',
  summary: 'Sign an order and return its token',
  security,
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
    201: json(z.object({ orderId: z.string(), token: z.string(), expiresAt: z.string() }), 'The signed order'),
    ...refusedBy(...MERCHANT, ...BODY),
  },
});

const getOrder = createRoute({
  method: 'get',
  path: '/orders/{orderId}',
  summary: 'Get an order with all its payments; 404 until the first is started',
  security,
  request: { params: orderIdParam, query: noQuery },
  responses: {
    200: json(
      z.object({
        orderId: z.string(),
        amount: z.string().nullable(),
        currency: z.string(),
        paid: z.boolean(),
        payments: z.array(paymentSchema),
      }),
      'The order and every payment of it, oldest first',
    ),
    ...refusedBy(...MERCHANT, 'not_found', 'invalid_request'),
  },
});

const erase = createRoute({
  method: 'delete',
  path: '/orders/{orderId}/personal-data',
  summary: 'Erase the personal data of an order or payout that has ended; again it changes nothing',
  security,
  request: { params: orderIdParam, query: noQuery },
  responses: {
    200: json(
      z.object({ orderId: z.string(), transactions: z.array(z.union([paymentSchema, payoutSchema])) }),
      'What is left of the order or payout',
    ),
    ...refusedBy(...MERCHANT, 'not_found', 'invalid_request', 'not_ended'),
  },
});

const postPayout = createRoute({
  method: 'post',
  path: '/payouts',
  summary: 'Send money to a wallet once; repeating the same body returns the stored payout',
  security,
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
  summary: 'Get a payout',
  security,
  request: { params: orderIdParam, query: noQuery },
  responses: { 200: json(payoutSchema, 'The payout'), ...refusedBy(...MERCHANT, 'not_found', 'invalid_request') },
});

const resolveTransaction = createRoute({
  method: 'post',
  path: '/transactions/{gatewayOrderId}/resolve',
  summary: 'Resolve a payment or payout that needs review',
  security,
  request: {
    params: gatewayOrderIdParam,
    query: noQuery,
    body: body(resolutionSchema),
  },
  responses: {
    200: json(z.union([paymentSchema, payoutSchema]), 'The current state of the transaction'),
    ...refusedBy(...MERCHANT, ...BODY, 'not_found', 'no_review_needed'),
  },
});

const getIpns = createRoute({
  method: 'get',
  path: '/ipns',
  summary: 'List IPNs of the last 7 days that match no transaction',
  security,
  request: { query: z.strictObject({ limit: limitQuery.default(50) }) },
  responses: {
    200: json(z.object({ ipns: z.array(ipnSchema) }), 'Newest first'),
    ...refusedBy(...MERCHANT, 'invalid_request'),
  },
});

const getWebhooks = createRoute({
  method: 'get',
  path: '/webhooks',
  summary: 'List deliveries to WEBHOOK_URL',
  security,
  request: {
    query: z.strictObject({
      state: z.enum(['pending', 'delivered', 'dead']).optional(),
      orderId: orderIdSchema.optional(),
      cursor: z
        .string()
        .regex(/^[0-9]{1,15}~[!-~]{1,100}$/, { error: 'the nextCursor of an earlier response' })
        .optional(),
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
  summary: 'Get a delivery with its body',
  security,
  request: { params: webhookIdParam, query: noQuery },
  responses: {
    200: json(sentWebhookSchema, 'The delivery'),
    ...refusedBy(...MERCHANT, 'not_found', 'invalid_request'),
  },
});

const redeliver = createRoute({
  method: 'post',
  path: '/webhooks/{id}/redeliver',
  summary: 'Send a webhook again now',
  security,
  request: { params: webhookIdParam, query: noQuery },
  responses: {
    202: json(webhookSchema, 'The webhook is due now'),
    ...refusedBy(...MERCHANT, 'not_found', 'invalid_request', 'erased'),
  },
});

interface Deps {
  keys: readonly string[];
  allowedOrigins: readonly string[];
  tokens: OrderTokens;
  payouts: Payouts;
  ledger: Ledger;
  /** Whether there is a WEBHOOK_URL. */
  sendsWebhooks: boolean;
  exports: Exports;
  /** Called when something is due to be sent, after a redelivery or a resolution. */
  onDue(): void;
}

export function merchantRoutes({
  keys,
  allowedOrigins,
  tokens,
  payouts,
  ledger,
  sendsWebhooks,
  exports,
  onDue,
}: Deps): OpenAPIHono {
  const app = new OpenAPIHono({
    defaultHook: refuseInvalid,
  });
  for (const path of ['/orders', '/payouts', '/transactions', '/totals', '/ipns', '/webhooks']) {
    app.use(path, merchantOnly(keys)).use(`${path}/*`, merchantOnly(keys));
  }
  const missing = (what: string) => new Refusal('not_found', `No such ${what}.`);

  app.openapi(postOrder, async (c) => {
    const { expiresIn, ...claims } = c.req.valid('json');
    const { errors } = checkTerms(claims, { allowedOrigins });
    if (errors.length > 0) {
      throw new Refusal('invalid_request', `Not valid: ${errors.map(({ field }) => field).join(', ')}.`, { errors });
    }
    note({ orderId: claims.orderId });
    const { token, expiresAt } = await tokens.sign(claims, expiresIn);
    return answerJson(c, { orderId: claims.orderId, token, expiresAt: iso(expiresAt) }, 201);
  });

  app.openapi(getOrder, async (c) => {
    const order = await ledger.order(c.req.valid('param').orderId);
    if (order === undefined || order.payments.length === 0) throw missing('order, or none of its payments was started');
    const { orderId, currency, paidBy, payments } = order;
    note({ orderId });
    const amount = shownAmount(order, order);
    return answerJson(
      c,
      { orderId, amount, currency, paid: paidBy !== null, payments: payments.map(merchantPayment) },
      200,
    );
  });

  app.openapi(erase, async (c) => {
    const { orderId } = c.req.valid('param');
    const transactions = await ledger.erase(orderId, { sendsWebhooks });
    if (transactions === undefined) throw missing('order or payout, or nothing of it was started');
    return answerJson(c, { orderId, transactions: transactions.map(merchantView) }, 200);
  });

  app.openapi(postPayout, async (c) => {
    // The source text of the number: JSON.parse reads 1e3 and 1.00000000000000001 as whole numbers.
    note({ orderId: c.req.valid('json').orderId });
    const { amount } = parseExact(await c.req.text()) as { amount: string };
    return answerJson(c, merchantPayout(await payouts.start({ ...c.req.valid('json'), amount })), 202);
  });

  app.openapi(getPayout, async (c) => {
    const payout = await payouts.find(c.req.valid('param').orderId);
    if (payout === undefined) throw missing('payout');
    note({ orderId: payout.orderId });
    return answerJson(c, merchantPayout(payout), 200);
  });

  app.route('/', transactionRoutes({ ledger, exports }));
  app.route('/', totalsRoutes(createTotals(ledger)));

  app.openapi(resolveTransaction, async (c) => {
    const resolved = await ledger.resolve(c.req.valid('param').gatewayOrderId, c.req.valid('json'));
    if (resolved === undefined) throw missing('transaction');
    note({ orderId: resolved.orderId, transactionId: resolved.id });
    onDue();
    return answerJson(c, merchantView(resolved), 200);
  });

  app.openapi(getIpns, async (c) => {
    return answerJson(c, { ipns: (await ledger.unmatchedIpns(c.req.valid('query').limit)).map(ipnView) }, 200);
  });

  app.openapi(getWebhooks, async (c) => {
    const { state, limit, orderId, cursor } = c.req.valid('query');
    const found = await ledger.webhooks(state, limit + 1, { orderId, olderThan: webhookOf(cursor) });
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const nextCursor = found.length > limit && last !== undefined ? `${last.createdAt}~${last.id}` : null;
    return answerJson(c, { webhooks: page.map(webhookView), nextCursor }, 200);
  });

  app.openapi(getWebhook, async (c) => {
    const webhook = await ledger.webhook(c.req.valid('param').id);
    if (webhook === undefined) throw missing('webhook');
    return answerJson(c, { ...webhookView(webhook), body: webhook.body }, 200);
  });

  app.openapi(redeliver, async (c) => {
    const webhook = await ledger.redeliver(c.req.valid('param').id);
    if (webhook === undefined) throw missing('webhook');
    note({ orderId: webhook.orderId, transactionId: webhook.transactionId });
    onDue();
    return answerJson(c, webhookView(webhook), 202);
  });

  return app;
}

function webhookOf(cursor: string | undefined): { createdAt: number; id: string } | undefined {
  const at = cursor?.indexOf('~') ?? 0;
  return cursor === undefined ? undefined : { createdAt: Number(cursor.slice(0, at)), id: cursor.slice(at + 1) };
}
