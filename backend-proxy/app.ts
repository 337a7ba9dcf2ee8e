// Puts the proxy together: a Hono app over a gateway and a ledger, and the two workers beside it.
// It reads no environment and opens no port, so it also mounts in a merchant's own server: `server.route('/pay', proxy.app)`.
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { OpenAPIHono } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { cors } from 'hono/cors';
import { HTTPException } from 'hono/http-exception';
import { requestId } from 'hono/request-id';
import { routePath } from 'hono/route';
import { secureHeaders } from 'hono/secure-headers';
import { createRecorder } from './recorder.ts';
import { heard } from './gateway/instrumented.ts';
import { Refusal } from './errors.ts';
import type { Gateway } from './gateway/gateway.ts';
import type { Ledger } from './ledger/ledger.ts';
import { createOrderTokens } from './order-token.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { CHECKS_PER_SECOND, createCheckRate } from './check-rate.ts';
import { createPayments } from './payments.ts';
import { createPayouts } from './payouts.ts';
import { createUnknownProof } from './unknown-proof.ts';
import { createReconciler } from './reconcile.ts';
import { createRateLimit } from './routes/rate-limit.ts';
import { createStreams } from './routes/events.ts';
import { originIn } from './routes/guards.ts';
import { ipnRoutes } from './routes/ipn.ts';
import { merchantRoutes } from './routes/merchant.ts';
import { documentWebhooks } from './routes/merchant-schemas.ts';
import { healthRoutes } from './routes/health.ts';
import { orderRoutes } from './routes/order.ts';
import { problemResponse } from './routes/problem.ts';
import { readWidgetFiles, widgetRoutes } from './routes/widget-files.ts';
import { createWebhookSender, type WebhookTarget } from './webhooks.ts';
import type { Worker } from './worker.ts';

const MAX_BODY_BYTES = 16 * 1024;
const MAX_LOGGED_CHARS = 300;
const PRUNE_EVERY_MS = 3_600_000;
const LOOK_AROUND_EVERY_MS = 60_000;
/** An IPN that names nothing here after so long is news for the operator: the books may have lost what it is about. */
const UNMATCHED_TOLD_AFTER_MS = 3_600_000;
const CLOCK_TOLERANCE_MS = 1_000;
/** A little longer than a call may take. */
const RECORDING_WAIT_MS = 32_000;

export interface ProxyConfig {
  orderSecrets: readonly string[];
  merchantKeys: readonly string[];
  ipnSecrets: readonly string[];
  allowedOrigins: readonly string[];
  webhook?: WebhookTarget | undefined;
  /** Reverse proxies in front whose X-Forwarded-For is believed; default none. */
  trustedProxies?: number;
  /** How browsers reach the proxy, for the OpenAPI document; default: where in the same server it is mounted. */
  publicUrl?: string | undefined;
  /** Status checks, as fast as the gateway takes them well; default 500. */
  checksPerSecond?: number;
  /** Host and port, by which this process knows its own calls again after a restart; default: none of them are its own. */
  self?: string;
  /** Where the built widget lies; default: this project's dist/widget. */
  widgetFolder?: string;
}

/** One line of the log: an event's name and fields that are safe to keep. */
export type Log = (level: 'error' | 'warn' | 'info' | 'debug', event: string, fields?: Record<string, unknown>) => void;

export interface ProxyParts {
  gateway: Gateway;
  ledger: Ledger;
  config: ProxyConfig;
  now?: () => number;
  log?: Log;
}

export interface Proxy {
  app: OpenAPIHono;
  /** Does all checks and deliveries that are due now, for tests with a clock of their own. */
  tick(): Promise<void>;
  /** Works in the background until `stop`, which ends the streams and resolves when nothing is in hand. */
  run(): { stop(): Promise<void> };
}

