// Assembles the proxy: a Hono app over a gateway and a ledger, its routes, and the background workers.
// It reads no environment and opens no port.
import { randomUUID } from 'node:crypto';
import { OpenAPIHono } from '@hono/zod-openapi';
import type { Dispatcher } from 'undici';
import { describeError } from './errors.ts';
import type { Gateway } from './gateway/gateway.ts';
import { completeAnswer, prepareAnswer, problemResponse, toRefusal } from './http/answer.ts';
import { createCallerAddress } from './http/caller-address.ts';
import { createRateLimit, METHODS_WITH_BODY, limitBody, crossOrigin, merchantOnly } from './http/guards.ts';
import { createRequestLog, caused } from './http/request-log.ts';
import { WIDGET_FOLDER } from './installation.ts';
import type { Ledger } from './ledger/ledger.ts';
import { createBusinessLog, createWebhookLog } from './observability/business-events.ts';
import { withCause } from './observability/log.ts';
import { instrument, type Call, createMetrics, type IpnOutcome } from './observability/metrics.ts';
import { createOrderTokens, type OrderTokens } from './orders/order-token.ts';
import { HOUR_MS, SECOND_MS, CHECKS_PER_SECOND, GATEWAY_TIMEOUT_MS } from './protocol/durations.ts';
import type { Origins } from './protocol/links.ts';
import type { Log } from './protocol/log.ts';
import { merchantKey, type MerchantKey } from './protocol/merchant-key.ts';
import type { RefundRules } from './protocol/refundable.ts';
import {
  watchGateway,
  createReadiness,
  type Readiness,
  createWarnings,
  serveHealth,
  type Silence,
} from './routes/health.ts';
import { createStreams } from './routes/events.ts';
import { serveDocument } from './routes/merchant-schemas.ts';
import { serveIpns } from './routes/ipn.ts';
import { serveOrder } from './routes/order.ts';
import { serveOrders } from './routes/orders.ts';
import { servePayouts, serveRefunds } from './routes/outgoing.ts';
import { servePayPage } from './routes/pay-page.ts';
import { notFound, serveWidget, widgetFilesIn } from './routes/widget-files.ts';
import { serveReviews, serveWebhooks } from './routes/reviews.ts';
import { createExports, type Exports, serveTransactions } from './routes/transactions.ts';
import { createCheckRate } from './use-cases/check-rate.ts';
import { createClosings, type Closings, LONGEST_ENDING, createPayments } from './use-cases/payments.ts';
import { createPayouts, createRefunds, type Refunds, type Payouts } from './use-cases/outgoing.ts';
import { createRecorder } from './use-cases/sending.ts';
import { createRetention } from './use-cases/retention.ts';
import { createUnknownProof, createStatusChecks } from './use-cases/status-checks.ts';
import { createWebhookSender, type WebhookTarget } from './use-cases/webhooks.ts';
import type { Worker } from './use-cases/worker.ts';

const PRUNE_EVERY_MS = HOUR_MS;
/** For the end of a gateway call and the write of its answer. */
const RECORDING_WAIT_MS = GATEWAY_TIMEOUT_MS + 2 * SECOND_MS;

export interface ProxyConfig {
  orderSecrets: readonly string[];
  /** Bearers of the merchant API; a text may do everything. */
  merchantKeys: readonly (string | MerchantKey)[];
  /** The bearers of `/metrics` alone; default: those of `merchantKeys` that may read. */
  metricsTokens?: readonly string[] | undefined;
  ipnSecrets: readonly string[];
  allowedOrigins: Origins;
  /** What the ledger puts before each order id at the gateway; default: nothing. */
  orderIdPrefix?: string | undefined;
  webhook?: WebhookTarget | undefined;
  /** Number of reverse proxies in front whose X-Forwarded-For is trusted; default 0. */
  trustedProxies?: number;
  /** URL by which browsers reach the proxy; without it there is no payment page. */
  publicUrl?: string | undefined;
  /** After so many days the personal data of what has ended is erased; default: never. */
  retentionDays?: number | undefined;
  /** How long a payer is kept for refunds; default: as long as the rest. */
  refundDays?: number | undefined;
  /** Upper limit of status checks per second; default 500. */
  checksPerSecond?: number;
  /** Host and port; identifies calls that this process left unfinished before a restart. Default: a random id. */
  self?: string;
  /** Folder of the built widget; default: the one of this installation. */
  widgetFolder?: string;
}

/** What a proxy is made of. */
interface ProxyParts {
  gateway: Gateway;
  ledger: Ledger;
  config: ProxyConfig;
  now?: () => number;
  log?: Log;
  /** How many lines the log has lost, for the metrics. */
  lostLogLines?: (() => number) | undefined;
}

/** What tests with a virtual clock replace. */
interface Outside {
  /** A monotonic clock, ms. */
  elapsed?: () => number;
  wait?: (ms: number) => Promise<void>;
  random?: () => number;
  /** Sends the webhooks. */
  dispatcher?: Dispatcher;
  /** The time in the signature of a webhook, which its receiver compares with the real time; default: `now`. */
  signedAt?: () => number;
}

