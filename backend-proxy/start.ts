// Starts the server and the workers. SIGTERM and SIGINT drain: no new connections, streams end (widgets reconnect
// elsewhere), work in flight finishes.
import { existsSync } from 'node:fs';
import { compose, namingVariables } from './compose.ts';
import { configWarnings, readConfig, type Environment } from './config.ts';
import { describeError } from './errors.ts';
import { createLogger, type Log } from './log.ts';
import { listen } from './server.ts';

const DRAIN_LIMIT_MS = 35_000;

/** Resolves when the server listens. Throws an Error whose message is written for the operator. */
export async function start(env: Environment): Promise<void> {
  const config = readConfig(env);
  if (!existsSync(new URL('../dist/widget/widget.js', import.meta.url))) {
    throw new Error('The widget is not built: run `npm run build` first.');
  }
  const logger = createLogger(config.LOG_LEVEL);
  const log: Log = (level, event, fields = {}) => logger[level]({ event, ...fields });
  const onFatal = (error: unknown): never => {
    logger.fatal({ event: 'the database failed', error: describeError(error) });
    process.exit(1);
  };
  const proxy = await compose(config, { log, onFatal, warnings: configWarnings(env) });

  const server = await namingVariables('HOST, PORT', listen(proxy.app.fetch, { host: config.HOST, port: config.PORT }));
  const work = proxy.run();

  async function drain(signal: string): Promise<void> {
    log('info', 'stopping', { signal });
    setTimeout(() => process.exit(1), DRAIN_LIMIT_MS).unref();
    const closed = server.close();
    await work.stop();
    await closed;
    await proxy.close();
    log('info', 'stopped');
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void drain(signal));
  // Last, because a process that waits for this line may send a signal at once.
  log('info', 'listening', {
    url: config.PUBLIC_URL ?? server.url,
    gateway: new URL(config.GATEWAY_URL).host,
    origins: config.ALLOWED_ORIGINS,
    database: config.DATABASE_URL.split(':')[0],
    webhooks: config.WEBHOOK_URL === undefined ? 'off' : 'on',
  });
}
