// What the npm package `payment-proxy` exports: the whole proxy without a port, for a server of one's own.
import type { Env, Hono } from 'hono';
import { createProxyFrom } from './compose.ts';
import type { Log } from './protocol/log.ts';

export type { Log } from './protocol/log.ts';
export { VERSION } from './installation.ts';

export interface RunningProxy {
  app: Hono<Env>;
  /** The app's. `env` of `@hono/node-server` has the address of the caller. */
  fetch: (request: Request, env?: object) => Response | Promise<Response>;
  /** Ends the streams, waits for running work, and closes the database. */
  stop(): Promise<void>;
}

/**
 * The proxy that the variables of docs/configuration.md describe, at work. `log`: default, a JSON object a line on
 * standard output.
 * @throws an Error whose message is written for the operator
 */
export async function createProxy(
  env: Record<string, string | undefined>,
  options: { log?: Log } = {},
): Promise<RunningProxy> {
  const { app, drain, run, close } = await createProxyFrom(env, options);
  const work = run();
  return {
    app,
    fetch: app.fetch,
    async stop() {
      drain();
      await work.stop();
      await close();
    },
  };
}
