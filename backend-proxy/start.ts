// The composition root: the environment in, a listening server out.
// SIGTERM and SIGINT drain: no new connections, streams ended (the widgets come back elsewhere), work in hand finished.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { createProxy, describe, type Log } from './app.ts';
import { ensureOwner } from './database-owner.ts';
import { readConfig } from './config.ts';
import { createGateway } from './gateway/http.ts';
import { createLedger } from './ledger/sql-ledger.ts';
import { connectDatabase } from './ledger/connect.ts';
import { createLogger } from './log.ts';
import { keepPrivate } from './private-files.ts';
import { listen } from './server.ts';

const DRAIN_LIMIT_MS = 35_000;

/** Resolves when it listens. Throws an Error that is meant for the operator, as it is. */
export async function start(env: Record<string, string | undefined>): Promise<void> {
  const config = readConfig(env);
  if (!existsSync(new URL('../dist/widget/widget.js', import.meta.url))) {
    throw new Error('The widget is not built: run `npm run build` before.');
  }
  const logger = createLogger(config.LOG_LEVEL);
  const log: Log = (level, event, fields = {}) => logger[level]({ event, ...fields });
  const die = (error: unknown): never => {
    logger.fatal({ event: 'the books failed', error: describe(error) });
    process.exit(1);
  };

  const { open, stillOpen } = keepPrivate(filesOf(config.DATABASE_URL));
  if (open.length > 0)
    log('warn', 'other users could read the books: their rights were taken away', { open, stillOpen });
  const store = await setBy('DATABASE_URL', connectDatabase(config.DATABASE_URL, die));
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
  if (config.DATABASE_WENT_BACK !== undefined) await ledger.wentBack(Date.parse(config.DATABASE_WENT_BACK));
  if (await ledger.wentBackLately()) {
    log('warn', 'the books went back: for 7 days payouts are asked about before they are sent');
  }
  if (gateway.status === undefined) {
    log('warn', 'weaker mode: the profile has no status check, so an IPN is believed as it is');
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

  const server = await setBy('HOST, PORT', listen(proxy.app.fetch, { host: config.HOST, port: config.PORT }));
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
  // Last: who waits for this line may send a signal at once.
  log('info', 'listening', {
    url: config.PUBLIC_URL ?? server.url,
    gateway: new URL(config.GATEWAY_URL).host,
    origins: config.ALLOWED_ORIGINS,
    database: config.DATABASE_URL.split(':')[0],
    webhooks: url === undefined || secrets === undefined ? 'off' : 'on',
  });
}

/** The books' own files; none where a server keeps them. */
function filesOf(databaseUrl: string): string[] {
  if (!databaseUrl.startsWith('file:')) return [];
  const path = databaseUrl.slice('file:'.length);
  return [path, `${path}-wal`, `${path}-shm`];
}

/** What fails in the words of the system or the database gets the name of the variable that set it. */
async function setBy<T>(variables: string, started: Promise<T>): Promise<T> {
  try {
    return await started;
  } catch (error) {
    throw new Error(`${variables}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
