// Bun with the proxy under /pay.
import { createProxyFrom } from 'payment-proxy';
import { live } from './life.js';

const proxy = await createProxyFrom(process.env, { prefix: '/pay' });
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  // Bun's own limit of 10 s is shorter than a stream's silence.
  idleTimeout: 60,
  routes: { '/pay/*': (request) => proxy.fetch(request) },
  fetch: async (request) => Response.json(await request.json()),
});
live(proxy, server.port);
