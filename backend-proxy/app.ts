// Assembles the proxy: a Hono app over a gateway and a ledger, and the two background workers.
// It reads no environment and opens no port, so it can also be mounted in a merchant's own server:
// `server.route('/pay', proxy.app)`.
import { randomUUID } from 'node:crypto';
import { OpenAPIHono } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import { createBusinessLog } from './observability/business-events.ts';
import { withCause } from './observability/cause.ts';
import { createRecorder } from './workers/recorder.ts';
import { instrument } from './observability/instrumented.ts';
import { Refusal, describeError } from './errors.ts';
import { WIDGET_FOLDER } from './installation.ts';
import { createOrderTokens } from './orders/order-token.ts';
import { createMetrics } from './observability/metrics.ts';
import type { Ledger } from './ledger/ledger.ts';
import type { ProxyConfig, ProxyParts } from './parts.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from './protocol/durations.ts';
import { GATEWAY_TIMEOUT_MS } from './protocol/gateway-call.ts';
import type { Log } from './protocol/log.ts';
import { CHECKS_PER_SECOND, createCheckRate } from './workers/check-rate.ts';
import { createPayments } from './payments.ts';
import { createPayouts } from './payouts.ts';
import { createRetention } from './workers/retention.ts';
import { createUnknownProof } from './workers/unknown-proof.ts';
import { createReconciler } from './status-checks.ts';
import { createRateLimit } from './http/rate-limit.ts';
import { createStreams } from './routes/events.ts';
import { createExports } from './routes/exports.ts';
import { completeAnswer, prepareAnswer } from './http/answer.ts';
import { METHODS_WITH_BODY, limitBody } from './http/body-limit.ts';
import { createCallerAddress } from './http/caller-address.ts';
import { crossOrigin } from './http/guards.ts';
import { ipnRoutes } from './routes/ipn.ts';
import { merchantRoutes } from './routes/merchant.ts';
import { healthRoutes } from './routes/health.ts';
import { orderRoutes } from './routes/order.ts';
import { serveDocument } from './routes/openapi.ts';
import { problemResponse, toRefusal } from './http/problem.ts';
import { createRequestLog, traced } from './http/request-log.ts';
import { notFound, readWidgetFiles, widgetRoutes } from './routes/widget-files.ts';
import { createWebhookLog } from './observability/webhook-log.ts';
import { createWebhookSender } from './webhooks.ts';
import type { Worker } from './workers/worker.ts';

const PRUNE_EVERY_MS = HOUR_MS;
const WARN_EVERY_MS = MINUTE_MS;
/** An unmatched IPN this old is reported to the operator: the database may have lost its transaction. */
const UNMATCHED_REPORT_AFTER_MS = HOUR_MS;
const CLOCK_TOLERANCE_MS = SECOND_MS;
/** For the end of a gateway call and the write of its answer. */
const RECORDING_WAIT_MS = GATEWAY_TIMEOUT_MS + 2 * SECOND_MS;

export type { ProxyConfig, ProxyParts };

export interface Proxy {
  app: OpenAPIHono;
  /** Runs all checks and deliveries that are due now; for tests with a virtual clock. */
  tick(): Promise<void>;
  /** Sends what became due by another way than the routes. */
  wake(): void;
  /** What an operator should fix, without secrets. */
  warnings(): Promise<string[]>;
  /** From now on /readyz is 503, so that load balancers choose another proxy; everything else is served. */
  drain(): void;
  /** Starts the background work. `stop` ends the streams and resolves when no work is in flight. */
  run(): { stop(): Promise<void> };
}

