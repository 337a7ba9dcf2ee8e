// Metrics for Prometheus, in a registry of each proxy's own, and a gateway that reports each call.
// What this process does is counted as it happens; the rest is read at each scrape from the database and the streams.
// Labels come from fixed lists (route patterns, not paths), so their number is bounded and they hold no order or
// shopper data.
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from '@prometheus-io/client';
import type { Checked, ExtraHeaders, Gateway, Operation, Sent } from '../gateway/gateway.ts';
import type { Counts, LedgerEvent, WebhookState } from '../ledger/model.ts';
import { withinLimit } from '../protocol/durations.ts';
import { STAGES, TRANSACTION_TYPES, TYPES, reasonOf } from '../protocol/transaction.ts';
import { METHODS, REASONS } from '../protocol/wire.ts';
import { VERSION } from '../installation.ts';
import { causeOf, runAs } from './log.ts';

const IPN_OUTCOMES = ['matched', 'unmatched', 'unreadable', 'refused', 'wrong_secret'] as const;
export type IpnOutcome = (typeof IPN_OUTCOMES)[number];
const DELIVERY_OUTCOMES = ['delivered', 'failed', 'dead'] as const;
const WEBHOOK_STATES = ['pending', 'dead'] as const satisfies WebhookState[];
const FLAGS = ['late', 'surplus', 'after_close', 'mismatch', 'conflict', 'needs_review'] as const;
const SUCCESS = 'SUCCESS';
/** Of a payout. */
const NO_METHOD = 'none';

interface Delivered {
  outcome: (typeof DELIVERY_OUTCOMES)[number];
  ms: number;
  /** From the event to the end of the delivery. */
  ageMs: number;
}

export interface Metrics {
  countRequest(request: { method: string; route: string; status: number; ms: number }): void;
  countCall(call: Pick<Call, 'operation' | 'outcome' | 'ms'>): void;
  countWrite(ms: number): void;
  countEvent(event: LedgerEvent): void;
  countIpn(outcome: IpnOutcome): void;
  countDelivery(delivered: Delivered): void;
  text(): Promise<string>;
}

export const METRICS_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Callers can send any method; other methods are counted as `other`. */
const HTTP_METHODS = new Set(['GET', 'POST', 'OPTIONS', 'HEAD']);
const CALL_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30];
const WAIT_BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 21_600, 86_400];
/** A scrape waits no longer for the database: its gauges are missing then, and `ready` is 0. */
const DATABASE_LIMIT_MS = 5_000;
/** How often the lag of the event loop is measured; finer costs more timers. */
const LAG_PRECISION_MS = 20;

interface Sources {
  /** Rejects if the database is away; the metrics of this process are shown all the same. */
  counts(): Promise<Counts>;
  openStreams(): number;
  /** The current rate. */
  checksPerSecond(): number;
  isReady(): Promise<boolean>;
  /** How far the database's clock is ahead of this process's. */
  clockOffsetMs(): Promise<number>;
  /** The same of the gateway's clock; undefined until it has answered. */
  gatewayOffsetMs(): number | undefined;
  /** On the database's disk; undefined on another host. */
  freeBytes(): number | undefined;
  lostLogLines(): number;
}

/** Makes metrics that belong to the registry. */
function createMake(registry: Registry) {
  const options = (name: string, help: string) => ({ name: `payment_proxy_${name}`, help, registers: [registry] });
  return {
    counter: <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
      new Counter({ ...options(name, help), labelNames }),
    gauge: <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
      new Gauge({ ...options(name, help), labelNames }),
    histogram: <Label extends string>(name: string, help: string, buckets: number[], ...labelNames: Label[]) =>
      new Histogram({ ...options(name, help), buckets, labelNames }),
  };
}

type Make = ReturnType<typeof createMake>;
type Counted = ReturnType<typeof createCounted>;

