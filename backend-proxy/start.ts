// Starts the server and the workers, and says how they end: streams are ended (widgets reconnect elsewhere), work in
// flight finishes.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Hono } from 'hono';
import { compose, namingVariables } from './compose.ts';
import { configWarnings, readConfig, type Config, type Environment } from './config/config.ts';
import { describeError } from './errors.ts';
import { REMEDIES, WIDGET_FOLDER } from './installation.ts';
import { createLogger } from './observability/log.ts';
import type { Log } from './protocol/log.ts';
import { listen, type Listening } from './http/server.ts';
import { endOnSignals, exitOnSignals } from './shutdown.ts';
import { VERSION } from './version.ts';

/** Resolves when the server listens. Throws an Error whose message is written for the operator. */
export async function start(env: Environment): Promise<void> {
  const hasStarted = exitOnSignals();
  const config = readConfig(env);
  if (!existsSync(join(WIDGET_FOLDER, 'widget.js'))) {
    throw new Error(`The widget is not built: ${REMEDIES.widget}.`);
  }
  const logger = createLogger(config.LOG_LEVEL);
  const log: Log = (level, event, fields = {}) => logger[level]({ event, ...fields });
  const onFatal = (error: unknown): never => {
    logger.fatal({ event: 'the database failed', error: describeError(error, true) });
    process.exit(1);
  };
  const proxy = await compose(config, {
    log,
    lostLogLines: logger.lostLines,
    onFatal,
    warnings: configWarnings(env),
  });

  const server = await namingVariables('HOST, PORT', listen(proxy.app.fetch, { host: config.HOST, port: config.PORT }));
  const admin = proxy.admin && (await listenForOperator(proxy.admin, config));
  const work = proxy.run();

  hasStarted();
  endOnSignals({
    drainSeconds: config.DRAIN_SECONDS,
    drain() {
      proxy.drain();
      server.drain();
    },
    async stop() {
      const closed = Promise.all([server.close(), admin?.close()]);
      await work.stop();
      await closed;
      await proxy.close();
    },
    log,
  });
  // Last, because a process that waits for this line may send a signal at once.
  log('info', 'listening', {
    version: VERSION,
    url: config.PUBLIC_URL ?? server.url,
    gateway: new URL(config.GATEWAY_URL).host,
    origins: config.ALLOWED_ORIGINS,
    database: config.DATABASE_URL.split(':')[0],
    webhooks: config.WEBHOOK_URL === undefined ? 'off' : 'on',
    ...(admin && { admin: `${admin.url}/admin` }),
  });
}

/** The operator's page has its own port, so that no rule of the public one can expose it. */
function listenForOperator({ fetch }: Hono, { ADMIN_HOST: host, ADMIN_PORT: port }: Config): Promise<Listening> {
  return namingVariables('ADMIN_HOST, ADMIN_PORT', listen(fetch, { host, port }));
}
