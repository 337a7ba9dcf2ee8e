// Starts the shop, and in the demo the theme editor with it, configured by the environment: HOST and PORT (127.0.0.1,
// 8080); PROXY_URL, ORDER_SECRET, MERCHANT_API_KEY, WEBHOOK_SECRET (required); PROXY_INTERNAL_URL (how this server
// reaches the proxy, if not by PROXY_URL, which the shop's pages use); PUBLIC_URL (default: where it listens);
// DESK_PASSWORD (at least 16 characters; without it the desk is served only on loopback host names); WALLET_URL (set by
// the demo: the address of the wallet phone); OPERATOR_URL (of the proxy's operator's page). Prints one JSON line,
// {"listening": "http://…"}, when ready.
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { PaymentProxy } from '../backend-proxy/client.ts';
import { createShop } from './shop/app.ts';
import { createThemes } from './themes/app.ts';

const SWEEP_EVERY_MS = 15_000;
/** Characters. Sign-in attempts are not limited, so the password must be hard to guess. */
const MIN_PASSWORD = 16;

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
  webhookSecret: required('WEBHOOK_SECRET'),
  walletUrl: env['WALLET_URL'] || undefined,
  deskPassword: env['DESK_PASSWORD'] || undefined,
  operatorUrl: env['OPERATOR_URL'] || undefined,
};
const proxy = new PaymentProxy({
  url: env['PROXY_INTERNAL_URL'] || settings.proxyUrl,
  key: required('MERCHANT_API_KEY'),
});
if (settings.deskPassword !== undefined && settings.deskPassword.length < MIN_PASSWORD) {
  console.error(`DESK_PASSWORD must have at least ${MIN_PASSWORD} characters.`);
  process.exit(1);
}

const server = createServer();
server.listen(Number(env['PORT'] || 8080), host, () => {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const listening = `http://${host}:${port}`;
  const publicUrl = (env['PUBLIC_URL'] || listening).replace(/\/$/, '');
  const { app, sweep } = createShop({ ...settings, publicUrl }, proxy);
  // The demo's theme editor is not part of a shop.
  if (settings.walletUrl !== undefined)
    app.route('/themes', createThemes(settings.proxyUrl, { walletUrl: settings.walletUrl }));
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
