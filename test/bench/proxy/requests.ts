// The requests of the load, written out as bytes before a run, because the client must cost less than the server.
import { signOrder } from '../../../demo/shop/order-token.ts';
import type { Stored } from './stored.ts';

export const ORDER_SECRET = 'an-order-secret-for-the-benchmark-only';
export const IPN_SECRET = 'an-ipn-secret-for-the-benchmark';
export const MERCHANT_KEY = 'a-merchant-key-for-the-benchmark-only';
export const SHOP = 'http://shop.example';

export type Kind = 'start' | 'startQr' | 'order' | 'events' | 'ipn' | 'health' | 'merchantOrder';

interface Requests {
  status: number;
  stores?: keyof Stored;
  of(orderId: string): Buffer;
}

/** Requests about one order, how the server must answer them, and which table then has a row more. */
export const KINDS: Record<Kind, Requests> = {
  start: {
    status: 201,
    stores: 'transactions',
    of: (orderId: string) => post('/order/payments', '{"method":"CHECKOUT"}', [...startHeaders(orderId)]),
  },
  startQr: {
    status: 201,
    stores: 'transactions',
    of: (orderId: string) => post('/order/payments', '{"method":"QR"}', [...startHeaders(orderId)]),
  },
  order: { status: 200, of: (orderId: string) => get('/order', shopper(orderId)) },
  events: {
    status: 200,
    of: (orderId: string) => get('/order/events', [...shopper(orderId), 'Accept: text/event-stream']),
  },
  ipn: { status: 200, stores: 'ipns', of: (orderId: string) => post(`/ipn/${IPN_SECRET}`, ipnOf(orderId)) },
  health: { status: 200, of: () => get('/healthz') },
  merchantOrder: { status: 200, of: (orderId: string) => merchant(`/orders/${orderId}`) },
};

/** A path for operators and merchants. */
export function merchant(path: string): Buffer {
  return get(path, [`Authorization: Bearer ${MERCHANT_KEY}`]);
}

/** The gateway's id of a payment, the same in its answers and in IPNs. */
export function paymentIdOf(orderId: string): number {
  let hash = 0;
  for (let at = 0; at < orderId.length; at++) hash = (hash * 31 + orderId.charCodeAt(at)) % 900_000_000;
  return hash + 100_000;
}

/** The order id with this number: `prefix-0000000001`. */
export function orderIdOf(prefix: string, number: number): string {
  return `${prefix}-${String(number).padStart(10, '0')}`;
}

function ipnOf(orderId: string): string {
  return `{"paymentId":${paymentIdOf(orderId)},"orderId":"${orderId}","type":"PAY","customer":"12345678","amount":10.1,"currency":"EUR","status":"SUCCESS","message":"SUCCESS"}`;
}

function startHeaders(orderId: string): string[] {
  return [...shopper(orderId), `Idempotency-Key: key-${orderId}`];
}

function shopper(orderId: string): string[] {
  return [`Authorization: Bearer ${tokenOf(orderId)}`, `Origin: ${SHOP}`];
}

function tokenOf(orderId: string): string {
  const nowS = Math.floor(Date.now() / 1000);
  const terms = { orderId, currency: 'EUR', amount: '10.10', description: 'Tea', language: 'en' };
  const order = { ...terms, returnUrl: `${SHOP}/thanks`, customerReferenceNo: 'c-1', iat: nowS, exp: nowS + 7200 };
  return signOrder(order, ORDER_SECRET);
}

function get(path: string, headers: readonly string[] = []): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers.map((h) => `${h}\r\n`).join('')}\r\n`);
}

function post(path: string, body: string, headers: readonly string[] = []): Buffer {
  const all = [...headers, 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
  return Buffer.from(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${all.map((h) => `${h}\r\n`).join('')}\r\n${body}`);
}
