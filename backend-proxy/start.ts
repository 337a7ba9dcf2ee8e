// Starts the server and the workers, and ends the process after SIGTERM or SIGINT.
// At the end streams are ended (widgets reconnect elsewhere), and work in flight finishes.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import type { Hono } from 'hono';
import { compose, namingVariables } from './compose.ts';
import { configWarnings, readConfig, type Config, type Environment } from './config/config.ts';
import { describeError } from './errors.ts';
import { listen, type Listening } from './http/server.ts';
import { REMEDIES, WIDGET_FOLDER, VERSION } from './installation.ts';
import { createLogger } from './observability/log.ts';
import { GATEWAY_TIMEOUT_MS } from './protocol/durations.ts';
import type { Log } from './protocol/log.ts';

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

// Ends the process after SIGTERM or SIGINT, in two steps. It drains: /readyz is 503, so that load balancers send new
// requests elsewhere, and everything is still served. Then it stops: running work finishes, and no new work is
// accepted. A second signal ends the draining, a third one the process.

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
type Signal = (typeof SIGNALS)[number];

/** Slightly longer than a call to the gateway and the write of its answer. */
const STOP_LIMIT_MS = GATEWAY_TIMEOUT_MS + 5_000;
const STANDARD_INPUT = 0;

export interface Shutdown {
  /** 0: it stops at once. */
  drainSeconds: number;
  /** Announces the end; everything is still served. */
  drain(): void;
  /** Resolves when nothing is in flight and everything is closed. */
  stop(): Promise<void>;
  log: Log;
}

/** Where the signals come from and what ends the process. */
interface EndingProcess {
  on(signal: Signal, listener: (signal: Signal) => void): unknown;
  off(signal: Signal, listener: (signal: Signal) => void): unknown;
  exit(code: number): void;
}

/**
 * For the start, which leaves nothing to finish. Without it the first process of a container ignores signals.
 * @returns ends this
 */
export function exitOnSignals(ending: EndingProcess = process): () => void {
  const exit = () => ending.exit(0);
  for (const signal of SIGNALS) ending.on(signal, exit);
  return () => {
    for (const signal of SIGNALS) ending.off(signal, exit);
  };
}

/** @param isTerminal then SIGINT is Ctrl-C by a person, who does not wait for load balancers. */
export function endOnSignals(
  { drainSeconds, drain, stop, log }: Shutdown,
  ending: EndingProcess = process,
  isTerminal: boolean = isatty(STANDARD_INPUT),
): void {
  let onNext = (signal: Signal): void => void end(signal);
  for (const signal of SIGNALS) ending.on(signal, (received) => onNext(received));

  async function end(signal: Signal): Promise<void> {
    if (drainSeconds > 0 && !(signal === 'SIGINT' && isTerminal)) {
      log('info', 'draining', { signal, seconds: drainSeconds });
      drain();
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, drainSeconds * 1000);
        onNext = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    onNext = () => ending.exit(1);
    log('info', 'stopping', { signal });
    // The limit itself must not keep the process alive.
    setTimeout(() => fail('not in time'), STOP_LIMIT_MS).unref();
    try {
      await stop();
      log('info', 'stopped');
    } catch (error) {
      fail(describeError(error));
    }
  }

  function fail(error: string): void {
    log('error', 'stopping failed', { error });
    ending.exit(1);
  }
}
