// The gateway adapter with a scripted server: the server keeps each request and gives the answer of the test.
// With the requests and answers that several tests use.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { Collection, Gateway } from '../../../backend-proxy/gateway/gateway.ts';
import { createGateway, type GatewayOptions } from '../../../backend-proxy/gateway/http.ts';
import { DEFAULT_PROFILE } from '../../../backend-proxy/gateway/profile.ts';

export const API = '/api/v3/integration/merchants/payments';
export const COLLECTION: Collection = {
  transactionId: 'A-1',
  method: 'CHECKOUT',
  amountMinor: 1010,
  currency: 'EUR',
  returnUrl: 'https://shop.example/thanks',
  customer: '12345678',
  customerReference: 'C-1',
  language: 'en',
};
export const PAYOUT = {
  transactionId: 'P-1',
  amountMinor: 5000,
  currency: 'EUR',
  customer: '12345678',
  note: 'Thank you',
};
export const CHECKOUT = { paymentId: 111328, orderId: 'A-1', method: 'CHECKOUT', checkout: 'https://checkout.example/pay?token=t', qr: null }; // prettier-ignore
export const QR = { paymentId: 'b3f1', orderId: 'A-1', method: 'QR', qr: Buffer.from('https://wallet.example/q').toString('base64') }; // prettier-ignore
export const REPORT = { paymentId: 111328, orderId: 'A-1', type: 'PAY', customer: '12345678', amount: 500, currency: 'EUR', status: 'SUCCESS', message: 'SUCCESS' }; // prettier-ignore

export type Answer =
  ((response: ServerResponse, request: IncomingMessage) => void) | { status?: number; body: unknown };

export interface Scripted {
  gateway: Gateway;
  /** The requests as received. */
  requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];
  server: Server;
  url: string;
}

export async function scripted(
  t: TestContext,
  answer: Answer,
  options: Partial<GatewayOptions> = {},
): Promise<Scripted> {
  const requests: Scripted['requests'] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      if (typeof answer === 'function') return answer(response, request);
      const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' }).end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const gateway = createGateway({ url, apiKey: 'the-key', profile: DEFAULT_PROFILE, checkoutHosts: [], ...options });
  t.after(async () => {
    server.closeAllConnections();
    await gateway.close();
    await new Promise((resolve) => server.close(resolve));
  });
  return { gateway, requests, server, url };
}

export const status = (gateway: Gateway, id = 'A-1') => {
  assert.ok(gateway.status);
  return gateway.status(id, 'PAY');
};
