// Runs the sandbox gateway as a process, configured by the environment: GATEWAY_API_KEY (required: the key that the
// proxy sends as X-API-KEY), IPN_URL (the proxy's IPN URL; can be set later by POST /_sandbox/ipn-url), PUBLIC_URL
// (how browsers reach it; default: the host of each request), MERCHANT_NAME (Demo Shop), MERCHANT_LOGO (a `data:` URL),
// SHOP_URL, DESK_URL and OPERATOR_URL (of the merchant's pages, which its own then lead to), HOST (127.0.0.1), PORT
// (8788; 0 for any free port). An empty variable counts as missing. Prints one JSON line, {"listening": "http://…"},
// when ready; ends on SIGTERM or SIGINT.
import { serve } from '@hono/node-server';
import { createSandbox } from './sandbox.ts';

const { GATEWAY_API_KEY, IPN_URL, PUBLIC_URL, MERCHANT_NAME, MERCHANT_LOGO, SHOP_URL, DESK_URL, OPERATOR_URL } =
  process.env;
const HOST = process.env['HOST'] || '127.0.0.1';
const PORT = process.env['PORT'] || '8788';
if (!GATEWAY_API_KEY) fail('GATEWAY_API_KEY is missing: the key that the proxy sends as X-API-KEY.');
for (const [name, value] of Object.entries({ IPN_URL, PUBLIC_URL, SHOP_URL, DESK_URL, OPERATOR_URL })) {
  if (value && !isWebUrl(value)) fail(`${name} is not a URL that begins with http:// or https://.`);
}
if (IPN_URL?.endsWith('/')) fail('IPN_URL must end with the IPN secret.');
if (!/^\d{1,5}$/.test(PORT) || Number(PORT) > 65_535) fail('PORT must be a number from 0 to 65535.');

const sandbox = createSandbox({
  apiKey: GATEWAY_API_KEY,
  ipnUrl: IPN_URL || null,
  ...(MERCHANT_NAME ? { merchant: MERCHANT_NAME } : {}),
  ...(MERCHANT_LOGO ? { merchantLogo: MERCHANT_LOGO } : {}),
  shopUrl: SHOP_URL || undefined,
  deskUrl: DESK_URL || undefined,
  operatorUrl: OPERATOR_URL || undefined,
  ...(PUBLIC_URL ? { publicUrl: PUBLIC_URL.replace(/\/+$/, '') } : {}),
});
const stop = sandbox.run();
const server = serve({ fetch: sandbox.app.fetch, hostname: HOST, port: Number(PORT) }, ({ port }) => {
  const host = HOST.includes(':') ? `[${HOST}]` : HOST;
  console.log(JSON.stringify({ listening: `http://${host}:${port}` }));
});
server.on('error', (error) => fail(`${error.message}: set PORT to another one, or to 0 for any that is free.`));

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    stop();
    server.close();
    if ('closeAllConnections' in server) server.closeAllConnections();
  });
}

function isWebUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '');
}

function fail(message: string): never {
  console.error(`sandbox: ${message}`);
  process.exit(1);
}
