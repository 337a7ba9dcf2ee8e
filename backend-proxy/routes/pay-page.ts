// GET /pay#<order token>: the widget on a page of the proxy's own, for merchants without one. The token is in the
// fragment, so neither a log nor a mail scanner has it, and opening the page starts nothing. The page is the same for
// every order: the payee's name, mark and address above the widget are those of the token.
import { createHash } from 'node:crypto';
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi';
import { answer } from '../http/answer.ts';

/**
 * After the gateway's checkout the shopper comes back without the fragment: the tab remembers it. The title is the
 * panel's heading. The page's own sentences are the widget's. Anybody can write a token, so its payee is named once the
 * proxy has accepted it, or says that it was valid once.
 */
const SCRIPT = `
const token = location.hash.slice(1) || sessionStorage.getItem('order') || 'none';
if (location.hash) sessionStorage.setItem('order', token);
addEventListener('hashchange', () => location.reload());
let claims = {};
try {
  const base64 = token.split('.')[1].replaceAll('-', '+').replaceAll('_', '/');
  claims = JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)))) ?? {};
} catch {}
const { orderId, description, language, merchant, logo, supportUrl, returnUrl } = claims;
const root = document.documentElement;
const [widget, payee, address, line, mark, initial, icon, way, help] = ['payment-widget', 'h1', 'header a', 'header p', 'img', 'i', 'link', '[slot]', 'footer a'].map((name) => document.querySelector(name));
root.lang = language || navigator.language;
const is = (name) => root.classList.contains(name);
const part = (name) => widget.shadowRoot.querySelector('[part~=' + name + ']');
const isElsewhere = ({ origin, pathname }) => origin + pathname !== location.origin + location.pathname;
const page = [supportUrl, returnUrl].find((url) => /^https?:/.test(url) && URL.canParse(url) && isElsewhere(new URL(url)));
const isHelp = page && page === supportUrl;
const name = merchant || (page && new URL(page).host);
const order = name ? line : payee;
const follow = () => {
  const isKnown = is('known');
  document.title = [part('heading')?.textContent, isKnown && merchant].filter(Boolean).join(' · ') || document.title;
  root.dir = part('sheet')?.dir ?? '';
  const toShop = isKnown && merchant ? widget.say('toMerchant', { merchant: '\\u2068' + merchant + '\\u2069' }) : widget.say('toShop');
  way.textContent = isKnown && isHelp ? widget.say('support') : toShop;
  help.textContent = widget.say('support');
  help.hidden = !isKnown || !isHelp || is('over') || !!part('support');
  if (isKnown && !(name && description?.includes(orderId))) order.textContent = [widget.say('order'), orderId].join(' ');
  // Reloading brings no other token: like a link that does not work, an expired one says to ask for another.
  const askForAnother = [widget.say('invalid_token_help'), widget.say('counts')].join(' ').replace('。 ', '。');
  if (isKnown && is('over')) widget.messages = { token_expired_help: askForAnother };
};
new MutationObserver(follow).observe(widget.shadowRoot, { childList: true, subtree: true, characterData: true });
const introduce = () => {
  if (is('known')) return;
  root.classList.add('known');
  payee.textContent = name || orderId;
  if (page) address.href = way.href = help.href = page;
  if (page && merchant) address.textContent = new URL(page).host;
  if (/^(https:|data:image)/.test(logo)) icon.href = mark.src = logo;
  else if (merchant) initial.textContent = [...new Intl.Segmenter().segment(merchant.trim())][0]?.segment;
  follow();
};
widget.addEventListener('payment-ready', introduce);
widget.addEventListener('payment-error', async ({ detail: { code } }) => {
  if (!/^(token_expired|invalid_token)$/.test(code) || is('over')) return;
  root.classList.add('over');
  if (code === 'token_expired') introduce();
  if (!is('known')) widget.setAttribute('order', 'none');
  await widget.updateComplete;
  if (way.href && !part('support')) widget.append(way);
  follow();
});
widget.setAttribute('order', token);
`;

/**
 * On a phone the widget is the page. The payee is named above it, so not in it, and nothing is shown before; unless the
 * proxy does not answer.
 */
