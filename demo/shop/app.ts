// The shop's server: its pages, its checkout, its webhook endpoint, its desk. Every amount is worked out here, every order
// belongs to the session that opened it, and an order is paid only when fulfilment.ts says so. The policy on the pages is
// strict on purpose: it shows that the widget needs no more than its own script, its own connection, and the image of a code.
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Hono, type Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { getCookie, setCookie } from 'hono/cookie';
import { csrf } from 'hono/csrf';
import { secureHeaders } from 'hono/secure-headers';
import { WebhookVerificationError } from 'standardwebhooks';
import { CURRENCY, TOP_UP, linesOf } from './catalogue.ts';
import { deskPage, deskTables } from './desk-page.ts';
import { StaffDesk } from './desk.ts';
import { Fulfilment } from './fulfilment.ts';
import { OrderBook, type Order } from './order-book.ts';
import { signOrder } from './order-token.ts';
import { notice } from './page.ts';
import { ProxyClient } from './proxy-client.ts';
import { accountPage, fulfilmentOf, orderPage, shopFront } from './shop-pages.ts';

export interface ShopSettings {
  /** How browsers reach the shop. */
  publicUrl: string;
  /** How browsers and this server reach the payment proxy. */
  proxyUrl: string;
  orderSecret: string;
  merchantApiKey: string;
  webhookSecret: string;
  walletUrl?: string | undefined;
}

const TOKEN_LIFE_S = 60 * 60;
const SESSION_LIFE_S = 30 * 24 * 60 * 60;
const BODY_LIMIT = 16 * 1024;
const ASSETS: Record<string, string> = {
  'shop.css': 'text/css; charset=utf-8',
  'basket.js': 'text/javascript; charset=utf-8',
  'order.js': 'text/javascript; charset=utf-8',
  'desk.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

export function createShop(settings: ShopSettings, fetcher: typeof fetch = fetch, now: () => Date = () => new Date()) {
  const { proxyUrl, walletUrl } = settings;
  const book = new OrderBook(now);
  const proxy = new ProxyClient(proxyUrl, settings.merchantApiKey, fetcher);
  const fulfilment = new Fulfilment(book, proxy, settings.webhookSecret);
  const app = new Hono();

  app.use(headersFor(proxyUrl));
  app.use(bodyLimit({ maxSize: BODY_LIMIT }));
  addWebhooks(app, fulfilment);
  app.use(onlyAt(settings.publicUrl), csrf());
  addAssets(app);

  const ask = (order: Order) => fulfilment.ask(order).catch(() => {});

  app.get('/', (c) => (customerOf(c, settings), c.html(shopFront(walletUrl))));

  app.post('/checkout', async (c) => {
    const lines = linesOf(await c.req.parseBody());
    if (lines.length === 0) return c.redirect('/', 303);
    return c.redirect(`/orders/${book.openGoods(customerOf(c, settings), lines).orderId}`, 303);
  });

  app.get('/orders/:orderId', async (c) => {
    const order = book.find(c.req.param('orderId'), customerOf(c, settings));
    if (order === undefined)
      return c.html(notice('No such order', 'It may belong to someone else, or be long gone.'), 404);
    await ask(order);
    return c.html(orderPage({ order, token: tokenFor(order, settings, now()), proxyUrl, walletUrl }));
  });

  app.get('/orders/:orderId/state', async (c) => {
    const order = book.find(c.req.param('orderId'), customerOf(c, settings));
    if (order === undefined) return c.json({}, 404);
    await ask(order);
    return c.json({ fulfilled: order.paidAt !== null, text: fulfilmentOf(order) });
  });

  app.get('/account', (c) => {
    const owner = customerOf(c, settings);
    return c.html(accountPage({ balance: book.balance(owner), orders: book.ordersOf(owner), walletUrl }));
  });

  app.post('/account/top-ups', (c) => c.redirect(`/orders/${book.openTopUp(customerOf(c, settings)).orderId}`, 303));

  addDesk(app, new StaffDesk(book, proxy, now), walletUrl);
  app.notFound((c) => c.html(notice('Nothing here', 'This page does not exist.'), 404));
  return { app, sweep: () => fulfilment.sweep(now()) };
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

/** Answers at one address only: a page under another name would not be among the origins that the proxy allows. */
function onlyAt(publicUrl: string) {
  const { origin, host } = new URL(publicUrl);
  return async (c: Context, next: () => Promise<void>) => {
    if (new URL(c.req.url).host === host) return next();
    const { pathname, search } = new URL(c.req.url);
    return c.req.method === 'GET' ? c.redirect(`${origin}${pathname}${search}`) : c.text('Misdirected request', 421);
  };
}

function addWebhooks(app: Hono, fulfilment: Fulfilment): void {
  app.post('/webhooks', async (c) => {
    try {
      fulfilment.takeWebhook(await c.req.text(), c.req.header());
      return c.body(null, 204);
    } catch (error) {
      if (!(error instanceof WebhookVerificationError)) throw error;
      return c.text('The signature does not hold.', 401);
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

/** Staff sign-in is a matter of each merchant, and no part of this demo, which is why it listens on loopback alone by default. */
function addDesk(app: Hono, desk: StaffDesk, walletUrl: string | undefined): void {
  app.get('/desk', async (c) => c.html(deskPage(await desk.gather(), desk.emptyForm(), walletUrl)));
  app.get('/desk/tables', async (c) => c.html(deskTables(await desk.gather())));
  app.post('/desk/payouts', async (c) => {
    const form = await desk.sendPayout(await c.req.parseBody());
    if (form === undefined) return c.redirect('/desk', 303);
    return c.html(deskPage(await desk.gather(), form, walletUrl), 422);
  });
}

/** The customer's number at this shop: made from a random cookie, which stands in for a sign-in and never leaves the shop. */
function customerOf(c: Context, { publicUrl }: ShopSettings): string {
  const secure = publicUrl.startsWith('https:');
  let session = getCookie(c, 'stillwater');
  if (session === undefined || !/^[\w-]{43}$/.test(session)) {
    session = randomBytes(32).toString('base64url');
    setCookie(c, 'stillwater', session, { httpOnly: true, sameSite: 'Lax', path: '/', maxAge: SESSION_LIFE_S, secure });
  }
  return `C-${createHash('sha256').update(session).digest('hex').slice(0, 16)}`;
}

function tokenFor(order: Order, { publicUrl, orderSecret }: ShopSettings, now: Date): string {
  const iat = Math.floor(now.getTime() / 1000);
  const common = {
    orderId: order.orderId,
    currency: CURRENCY,
    returnUrl: `${publicUrl}/orders/${order.orderId}`,
    customerReferenceNo: order.owner,
    language: 'en',
    iat,
    exp: iat + TOKEN_LIFE_S,
  };
  if (order.kind === 'goods') {
    return signOrder({ ...common, amount: order.amount, description: 'Coffee from Stillwater' }, orderSecret);
  }
  const { least: minAmount, most: maxAmount } = TOP_UP;
  return signOrder({ ...common, minAmount, maxAmount, description: 'Stillwater coffee card' }, orderSecret);
}