export function createProxy({
  gateway: uninstrumented,
  ledger,
  config,
  now = Date.now,
  log: write = () => undefined,
  lostLogLines = () => 0,
}: ProxyParts<Ledger>): Proxy {
  const log: Log = (level, event, fields) => write(level, event, withCause(fields));
  const tokens = createOrderTokens(config.orderSecrets, config, now);
  const onError = (error: unknown) => log('error', 'work failed', { error: describeError(error) });
  const rate = createCheckRate({ limit: config.checksPerSecond ?? CHECKS_PER_SECOND });
  const metrics = createMetrics({
    counts: () => ledger.counts(),
    openStreams: () => streams.size(),
    checksPerSecond: () => rate.perSecond(),
    isReady: async () => {
      await ledger.ping();
      return ledger.ownerMismatch() === undefined;
    },
    clockOffsetMs: () => ledger.clockOffset(),
    lostLogLines,
  });
  const webhookLog = createWebhookLog(log, metrics, now);
  const logEvents = createBusinessLog(log, metrics);
  ledger.onWrite((ms, events) => {
    try {
      metrics.countWrite(ms);
      logEvents(events);
      webhookLog.queued(events);
    } catch (error) {
      // What is committed must not be answered as an error.
      onError(error);
    }
  });
  const gateway = instrument(uninstrumented, (call) => {
    metrics.countCall(call);
    rate.record(call);
    log(call.detail === undefined ? 'debug' : 'warn', 'gateway call', { ...call });
  });
  const recorder = createRecorder({ ledger, onError });
  const self = config.self ?? randomUUID();
  const payments = createPayments({ gateway, ledger, recorder, self });
  const streams = createStreams({ ledger, payments, now });
  const exports = createExports({ onError });
  const proof = createUnknownProof({
    gateway,
    ledger,
    now,
    onWrongPath: (type) =>
      log('error', 'the gateway no longer knows a transaction: the status path or the API key is wrong', { type }),
  });
  const reconciler = createReconciler({ gateway, ledger, proof, rate, now }, onError);
  const sender =
    config.webhook &&
    createWebhookSender(
      {
        ledger,
        target: config.webhook,
        now,
        contextOf: webhookLog.contextOf,
        onAttempt: webhookLog.attempted,
      },
      onError,
    );
  const sendsWebhooks = sender !== undefined;
  const { retentionDays: days } = config;
  const retention = days === undefined ? undefined : createRetention({ ledger, days, sendsWebhooks, log });
  const workers: Worker[] = sender ? [reconciler, sender] : [reconciler];

  const callers = createCallerAddress(config.trustedProxies ?? 0, now, log);

  const app = new OpenAPIHono();
  const logRequest = createRequestLog(log, metrics);
  app.use((c, next) => {
    const startedAt = now();
    prepareAnswer(c);
    return traced(c, next, () => {
      completeAnswer(c);
      logRequest(c, now() - startedAt);
    });
  });
  app.on(METHODS_WITH_BODY, '*', limitBody);
  app.use('/order/*', crossOrigin(config.allowedOrigins));
  // No content-type check for IPNs: their body is stored whatever its type.
  app.on('POST', ['/order/payments', '/orders', '/payouts', '/transactions/:gatewayOrderId/resolve'], jsonOnly);
  app.route(
    '/',
    ipnRoutes({
      secrets: config.ipnSecrets,
      gateway,
      receive: (ipn) => reconciler.receive(ipn),
      onIpn: (outcome) => {
        metrics.countIpn(outcome);
        log('debug', 'IPN received', { outcome });
        if (outcome === 'unmatched') log('warn', 'an IPN matches no transaction in the database');
      },
    }),
  );
  app.route(
    '/',
    orderRoutes({
      tokens,
      payments,
      streams,
      limitStarts: createRateLimit(now),
      callers,
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
      sendsWebhooks,
      exports,
      onDue: () => sender?.wake(),
    }),
  );
  serveDocument(app, config.publicUrl);
  const warnings = async (): Promise<string[]> => {
    const offset = Math.round(await ledger.clockOffset());
    return [
      ...proof
        .wrongPaths()
        .map(
          (type) =>
            `The gateway no longer knows a ${type} that it reported before: the status path or the API key is wrong.`,
        ),
      ...(Math.abs(offset) > CLOCK_TOLERANCE_MS
        ? [`The database's clock is ${offset} ms ahead of this process's.`]
        : []),
    ];
  };
  // Those of the callers are logged once an hour. Those of the database are an operator's choice: compose.ts logs them
  // once.
  const allWarnings = async () => [...(await warnings()), ...callers.warnings(), ...(await ledger.databaseWarnings())];
  const widgetFiles = readWidgetFiles(config.widgetFolder ?? WIDGET_FOLDER);
  const isWidgetBuilt = widgetFiles.has('widget.js');
  let isStopping = false;
  app.route(
    '/',
    healthRoutes({
      keys: config.metricsTokens ?? config.merchantKeys,
      ledger,
      metrics,
      isWidgetBuilt,
      isStopping: () => isStopping,
      warnings: allWarnings,
    }),
  );
  app.route('/', widgetRoutes(widgetFiles));
  app.notFound((c) => problemResponse(c, notFound(c.req.path)));
  app.onError((error, c) => {
    const refusal = toRefusal(error);
    if (refusal.cause !== undefined) {
      log('error', 'request failed', { error: describeError(refusal.cause, refusal.kind === 'unavailable') });
    }
    return problemResponse(c, refusal);
  });

  return {
    app,
    wake: () => sender?.wake(),
    warnings: allWarnings,
    async tick() {
      while ((await Promise.all(workers.map((worker) => worker.tick()))).some((handled) => handled > 0));
    },
    drain() {
      isStopping = true;
    },
    run() {
      const stops = [...workers, ...(retention ? [retention] : [])].map((worker) => worker.run());
      const pruning = setInterval(() => void ledger.prune().catch(onError), PRUNE_EVERY_MS);
      pruning.unref();
      const logWarnings = async () => {
        const unmatched = await ledger.reportUnmatched(UNMATCHED_REPORT_AFTER_MS);
        if (unmatched > 0) log('error', 'IPNs unmatched for an hour: see GET /ipns', { count: unmatched });
        for (const warning of await warnings()) log('warn', 'proxy warning', { warning });
      };
      const warningTimer = setInterval(() => void logWarnings().catch(onError), WARN_EVERY_MS);
      warningTimer.unref();
      return {
        async stop() {
          clearInterval(pruning);
          clearInterval(warningTimer);
          streams.close();
          exports.close();
          await Promise.all(stops.map((stop) => stop()));
          await recorder.drain(RECORDING_WAIT_MS);
        },
      };
    },
  };
}

const jsonOnly: MiddlewareHandler = async (c, next) => {
  if (!/^application\/json\s*(;|$)/i.test(c.req.header('Content-Type') ?? '')) {
    throw new Refusal('unsupported_media_type', 'Send Content-Type: application/json.');
  }
  await next();
};