export interface Proxy {
  app: OpenAPIHono;
  /** Runs all checks and deliveries that are due now; for tests with a virtual clock. */
  tick(): Promise<void>;
  /** Begins as much of it as the limits allow, as `run` does at each poll; for the same tests. */
  begin(): Promise<void>;
  /** Sends what became due by another way than the routes. */
  wake(): void;
  refunds: Refunds;
  /** Whether it can take payments, and what an operator should fix. */
  readiness(): Promise<Readiness>;
  /** Since when the gateway gives this process no answer; undefined if it does. */
  gatewaySilence(): Silence | undefined;
  /** From now on /readyz is 503, so that load balancers choose another proxy; everything else is served. */
  drain(): void;
  /** Starts the background work. `stop` ends the streams and resolves when no work is in flight. */
  run(): { stop(): Promise<void> };
}

/** What the proxy is made of. */
function assemble(parts: ProxyParts, { elapsed, wait, random, dispatcher, signedAt }: Outside) {
  const { ledger, config, now = Date.now, log: write = () => undefined, lostLogLines = () => 0 } = parts;
  const log: Log = (level, event, fields) => write(level, event, withCause(fields));
  const onError = (error: unknown) => log('error', 'work failed', { error: describeError(error) });
  const rate = createCheckRate({ limit: config.checksPerSecond ?? CHECKS_PER_SECOND, clock: elapsed });
  const watch = watchGateway(now);
  const metrics = createMetrics({
    counts: () => ledger.counts(),
    openStreams: () => streams.size(),
    checksPerSecond: () => rate.perSecond(),
    isReady: async () => (await readiness()).refusal === undefined,
    clockOffsetMs: () => ledger.clockOffset(),
    gatewayOffsetMs: () => gateway.clockOffset(),
    freeBytes: () => ledger.freeBytes(),
    lostLogLines,
  });
  const onCall = (call: Call) => {
    metrics.countCall(call);
    rate.record(call);
    watch.record(call);
    log(call.detail === undefined ? 'debug' : 'warn', 'gateway call', { ...call });
  };
  const gateway = instrument(parts.gateway, onCall, elapsed);
  const proof = createUnknownProof({
    gateway,
    ledger,
    now,
    onWrongPath: (type) =>
      log('error', 'the gateway no longer knows a transaction: the status path or the API key is wrong', { type }),
  });
  const statusChecks = createStatusChecks({ gateway, ledger, proof, rate, now, elapsed }, onError);
  const onAttempt = createWebhookLog(log, metrics, now);
  const sending = { ledger, now, signedAt, elapsed, random, dispatcher, onAttempt };
  const sender = config.webhook && createWebhookSender({ ...sending, target: config.webhook }, onError);
  const workers: Worker[] = sender ? [statusChecks, sender] : [statusChecks];
  const recorder = createRecorder({ ledger, onError, wait });
  const self = config.self ?? randomUUID();
  const starting = { gateway, ledger, recorder, self, clocks: { now, elapsed } };
  const payments = createPayments(starting);
  const outgoing = { ...starting, isPathProven: () => proof.isProven('PAYOUT') };
  const payouts = createPayouts(outgoing);
  const refunds = createRefunds(outgoing);
  const closings = createClosings({ ledger, check: statusChecks.check });
  const streams = createStreams({ ledger, payments, now });
  const exports = createExports({ onError });
  const callers = createCallerAddress(config.trustedProxies ?? 0, now, log);
  const warnings = createWarnings({ ledger, gateway, watch, proof, callers, now, log, onError });
  const { widgetFolder = WIDGET_FOLDER } = config;
  const widgetFiles = widgetFilesIn(widgetFolder);
  const isWidgetBuilt = widgetFiles.includes('widget.js');
  const readiness = createReadiness({ ledger, isWidgetBuilt, warnings: warnings.all, now });
  const use = {
    self,
    payments,
    payouts,
    refunds,
    closings,
    streams,
    exports,
    callers,
    warnings,
    readiness,
    gatewaySilence: watch.silence,
    widgetFolder,
    widgetFiles,
    workers,
    recorder,
    statusChecks,
  };
  return { ...use, config, ledger, gateway, metrics, now, log, onError, wake: () => sender?.wake() };
}

type Assembly = ReturnType<typeof assemble>;

export function createProxy(parts: ProxyParts, outside: Outside = {}): Proxy {
  const assembly = assemble(parts, outside);
  const { workers, refunds, readiness, gatewaySilence, wake } = assembly;
  let isStopping = false;
  observeWrites(assembly);
  return {
    app: createApp(assembly, () => isStopping),
    wake,
    refunds,
    readiness,
    gatewaySilence,
    async tick() {
      while ((await Promise.all(workers.map((worker) => worker.tick()))).some((handled) => handled > 0));
    },
    async begin() {
      for (const worker of workers) {
        await worker.prolong();
        await worker.begin();
      }
    },
    drain() {
      isStopping = true;
    },
    run: () => runAll(assembly),
  };
}

