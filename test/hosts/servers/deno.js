// Deno with the proxy under /pay.
import process from 'node:process';
import { createProxyFrom } from 'payment-proxy';
import { live } from './life.js';

const proxy = await createProxyFrom(process.env, { prefix: '/pay' });
const server = Deno.serve({ hostname: '127.0.0.1', port: 0, onListen: () => undefined }, async (request) =>
  new URL(request.url).pathname.startsWith('/pay/') ? proxy.fetch(request) : Response.json(await request.json()),
);
live(proxy, server.addr.port);
