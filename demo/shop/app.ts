// Composes the shop's server: security headers, files, webhooks, storefront and desk. The content security policy is
// strict to show how little the widget needs: its script, its connection to the proxy, and `data:` images for codes.
import { readFileSync } from 'node:fs';
import { Hono, type Context, type MiddlewareHandler } from 'hono';
import { basicAuth } from 'hono/basic-auth';
import { bodyLimit } from 'hono/body-limit';
import { csrf } from 'hono/csrf';
import { secureHeaders } from 'hono/secure-headers';
import { timingSafeEqual } from 'hono/utils/buffer';
import { PaymentProxyError, WebhookError, type PaymentProxy } from '../../backend-proxy/client.ts';
import { addDesk } from './desk.ts';
import { Fulfillment } from './fulfillment.ts';
import { OrderStore } from './order-store.ts';
import { notice } from './page.ts';
import { addStorefront, type ShopSettings } from './storefront.ts';

const BODY_LIMIT = 16 * 1024;
const ASSETS: Record<string, string> = {
  'shop.css': 'text/css; charset=utf-8',
  'desk.css': 'text/css; charset=utf-8',
  'basket.js': 'text/javascript; charset=utf-8',
  'dates.js': 'text/javascript; charset=utf-8',
  'order.js': 'text/javascript; charset=utf-8',
  'desk.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
  'wallet.svg': 'image/svg+xml',
};

export function createShop(settings: ShopSettings, proxy: PaymentProxy, now: () => Date = () => new Date()) {
  const { proxyUrl, walletUrl, operatorUrl } = settings;
  const guard = staffOnly(settings);
  const site = { walletUrl, operatorUrl, hasDesk: guard !== undefined };
  const orders = new OrderStore(now);
  const fulfillment = new Fulfillment(orders, proxy, settings.webhookSecret);
  const app = new Hono();

  app.use(headersFor(proxyUrl));
  app.use(bodyLimit({ maxSize: BODY_LIMIT }));
  addWebhooks(app, fulfillment);
  app.use(onlyAt(settings.publicUrl), csrf());
  addAssets(app);

  addStorefront(app, { settings, site, orders, fulfillment, now });
  if (guard !== undefined) addDesk(app.use('/desk/*', guard), proxy, orders, site, now);
  app.notFound((c) => c.html(notice('Nothing here', 'This page does not exist.', site), 404));
  return { app, sweep: () => fulfillment.sweep(now()) };
}

/** Without a password the desk opens only from this machine; undefined: nowhere. A real merchant has a sign-in here. */
function staffOnly({ publicUrl, deskPassword }: ShopSettings): MiddlewareHandler | undefined {
  if (deskPassword !== undefined)
    return basicAuth({ realm: 'The desk', verifyUser: (_name, password) => timingSafeEqual(deskPassword, password) });
  const isLoopback = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(publicUrl).hostname);
  return isLoopback ? (_c, next) => next() : undefined;
}

function headersFor(proxyUrl: string) {
  const proxyOrigin = new URL(proxyUrl).origin;
  return secureHeaders({
    contentSecurityPolicy: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'", proxyOrigin],
      connectSrc: ["'self'", proxyOrigin],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
      requireTrustedTypesFor: ["'script'"],
      trustedTypes: ['lit-html', 'desk'],
    },
    referrerPolicy: 'same-origin',
  });
}

/** Redirects from other host names, because the proxy allows only one origin. */
function onlyAt(publicUrl: string) {
  const { origin, host } = new URL(publicUrl);
  return async (c: Context, next: () => Promise<void>) => {
    if (new URL(c.req.url).host === host) return next();
    const { pathname, search } = new URL(c.req.url);
    return c.req.method === 'GET' ? c.redirect(`${origin}${pathname}${search}`) : c.text('Misdirected request', 421);
  };
}

function addWebhooks(app: Hono, fulfillment: Fulfillment): void {
  app.post('/webhooks', async (c) => {
    try {
      await fulfillment.takeWebhook(await c.req.text(), c.req.header());
      return c.body(null, 204);
    } catch (error) {
      if (error instanceof WebhookError) return c.text(error.message, 400);
      if (error instanceof PaymentProxyError) return c.text('Deliver it again.', 503);
      throw error;
    }
  });
}

function addAssets(app: Hono): void {
  const folder = new URL('public/', import.meta.url);
  for (const [name, type] of Object.entries(ASSETS)) {
    const content = readFileSync(new URL(name, folder), 'utf8');
    app.get(`/assets/${name}`, (c) => c.body(content, 200, { 'content-type': type, 'cache-control': 'no-cache' }));
  }
}
