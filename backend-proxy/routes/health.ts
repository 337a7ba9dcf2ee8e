// Health, readiness and metrics, what operators should fix, and what the gateway's calls say of it.
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { Refusal } from '../errors.ts';
import { answerJson, refusedBy, toRefusal } from '../http/answer.ts';
import { PUBLIC, keysWith, merchantOnly } from '../http/guards.ts';
import { serveRoute } from '../http/route.ts';
import { METRICS_CONTENT_TYPE, type Metrics, type Call } from '../observability/metrics.ts';
import type { MerchantKey } from '../protocol/merchant-key.ts';
import { REMEDIES } from '../installation.ts';
import { MERCHANT, json } from './merchant-schemas.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { CallerAddress } from '../http/caller-address.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { SECOND_MS, withinLimit, HOUR_MS, MINUTE_MS, isWithin } from '../protocol/durations.ts';
import type { Warning, Log } from '../protocol/log.ts';
import type { UnknownProof } from '../use-cases/status-checks.ts';

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

// Whether the proxy can take payments, and what its operator should fix. Looked up at most once a second, whoever asks:
// /readyz is open to all, and each look writes to the database.

const KEPT_MS = SECOND_MS;
/** Longer than a ping waits for a lock. A database that takes longer is not ready. */
const LIMIT_MS = 3 * SECOND_MS;

export interface Readiness {
  /** Why it cannot take payments. */
  refusal?: Refusal;
  warnings: Warning[];
}

interface Ports {
  ledger: Pick<Ledger, 'ping' | 'ownerMismatch'>;
  /** False until `npm run build` has run. */
  isWidgetBuilt: boolean;
  warnings(): Promise<Warning[]>;
  now: () => number;
}

const UNWRITABLE = 'The database cannot be written: the log says why.';
const OTHER_OWNER = 'No payments are started, because the database is used with another gateway: the log names both.';

const tooSlow = () => new Refusal('unavailable', UNWRITABLE, { cause: new Error('no answer within 3 s') });

/** What it returns never rejects. */
export function createReadiness({ ledger, isWidgetBuilt, warnings, now }: Ports): () => Promise<Readiness> {
  let lookedAt = -Infinity;
  let latest: Promise<Readiness>;

  async function look(): Promise<Readiness> {
    try {
      await ledger.ping().catch((error: unknown) => {
        throw new Refusal('unavailable', UNWRITABLE, { cause: error });
      });
      const difference = ledger.ownerMismatch();
      if (!isWidgetBuilt) throw new Refusal('unavailable', `The widget is not built: ${REMEDIES.widget}.`);
      if (difference !== undefined) throw new Refusal('unavailable', OTHER_OWNER, { cause: new Error(difference) });
      return { warnings: await warnings() };
    } catch (error) {
      return { refusal: toRefusal(error instanceof Error ? error : new Error(String(error))), warnings: [] };
    }
  }

  return () => {
    if (!isWithin(KEPT_MS, lookedAt, now())) {
      lookedAt = now();
      latest = withinLimit(look(), LIMIT_MS).then((found) => found ?? { refusal: tooSlow(), warnings: [] });
    }
    return latest;
  };
}

// What an operator should fix: listed by /readyz and the operator's page, and logged.

const WARN_EVERY_MS = MINUTE_MS;
/** An unmatched IPN this old is reported to the operator: the database may have lost its transaction. */
const UNMATCHED_REPORT_AFTER_MS = HOUR_MS;
const CLOCK_TOLERANCE_MS = SECOND_MS;

interface WarningPorts {
  ledger: Pick<Ledger, 'clockOffset' | 'databaseWarnings' | 'reportUnmatched'>;
  gateway: Pick<Gateway, 'clockOffset'>;
  watch: Pick<GatewayWatch, 'warnings'>;
  proof: Pick<UnknownProof, 'wrongPaths'>;
  callers: Pick<CallerAddress, 'warnings'>;
  now: () => number;
  log: Log;
  onError(error: unknown): void;
}

interface Warnings {
  all(): Promise<Warning[]>;
  /** Logs until the returned function is called. */
  run(): () => void;
}

export function createWarnings({ ledger, gateway, watch, proof, callers, now, log, onError }: WarningPorts): Warnings {
  /** Warnings of the database, as JSON. */
  const loggedAt = new Map<string, number>();

  async function current(): Promise<Warning[]> {
    return [
      ...watch.warnings(),
      ...proof.wrongPaths().map(wrongPath),
      ...clockWarnings('database', await ledger.clockOffset()),
      ...clockWarnings('gateway', gateway.clockOffset() ?? 0),
    ];
  }

  // Each minute; those of the callers and of the database, which may be an operator's choice, once an hour.
  async function logCurrent(): Promise<void> {
    const unmatched = await ledger.reportUnmatched(UNMATCHED_REPORT_AFTER_MS);
    if (unmatched > 0) log('error', 'IPNs unmatched for an hour: see GET /ipns', { count: unmatched });
    for (const warning of await current()) log('warn', 'proxy warning', { ...warning });
    for (const warning of await ledger.databaseWarnings()) {
      const logged = JSON.stringify(warning);
      if (isWithin(HOUR_MS, loggedAt.get(logged) ?? -Infinity, now())) continue;
      loggedAt.set(logged, now());
      log('warn', 'database warning', { ...warning });
    }
  }

  return {
    all: async () => [...(await current()), ...callers.warnings(), ...(await ledger.databaseWarnings())],
    run() {
      const timer = setInterval(() => void logCurrent().catch(onError), WARN_EVERY_MS);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}

function clockWarnings(whose: string, aheadMs: number): Warning[] {
  if (Math.abs(aheadMs) <= CLOCK_TOLERANCE_MS) return [];
  const how = aheadMs > 0 ? 'ahead of' : 'behind';
  return [{ warning: `The ${whose}'s clock is ${Math.abs(Math.round(aheadMs))} ms ${how} this process's.` }];
}

function wrongPath(type: string): Warning {
  const warning = `The gateway no longer knows a ${type} that it reported before: the status path or the API key is wrong.`;
  return { warning };
}

// Whether the gateway refuses our API key, and since when it does not answer, from how its calls end.

export interface Silence {
  since: number;
  /** Of the last call. */
  detail: string;
}

interface GatewayWatch {
  /** Records a gateway call that has ended. */
  record(call: Pick<Call, 'operation' | 'outcome' | 'detail'>): void;
  warnings(): Warning[];
  /** Undefined if the last call had an answer of the gateway's. */
  silence(): Silence | undefined;
}

export function watchGateway(now: () => number): GatewayWatch {
  let refused: string | undefined;
  let silence: Silence | undefined;
  return {
    record({ operation, outcome, detail = '' }) {
      // A 403 to anything else may be about a wallet.
      const isRefused = /^HTTP 401\b/.test(detail) || (operation === 'status' && /^HTTP 403\b/.test(detail));
      if (isRefused) refused = detail;
      else if (['accepted', 'found', 'unknown'].includes(outcome)) refused = undefined;
      const isSilent = ['lost', 'unreached', 'unavailable'].includes(outcome) && !detail.startsWith('HTTP 4');
      silence = isSilent ? { since: silence?.since ?? now(), detail } : undefined;
    },
    warnings: () =>
      refused === undefined ? [] : [{ warning: 'The gateway refuses the key: set GATEWAY_API_KEY.', detail: refused }],
    silence: () => silence,
  };
}
