// The theme editor in the demo's shop: the page, its files, and an order for its two widgets. The demo mounts it at
// /themes in the shop's server, because the proxy allows the widget only on the shop's origin. An order is only a
// signed token: nothing is stored, and a cookie keeps the visitor's order across reloads.
import { readFileSync } from 'node:fs';
import { Hono, type Context } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { newId } from '../shop/order-store.ts';
import { signOrder } from '../shop/order-token.ts';
import { themesPage } from './themes-page.ts';

export interface ThemesSettings {
  /** How browsers reach the shop. */
  publicUrl: string;
  proxyUrl: string;
  orderSecret: string;
  walletUrl?: string | undefined;
}

const ASSETS = {
  'themes.css': 'text/css; charset=utf-8',
  'theme-editor.js': 'text/javascript; charset=utf-8',
  'preview.js': 'text/javascript; charset=utf-8',
  'theme-text.js': 'text/javascript; charset=utf-8',
  'themes.js': 'text/javascript; charset=utf-8',
  'contrast.js': 'text/javascript; charset=utf-8',
};
const COOKIE = 'themes_order';
const TOKEN_LIFE_S = 60 * 60;

export function createThemes(settings: ThemesSettings, now: () => Date = () => new Date()): Hono {
  const { publicUrl, proxyUrl, walletUrl } = settings;
  const app = new Hono();

  app.get('/', (c) => {
    const known = getCookie(c, COOKIE);
    // A visitor can change the cookie, so it must not name one of the shop's orders.
    const orderId = known !== undefined && /^TH-\w{10}$/.test(known) ? known : newOrder(c);
    return c.html(themesPage({ token: tokenFor(orderId, settings, now()), proxyUrl, site: { walletUrl } }));
  });

  app.post('/orders', (c) => c.json({ token: tokenFor(newOrder(c), settings, now()) }, 201));

  addAssets(app);

  function newOrder(c: Context): string {
    const orderId = newId('TH');
    const secure = publicUrl.startsWith('https:');
    setCookie(c, COOKIE, orderId, { httpOnly: true, sameSite: 'Lax', path: '/themes', secure });
    return orderId;
  }

  return app;
}

/** The editor's files, at `/assets/`. */
export function addAssets(app: Hono): void {
  for (const [name, type] of Object.entries(ASSETS)) {
    const content = readFileSync(new URL(`public/${name}`, import.meta.url), 'utf8');
    const headers = { 'content-type': type, 'cache-control': 'no-cache' };
    app.get(`/assets/${name}`, (c) => c.body(content, 200, headers));
  }
}

function tokenFor(orderId: string, { publicUrl, orderSecret }: ThemesSettings, now: Date): string {
  const iat = Math.floor(now.getTime() / 1000);
  return signOrder(
    {
      orderId,
      amount: '52.50',
      currency: 'EUR',
      description: 'Coffee from Stillwater',
      returnUrl: `${publicUrl}/themes`,
      // A reference belongs to one wallet, so each order has another: any wallet may pay the next one.
      customerReferenceNo: orderId,
      language: 'en',
      iat,
      exp: iat + TOKEN_LIFE_S,
    },
    orderSecret,
  );
}
