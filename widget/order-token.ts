// Reads the order token's claims in the browser, so that the first paint needs no answer from the network.
// It does not verify: only the proxy can, and the proxy decides about everything that matters. What is read here is a
// claim about the order, shown until the first view arrives, and the bounds of an amount that the shopper may enter.
import { METHODS, type OrderClaims, type OrderView } from '../backend-proxy/protocol/wire.ts';
import { decodeBase64Url } from './base64url.ts';

/** The claims, or null where the text is not a token of ours. */
export function readClaims(token: string): OrderClaims | null {
  try {
    const json = new TextDecoder().decode(decodeBase64Url(token.split('.')[1] ?? ''));
    const claims = JSON.parse(json) as OrderClaims;
    return typeof claims.orderId === 'string' && /^[A-Z]{3}$/.test(claims.currency) ? claims : null;
  } catch {
    return null;
  }
}

/** The order as its token tells it, at a version below any that the proxy has. */
export function claimedOrder(claims: OrderClaims): OrderView {
  return {
    orderId: claims.orderId,
    amount: claims.amount ?? null,
    currency: claims.currency,
    description: claims.description ?? null,
    methods: claims.methods ?? METHODS.filter((method) => method !== 'DIRECT' || claims.customerReferenceNo),
    paid: false,
    version: -1,
    serverTime: '',
    payment: null,
  };
}
