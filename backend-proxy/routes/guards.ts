// Who may call what, once: the shopper's order token, the merchant's key, the IPN's secret, and the caller's address.
// Secrets are compared by their hashes and in constant time; a wrong one and a missing one look the same.
import { createHash, timingSafeEqual } from 'node:crypto';
import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context, MiddlewareHandler } from 'hono';
import { Refusal } from '../errors.ts';
import { callerAt, isPublicAddress } from '../public-address.ts';

/** Whether a text is one of the secrets; takes as long whichever it is. */
export function createSecretCheck(secrets: readonly string[]): (candidate: string) => boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  const hashes = secrets.map(hash);
  return (candidate) => {
    const given = hash(candidate);
    return hashes.map((known) => timingSafeEqual(known, given)).includes(true);
  };
}

/** The token of `Authorization: Bearer …`, or an empty text. */
export function bearerOf(c: Context): string {
  return /^Bearer ([^\s]{1,8192})$/i.exec(c.req.header('Authorization') ?? '')?.[1] ?? '';
}

/** The merchant's server, and never a browser: a request that bears an Origin is refused whatever its key. */
export function merchantOnly(keys: readonly string[]): MiddlewareHandler {
  const isKey = createSecretCheck(keys);
  return async (c, next) => {
    if (c.req.header('Origin') !== undefined) {
      throw new Refusal('forbidden_origin', 'This is for servers: a browser must never hold the merchant key.');
    }
    if (!isKey(bearerOf(c))) throw new Refusal('unauthorized', 'Send Authorization: Bearer and the merchant API key.');
    await next();
  };
}

/** Pages of other origins get nothing, not even an answer they could not read. */
export function originIn(allowed: readonly string[]): MiddlewareHandler {
  return async (c, next) => {
    const origin = c.req.header('Origin');
    if (origin !== undefined && !allowed.includes(origin)) {
      throw new Refusal('forbidden_origin', 'The page’s origin is not one of ALLOWED_ORIGINS.');
    }
    await next();
  };
}

/**
 * Whom the caller is counted as: by the connection's address, or, behind `trustedProxies` reverse proxies of the operator's, the one that the
 * outermost of them saw. What stands further left in X-Forwarded-For was written by the caller.
 * Undefined where unknown: a connection from a private address is a reverse proxy's that we were not told of, or a
 * developer's, and to count it as one caller would shut out all who come through it.
 */
export function addressOf(c: Context, trustedProxies: number): string | undefined {
  if (trustedProxies > 0) {
    const hops = (c.req.header('X-Forwarded-For') ?? '').split(',').map((hop) => hop.trim());
    return callerAt(withoutPort(hops.at(-trustedProxies) ?? ''));
  }
  const hasSocket = typeof c.env === 'object' && c.env !== null && 'incoming' in c.env;
  // A socket that takes both families writes IPv4 as ::ffff:192.0.2.1.
  const address = hasSocket ? (getConnInfo(c).remote.address ?? '').replace(/^::ffff:(?=[0-9.]+$)/i, '') : '';
  return isPublicAddress(address) ? callerAt(address) : undefined;
}

/** Some load balancers write `192.0.2.1:51234`, or `[2001:db8::1]:443`: another caller each time, were it taken as it is. */
function withoutPort(hop: string): string {
  return /^\[(.+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop;
}
