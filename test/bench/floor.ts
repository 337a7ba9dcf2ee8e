// The floor, a separate process: the proxy's three routes in raw node:http, with the proxy's answers but without its
// rules. It accepts every token and body, remembers only the watched and the paid orders, and calls the gateway as the
// proxy does. With DATABASE it also stores each IPN and start in a durable SQLite commit before it answers.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { Pool } from 'undici';
import { CODE, paymentOf } from '../widget/fake-proxy.ts';

const { GATEWAY_URL = '', DATABASE = '', HOST } = process.env;
const GATEWAY_PATH = '/api/v3/integration/merchants/payments';
const gateway = new Pool(GATEWAY_URL, { connections: 64 });
const paid = new Set<string>();
const watchers = new Map<string, ServerResponse>();
const store = DATABASE === '' ? () => undefined : openDatabase(DATABASE);

function openDatabase(path: string): (table: 'ipns' | 'transactions', body: string) => void {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  const [ipns, transactions] = ['ipns', 'transactions'].map((table) => {
    database.exec(`CREATE TABLE ${table} (body TEXT NOT NULL) STRICT`);
    return database.prepare(`INSERT INTO ${table} VALUES (?)`);
  });
  return (table, body) => void (table === 'ipns' ? ipns : transactions)?.run(body);
}

async function askGateway(path: string, body: object): Promise<{ status?: string }> {
  const headers = { 'content-type': 'application/json' };
  const answer = await gateway.request({
    path: GATEWAY_PATH + path,
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return (await answer.body.json()) as { status?: string };
}

function viewOf(orderId: string): string {
  const isPaid = paid.has(orderId);
  const payment = paymentOf('QR', isPaid ? { status: 'SUCCESS', qr: null } : { qr: CODE });
  const serverTime = new Date().toISOString();
  const order = { orderId, amount: '10.10', currency: 'EUR', description: null, methods: ['QR'], paid: isPaid };
  return JSON.stringify({ ...order, version: isPaid ? 2 : 1, serverTime, payment });
}

function orderOf(request: IncomingMessage): string {
  const claims = request.headers.authorization?.split('.')[1] ?? '';
  return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { orderId: string }).orderId;
}

async function start(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method } = JSON.parse(await text(request)) as { method: string };
  const orderId = orderOf(request);
  await askGateway('/pay', { orderId, amount: 10.1, currency: 'EUR', method });
  store('transactions', orderId);
  response.writeHead(201, { 'content-type': 'application/json' }).end(viewOf(orderId));
}

function watch(request: IncomingMessage, response: ServerResponse): void {
  const orderId = orderOf(request);
  watchers.set(orderId, response);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(`event: order\ndata: ${viewOf(orderId)}\n\n`);
}

async function receiveIpn(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  const { orderId } = JSON.parse(body) as { orderId: string };
  store('ipns', body);
  response.writeHead(200).end();
  const stream = watchers.get(orderId);
  if (stream === undefined) return;
  const { status } = await askGateway('/status', { orderId, type: 'PAY' });
  if (status === 'SUCCESS') paid.add(orderId);
  watchers.delete(orderId);
  stream.end(`event: order\ndata: ${viewOf(orderId)}\n\n`);
}

const server = createServer((request, response) => {
  const { url = '' } = request;
  if (url.startsWith('/ipn/')) void receiveIpn(request, response);
  else if (url === '/order/payments') void start(request, response);
  else if (url === '/order/events') watch(request, response);
  else response.writeHead(200).end();
});
server.listen(0, HOST, () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ event: 'listening', url: `http://${HOST}:${port}` }));
});
