// What customers can do: look, check out, pay, top up. Every amount is worked out here, every order belongs to the session that
// opened it, and the order's page gets a fresh token each time it is shown. Decides nothing about money that came in:
// fulfilment.ts does, and is asked before a page says anything about it.
import { createHash, randomBytes } from 'node:crypto';
import type { Context, Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { CURRENCY, TOP_UP, linesOf } from './catalogue.ts';
import type { Fulfilment } from './fulfilment.ts';
import type { Order, OrderStore } from './order-store.ts';
import { signOrder } from './order-token.ts';
import { notice, type Site } from './page.ts';
import { accountPage, fulfilmentOf, orderPage, shopFront } from './shop-pages.ts';
import type { StaffSettings } from './desk-auth.ts';

export interface ShopSettings extends StaffSettings {
  /** How browsers and this server reach the payment proxy. */
  proxyUrl: string;
  orderSecret: string;
  merchantApiKey: string;
  webhookSecret: string;
  walletUrl?: string | undefined;
}

interface Storefront {
  settings: ShopSettings;
  site: Site;
  orders: OrderStore;
  fulfilment: Fulfilment;
  now: () => Date;
}

const TOKEN_LIFE_S = 60 * 60;
const SESSION_LIFE_S = 30 * 24 * 60 * 60;

export function addStorefront(app: Hono, { settings, site, orders, fulfilment, now }: Storefront): void {
  const { proxyUrl } = settings;

  app.get('/', (c) => {
    customerOf(c, settings);
    return c.html(shopFront(site));
  });

  app.post('/checkout', async (c) => {
    const lines = linesOf(await c.req.parseBody());
    if (lines.length === 0) return c.redirect('/', 303);
    return c.redirect(`/orders/${orders.openGoods(customerOf(c, settings), lines).orderId}`, 303);
  });

  app.get('/account', (c) => {
    const owner = customerOf(c, settings);
    return c.html(accountPage({ balance: orders.balance(owner), orders: orders.byOwner(owner), site }));
  });

  app.post('/account/top-ups', (c) => c.redirect(`/orders/${orders.openTopUp(customerOf(c, settings)).orderId}`, 303));

  app.get('/orders/:orderId', async (c) => {
    const order = await theirs(c);
    if (order === undefined) return c.html(notice('No such order', 'It may belong to someone else.'), 404);
    return c.html(orderPage({ order, token: tokenFor(order, settings, now()), proxyUrl, site }));
  });

  app.get('/orders/:orderId/state', async (c) => {
    const order = await theirs(c);
    if (order === undefined) return c.json({}, 404);
    return c.json({ fulfilled: order.paidAt !== null, text: fulfilmentOf(order) });
  });

  /** The visitor's own order, as far as the proxy can be asked about it now. */
  async function theirs(c: Context<object, '/orders/:orderId'>): Promise<Order | undefined> {
    const order = orders.find(c.req.param('orderId'), customerOf(c, settings));
    if (order !== undefined) await fulfilment.ask(order).catch(() => {});
    return order;
  }
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
