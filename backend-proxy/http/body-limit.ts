// Refuses bodies that are large, or that another server has read before. The length that a request states is enough,
// because Node reads no more than that. Hono's own middleware counts the other bodies (chunked ones, and those of a
// Request without a length). It does not count all bodies, because it makes a Request and a stream for each.
import type { HttpBindings } from '@hono/node-server';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { Refusal } from '../errors.ts';
import type { BodyWasRead } from './mount.ts';

const MAX_BODY_BYTES = 16 * 1024;

/** Nothing reads the body of a GET or HEAD, and methods that are not listed have no route. */
export const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

const countBody = bodyLimit({ maxSize: MAX_BODY_BYTES, onError: refuse });

export const limitBody: MiddlewareHandler = (c, next) => {
  if (wasRead(c)) throw alreadyRead();
  const length = c.req.header('Content-Length');
  if (c.req.header('Transfer-Encoding') !== undefined) return countBody(c, next);
  if (length !== undefined) return Number.parseInt(length, 10) > MAX_BODY_BYTES ? refuse() : next();
  // A preflight has no body.
  return c.req.method === 'OPTIONS' ? next() : countBody(c, next);
};

/** Whether the host server has read it. On a socket, asking the Request would build it. */
function wasRead({ env, req }: Context): boolean {
  const { incoming, bodyWasRead } = (env ?? {}) as Partial<HttpBindings> & BodyWasRead;
  return incoming ? incoming.readableDidRead : (bodyWasRead ?? req.raw.bodyUsed);
}

/** The host's parsed body is not used instead: its numbers are rounded, and an amount has to be exact. */
function alreadyRead(): Refusal {
  const detail = 'The server read the body before the proxy: mount the proxy before express.json() and the like.';
  return new Refusal('invalid_request', detail, { errors: [{ field: 'body', detail: 'read already' }] });
}

function refuse(): never {
  throw new Refusal('payload_too_large', `A body has at most ${MAX_BODY_BYTES} bytes.`);
}
