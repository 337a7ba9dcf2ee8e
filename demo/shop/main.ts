// Starts the shop: reads its environment, listens, says where. The only reader of the environment in this folder.
// HOST and PORT (127.0.0.1, 8080); PROXY_URL, ORDER_SECRET, MERCHANT_API_KEY, WEBHOOK_SECRET (required); PUBLIC_URL
// (default: where it listens); DESK_PASSWORD (at least 16 characters; without it the desk is served on loopback names alone);
// WALLET_URL (a link to the demo's wallet phone, for the demo alone).
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { createShop } from './app.ts';
import { createThemes } from '../themes/app.ts';

const SWEEP_EVERY_MS = 15_000;
/** Nothing else slows down who guesses. */
const LEAST_PASSWORD = 16;

const { env } = process;

function required(name: string): string {
  const value = env[name];
  if (!value) {
    console.error(`The shop needs ${name}.`);
    process.exit(1);
  }
  return value;
}

const host = env['HOST'] || '127.0.0.1';
const settings = {
  proxyUrl: required('PROXY_URL').replace(/\/$/, ''),
  orderSecret: required('ORDER_SECRET'),
  merchantApiKey: required('MERCHANT_API_KEY'),
  webhookSecret: required('WEBHOOK_SECRET'),
  walletUrl: env['WALLET_URL'] || undefined,
  deskPassword: env['DESK_PASSWORD'] || undefined,
};
if (settings.deskPassword !== undefined && settings.deskPassword.length < LEAST_PASSWORD) {
  console.error(`DESK_PASSWORD has at least ${LEAST_PASSWORD} characters.`);
  process.exit(1);
}

const server = createServer();
server.listen(Number(env['PORT'] || 8080), host, () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const listening = `http://${host}:${port}`;
  const publicUrl = (env['PUBLIC_URL'] || listening).replace(/\/$/, '');
  const { app, sweep } = createShop({ ...settings, publicUrl });
  // The demo's theme editor, which is no part of a shop.
  if (settings.walletUrl !== undefined) app.route('/themes', createThemes({ ...settings, publicUrl }));
  const answer = getRequestListener(app.fetch);
  server.on('request', (request, response) => void answer(request, response));
  const timer = setInterval(() => void sweep(), SWEEP_EVERY_MS);

  const stop = () => {
    clearInterval(timer);
    server.close();
    server.closeAllConnections();
  };
  process.once('SIGTERM', stop).once('SIGINT', stop);
  console.log(JSON.stringify({ listening }));
});
