// Hono with the proxy under /pay. The address of the caller is in the second argument.
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createProxyFrom } from 'payment-proxy';
import { live } from './life.js';

const proxy = await createProxyFrom(process.env, { prefix: '/pay' });
const app = new Hono();
app.all('/pay/*', (c) => proxy.fetch(c.req.raw, c.env));
app.post('/cart', async (c) => c.json(await c.req.json()));
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => live(proxy, port));
