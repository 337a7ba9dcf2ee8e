// Reads the order token's claims in the browser, so that the first paint needs no answer from the network. The
// signature is not verified here: only the proxy can do that, and it decides everything that matters. The claims are
// shown until the first view arrives, and they say which fields the shopper must fill in and within which bounds.
import { methodsOf } from '../../backend-proxy/protocol/methods.ts';
import type { OrderClaims, OrderView } from '../../backend-proxy/protocol/wire.ts';

/** The claims, or null if the text is not an order token. */
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

/** The order as its token describes it, at a version below any that the proxy has. */
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
    // The other fields are read only from the proxy's views.
  } as OrderView;
}
