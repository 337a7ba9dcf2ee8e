// Fastify with the proxy under /pay. An onRequest hook runs before Fastify reads a body.
import Fastify from 'fastify';
import { createProxyFrom } from 'payment-proxy';
import { live } from './life.js';

const proxy = await createProxyFrom(process.env, { prefix: '/pay' });
const app = Fastify();
app.addHook('onRequest', (request, reply, next) => proxy.handler(request.raw, reply.raw, next));
app.post('/cart', (request) => request.body);
await app.listen({ host: '127.0.0.1', port: 0 });
live(proxy, app.server.address().port);
