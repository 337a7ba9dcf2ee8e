// The composition root: puts gateway, database and proxy together, as the configuration says. It opens no port and
// handles no signal; start.ts does both.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { createProxy, type Proxy } from './app.ts';
import { readConfig, type Config, type Environment } from './config.ts';
import { ensureOwner } from './database-owner.ts';
import { createGateway } from './gateway/http.ts';
import { connectDatabase } from './ledger/connect.ts';
import { createLedger } from './ledger/sql-ledger.ts';
import type { Log } from './log.ts';
import { makePrivate } from './private-files.ts';

export interface ComposedProxy extends Proxy {
  /** Ends the connections to the gateway and the database. Call it after `stop()` of `run()`. */
  close(): Promise<void>;
}

export interface ComposeOptions {
  log?: Log;
  /** The disk failed during a commit: the process must end, because what is durable is known only after a restart. */
  onFatal?: (error: unknown) => void;
}

/**
 * The proxy that the variables of docs/configuration.md describe, for mounting in another server.
 * @throws an Error whose message is written for the operator
 */
export async function createProxyFrom(env: Environment, options: ComposeOptions = {}): Promise<ComposedProxy> {
  return compose(readConfig(env), options);
}

export async function compose(
  config: Config,
  { log = () => undefined, onFatal = endProcess }: ComposeOptions = {},
): Promise<ComposedProxy> {
  const { open, stillOpen } = makePrivate(filesOf(config.DATABASE_URL));
  if (open.length > 0)
    log('warn', 'other users could read the database files: their rights were removed', { open, stillOpen });
  const store = await namingVariables('DATABASE_URL', connectDatabase(config.DATABASE_URL, onFatal, { log }));
  const ledger = createLedger(store, { idPrefix: config.ORDER_ID_PREFIX ?? '' });
  const self = `${hostname()}:${config.PORT || randomUUID()}`;
  await ledger.recover(self);
  const gateway = createGateway({
    url: config.GATEWAY_URL,
    apiKey: config.GATEWAY_API_KEY,
    profile: config.GATEWAY_PROFILE,
    checkoutHosts: config.CHECKOUT_HOSTS ?? [],
  });
  await ensureOwner({
    ledger,
    gateway,
    url: config.GATEWAY_URL,
    apiKey: config.GATEWAY_API_KEY,
    renamedFrom: config.GATEWAY_RENAMED_FROM,
    allowsWeaker: config.GATEWAY_WEAKER_MODE === 'yes',
  });
  if (config.DATABASE_WENT_BACK !== undefined) await ledger.recordRestore(Date.parse(config.DATABASE_WENT_BACK));
  if (await ledger.wasRestoredLately()) {
    log('warn', 'restored database: for 7 days the gateway is checked before each payout is sent');
  }
  for (const warning of await ledger.databaseWarnings()) log('warn', 'database warning', { warning });
  if (gateway.status === undefined) {
    log('warn', 'weaker mode: the profile has no status check, so IPNs are trusted unchecked');
  }
  const { WEBHOOK_URL: url, WEBHOOK_SECRET: secrets } = config;
  const proxy = createProxy({
    gateway,
    ledger,
    log,
    config: {
      orderSecrets: config.ORDER_SECRET,
      merchantKeys: config.MERCHANT_API_KEY,
      ipnSecrets: config.IPN_SECRET,
      allowedOrigins: config.ALLOWED_ORIGINS,
      trustedProxies: config.TRUSTED_PROXIES,
      publicUrl: config.PUBLIC_URL,
      checksPerSecond: config.CHECKS_PER_SECOND,
      retentionDays: config.RETENTION_DAYS,
      self,
      webhook: url !== undefined && secrets !== undefined ? { url, secrets } : undefined,
    },
  });
  return {
    ...proxy,
    async close() {
      await gateway.close();
      await ledger.close();
    },
  };
}

function endProcess(): never {
  process.exit(1);
}

/** The database files to protect; none for PostgreSQL. */
function filesOf(databaseUrl: string): string[] {
  if (!databaseUrl.startsWith('file:')) return [];
  const path = databaseUrl.slice('file:'.length);
  return [path, `${path}-wal`, `${path}-shm`];
}

/** Prefixes a system or database error with the variables that caused it. */
export async function namingVariables<T>(variables: string, started: Promise<T>): Promise<T> {
  try {
    return await started;
  } catch (error) {
    throw new Error(`${variables}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