export function createProxy({
  gateway: wire,
  ledger,
  config,
  now = Date.now,
  log = () => undefined,
}: ProxyParts): Proxy {
  const tokens = createOrderTokens(config.orderSecrets, config, now);
  const streams = createStreams({ now });
  const onError = (error: unknown) => log('error', 'work failed', { error: describe(error) });
  const pace = createCheckRate({ limit: config.checksPerSecond ?? CHECKS_PER_SECOND });
  const metrics = createMetrics({
    counts: () => ledger.counts(),
    openStreams: () => streams.size(),
    checksPerSecond: () => pace.perSecond(),
  });
  const gateway = heard(wire, (call) => {
    metrics.countCall(call);
    pace.noted(call);
    log(call.detail === undefined ? 'debug' : 'warn', 'gateway call', { ...call });
  });
  const recorder = createRecorder({ ledger, onError });
  const proof = createUnknownProof({
    gateway,
    ledger,
    now,
    onWrongPath: (type) =>
      log('error', 'the gateway does not know what it knew: status path or API key is wrong', { type }),
  });
  const reconciler = createReconciler({ gateway, ledger, proof, pace, now }, onError);
  const self = config.self ?? randomUUID();
  const sender = config.webhook && createWebhookSender({ ledger, target: config.webhook, now }, onError);
  const workers: Worker[] = sender ? [reconciler, sender] : [reconciler];

  const app = new OpenAPIHono();
  // What a handler has set stays: the widget's files are for pages of any origin.
  app.use(requestId(), observed(log, metrics, now), secureHeaders({ overwrite: false }));
  app.use(bodyLimit({ maxSize: MAX_BODY_BYTES, onError: refuseBody }));
  app.use('/order/*', originIn(config.allowedOrigins), crossOrigin(config.allowedOrigins));
  // An IPN's body is kept as it is, whatever it says it is.
  app.on('POST', ['/order/payments', '/orders', '/payouts', '/transactions/:gatewayOrderId/resolve'], jsonOnly);
  app.route(
    '/',
    ipnRoutes({
      secrets: config.ipnSecrets,
      gateway,
      ledger,
      onRung: () => reconciler.wake(),
      onUnmatched: () => log('warn', 'an IPN names no transaction of these books'),
    }),
  );
  app.route(
    '/',
    orderRoutes({
      tokens,
      payments: createPayments({ gateway, ledger, recorder, self }),
      streams,
      watch: (orderId, onChange) => ledger.watch(orderId, onChange),
      limitStarts: createRateLimit(now),
      trustedProxies: config.trustedProxies ?? 0,
    }),
  );
  app.route(
    '/',
    merchantRoutes({
      keys: config.merchantKeys,
      allowedOrigins: config.allowedOrigins,
      tokens,
      payouts: createPayouts({ gateway, ledger, recorder, self, isPathProven: () => proof.isProven('PAYOUT') }),
      ledger,
      onDue: () => sender?.wake(),
    }),
  );
  document(app, config.publicUrl);
  const widgetFolder = config.widgetFolder ?? fileURLToPath(new URL('../dist/widget', import.meta.url));
  const warnings = async (): Promise<string[]> => {
    const offset = Math.round(await ledger.clockOffset());
    return [
      ...proof
        .wrongPaths()
        .map((type) => `The gateway does not know a ${type} that it knew: status path or API key is wrong.`),
      ...(Math.abs(offset) > CLOCK_TOLERANCE_MS
        ? [`The database's clock is ${offset} ms ahead of this process's.`]
        : []),
    ];
  };
  const widgetFiles = readWidgetFiles(widgetFolder);
  const isWidgetBuilt = widgetFiles.has('widget.js');
  app.route('/', healthRoutes({ keys: config.merchantKeys, ledger, metrics, isWidgetBuilt, warnings }));
  app.route('/', widgetRoutes(widgetFiles));
  app.notFound((c) => problemResponse(c, new Refusal('not_found', 'There is nothing here.')));
  app.onError((error, c) => {
    const refusal = refusalFrom(error);
    if (refusal.cause !== undefined) {
      log('error', 'request failed', { requestId: c.get('requestId'), error: describe(refusal.cause) });
    }
    return problemResponse(c, refusal);
  });

  return {
    app,
    async tick() {
      while ((await Promise.all(workers.map((worker) => worker.tick()))).some((handled) => handled > 0));
    },
    run() {
      const stops = workers.map((worker) => worker.run());
      const pruning = setInterval(() => void ledger.prune().catch(onError), PRUNE_EVERY_MS);
      pruning.unref();
      const lookAround = async () => {
        const unmatched = await ledger.reportUnmatched(UNMATCHED_TOLD_AFTER_MS);
        if (unmatched > 0)
          log('error', 'IPNs of unknown transactions for an hour: see GET /ipns', { count: unmatched });
        for (const warning of await warnings()) log('warn', 'not as it should be', { warning });
      };
      const looking = setInterval(() => void lookAround().catch(onError), LOOK_AROUND_EVERY_MS);
      looking.unref();
      return {
        async stop() {
          clearInterval(pruning);
          clearInterval(looking);
          streams.close();
          await Promise.all(stops.map((stop) => stop()));
          await recorder.settled(RECORDING_WAIT_MS);
        },
      };
    },
  };
}

