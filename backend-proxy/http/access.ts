// Who may call a route. Each route says so in its `security`, without which it does not compile (route.ts); the OpenAPI
// document shows the same.
import type { Context } from 'hono';
import { Refusal } from '../errors.ts';
import { sourceOf, type MerchantKey, type MerchantSource, type Scope } from '../protocol/merchant-key.ts';

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
