// The floors, a process for each: the proxy's routes with the proxy's answers and none of its rules. Every token and
// body is accepted. Streams are raw responses in all of them. FLOOR says how much of the proxy's work is done:
//   raw       node:http, no gateway, no database
//   hono      the same on bare Hono
//   gateway   hono, and the call of the gateway
//   grouped   gateway, and 2 durable commits a start and 1 an IPN, shared by what waits
//   each      the same, a commit for each
//   postgres  the same, one statement for each on PostgreSQL
// With CHECKS an IPN is followed by a status check and a commit of what it said, before the event.
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { Pool } from 'undici';
import { openPostgresBooks, openSqliteBooks, type Books } from './floor-books.ts';

const FLOORS = ['raw', 'hono', 'gateway', 'grouped', 'each', 'postgres'] as const;
export type Floor = (typeof FLOORS)[number];

const { FLOOR, GATEWAY_URL = '', DATABASE = '', CHECKS } = process.env;
const floor = FLOORS.find((name) => name === FLOOR);
if (floor === undefined) throw new Error(`FLOOR is not one of ${FLOORS.join(', ')}`);
const GATEWAY_PATH = '/api/v3/integration/merchants/payments';
const HEARTBEAT_MS = 15_000;
const gateway = floor === 'raw' || floor === 'hono' ? undefined : new Pool(GATEWAY_URL, { connections: 64 });
const books = await openBooks();
const streams = new Map<string, ServerResponse>();

async function openBooks(): Promise<Books> {
  if (floor === 'postgres') return openPostgresBooks(DATABASE);
  return floor === 'grouped' || floor === 'each' ? openSqliteBooks(DATABASE, floor) : () => Promise.resolve();
}

async function askGateway(path: string, body: object): Promise<string> {
  if (gateway === undefined) return '';
  const headers = { 'content-type': 'application/json', 'x-api-key': 'bench' };
  const request = { path: GATEWAY_PATH + path, method: 'POST' as const, headers, body: JSON.stringify(body) };
  return JSON.stringify(await (await gateway.request(request)).body.json());
}

function viewOf(orderId: string, paid: boolean): string {
  const now = new Date().toISOString();
  const status = paid ? 'SUCCESS' : 'PROCESSING';
  const means = {
    checkoutUrl: 'https://checkout.example/pay?token=abc.def',
    qr: null,
    appUrl: null,
    walletLast4: null,
  };
  const times = { expiresAt: now, createdAt: now, paidAt: paid ? now : null };
  const payment = {
    method: 'CHECKOUT',
    asked: 'CHECKOUT',
    status,
    reason: null,
    cause: null,
    answer: 'accepted',
    ...means,
    ...times,
  };
  const order = { orderId, amount: '10.10', currency: 'EUR', description: 'Tea', methods: ['CHECKOUT', 'QR'], paid };
  return JSON.stringify({ ...order, surplus: false, version: paid ? 5 : 4, serverTime: now, payment });
}

function orderOf(authorization = ''): string {
  const claims = authorization.split('.')[1] ?? '';
  return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { orderId: string }).orderId;
}

async function start(authorization: string | undefined, body: string): Promise<string> {
  const { method } = JSON.parse(body) as { method: string };
  const orderId = orderOf(authorization);
  await books('started', orderId, body);
  const answer = await askGateway('/pay', { orderId, amount: 10.1, currency: 'EUR', method });
  await books('answered', orderId, answer);
  return viewOf(orderId, false);
}

async function receiveIpn(body: string): Promise<void> {
  const { orderId } = JSON.parse(body) as { orderId: string };
  await books('rung', orderId, body);
  setImmediate(() => void tell(orderId));
}

async function tell(orderId: string): Promise<void> {
  if (CHECKS !== undefined) await books('seen', orderId, await askGateway('/status', { orderId, type: 'PAY' }));
  streams.get(orderId)?.write(`event: order\nid: 5\ndata: ${viewOf(orderId, true)}\n\n`);
}

function openStream(request: IncomingMessage, response: ServerResponse): void {
  const orderId = orderOf(request.headers.authorization);
  streams.set(orderId, response);
  const beat = setInterval(() => void response.write(':\n\n'), HEARTBEAT_MS);
  response.once('close', () => {
    clearInterval(beat);
    streams.delete(orderId);
  });
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' });
  response.write(`event: order\nid: 4\ndata: ${viewOf(orderId, false)}\n\n`);
}

function bodyOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => resolve(text));
  });
}

async function respondRaw(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url = '', method, headers } = request;
  const json = (status: number, body: string) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  if (url === '/order/events') openStream(request, response);
  else if (url === '/healthz') json(200, '{"status":"ok"}');
  else if (method === 'GET') json(200, viewOf(orderOf(headers.authorization), false));
  else if (url === '/order/payments') json(201, await start(headers.authorization, await bodyOf(request)));
  else {
    await receiveIpn(await bodyOf(request));
    response.writeHead(200, { 'content-length': 0 }).end();
  }
}

const JSON_TYPE = { 'content-type': 'application/json' };
const app = new Hono();
app.get('/healthz', (c) => c.json({ status: 'ok' }));
app.get('/order', (c) => c.body(viewOf(orderOf(c.req.header('authorization')), false), 200, JSON_TYPE));
app.post('/order/payments', async (c) =>
  c.body(await start(c.req.header('authorization'), await c.req.text()), 201, JSON_TYPE),
);
app.post('/ipn/:secret', async (c) => {
  await receiveIpn(await c.req.text());
  return c.body(null, 200);
});

function announce({ port }: AddressInfo): void {
  console.log(JSON.stringify({ event: 'listening', url: `http://127.0.0.1:${port}` }));
}

if (floor === 'raw') {
  const server = createServer((request, response) => void respondRaw(request, response));
  server.listen(0, '127.0.0.1', () => announce(server.address() as AddressInfo));
} else {
  const beside = (options: ServerOptions, answer: RequestListener) =>
    createServer(options, (request, response) => {
      if (request.url === '/order/events') openStream(request, response);
      else answer(request, response);
    });
  const streamsBeside = beside as typeof createServer;
  serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1', createServer: streamsBeside }, announce);
}
