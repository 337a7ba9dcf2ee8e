// Reads the order token's claims in the browser, so that the first paint needs no answer from the network.
// It does not verify: only the proxy can, and the proxy decides about everything that matters. What is read here is a
// claim about the order, shown until the first view arrives, and the bounds of an amount that the shopper may enter.
import { methodsOf } from '../../backend-proxy/protocol/methods.ts';
import type { OrderClaims, OrderView } from '../../backend-proxy/protocol/wire.ts';

/** The claims, or null where the text is not a token of ours. */
export function readClaims(token: string): OrderClaims | null {
  try {
    const base64 = token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? '';
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const claims = JSON.parse(new TextDecoder().decode(bytes)) as OrderClaims;
    return typeof claims.orderId === 'string' && /^[A-Z]{3}$/.test(claims.currency) ? claims : null;
  } catch {
    return null;
  }
}

/** The order as its token tells it, at a version below any that the proxy has. */
export function claimedOrder(claims: Partial<OrderClaims>): OrderView {
  return {
    orderId: claims.orderId ?? '',
    amount: claims.amount ?? null,
    currency: claims.currency ?? '',
    description: claims.description ?? null,
    methods: methodsOf(claims),
    paid: false,
    version: -1,
    payment: null,
    // What only the proxy knows is looked at in its views alone.
  } as OrderView;
}
