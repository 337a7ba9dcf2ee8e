// Logs and counts each request.
import type { Context } from 'hono';
import { routePath } from 'hono/route';
import type { Refusal } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { toRefusal } from './problem.ts';

const MAX_LOGGED_CHARS = 300;

declare module 'hono' {
  interface ContextVariableMap {
    /** Set by a handler that is not to be logged by the pattern of its route. */
    route: string;
  }
}

/**
 * Logs and counts an answered request with its refusal. Uses the pattern of the route, because the path of an IPN
 * contains a secret.
 */
export function createRequestLog(log: Log, metrics: Metrics): (c: Context, ms: number) => void {
  return (c, ms) => {
    const { status } = c.res;
    const answered = { method: c.req.method, route: c.get('route') ?? routePath(c), status };
    metrics.countRequest(answered);
    // A 404 here means that the gateway's IPN URL has the wrong secret.
    const isStray = status === 404 && answered.route.startsWith('/ipn/');
    log(status >= 500 || isStray ? 'warn' : 'info', 'request', {
      requestId: c.get('requestId'),
      ...answered,
      ...(c.error && refusalFields(toRefusal(c.error))),
      ...(status === 403 && { origin: originOf(c.req.header('Origin') ?? '') }),
      ms,
    });
  };
}

/** The origin, if the header holds one in the form that browsers send; other text of a caller is not logged. */
function originOf(header: string): string | undefined {
  return header.length <= MAX_LOGGED_CHARS && URL.canParse(header) && new URL(header).origin === header
    ? header
    : undefined;
}

/** Details of `invalid_request` quote field names of the caller, so they are not logged. */
function refusalFields({ kind, message }: Refusal): { code: string; detail?: string } {
  return kind === 'invalid_request' ? { code: kind } : { code: kind, detail: message.slice(0, MAX_LOGGED_CHARS) };
}
