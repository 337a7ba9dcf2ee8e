// Logs and counts each request.
import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { Refusal } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { toRefusal } from './problem.ts';

const MAX_LOGGED_CHARS = 300;

/** One line and one count a request, with what the caller was told and the route's pattern: the path of an IPN is a secret. */
export function logRequests(log: Log, metrics: Metrics, now: () => number): MiddlewareHandler {
  return async (c, next) => {
    const startedAt = now();
    await next();
    const { status } = c.res;
    const answered = { method: c.req.method, route: routePath(c), status };
    metrics.countRequest(answered);
    // The gateway knocks with another secret than ours: its IPN URL is wrong.
    const isStray = status === 404 && answered.route.startsWith('/ipn/');
    log(status >= 500 || isStray ? 'warn' : 'info', 'request', {
      requestId: c.get('requestId'),
      ...answered,
      ...(c.error && refusalFields(toRefusal(c.error))),
      ...(status === 403 && { origin: originOf(c.req.header('Origin') ?? '') }),
      ms: now() - startedAt,
    });
  };
}

/** Whom to allow, or whose mistake it is: an origin as browsers write it, and no other words of a caller. */
function originOf(header: string): string | undefined {
  return header.length <= MAX_LOGGED_CHARS && URL.canParse(header) && new URL(header).origin === header
    ? header
    : undefined;
}

/** Why, in our words: what is not valid is told to the caller by names that the caller wrote, and these stay out of the log. */
function refusalFields({ kind, message }: Refusal): { code: string; detail?: string } {
  return kind === 'invalid_request' ? { code: kind } : { code: kind, detail: message.slice(0, MAX_LOGGED_CHARS) };
}
