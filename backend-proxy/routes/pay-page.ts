// GET /pay#<order token>: the widget on a page of the proxy's own, for merchants without one. The token is in the
// fragment, so neither a log nor a mail scanner has it, and opening the page starts nothing. The page is the same for
// every order: the payee's name and mark are those of the token, which the widget reads.
import { createHash } from 'node:crypto';
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { answer } from '../http/answer.ts';

/**
 * After the gateway's checkout the shopper comes back without the fragment: the tab remembers it. The title is the
 * panel's heading, in the widget's language. The payee's name and address below the widget stay unseen until the proxy
 * has accepted the token, or says that it was valid once.
 */
const SCRIPT = `
const token = location.hash.slice(1) || sessionStorage.getItem('order') || 'none';
if (location.hash) sessionStorage.setItem('order', token);
addEventListener('hashchange', () => location.reload());
let claims = {};
try {
  const base64 = token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/');
  claims = JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))));
} catch {}
const { language, merchant, description, logo, supportUrl, returnUrl } = claims;
const root = document.documentElement;
const [widget, title, payee, address] = ['payment-widget', 'h1', 'footer bdi', 'footer a'].map((name) => document.querySelector(name));
root.lang = language || navigator.language;
title.textContent = merchant || description || location.host;
payee.textContent = merchant || '';
if (/^(https:|data:image)/.test(logo)) document.querySelector('link').href = logo;
const page = [supportUrl, returnUrl].find((url) => /^https?:/.test(url) && new URL(url).origin !== location.origin);
if (page) address.textContent = new URL((address.href = page)).host;
new MutationObserver(() => {
  const heading = widget.shadowRoot.querySelector('[part~=heading]');
  if (heading) document.title = [heading.textContent, merchant].filter(Boolean).join(' · ');
  root.dir = widget.shadowRoot.querySelector('[part~=sheet]')?.dir ?? '';
}).observe(widget.shadowRoot, { childList: true, subtree: true, characterData: true });
widget.addEventListener('payment-ready', () => root.classList.add('known'));
// Reloading brings no other token: without one the widget asks the shopper to open the link again.
widget.addEventListener('payment-error', ({ detail }) => {
  if (detail.code !== 'token_expired') return;
  root.classList.add('known', 'over');
  widget.setAttribute('order', 'none');
});
widget.setAttribute('order', token);
`;

/** On a phone the widget is the page. Its own head has the payee's name, so the heading is seen only without it. */
const STYLE = `
:root { color-scheme: light dark; font-family: system-ui, sans-serif; }
body { margin: 0; min-height: 100dvh; display: grid; justify-items: center; align-content: start; background: light-dark(#fff, #16181e); color: light-dark(#14171f, #f1f3f7); }
main { width: min(100%, 28rem); }
payment-widget::part(sheet) { border: 0; border-radius: 0; }
footer { padding: 0 1.5rem 1.5rem; color: light-dark(#596070, #a6adbb); font-size: 0.875rem; text-align: center; overflow-wrap: anywhere; }
:root:not(.known) footer { visibility: hidden; }
footer bdi:not(:empty) + a:not(:empty)::before { content: '·'; display: inline-block; margin-inline: 0.5em; }
footer a { display: inline-block; padding-block: 0.75rem; color: inherit; text-underline-offset: 0.2em; }
h1 { margin: 1.5rem 1.5rem 0; font-size: 1.125rem; text-align: center; overflow-wrap: anywhere; }
:root:not(.over) h1 { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
noscript { display: block; padding: 2rem; }
@media (min-width: 30rem) {
  body { background: light-dark(#f5f6f8, #0d1017); }
  payment-widget { margin-block: clamp(2rem, 10vh, 6rem) 1rem; }
  payment-widget::part(sheet) { border: 1px solid light-dark(#dfe2e9, #343945); border-radius: 18px; }
}
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
<footer><bdi></bdi><a></a></footer>
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
