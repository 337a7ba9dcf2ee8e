// What a request requires, and nothing else: bare Hono, the call of the gateway, and durable commits that all waiting
// requests share, two for a start and one for an IPN. Every token is accepted. Streams are raw responses.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { Pool } from 'undici';

const { GATEWAY_URL = '', DATABASE_URL = '' } = process.env;
const HEARTBEAT_MS = 15_000;
const JSON_TYPE = { 'content-type': 'application/json' };
const gateway = new Pool(GATEWAY_URL, { connections: 64 });
const database = new DatabaseSync(DATABASE_URL.replace(/^file:/, ''));
database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE transactions (id TEXT PRIMARY KEY, stage INT, updated INT, body TEXT) STRICT;
  CREATE INDEX transactions_updated ON transactions (updated);
  CREATE TABLE ipns (id TEXT PRIMARY KEY, body TEXT, at INT) STRICT`);
const insert = database.prepare('INSERT INTO transactions VALUES (?, 1, ?, ?)');
const update = database.prepare('UPDATE transactions SET stage = 2, updated = ? WHERE id = ?');
const store = database.prepare('INSERT INTO ipns VALUES (?, ?, ?)');

let queue: { write: () => unknown; done: () => void }[] = [];

function flush(): void {
  const batch = queue;
  queue = [];
  database.exec('BEGIN IMMEDIATE');
  for (const { write } of batch) write();
  database.exec('COMMIT');
  for (const { done } of batch) done();
}

function commit(write: () => unknown): Promise<void> {
  return new Promise((done) => {
    if (queue.push({ write, done }) === 1) setImmediate(flush);
  });
}

function viewOf(orderId: string): string {
  const now = new Date().toISOString();
  const means = { checkoutUrl: 'https://checkout.example/pay?token=abc.def', qr: null, appUrl: null };
  const payment = { method: 'CHECKOUT', asked: 'CHECKOUT', status: 'PROCESSING', answer: 'ARRIVED', ...means };
  const order = { orderId, amount: '10.10', currency: 'EUR', description: 'Tea', methods: ['CHECKOUT', 'QR'] };
  return JSON.stringify({
    ...order,
    paid: false,
    version: 4,
    serverTime: now,
    payment: { ...payment, createdAt: now },
  });
}

function orderOf(authorization = ''): string {
  const claims = authorization.split('.')[1] ?? '';
  return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { orderId: string }).orderId;
}

function openStream(request: IncomingMessage, response: ServerResponse): void {
  const beat = setInterval(() => void response.write(':\n\n'), HEARTBEAT_MS);
  response.once('close', () => clearInterval(beat));
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' });
  response.write(`event: order\nid: 4\ndata: ${viewOf(orderOf(request.headers.authorization))}\n\n`);
}

const app = new Hono();
app.post('/order/payments', async (c) => {
  const orderId = orderOf(c.req.header('authorization'));
  const body = await c.req.text();
  await commit(() => insert.run(orderId, Date.now(), body));
  const sent = JSON.stringify({ orderId, amount: 10.1, currency: 'EUR', method: 'CHECKOUT' });
  await (await gateway.request({ path: '/pay', method: 'POST', headers: JSON_TYPE, body: sent })).body.json();
  await commit(() => update.run(Date.now(), orderId));
  return c.body(viewOf(orderId), 201, JSON_TYPE);
});
app.post('/ipn/:secret', async (c) => {
  const body = await c.req.text();
  const { orderId } = JSON.parse(body) as { orderId: string };
  await commit(() => store.run(orderId, body, Date.now()));
  return c.body(null, 200);
});

const beside = (options: object, answer: (request: IncomingMessage, response: ServerResponse) => void) =>
  createServer(options, (request, response) =>
    request.url === '/order/events' ? openStream(request, response) : answer(request, response),
  );
serve(
  { fetch: app.fetch, port: 0, hostname: '127.0.0.1', createServer: beside as typeof createServer },
  ({ port }: AddressInfo) => console.log(JSON.stringify({ event: 'listening', url: `http://127.0.0.1:${port}` })),
);
