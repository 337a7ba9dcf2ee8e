// Access checks: the shopper's order token, the merchant's key, the IPN secret and the origin.
// Secrets are compared by hash and in constant time; a wrong secret is answered like a missing one.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { Refusal } from '../errors.ts';
import { answer } from './answer.ts';

/** Checks a text against all secrets; takes equally long whichever matches. */
export function createSecretCheck(secrets: readonly string[]): (candidate: string) => boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  const hashes = secrets.map(hash);
  return (candidate) => {
    const given = hash(candidate);
    return hashes.map((known) => timingSafeEqual(known, given)).includes(true);
  };
}

/** The token of `Authorization: Bearer …`, or an empty string. */
export function bearerOf(c: Context): string {
  return /^Bearer ([^\s]{1,8192})$/i.exec(c.req.header('Authorization') ?? '')?.[1] ?? '';
}

/** Allows only the merchant's server: a request with an Origin comes from a browser and is refused whatever its key. */
export function merchantOnly(keys: readonly string[], called = 'the merchant API key'): MiddlewareHandler {
  const isKey = createSecretCheck(keys);
  return async (c, next) => {
    if (c.req.header('Origin') !== undefined) {
      throw new Refusal('forbidden_origin', 'Only for servers: a browser must never hold the merchant key.');
    }
    if (!isKey(bearerOf(c))) throw new Refusal('unauthorized', `Send Authorization: Bearer and ${called}.`);
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
export function crossOrigin(allowed: readonly string[]): MiddlewareHandler {
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
