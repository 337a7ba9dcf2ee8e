// The composition root: reads the environment and starts the server and the workers.
// SIGTERM and SIGINT drain: no new connections, streams end (widgets reconnect elsewhere), work in flight finishes.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { createProxy } from './app.ts';
import { describeError } from './errors.ts';
import { ensureOwner } from './database-owner.ts';
import { readConfig } from './config.ts';
import { createGateway } from './gateway/http.ts';
import { createLedger } from './ledger/sql-ledger.ts';
import { connectDatabase } from './ledger/connect.ts';
import { createLogger, type Log } from './log.ts';
import { makePrivate } from './private-files.ts';
import { listen } from './server.ts';

const DRAIN_LIMIT_MS = 35_000;

/** Resolves when the server listens. Throws an Error whose message is written for the operator. */
export async function start(env: Record<string, string | undefined>): Promise<void> {
  const config = readConfig(env);
  if (!existsSync(new URL('../dist/widget/widget.js', import.meta.url))) {
    throw new Error('The widget is not built: run `npm run build` first.');
  }
  const logger = createLogger(config.LOG_LEVEL);
  const log: Log = (level, event, fields = {}) => logger[level]({ event, ...fields });
  const exitOnFailure = (error: unknown): never => {
    logger.fatal({ event: 'the database failed', error: describeError(error) });
    process.exit(1);
  };

  const { open, stillOpen } = makePrivate(filesOf(config.DATABASE_URL));
  if (open.length > 0)
    log('warn', 'other users could read the database files: their rights were removed', { open, stillOpen });
  const store = await namingVariables('DATABASE_URL', connectDatabase(config.DATABASE_URL, exitOnFailure));
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
      self,
      webhook: url !== undefined && secrets !== undefined ? { url, secrets } : undefined,
    },
  });

  const server = await namingVariables('HOST, PORT', listen(proxy.app.fetch, { host: config.HOST, port: config.PORT }));
  const work = proxy.run();

  async function drain(signal: string): Promise<void> {
    log('info', 'stopping', { signal });
    setTimeout(() => process.exit(1), DRAIN_LIMIT_MS).unref();
    const closed = server.close();
    await work.stop();
    await closed;
    await gateway.close();
    await ledger.close();
    log('info', 'stopped');
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void drain(signal));
  // Last, because a process that waits for this line may send a signal at once.
  log('info', 'listening', {
    url: config.PUBLIC_URL ?? server.url,
    gateway: new URL(config.GATEWAY_URL).host,
    origins: config.ALLOWED_ORIGINS,
    database: config.DATABASE_URL.split(':')[0],
    webhooks: url === undefined || secrets === undefined ? 'off' : 'on',
  });
}

/** The database files to protect; none for PostgreSQL. */
function filesOf(databaseUrl: string): string[] {
  if (!databaseUrl.startsWith('file:')) return [];
  const path = databaseUrl.slice('file:'.length);
  return [path, `${path}-wal`, `${path}-shm`];
}

/** Prefixes a system or database error with the variables that caused it. */
async function namingVariables<T>(variables: string, started: Promise<T>): Promise<T> {
  try {
    return await started;
  } catch (error) {
    throw new Error(`${variables}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
