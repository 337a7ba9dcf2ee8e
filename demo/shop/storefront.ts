// The customer's routes: shop front, check out, account, top up, order page. The server computes each amount, an
// order belongs to the session that opened it, and the order page gets a new token each time. fulfillment.ts decides
// whether an order is paid, and is asked before a page shows it.
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Context, Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { html } from 'hono/html';
import { signOrder } from '../../backend-proxy/client.ts';
import { accountPage } from './account-page.ts';
import { CURRENCY, TOP_UP, formatMoney, linesOf, type Line } from './catalog.ts';
import type { Fulfillment } from './fulfillment.ts';
import { stateOf, type Order, type OrderStore } from './order-store.ts';
import { notice, type Site } from './page.ts';
import { fulfillmentOf, goodsOf, headingOf, orderPage, SESSION_DAYS, shopFront } from './shop-pages.ts';

export interface ShopSettings {
  /** How browsers reach the shop; other host names are redirected here. */
  publicUrl: string;
  /** How browsers reach the payment proxy. */
  proxyUrl: string;
  orderSecret: string;
  webhookSecret: string;
  walletUrl?: string | undefined;
  operatorUrl?: string | undefined;
  deskPassword?: string | undefined;
}

interface Storefront {
  settings: ShopSettings;
  site: Site;
  orders: OrderStore;
  fulfillment: Fulfillment;
  now: () => Date;
}

const ICON = readFileSync(new URL('public/icon.svg', import.meta.url));
const LOGO = `data:image/svg+xml;base64,${ICON.toString('base64')}`;
const CONTACT = html`Write to <a href="mailto:help@stillwater.example">help@stillwater.example</a>, and tell us the
  number of your order. You find it under <a href="/account">your&nbsp;orders</a>, in the browser in which you made it.`;
const ELSEWHERE =
  'Did you pay on your phone? Your order is in the browser in which you made it. Please continue there.';
const ASKED_FOR_MS = 2_000;
/** Of the account's orders, the newest. */
const MAX_ASKED = 10;
/** From the start of a payment: as long as the gateway's own checkout. */
const PAY_WITHIN_S = 15 * 60;
const SESSION_LIFE_S = SESSION_DAYS * 24 * 60 * 60;

export function addStorefront(app: Hono, { settings, site, orders, fulfillment, now }: Storefront): void {
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

  app.get('/contact', (c) => c.html(notice('Contact us', CONTACT, site)));

  app.get('/account', async (c) => {
    const owner = customerOf(c, settings);
    await ask(orders.byOwner(owner).slice(0, MAX_ASKED));
    // A top-up that was only opened has neither an amount nor a payment.
    const isListed = (order: Order) => order.amount !== null || order.tries !== 'none' || stateOf(order) !== 'unpaid';
    const listed = orders.byOwner(owner).filter(isListed);
    return c.html(accountPage({ balance: orders.balance(owner), orders: listed, site }));
  });

  app.post('/account/top-ups', (c) => c.redirect(`/orders/${orders.openTopUp(customerOf(c, settings)).orderId}`, 303));

  app.get('/orders/:orderId', async (c) => {
    const order = await theirs(c);
    if (order === undefined) return c.html(notice('No such order in this browser', ELSEWHERE, site), 404);
    const balance = orders.balance(order.owner);
    const token = await tokenFor(order, settings, now());
    return c.html(orderPage({ order, balance, token, proxyUrl, site, now: now() }));
  });

  app.get('/orders/:orderId/state', async (c) => {
    const order = await theirs(c);
    if (order === undefined) return c.json({}, 404);
    const balance = formatMoney(orders.balance(order.owner), CURRENCY);
    return c.json({ state: stateOf(order), heading: headingOf(order), text: fulfillmentOf(order), balance });
  });

  /** The visitor's order, after asking the proxy about it. */
  async function theirs(c: Context<object, '/orders/:orderId'>): Promise<Order | undefined> {
    const order = orders.find(c.req.param('orderId'), customerOf(c, settings));
    if (order !== undefined) await ask([order]);
    return order;
  }

  /** A page is shown without the proxy's answers too. */
  async function ask(shown: readonly Order[]): Promise<void> {
    const answers = shown.map((order) => fulfillment.ask(order).catch(() => {}));
    await Promise.race([Promise.all(answers), setTimeout(ASKED_FOR_MS, undefined, { ref: false })]);
  }
}

/** The customer's number: a hash of a random cookie, in place of a sign-in. The cookie itself never leaves the shop. */
function customerOf(c: Context, { publicUrl }: ShopSettings): string {
  const secure = publicUrl.startsWith('https:');
  let session = getCookie(c, 'stillwater');
  if (session === undefined || !/^[\w-]{43}$/.test(session)) {
    session = randomBytes(32).toString('base64url');
  }
  // Each visit prolongs it.
  setCookie(c, 'stillwater', session, { httpOnly: true, sameSite: 'Lax', path: '/', maxAge: SESSION_LIFE_S, secure });
  return `C-${createHash('sha256').update(session).digest('hex').slice(0, 16)}`;
}

/** One line of the sheet. */
const inShort = (lines: readonly Line[]): string =>
  lines.length > 2 ? `${goodsOf(lines.slice(0, 1))} and ${lines.length - 1} more` : goodsOf(lines);

function tokenFor(order: Order, { publicUrl, orderSecret }: ShopSettings, now: Date): Promise<string> {
  const common = {
    orderId: order.orderId,
    currency: CURRENCY,
    returnUrl: `${publicUrl}/orders/${order.orderId}`,
    // At the gateway a reference belongs to one wallet, and a visitor without an account may have several.
    customerReferenceNo: order.orderId,
    language: 'en',
    payWithin: PAY_WITHIN_S,
    merchant: 'Stillwater Coffee',
    logo: LOGO,
    // As the sandbox's wallet calls itself.
    walletName: 'Sandbox Wallet',
  };
  if (order.kind === 'goods') {
    const goods = { ...common, amount: order.amount, description: inShort(order.lines) };
    return signOrder(goods, orderSecret, now.getTime());
  }
  const { least: minAmount, most: maxAmount } = TOP_UP;
  const suggestedAmounts = ['10.00', '25.00', '50.00'];
  const bounds = { minAmount, maxAmount, suggestedAmounts };
  const topUp = { ...common, ...bounds, description: 'Coffee card', purpose: 'deposit' } as const;
  return signOrder(topUp, orderSecret, now.getTime());
}
