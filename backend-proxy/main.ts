// `npm run proxy`: the environment in, a listening server out. The composition root, and the only place that exits.
// SIGTERM and SIGINT drain: no new connections, streams ended (the widgets come back elsewhere), work in hand finished.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { pino } from 'pino';
import { createProxy, describe, type Log } from './app.ts';
import { readConfig, type Config } from './config.ts';
import { createGateway } from './gateway/http.ts';
import { createLedger } from './ledger/books.ts';
import { openStore } from './ledger/open.ts';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 15_000;
const MAX_CONNECTIONS = 20_000;
const DRAIN_LIMIT_MS = 35_000;

async function main(config: Config): Promise<void> {
  const logger = pino({
    level: config.LOG_LEVEL,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  });
  const log: Log = (level, event, fields = {}) => logger[level]({ event, ...fields });
  const die = (error: unknown): never => {
    logger.fatal({ event: 'the books failed', error: describe(error) });
    process.exit(1);
  };

  const ledger = createLedger(await openStore(config.DATABASE_URL, die));
  await ledger.recover();
  const gateway = createGateway({
    url: config.GATEWAY_URL,
    apiKey: config.GATEWAY_API_KEY,
    profile: config.GATEWAY_PROFILE,
    checkoutHosts: config.CHECKOUT_HOSTS ?? [],
  });
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
      webhook: url !== undefined && secrets !== undefined ? { url, secrets } : undefined,
    },
  });

  const server = serve(
    {
      fetch: proxy.app.fetch,
      hostname: config.HOST,
      port: config.PORT,
      createServer,
      serverOptions: { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS, maxHeaderSize: 16_384 },
    },
    ({ address, port, family }: AddressInfo) => {
      const host = family === 'IPv6' ? `[${address}]` : address;
      log('info', 'listening', { url: config.PUBLIC_URL ?? `http://${host}:${port}` });
    },
  ) as ReturnType<typeof createServer>;
  server.maxConnections = MAX_CONNECTIONS;
  server.on('error', die);
  const work = proxy.run();

  async function drain(signal: string): Promise<void> {
    log('info', 'stopping', { signal });
    setTimeout(() => process.exit(1), DRAIN_LIMIT_MS).unref();
    const closed = new Promise((resolve) => server.close(resolve));
    await work.stop();
    server.closeIdleConnections();
    await closed;
    await gateway.close();
    await ledger.close();
    log('info', 'stopped');
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void drain(signal));
}

try {
  await main(readConfig(process.env));
} catch (error) {
  // Meant for the operator as it is: what is wrong with the configuration, or why the books cannot be opened.
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
