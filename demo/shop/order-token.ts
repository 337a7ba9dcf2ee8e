// Signs an order so that the widget may pay it: a compact JWS, HS256, in the few lines it takes. Any language has the three
// pieces (JSON, base64url, HMAC-SHA256), so a merchant needs no library of ours. Only a server may do this: whoever holds
// the secret sets the prices.
import { createHmac } from 'node:crypto';

export interface OrderClaims {
  orderId: string;
  currency: string;
  /** Decimal string. Absent: the shopper enters it, between `minAmount` and `maxAmount`. */
  amount?: string;
  minAmount?: string;
  maxAmount?: string;
  returnUrl: string;
  customerReferenceNo: string;
  language: string;
  description: string;
  /** Seconds since 1970. */
  iat: number;
  exp: number;
}

export function signOrder(claims: OrderClaims, secret: string): string {
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