/** What is counted as it happens. */
function createCounted({ counter, histogram }: Make) {
  return {
    requests: counter('requests_total', 'Requests answered', 'method', 'route', 'status'),
    requestSeconds: histogram(
      'request_duration_seconds',
      'Time until the answer; of a stream, until its beginning',
      [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      'method',
      'route',
      'status',
    ),
    calls: counter('gateway_calls_total', 'Gateway calls, by operation and outcome', 'operation', 'outcome'),
    callSeconds: histogram(
      'gateway_call_duration_seconds',
      'Time of a gateway call',
      CALL_BUCKETS,
      'operation',
      'outcome',
    ),
    writeSeconds: histogram(
      'database_write_duration_seconds',
      'Time of a write, with the wait for others',
      [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    ),
    started: counter('transactions_started_total', 'Transactions started', 'type', 'method'),
    ended: counter(
      'transactions_ended_total',
      'Transactions reported as SUCCESS or FAILED, by reason',
      'type',
      'method',
      'outcome',
    ),
    flags: counter('transactions_flagged_total', 'What became unusual about a transaction', 'type', 'flag'),
    settledSeconds: histogram(
      'ipn_to_settled_seconds',
      'Time from the newest IPN of a transaction to its end',
      WAIT_BUCKETS,
      'type',
    ),
    ipns: counter('ipns_total', 'IPNs received and rejected, by outcome', 'outcome'),
    deliveries: counter('webhook_deliveries_total', 'Attempts to deliver a webhook', 'outcome'),
    deliverySeconds: histogram(
      'webhook_delivery_duration_seconds',
      'Time of an attempt to deliver a webhook',
      CALL_BUCKETS,
      'outcome',
    ),
    webhookAge: histogram('webhook_age_seconds', 'Time from an event to its delivery', WAIT_BUCKETS),
  };
}

/** What is read at a scrape. */
function createRead({ counter, gauge }: Make) {
  return {
    streams: gauge('open_streams', 'Open event streams'),
    transactions: gauge('transactions', 'Open transactions, by type and status', 'type', 'status'),
    reviews: gauge('transactions_needing_review', 'Transactions to review, or to refund because the order was closed'),
    unmatched: gauge('unmatched_ipns', 'Stored IPNs that match no transaction'),
    checks: gauge('checks', 'Planned status checks, and those that are due', 'state'),
    rate: gauge('checks_per_second', 'Current limit of status checks per second'),
    webhooks: gauge('webhooks', 'Webhooks that are not delivered, by state', 'state'),
    oldest: gauge('webhook_oldest_pending_seconds', 'Age of the oldest webhook that is still to be delivered'),
    ready: gauge('ready', '1 if the database can be written and payments can start, else 0'),
    offset: gauge('clock_offset_seconds', "How far the database's clock is ahead of this process's"),
    gatewayOffset: gauge(
      'gateway_clock_offset_seconds',
      "How far the gateway's clock is ahead of this process's, as far as its answers prove it",
    ),
    free: gauge('database_disk_free_bytes', 'Free space on the disk of an SQLite database'),
    lost: counter('log_lines_lost_total', 'Log lines that could not be written'),
  };
}

async function readDatabase(read: ReturnType<typeof createRead>, sources: Sources): Promise<void> {
  const { transactions, reviews, unmatched, checks, webhooks, oldest, ready, offset } = read;
  for (const each of [transactions, checks, webhooks]) each.reset();
  for (const each of [reviews, unmatched, oldest, offset]) each.remove();
  ready.set(0);
  ready.set(Number(await sources.isReady()));
  const counts = await sources.counts();
  for (const { type, status, count } of counts.transactions) transactions.set({ type, status }, count);
  reviews.set(counts.needReview);
  unmatched.set(counts.unmatchedIpns);
  for (const { state, count } of counts.checks) checks.set({ state }, count);
  for (const state of WEBHOOK_STATES) webhooks.set({ state }, 0);
  for (const { state, count } of counts.webhooks) webhooks.set({ state }, count);
  oldest.set(counts.oldestPendingWebhookMs / 1000);
  offset.set((await sources.clockOffsetMs()) / 1000);
}

/** A gauge without a value is not shown. */
function showKnown(gauge: Gauge, value: number | undefined, per = 1): void {
  if (value === undefined) gauge.remove();
  else gauge.set(value / per);
}

/**
 * A counter that begins at 1 looks to Prometheus as if nothing had been counted, so what alerts ask for begins at 0.
 */
function beginAtZero({ ipns, deliveries, flags, started, ended }: Counted): void {
  for (const outcome of IPN_OUTCOMES) ipns.inc({ outcome }, 0);
  for (const outcome of DELIVERY_OUTCOMES) deliveries.inc({ outcome }, 0);
  for (const type of TRANSACTION_TYPES) {
    for (const flag of FLAGS) flags.inc({ type, flag }, 0);
    for (const method of TYPES[type].paysOrder ? METHODS : [NO_METHOD]) {
      started.inc({ type, method }, 0);
      for (const outcome of [SUCCESS, ...REASONS]) ended.inc({ type, method, outcome }, 0);
    }
  }
}

function createCounting(counted: Counted): Omit<Metrics, 'text'> {
  const { requests, requestSeconds, calls, callSeconds, writeSeconds, started, ended, flags, settledSeconds } = counted;
  const { ipns, deliveries, deliverySeconds, webhookAge } = counted;
  return {
    countRequest({ method: given, route, status, ms }) {
      const method = HTTP_METHODS.has(given) ? given : 'other';
      requests.inc({ method, route, status });
      requestSeconds.observe({ method, route, status: `${Math.floor(status / 100)}xx` }, Math.max(0, ms) / 1000);
    },
    countCall({ operation, outcome, ms }) {
      calls.inc({ operation, outcome });
      callSeconds.observe({ operation, outcome }, ms / 1000);
    },
    countWrite: (ms) => writeSeconds.observe(ms / 1000),
    countEvent({ event, transaction, sinceIpnMs }) {
      const { type, stage } = transaction;
      const method = transaction.method ?? NO_METHOD;
      if (event === 'created') return started.inc({ type, method });
      if (!(event in STAGES)) return event === 'resolved' ? undefined : flags.inc({ type, flag: event });
      const { status } = STAGES[event as keyof typeof STAGES];
      if (status !== SUCCESS && status !== 'FAILED') return;
      ended.inc({ type, method, outcome: reasonOf(transaction) ?? status });
      if (stage === 'succeeded' && transaction.late) flags.inc({ type, flag: 'late' });
      if (sinceIpnMs !== null) settledSeconds.observe({ type }, sinceIpnMs / 1000);
    },
    countIpn: (outcome) => ipns.inc({ outcome }),
    countDelivery({ outcome, ms, ageMs }) {
      deliveries.inc({ outcome });
      deliverySeconds.observe({ outcome }, ms / 1000);
      if (outcome === 'delivered') webhookAge.observe(Math.max(0, ageMs) / 1000);
    },
  };
}

export function createMetrics(sources: Sources): Metrics {
  const registry = new Registry();
  const make = createMake(registry);
  const counted = createCounted(make);
  const read = createRead(make);
  make.gauge('build_info', 'The running version', 'version').set({ version: VERSION }, 1);
  beginAtZero(counted);

  let lostBefore = 0;
  /** From the first scrape on, so that a process that nobody watches measures nothing. */
  let measuresProcess = false;
  function measureProcess(): void {
    if (measuresProcess) return;
    measuresProcess = true;
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_PRECISION_MS });
  }

  return {
    ...createCounting(counted),
    async text() {
      measureProcess();
      read.rate.set(Math.round(sources.checksPerSecond()));
      showKnown(read.gatewayOffset, sources.gatewayOffsetMs(), 1_000);
      showKnown(read.free, sources.freeBytes());
      read.lost.inc(sources.lostLogLines() - lostBefore);
      lostBefore = sources.lostLogLines();
      await withinLimit(
        readDatabase(read, sources).catch(() => undefined),
        DATABASE_LIMIT_MS,
      );
      read.streams.set(sources.openStreams());
      return registry.metrics();
    },
  };
}

