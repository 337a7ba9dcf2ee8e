// Access checks: the merchant's key, the IPN secret and the origin. routes/order.ts checks the order token.
// Secrets are compared by hash and in constant time; a wrong secret is answered like a missing one.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { Refusal } from '../errors.ts';
import { note } from '../observability/cause.ts';
import type { Origins } from '../protocol/links.ts';
import type { MerchantKey } from '../protocol/merchant-key.ts';
import { answer } from './answer.ts';

/** Finds the one of all secrets that a text is, or -1; takes equally long whichever it is. */
export function createSecretSearch(secrets: readonly string[]): (candidate: string) => number {
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
 * What the key may do is checked by each route (access.ts).
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
