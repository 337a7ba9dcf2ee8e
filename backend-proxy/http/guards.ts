// Who may call a route, how many payments an address may start, and how large a body may be.
// The callers are known by the merchant's key, the IPN secret and the origin; routes/order.ts checks the order token.
// Secrets are compared by hash and in constant time; a wrong secret is answered like a missing one.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { Refusal } from '../errors.ts';
import { note } from '../observability/log.ts';
import { MINUTE_MS, isWithin } from '../protocol/durations.ts';
import type { Origins } from '../protocol/links.ts';
import { type MerchantKey, sourceOf, type MerchantSource, type Scope } from '../protocol/merchant-key.ts';
import { answer } from './answer.ts';

/** Finds the one of all secrets that a text is, or -1; takes equally long whichever it is. */
function createSecretSearch(secrets: readonly string[]): (candidate: string) => number {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  const hashes = secrets.map(hash);
  return (candidate) => {
    const given = hash(candidate);
    return hashes.map((known) => timingSafeEqual(known, given)).indexOf(true);
  };
}

export function createSecretCheck(secrets: readonly string[]): (candidate: string) => boolean {
  const find = createSecretSearch(secrets);
  return (candidate) => find(candidate) !== -1;
}

/** The token of `Authorization: Bearer …`, or an empty string. */
export function bearerOf(c: Context): string {
  return /^Bearer ([^\s]{1,8192})$/i.exec(c.req.header('Authorization') ?? '')?.[1] ?? '';
}

/**
 * Allows only the merchant's server: a request with an Origin comes from a browser and is refused whatever its key.
 * What the key may do is checked by each route (`checkAccess`).
 */
export function merchantOnly(keys: readonly MerchantKey[], called = 'the merchant API key'): MiddlewareHandler {
  const find = createSecretSearch(keys.map(({ key }) => key));
  return async (c, next) => {
    if (c.req.header('Origin') !== undefined) {
      throw new Refusal('forbidden_origin', 'Only for servers: a browser must never hold the merchant key.');
    }
    const merchant = keys[find(bearerOf(c))];
    if (merchant === undefined) throw new Refusal('unauthorized', `Send Authorization: Bearer and ${called}.`);
    c.set('merchant', merchant);
    note({ key: merchant.name });
    await next();
  };
}

const PREFLIGHT = {
  // OPTIONS lets the widget trigger the preflight of its POST before the click.
  'Access-Control-Allow-Methods': 'GET,POST,OPTIONS',
  'Access-Control-Allow-Headers': 'Authorization,Content-Type,Idempotency-Key',
  'Access-Control-Max-Age': '7200',
  Vary: 'Origin, Access-Control-Request-Headers',
};

/** Refuses pages of other origins before anything is done for them; those of allowed origins may read the answers. */
export function crossOrigin(allowed: Origins): MiddlewareHandler {
  return async (c, next) => {
    const origin = c.req.header('Origin');
    if (origin !== undefined && !allowed.includes(origin)) {
      throw new Refusal('forbidden_origin', 'The page’s origin is not one of ALLOWED_ORIGINS.');
    }
    const headers = c.get('headers');
    if (origin !== undefined) headers['Access-Control-Allow-Origin'] = origin;
    headers['Access-Control-Expose-Headers'] = 'X-Request-Id,Retry-After';
    headers['Vary'] = 'Origin';
    return c.req.method === 'OPTIONS' ? answer(c, null, 204, PREFLIGHT) : next();
  };
}

// Who may call a route. Each route says so in its `security`, without which it does not compile (route.ts); the OpenAPI
// document shows the same.

type OfMerchant = Record<'merchantKey', [Scope]>;
/** A merchant's key with any of these scopes. */
export type MerchantAccess = [OfMerchant, ...OfMerchant[]];
export type Access = [] | [{ orderToken: [] }] | MerchantAccess;

export const PUBLIC: [] = [];
/** The handler itself checks the order token. */
export const SHOPPER: [{ orderToken: [] }] = [{ orderToken: [] }];

/** Merchant keys that have one of these scopes. */
export function keysWith(scope: Scope, ...or: Scope[]): MerchantAccess {
  return [{ merchantKey: [scope] }, ...or.map((other): OfMerchant => ({ merchantKey: [other] }))];
}

declare module 'hono' {
  interface ContextVariableMap {
    /** Whose key the request bears; `merchantOnly` sets it. */
    merchant: Pick<MerchantKey, 'name' | 'scopes'> | undefined;
  }
}

/**
 * Refuses a key without the route's scope. Returns the source of what the request does, for the history; undefined for
 * a route of others. A merchant route that `merchantOnly` does not guard is closed.
 */
export function checkAccess(c: Context, scopes: readonly Scope[]): MerchantSource | undefined {
  if (scopes.length === 0) return undefined;
  const merchant = c.get('merchant');
  if (merchant === undefined) throw new Refusal('unauthorized', 'No key opens this route.');
  if (!scopes.some((scope) => merchant.scopes.includes(scope))) {
    const detail = `The key ${merchant.name} may not do this: it needs the scope ${scopes.join(' or ')}.`;
    throw new Refusal('forbidden_scope', detail);
  }
  return sourceOf(merchant);
}

/** The scopes that open a route; none for a route that no merchant key opens. */
export function scopesOf(access: Access): Scope[] {
  return access.flatMap((each) => ('merchantKey' in each ? each.merchantKey : []));
}

// Limits the payments that one address may start per minute. Counted per process: it keeps one visitor from filling
// the database, and is not exact. The ledger enforces the limits of orders and wallets.

const STARTS_PER_MINUTE = 30;
const WINDOW_MS = MINUTE_MS;

/** Counts one start; throws `too_many_requests`. Undefined is not counted (see caller-address.ts). */
export type AddressLimit = (address: string | undefined) => void;

export function createRateLimit(now: () => number, most = STARTS_PER_MINUTE): AddressLimit {
  let windowBeganAt = -Infinity;
  let counts = new Map<string, number>();

  return (address) => {
    if (address === undefined) return;
    if (!isWithin(WINDOW_MS, windowBeganAt, now())) {
      // All counts are dropped at once, so that addresses that never return cost nothing.
      counts = new Map();
      windowBeganAt = now();
    }
    const count = (counts.get(address) ?? 0) + 1;
    if (count > most) {
      throw new Refusal('too_many_requests', 'Too many payments were started from this address; try again shortly.', {
        retryAfterS: Math.ceil((windowBeganAt + WINDOW_MS - now()) / 1000),
      });
    }
    counts.set(address, count);
  };
}

// Refuses bodies that are large. The length that a request states is enough, because Node reads no more than that.
// Hono's own middleware counts the other bodies (chunked ones, and those of a Request without a length). It does not
// count all bodies, because it makes a Request and a stream for each.

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
