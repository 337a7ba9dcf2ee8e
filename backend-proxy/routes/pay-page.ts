// GET /pay#<order token>: the widget on a page of the proxy's own, for merchants without one. The token is in the
// fragment, so neither a log nor a mail scanner has it, and opening the page starts nothing. The page is the same for
// every order: the payee's name and mark are those of the token, which the widget reads.
import { createHash } from 'node:crypto';
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { answer } from '../http/answer.ts';

/** After the gateway's checkout the shopper comes back without the fragment: the tab remembers it. */
const SCRIPT = `
const token = location.hash.slice(1) || sessionStorage.getItem('order') || 'none';
if (location.hash) sessionStorage.setItem('order', token);
addEventListener('hashchange', () => location.reload());
let claims = {};
try {
  const base64 = token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/');
  claims = JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))));
} catch {}
document.documentElement.lang = claims.language || navigator.language;
if (claims.merchant) document.title = document.querySelector('h1').textContent = claims.merchant;
const widget = document.querySelector('payment-widget');
// Reloading brings no other token: without one the widget asks the shopper to open the link again.
widget.addEventListener('payment-error', ({ detail }) => {
  if (detail.code === 'token_expired') widget.setAttribute('order', 'none');
});
widget.setAttribute('order', token);
`;

const STYLE = `
:root { color-scheme: light dark; font-family: system-ui, sans-serif; }
body { margin: 0; min-height: 100dvh; display: grid; justify-items: center; align-content: start; background: light-dark(#f5f6f8, #0d1017); color: light-dark(#14171f, #e8eaf0); }
main { box-sizing: border-box; width: min(100%, 28rem); padding: 0; }
@media (min-width: 30rem) { body { align-content: center; } main { padding: 2rem 0; } }
h1 { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
noscript { display: block; padding: 2rem; }
`;

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<title>Payment</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
<script type="module" src="widget.js"></script>
</head>
<body>
<main><h1>Payment</h1><payment-widget></payment-widget><noscript>This page needs JavaScript.</noscript></main>
<script type="module">${SCRIPT}</script>
</body>
</html>
`;

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-cache',
  'Content-Security-Policy': [
    "default-src 'none'",
    `script-src 'self' ${hashOf(SCRIPT)}`,
    `style-src 'self' ${hashOf(STYLE)}`,
    "connect-src 'self'",
    'img-src https: data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'X-Robots-Tag': 'noindex',
  'Referrer-Policy': 'no-referrer',
};

const getPayPage = createRoute({
  method: 'get',
  path: '/pay',
  operationId: 'getPayPage',
  tags: ['Public'],
  security: [],
  summary: 'The payment page; the order token is its fragment',
  responses: { 200: { description: 'The page', content: { 'text/html': { schema: z.string() } } } },
});

export function servePayPage(app: OpenAPIHono): void {
  app.get('/pay', (c) => answer(c, PAGE, 200, HEADERS));
  app.openAPIRegistry.registerPath(getPayPage);
}

/** Where a shopper pays the order of a token. */
export function payPageOf(publicUrl: string, token: string): string {
  return `${publicUrl.replace(/\/+$/, '')}/pay#${token}`;
}
