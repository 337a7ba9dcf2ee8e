// The load, in the benchmark's own process on another processor than the server: sends requests, keeps streams open,
// and plays a gateway that answers at once.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool, type Dispatcher } from 'undici';
import { signOrder } from '../../../backend-proxy/client.ts';
import { quantile } from '../table.ts';

export interface Run {
  url: string;
  kind: 'start' | 'ipn';
  /** The requests are about the orders `prefix-1`, `prefix-2` … */
  prefix: string;
  count: number;
  /** On each of them an answer is followed by the next request. */
  connections: number;
}

export const ORDER_SECRET = 'an-order-secret-for-the-benchmark-only';
export const IPN_SECRET = 'an-ipn-secret-for-the-benchmark';
export const SHOP = 'http://shop.example';
const STREAMS_AT_ONCE = 32;
const JSON_TYPE = { 'content-type': 'application/json' };
const payment = (orderId: string) => ({ paymentId: 4711, orderId });

export const gateway = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  request.on('end', () => {
    const { orderId } = JSON.parse(text) as { orderId: string };
    const started = { method: 'CHECKOUT', checkout: 'https://checkout.example/pay?token=abc.def', qr: null };
    const found = { type: 'PAY', customer: '12345678', amount: 10.1, currency: 'EUR', status: 'PROCESSING' };
    const answer = { ...payment(orderId), ...(request.url?.endsWith('/pay') ? started : found) };
    response.writeHead(200, JSON_TYPE).end(JSON.stringify(answer));
  });
});
gateway.keepAliveTimeout = 600_000;

export async function openGateway(): Promise<string> {
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
}

function tokenOf(orderId: string): Promise<string> {
  const order = { orderId, currency: 'EUR', amount: '10.10', description: 'Tea', language: 'en' };
  const customerReferenceNo = 'c-1';
  return signOrder({ ...order, customerReferenceNo, returnUrl: `${SHOP}/thanks`, expiresIn: 7200 }, ORDER_SECRET);
}

async function requestOf(kind: Run['kind'], orderId: string): Promise<Dispatcher.RequestOptions> {
  if (kind === 'ipn') {
    const report = { type: 'PAY', customer: '12345678', amount: 10.1, currency: 'EUR', status: 'SUCCESS' };
    const body = JSON.stringify({ ...payment(orderId), ...report });
    return { method: 'POST', path: `/ipn/${IPN_SECRET}`, headers: JSON_TYPE, body };
  }
  const headers = {
    ...JSON_TYPE,
    origin: SHOP,
    authorization: `Bearer ${await tokenOf(orderId)}`,
    'idempotency-key': `key-${orderId}`,
  };
  return { method: 'POST', path: '/order/payments', headers, body: '{"method":"CHECKOUT"}' };
}

/** Throws if an answer is missing or refuses. */
export async function send({ url, kind, prefix, count, connections }: Run) {
  const pool = new Pool(url, { connections, pipelining: 1 });
  const requests = await Promise.all(Array.from({ length: count }, (_, at) => requestOf(kind, `${prefix}-${at}`)));
  const taken: number[] = [];
  const from = performance.now();
  const one = async (request: Dispatcher.RequestOptions) => {
    const sentAt = performance.now();
    const { statusCode, body } = await pool.request(request);
    await body.dump();
    assert.equal(statusCode, kind === 'ipn' ? 200 : 201, `the status of ${kind}`);
    taken.push(performance.now() - sentAt);
  };
  const inTurn = async () => {
    for (let next = requests.pop(); next !== undefined; next = requests.pop()) await one(next);
  };
  await Promise.all(Array.from({ length: connections }, inTurn));
  await pool.close();
  return { perSecond: (count / (performance.now() - from)) * 1000, p50Ms: quantile(taken, 0.5) };
}

/** Resolves once each has got its first event; the returned function closes them, and throws if the server did. */
export async function openStreams(url: string, prefix: string, count: number): Promise<() => Promise<void>> {
  const pool = new Pool(url, { connections: count, pipelining: 1, bodyTimeout: 0 });
  const ids = Array.from({ length: count }, (_, at) => `${prefix}-${at}`);
  const bodies: Dispatcher.ResponseData['body'][] = [];
  const one = async () => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
      const headers = { origin: SHOP, authorization: `Bearer ${await tokenOf(id)}`, accept: 'text/event-stream' };
      const { statusCode, body } = await pool.request({ method: 'GET', path: '/order/events', headers });
      assert.equal(statusCode, 200);
      await once(body.resume(), 'data');
      bodies.push(body);
    }
  };
  await Promise.all(Array.from({ length: STREAMS_AT_ONCE }, one));
  return async () => {
    assert.ok(
      bodies.every(({ destroyed, readableEnded }) => !destroyed && !readableEnded),
      'the server has closed no stream',
    );
    for (const body of bodies) body.on('error', () => undefined);
    await pool.destroy();
  };
}
