// Node's own server with the proxy under /pay.
import { createServer } from 'node:http';
import { createProxyFrom } from 'payment-proxy';
import { live } from './life.js';

const proxy = await createProxyFrom(process.env, { prefix: '/pay' });
const server = createServer((request, response) => {
  proxy.handler(request, response, () => request.pipe(response));
});
server.listen(0, '127.0.0.1', () => live(proxy, server.address().port));
