// Refuses large bodies. The length that a request states is enough, because Node reads no more than that. Hono's own
// middleware counts the other bodies (chunked ones, and those of a Request without a length). It is not used for all,
// because it makes a Request and a stream for each.
import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { Refusal } from '../errors.ts';

const MAX_BODY_BYTES = 16 * 1024;

/** Nothing reads the body of a GET or HEAD, and methods that are not listed have no route. */
export const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const countBody = bodyLimit({ maxSize: MAX_BODY_BYTES, onError: refuse });

export const limitBody: MiddlewareHandler = (c, next) => {
  const length = c.req.header('Content-Length');
  if (c.req.header('Transfer-Encoding') !== undefined) return countBody(c, next);
  if (length !== undefined) return Number.parseInt(length, 10) > MAX_BODY_BYTES ? refuse() : next();
  // A preflight has no body.
  return c.req.method === 'OPTIONS' ? next() : countBody(c, next);
};

function refuse(): never {
  throw new Refusal('payload_too_large', `A body has at most ${MAX_BODY_BYTES} bytes.`);
}
