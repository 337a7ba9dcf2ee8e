// The composition root: builds gateway, database and proxy from the configuration. It opens no port and
// handles no signal; start.ts does both.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Hono } from 'hono';
import { createAdmin } from './admin/app.ts';
import { createProxy, type Proxy, type ProxyConfig } from './app.ts';
import { configWarnings, readConfig, type Config, type Environment, merchantKeysOf } from './config/config.ts';
import { ensureOwner } from './use-cases/database-owner.ts';
import { Refusal } from './errors.ts';
import { createGateway } from './gateway/http.ts';
import { connectDatabase, patiently, filePathOf } from './ledger/connect.ts';
import type { Ledger } from './ledger/ledger.ts';
import { createLedger } from './ledger/ledger.ts';
import type { Store } from './ledger/store.ts';
import { createLogger } from './observability/log.ts';
import type { Log } from './protocol/log.ts';
import { makePrivate } from './ledger/sqlite/files.ts';
import { VERSION } from './installation.ts';

interface ComposedProxy extends Proxy {
  /** The operator's page, for a listener of its own; undefined without ADMIN_TOKEN. */
  admin: Hono | undefined;
  /** Ends the connections to the gateway and the database. Call it after `stop()` of `run()`. */
  close(): Promise<void>;
}

interface ComposeOptions {
  log?: Log;
  /** How many lines the log has lost, for the metrics. */
  lostLogLines?: () => number;
  /** Logged at the start: what configWarnings() found. */
  warnings?: readonly string[];
  /** The disk failed during a commit: the process must end, because what is durable is known only after a restart. */
  onFatal?: (error: unknown) => void;
}

/**
 * The proxy that the variables of docs/configuration.md describe.
 * @throws an Error whose message is written for the operator
 */
export async function createProxyFrom(env: Environment, options: ComposeOptions = {}): Promise<ComposedProxy> {
  const config = readConfig(env);
  const logger = createLogger(config.LOG_LEVEL);
  const log: Log = (level, event, fields = {}) => logger[level]({ event, ...fields });
  return compose(config, { log, lostLogLines: logger.lostLines, warnings: configWarnings(env), ...options });
}

export async function compose(
  config: Config,
  { log = () => undefined, lostLogLines, onFatal = endProcess, warnings = [] }: ComposeOptions = {},
): Promise<ComposedProxy> {
  const ledger = await openLedger(config, onFatal, log);
  for (const warning of warnings) log('warn', 'configuration warning', { warning });
  const self = `${hostname()}:${config.PORT || randomUUID()}`;
  const gateway = createGateway({
    url: config.GATEWAY_URL,
    apiKey: config.GATEWAY_API_KEY,
    profile: config.GATEWAY_PROFILE,
    checkoutHosts: config.CHECKOUT_HOSTS ?? [],
  });
  await patiently(isUnavailable, () =>
    ensureOwner({
      ledger,
      gateway,
      url: config.GATEWAY_URL,
      apiKey: config.GATEWAY_API_KEY,
      renamedFrom: config.GATEWAY_RENAMED_FROM,
      allowsWeaker: config.GATEWAY_WEAKER_MODE === 'yes',
    }),
  );
  if (config.DATABASE_RESTORED !== undefined) await ledger.recordRestore(Date.parse(config.DATABASE_RESTORED));
  if (await ledger.wasRestoredLately()) {
    log('warn', 'restored database: for 7 days the gateway is checked before each payout is sent');
  }
  for (const warning of await ledger.databaseWarnings()) log('warn', 'database warning', { ...warning });
  if (gateway.status === undefined) {
    log('warn', 'weaker mode: the profile has no status check, so IPNs are trusted unchecked');
  }
  const proxy = createProxy({
    gateway,
    ledger,
    log,
    lostLogLines,
    config: { ...proxyConfig(config), self },
  });
  const admin =
    config.ADMIN_TOKEN === undefined
      ? undefined
      : createAdmin({
          ledger,
          refunds: proxy.refunds,
          refundRules: gateway,
          token: config.ADMIN_TOKEN,
          version: VERSION,
          host: config.PUBLIC_URL && new URL(config.PUBLIC_URL).host,
          isTest: gateway.isTest,
          sendsWebhooks: config.WEBHOOK_URL !== undefined,
          onDue: proxy.wake,
          readiness: proxy.readiness,
          gatewaySilence: proxy.gatewaySilence,
          log,
        });
  return {
    ...proxy,
    admin,
    async close() {
      await gateway.close();
      await ledger.close();
    },
  };
}

/** A file is then its own user's alone. */
async function openLedger(config: Config, onFatal: (error: unknown) => void, log: Log): Promise<Ledger> {
  const { open, stillOpen } = makePrivate(filesOf(config.DATABASE_URL));
  if (open.length > 0)
    log('warn', 'other users could read the database files: their rights were removed', { open, stillOpen });
  const connected = connectDatabase(config.DATABASE_URL, onFatal, { connections: config.DATABASE_POOL, log });
  const store = await namingVariables('DATABASE_URL', connected);
  const ledger = createLedger(store, { idPrefix: config.ORDER_ID_PREFIX ?? '' });
  await patiently(isUnavailable, () => logDatabase(store, ledger, log));
  return ledger;
}

/** The payment page is a page of the proxy's own. */
function ownOrigin({ PUBLIC_URL: url }: Config): string[] {
  return url === undefined ? [] : [new URL(url).origin];
}

function proxyConfig(config: Config): ProxyConfig {
  const { WEBHOOK_URL: url, WEBHOOK_SECRET: secrets } = config;
  return {
    orderSecrets: config.ORDER_SECRET,
    merchantKeys: merchantKeysOf(config),
    metricsTokens: config.METRICS_TOKEN,
    ipnSecrets: config.IPN_SECRET,
    allowedOrigins: [...config.ALLOWED_ORIGINS, ...ownOrigin(config)],
    orderIdPrefix: config.ORDER_ID_PREFIX,
    trustedProxies: config.TRUSTED_PROXIES,
    publicUrl: config.PUBLIC_URL,
    checksPerSecond: config.CHECKS_PER_SECOND,
    retentionDays: config.RETENTION_DAYS,
    refundDays: config.REFUND_DAYS,
    webhook: url !== undefined && secrets !== undefined ? { url, secrets } : undefined,
  };
}

/** Logs how many transactions are open, so that a wrong path or name is seen at once. */
async function logDatabase({ place }: Store, ledger: Ledger, log: Log): Promise<void> {
  const isNew = (await ledger.owner()) === undefined;
  const { transactions } = await ledger.counts();
  log('info', 'database opened', { open: transactions.reduce((sum, { count }) => sum + count, 0) });
  if (isNew) log('warn', 'a new, empty database was made', place);
}

const isUnavailable = (error: unknown): boolean => error instanceof Refusal && error.kind === 'unavailable';

function endProcess(): never {
  process.exit(1);
}

/** The database files to protect; empty for PostgreSQL. */
function filesOf(databaseUrl: string): string[] {
  const path = filePathOf(databaseUrl);
  return path === undefined ? [] : [path, `${path}-wal`, `${path}-shm`];
}

/** Prefixes a system or database error with the variables that caused it. */
export async function namingVariables<T>(variables: string, started: Promise<T>): Promise<T> {
  try {
    return await started;
  } catch (error) {
    throw new Error(`${variables}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