// Wraps the gateway: each call is reported with its outcome and duration for log and metrics; no customer data.

export interface Call {
  operation: Operation;
  /** The kind of the answer. */
  outcome: Sent<unknown>['kind'] | Checked['kind'];
  /** Duration, by a monotonic clock. */
  ms: number;
  /** Set if the call did not succeed: an HTTP status, an error code or a code of the gateway, never free text. */
  detail?: string;
  /** The wait that a Retry-After of a status check asked for. */
  retryAfterMs?: number;
}

export function instrument(gateway: Gateway, onCall: (call: Call) => void, clock = () => performance.now()): Gateway {
  type Answer = { kind: Call['outcome']; detail?: string; retryAfterMs?: number };
  async function measure<Result extends Answer>(
    operation: Call['operation'],
    transactionId: string,
    call: (headers: ExtraHeaders) => Promise<Result>,
  ): Promise<Result> {
    const { traceparent } = causeOf();
    const startedAt = clock();
    return runAs({ transactionId }, async () => {
      const answer = await call(traceparent === undefined ? {} : { traceparent });
      const { kind: outcome, detail, retryAfterMs } = answer;
      onCall({
        operation,
        outcome,
        ms: Math.round(clock() - startedAt),
        ...(detail !== undefined && { detail }),
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      });
      return answer;
    });
  }
  const { status, refundMethods, payoutDecimals, isTest, walletAppUrl } = gateway;
  // Each member by name: a new call that is not measured does not compile.
  return {
    readIpn: (text) => gateway.readIpn(text),
    refundMethods,
    payoutDecimals,
    isTest,
    walletAppUrl,
    causeOf: (code) => gateway.causeOf(code),
    clockOffset: () => gateway.clockOffset(),
    close: () => gateway.close(),
    pay: (collection) => measure('pay', collection.transactionId, (headers) => gateway.pay(collection, headers)),
    payout: (payout) => measure('payout', payout.transactionId, (headers) => gateway.payout(payout, headers)),
    ...(status && {
      status: (transactionId, type) =>
        measure('status', transactionId, (headers) => status(transactionId, type, headers)),
    }),
  };
}
