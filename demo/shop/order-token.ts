// Signs an order for the widget: a compact JWS with HS256. Each language has the three parts (JSON, base64url,
// HMAC-SHA256), so a merchant needs no library for it. Only a server may sign: the holder of the secret sets prices.
import { createHmac } from 'node:crypto';

export interface OrderClaims {
  orderId: string;
  currency: string;
  /** Decimal string. If absent, the shopper enters it, between `minAmount` and `maxAmount`. */
  amount?: string;
  minAmount?: string;
  maxAmount?: string;
  returnUrl: string;
  customerReferenceNo: string;
  language: string;
  description: string;
  merchant?: string;
  /** A `data:` image, because the demo has no https. */
  logo?: string;
  suggestedAmounts?: string[];
  /** What the press on the button does; by default it pays an order that was placed before. */
  purpose?: 'deposit';
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