const STYLE = `
:root { color-scheme: light dark; font-family: system-ui, sans-serif; --payment-padding: clamp(1rem, 6vw, 1.5rem); }
body { box-sizing: border-box; margin: 0; min-height: 100dvh; display: flex; flex-direction: column; align-items: center; background: light-dark(#fff, #16181e); color: light-dark(#14171f, #f1f3f7); }
:is(header, main) { box-sizing: border-box; width: min(100%, 28rem); }
header { display: flex; flex-wrap: wrap; align-items: center; gap: 0.75rem; padding: 1.25rem var(--payment-padding) 0.75rem; overflow-wrap: anywhere; }
header div { flex: 1 1 8em; display: flex; flex-wrap: wrap; align-items: baseline; column-gap: 0.75rem; }
header :is(img, i) { flex: none; width: 3rem; height: 3rem; border-radius: 0.75rem; object-fit: contain; }
header i { display: grid; place-content: center; box-sizing: border-box; border: 1px solid transparent; background: light-dark(#e4e7ed, #2b303b); font: 600 1.375rem/1 system-ui, sans-serif; text-transform: uppercase; }
header :is(img:not([src]), img[src] + i) { display: none; }
svg { width: 1.75rem; fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round; }
h1, p { margin: 0; font-size: 1.125rem; line-height: 1.3; }
h1 { flex: 1 0 100%; }
:is(header, footer) :is(a, p) { color: light-dark(#596070, #a6adbb); font-size: 0.875rem; text-underline-offset: 0.2em; }
:is(header, footer) a { display: inline-block; line-height: 1.5rem; }
:is(header, footer) :is(a:empty, p:empty, [hidden]) { display: none; }
footer { margin-top: auto; padding: 0.75rem; }
:root:not(.known) header { visibility: hidden; }
:root:not(.known, .over) payment-widget:defined { animation: hidden 2s; }
@keyframes hidden { from, to { visibility: hidden; } }
:root.over:not(.known) header { visibility: visible; position: absolute; width: 1px; height: 1px; padding: 0; overflow: hidden; clip-path: inset(50%); }
payment-widget::part(sheet) { border: 0; border-radius: 0; }
payment-widget::part(logo), payment-widget::part(merchant) { display: none; }
payment-widget::part(description) { color: inherit; font-size: 1rem; }
payment-widget::part(total) { order: -1; flex: 1 0 100%; font-size: 2rem; line-height: 1.2; text-align: start; }
.over payment-widget::part(again), .over payment-widget::part(reference) { display: none; }
[slot] { display: block; padding: 0.75rem 1rem; border: 1px solid light-dark(#80879a, #767f91); border-radius: 10px; color: inherit; font-weight: 600; text-align: center; text-decoration: none; overflow-wrap: anywhere; }
main > [slot] { display: none; }
noscript { display: block; padding: 2rem; }
@media (forced-colors: active) { [slot] { color: ButtonText; } }
@media (min-width: 30rem) {
  body { padding-block: clamp(0.5rem, 8vh, 5rem) 1rem; background: light-dark(#f5f6f8, #0d1017); }
  header { padding-block: 0 1rem; }
  payment-widget::part(sheet) { border: 1px solid light-dark(#d3d7e0, #525969); border-radius: 18px; }
}
`;

/** Of a payee without a name or a mark. */
const SHOPFRONT =
  'M5 12v7.5h14V12M5.5 4.5h13l2 5a2.8 2.8 0 0 1-5.5.7 3 3 0 0 1-6 0 2.8 2.8 0 0 1-5.5-.7zM10 19.5v-4h4v4';

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
<header><img alt=""><i aria-hidden="true"><svg viewBox="0 0 24 24"><path d="${SHOPFRONT}"/></svg></i><div><h1>Payment</h1><a target="_blank" rel="noopener"></a><p></p></div></header>
<main><payment-widget></payment-widget><a slot="help"></a><noscript>This page needs JavaScript.</noscript></main>
<footer><a hidden target="_blank" rel="noopener"></a></footer>
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
