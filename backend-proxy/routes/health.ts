// For operators: health, readiness and metrics.
import { OpenAPIHono, createRoute, z } from '@hono/zod-openapi';
import { Refusal } from '../errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { METRICS_CONTENT_TYPE, type Metrics } from '../metrics.ts';
import { merchantOnly } from './guards.ts';
import { refusedBy } from './problem.ts';

const status = <Word extends string>(word: Word) => ({
  description: word,
  content: { 'application/json': { schema: z.object({ status: z.literal(word) }) } },
});

const getHealth = createRoute({
  method: 'get',
  path: '/healthz',
  summary: 'Whether the process answers',
  responses: { 200: status('ok'), ...refusedBy() },
});

const getReadiness = createRoute({
  method: 'get',
  path: '/readyz',
  summary: 'Whether the books can be written',
  responses: {
    200: {
      description: 'It can serve; `warnings` say what an operator should mend all the same',
      content: {
        'application/json': {
          schema: z.object({ status: z.literal('ready'), warnings: z.array(z.string()).optional() }),
        },
      },
    },
    ...refusedBy(),
  },
});

const getMetrics = createRoute({
  method: 'get',
  path: '/metrics',
  summary: 'Metrics for Prometheus',
  security: [{ merchantKey: [] }],
  responses: {
    200: { description: 'Prometheus text', content: { 'text/plain': { schema: z.string() } } },
    ...refusedBy('unauthorized', 'forbidden_origin'),
  },
});

interface Deps {
  keys: readonly string[];
  ledger: Ledger;
  metrics: Metrics;
  /** False until `npm run build` has run. */
  isWidgetBuilt: boolean;
  /** What is not as it should be, in our own words. */
  warnings(): Promise<string[]>;
}

export function healthRoutes({ keys, ledger, metrics, isWidgetBuilt, warnings }: Deps): OpenAPIHono {
  const app = new OpenAPIHono();
  app.use('/metrics', merchantOnly(keys));

  app.openapi(getHealth, (c) => c.json({ status: 'ok' as const }, 200));

  app.openapi(getReadiness, async (c) => {
    await ledger.ping();
    if (!isWidgetBuilt) throw new Refusal('unavailable', 'The widget is not built: run npm run build.');
    const difference = ledger.ownerMismatch();
    if (difference !== undefined) throw new Refusal('unavailable', `No payments are started here: ${difference}.`);
    const found = await warnings();
    return c.json({ status: 'ready' as const, ...(found.length > 0 && { warnings: found }) }, 200);
  });

  app.openapi(getMetrics, async (c) =>
    c.text(await metrics.text(), 200, { 'Content-Type': METRICS_CONTENT_TYPE, 'Cache-Control': 'no-store' }),
  );

  return app;
}