/** Counts and logs what the ledger commits. */
function observeWrites({ ledger, metrics, log, onError, wake }: Assembly): void {
  const logEvents = createBusinessLog(log, metrics);
  ledger.onWrite((ms, events) => {
    try {
      metrics.countWrite(ms);
      logEvents(events);
      if (events.some(({ webhooks }) => webhooks.length > 0)) wake();
    } catch (error) {
      // What is committed must not be answered as an error.
      onError(error);
    }
  });
}

/** What each request passes, in this order. */
function createApp(assembly: Assembly, isStopping: () => boolean): OpenAPIHono {
  const { config, ledger, gateway, metrics, now, log, payments, closings, streams, exports, callers } = assembly;
  const claims = {
    allowedOrigins: config.allowedOrigins,
    added: { before: config.orderIdPrefix?.length ?? 0, after: LONGEST_ENDING.length },
    onOddClaim: (claim: string, known: string) =>
      log('warn', 'order tokens have a claim that is ignored', { claim, nearest: known }),
  };
  const tokens = createOrderTokens(config.orderSecrets, claims, now);
  const keys = config.merchantKeys.map(merchantKey);
  const app = new OpenAPIHono();
  const logRequest = createRequestLog(log, metrics, now);
  app.use((c, next) => {
    const startedAt = now();
    prepareAnswer(c);
    return caused(c, next, () => {
      completeAnswer(c);
      logRequest(c, now() - startedAt);
    });
  });
  app.on(METHODS_WITH_BODY, '*', limitBody);
  app.use('/order/*', crossOrigin(config.allowedOrigins));
  const onIpn = (outcome: IpnOutcome) => {
    metrics.countIpn(outcome);
    log('debug', 'IPN received', { outcome });
    if (outcome === 'unmatched') log('warn', 'an IPN matches no transaction in the database');
  };
  serveIpns(app, { secrets: config.ipnSecrets, gateway, receive: assembly.statusChecks.receive, onIpn });
  serveOrder(app, { tokens, payments, streams, limitStarts: createRateLimit(now), callers });
  serveMerchant(app, {
    keys,
    publicUrl: config.publicUrl,
    tokens,
    payouts: assembly.payouts,
    refunds: assembly.refunds,
    refundRules: gateway,
    closings,
    ledger,
    sendsWebhooks: config.webhook !== undefined,
    exports,
    onDue: assembly.wake,
  });
  if (config.publicUrl !== undefined) servePayPage(app);
  serveDocument(app, config.publicUrl);
  serveHealth(app, {
    keys: config.metricsTokens?.map((key) => ({ name: 'metrics', scopes: ['read'], key })) ?? keys,
    metrics,
    isStopping,
    readiness: assembly.readiness,
  });
  serveWidget(app, assembly.widgetFolder, assembly.widgetFiles);
  app.notFound((c) => problemResponse(c, notFound(c.req.path)));
  app.onError((error, c) => {
    const refusal = toRefusal(error);
    if (refusal.cause !== undefined) {
      log('error', 'request failed', { error: describeError(refusal.cause, refusal.kind === 'unavailable') });
    }
    return problemResponse(c, refusal);
  });
  return app;
}

/** Starts what runs beside the requests. */
function runAll(assembly: Assembly): { stop(): Promise<void> } {
  const { config, ledger, workers, warnings, streams, exports, recorder, log, onError } = assembly;
  const { retentionDays: days, refundDays = 0 } = config;
  const sendsWebhooks = config.webhook !== undefined;
  const retention = days === undefined ? [] : [createRetention({ ledger, days, refundDays, sendsWebhooks, log })];
  const stops = [...workers, ...retention].map((worker) => worker.run());
  const endWarnings = warnings.run();
  // The port is ours by now, so an earlier process of this name has ended.
  void ledger.recover(assembly.self).catch(onError);
  const pruning = setInterval(() => void ledger.prune().catch(onError), PRUNE_EVERY_MS);
  pruning.unref();
  return {
    async stop() {
      clearInterval(pruning);
      endWarnings();
      streams.close();
      exports.close();
      await Promise.all(stops.map((stop) => stop()));
      await recorder.drain(RECORDING_WAIT_MS);
    },
  };
}

// Routes for the merchant's server, each resource in a file of its own. Browsers are refused.

interface Deps {
  keys: readonly MerchantKey[];
  publicUrl: string | undefined;
  tokens: OrderTokens;
  payouts: Payouts;
  refunds: Refunds;
  refundRules: RefundRules;
  closings: Closings;
  ledger: Ledger;
  /** Whether there is a WEBHOOK_URL. */
  sendsWebhooks: boolean;
  exports: Exports;
  /** Called when something is due to be sent, after a redelivery or a resolution. */
  onDue(): void;
}

function serveMerchant(app: OpenAPIHono, deps: Deps): void {
  const { keys, payouts, refunds, ledger, onDue } = deps;
  for (const path of ['/orders', '/payouts', '/transactions', '/ipns', '/webhooks']) {
    // Also the path itself.
    app.use(`${path}/*`, merchantOnly(keys));
  }
  serveOrders(app, deps);
  servePayouts(app, payouts);
  serveRefunds(app, refunds);
  serveTransactions(app, deps);
  serveReviews(app, ledger, onDue);
  serveWebhooks(app, ledger, onDue);
}
