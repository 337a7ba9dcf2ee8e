// Express with the proxy under /pay. With AFTER_JSON it makes the mistake of mounting a body parser first.
import express from 'express';
import { createProxyFrom } from 'payment-proxy';
import { live } from './life.js';

const proxy = await createProxyFrom(process.env, { prefix: '/pay' });
const app = express();
if (process.env['AFTER_JSON']) app.use(express.json());
app.use(proxy.handler);
app.use(express.json());
app.post('/cart', (request, response) => response.json(request.body));
const server = app.listen(0, '127.0.0.1', () => live(proxy, server.address().port));