function refusalFrom(error: Error): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof HTTPException && error.status === 400) {
    return new Refusal('invalid_request', 'The body is not valid JSON.', {
      errors: [{ field: 'body', detail: 'JSON' }],
    });
  }
  return new Refusal('internal', 'Something went wrong here. Nothing is lost; ask again.', { cause: error });
}

/** For the log: an error's name, code and place, never its message, which may quote a request or an upstream. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const code = 'code' in error ? ` ${String(error.code)}` : '';
  const place = error.stack?.split('\n').find((line) => line.trimStart().startsWith('at '));
  return `${error.name}${code}${place ?? ''}`;
}

function refuseBody(): never {
  throw new Refusal('payload_too_large', `A body has at most ${MAX_BODY_BYTES} bytes.`);
}

function crossOrigin(allowedOrigins: readonly string[]) {
  return cors({
    origin: [...allowedOrigins],
    // OPTIONS, so that the widget can have the question about its POST asked before the click.
    allowMethods: ['GET', 'POST', 'OPTIONS'],
    allowHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key'],
    exposeHeaders: ['X-Request-Id', 'Retry-After'],
    maxAge: 7200,
  });
}

const jsonOnly: MiddlewareHandler = async (c, next) => {
  if (!/^application\/json\s*(;|$)/i.test(c.req.header('Content-Type') ?? '')) {
    throw new Refusal('unsupported_media_type', 'Send Content-Type: application/json.');
  }
  await next();
};

/** One line and one count a request, with what the caller was told and the route's pattern: the path of an IPN is a secret. */
function observed(log: Log, metrics: Metrics, now: () => number): MiddlewareHandler {
  return async (c, next) => {
    const from = now();
    await next();
    const { status } = c.res;
    const answered = { method: c.req.method, route: routePath(c), status };
    metrics.countRequest(answered);
    // The gateway knocks with another secret than ours: its IPN URL is wrong.
    const isStray = status === 404 && answered.route.startsWith('/ipn/');
    log(status >= 500 || isStray ? 'warn' : 'info', 'request', {
      requestId: c.get('requestId'),
      ...answered,
      ...(c.error && refused(refusalFrom(c.error))),
      ...(status === 403 && { origin: originOf(c.req.header('Origin') ?? '') }),
      ms: now() - from,
    });
  };
}

/** Whom to allow, or whose mistake it is: an origin as browsers write it, and no other words of a caller. */
function originOf(header: string): string | undefined {
  return header.length <= MAX_LOGGED_CHARS && URL.canParse(header) && new URL(header).origin === header
    ? header
    : undefined;
}

/** Why, in our words: what is not valid is told to the caller by names that the caller wrote, and these stay out of the log. */
function refused({ kind, message }: Refusal): { code: string; detail?: string } {
  return kind === 'invalid_request' ? { code: kind } : { code: kind, detail: message.slice(0, MAX_LOGGED_CHARS) };
}

function document(app: OpenAPIHono, publicUrl: string | undefined): void {
  const { openAPIRegistry: registry } = app;
  registry.registerComponent('securitySchemes', 'orderToken', { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' });
  registry.registerComponent('securitySchemes', 'merchantKey', { type: 'http', scheme: 'bearer' });
  // Made once, when it is first asked for: it takes 100 ms.
  let routes: object | undefined;
  app.get('/openapi.json', (c) => {
    // Of the request its path alone: the host is the caller's word, and must not come back from a cache to somebody else.
    const url = publicUrl ?? new URL('.', c.req.url).pathname;
    if (routes === undefined) {
      documentWebhooks(app);
      routes = app.getOpenAPI31Document({ openapi: '3.1.0', info: { title: 'Payment widget proxy', version: '1' } });
    }
    return c.json({ ...routes, servers: [{ url: url.replace(/\/$/, '') || '/' }] }, 200, {
      'Cache-Control': 'public, max-age=60',
    });
  });
}
