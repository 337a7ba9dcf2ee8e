// Logs and counts each request.
import type { Context, Next } from 'hono';
import { routePath } from 'hono/route';
import { runAs } from '../observability/log.ts';
import type { Refusal } from '../errors.ts';
import { HOUR_MS, isWithin } from '../protocol/durations.ts';
import type { Level, Log } from '../protocol/log.ts';
import type { Metrics } from '../observability/metrics.ts';
import { toRefusal } from './answer.ts';

const MAX_LOGGED_CHARS = 300;
/** Of refused origins that are warned of in an hour: more than a shop has. */
const MAX_ORIGINS = 100;
/** Of W3C, version 00. */
const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
/** Load balancers and Prometheus ask these every few seconds: `debug`, unless the answer is a problem. */
const PROBE = /\/(healthz|readyz|metrics)$/;

declare module 'hono' {
  interface ContextVariableMap {
    /** Set by a handler whose request must not be logged by its route's pattern. */
    route: string;
  }
}

/** Runs a request with its id in each log line, and with its caller's `traceparent` (observability/log.ts). */
export function caused(c: Context, next: Next, answered: () => void): Promise<void> {
  const traceparent = c.req.header('traceparent') ?? '';
  const cause = { requestId: c.get('requestId'), ...(TRACEPARENT.test(traceparent) && { traceparent }) };
  return runAs(cause, async () => {
    await next();
    answered();
  });
}

/**
 * Logs and counts an answered request with its refusal. Uses the pattern of the route, because the path of an IPN
 * contains a secret.
 */
export function createRequestLog(log: Log, metrics: Metrics, now: () => number): (c: Context, ms: number) => void {
  const isNew = createNewOrigins(now);
  return (c, ms) => {
    const { status } = c.res;
    const answered = { method: c.req.method, route: routeOf(c), status };
    metrics.countRequest({ ...answered, ms });
    const origin = status === 403 ? originOf(c.req.header('Origin') ?? '') : undefined;
    log(isNew(origin) ? 'warn' : levelOf(answered), 'request', {
      ...answered,
      ...(c.error && refusalFields(toRefusal(c.error))),
      ...(origin !== undefined && { origin }),
      ms,
    });
  };
}

/** Whether a refused origin was not refused yet within the hour: the shop's own may be missing in ALLOWED_ORIGINS. */
function createNewOrigins(now: () => number): (origin: string | undefined) => boolean {
  const refused = new Set<string>();
  let beganAt = -Infinity;
  return (origin) => {
    if (origin === undefined) return false;
    if (!isWithin(HOUR_MS, beganAt, now())) {
      refused.clear();
      beganAt = now();
    }
    if (refused.has(origin) || refused.size >= MAX_ORIGINS) return false;
    refused.add(origin);
    return true;
  };
}

function routeOf(c: Context): string {
  return c.get('route') ?? routePath(c);
}

function levelOf({ route, status }: { route: string; status: number }): Level {
  // A 404 here means that the gateway's IPN URL has the wrong secret.
  const isStray = status === 404 && route.startsWith('/ipn/');
  if (status >= 500 || isStray) return 'warn';
  return status < 400 && PROBE.test(route) ? 'debug' : 'info';
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
