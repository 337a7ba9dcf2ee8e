// Health, readiness and metrics for operators.
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { Refusal } from '../errors.ts';
import { answerJson, refusedBy } from '../http/answer.ts';
import { PUBLIC, keysWith, merchantOnly } from '../http/guards.ts';
import { serveRoute } from '../http/route.ts';
import { METRICS_CONTENT_TYPE, type Metrics } from '../observability/metrics.ts';
import type { MerchantKey } from '../protocol/merchant-key.ts';
import type { Readiness } from '../readiness.ts';
import { VERSION } from '../installation.ts';
import { MERCHANT, json, documentWebhooks } from './merchant-schemas.ts';

const getHealth = createRoute({
  method: 'get',
  path: '/healthz',
  operationId: 'getHealth',
  summary: 'Whether the process answers',
  security: PUBLIC,
  responses: { 200: json(z.object({ status: z.literal('ok') }), 'ok'), ...refusedBy() },
});

const getReadiness = createRoute({
  method: 'get',
  path: '/readyz',
  operationId: 'getReadiness',
  summary: 'Whether the database can be written, payments can start, and the proxy is not stopping',
  security: PUBLIC,
  responses: {
    200: json(
      z.object({ status: z.literal('ready'), warnings: z.array(z.string()).optional() }),
      'Ready; `warnings` lists problems that an operator should fix',
    ),
    ...refusedBy(),
  },
});

const getMetrics = createRoute({
  method: 'get',
  path: '/metrics',
  operationId: 'getMetrics',
  summary: 'Metrics for Prometheus',
  security: keysWith('read'),
  responses: {
    200: { description: 'Prometheus text', content: { 'text/plain': { schema: z.string() } } },
    ...refusedBy(...MERCHANT),
  },
});

interface Deps {
  keys: readonly MerchantKey[];
  metrics: Metrics;
  /** The process is about to end, and another one should get the requests. */
  isStopping(): boolean;
  readiness(): Promise<Readiness>;
}

export function serveHealth(app: OpenAPIHono, { keys, metrics, isStopping, readiness }: Deps): void {
  app.use('/metrics', merchantOnly(keys, 'METRICS_TOKEN; without one, the merchant API key'));

  serveRoute(app, getHealth, (c) => answerJson(c, { status: 'ok' as const }, 200));

  serveRoute(app, getReadiness, async (c) => {
    if (isStopping()) throw new Refusal('unavailable', 'The proxy is stopping.');
    const { refusal, warnings } = await readiness();
    if (refusal !== undefined) throw refusal;
    // Open to all, so without their details.
    const texts = warnings.map(({ warning }) => warning);
    return answerJson(c, { status: 'ready' as const, ...(texts.length > 0 && { warnings: texts }) }, 200);
  });

  serveRoute(app, getMetrics, async (c) =>
    c.text(await metrics.text(), 200, { 'Content-Type': METRICS_CONTENT_TYPE, 'Cache-Control': 'no-store' }),
  );
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
