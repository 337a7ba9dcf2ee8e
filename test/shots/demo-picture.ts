// The README's picture of what `npm start` opens: the shop, and the customer's phone with its request.
import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { HOME, collection, openSandbox } from '../demo/sandbox/sandbox-fixture.ts';
import { SHOP_URL, openShop } from '../demo/shop/shop-fixture.ts';

type App = { request: (url: string, init: RequestInit) => Response | Promise<Response> };

const LOGO = `data:image/svg+xml;base64,${readFileSync('demo/shop/public/icon.svg', 'base64')}`;
/** Whose phone it is. */
const ADA = 'wallet_customer=12345678';
const HEIGHT = 632;

/** The screens as PNG, each with its width. */
export async function drawDemo(
  browser: Browser,
  colorScheme: 'light' | 'dark',
  deviceScaleFactor: number,
): Promise<[Buffer, number][]> {
  const { sandbox, send } = openSandbox({
    merchant: 'Stillwater Coffee',
    merchantLogo: LOGO,
    random: (bytes) => Buffer.alloc(bytes, 1),
  });
  const returnUrl = `${SHOP_URL}/orders/ABC-123`;
  await send('pay', collection('DIRECT', { orderId: 'ABC-123', amount: 15, returnUrl }));
  const shop = openShop(undefined, undefined, { walletUrl: `${HOME}/wallet` });
  const draw = async (app: App, url: string, width: number): Promise<[Buffer, number]> => {
    const viewport = { width, height: HEIGHT };
    const context = await browser.newContext({ viewport, deviceScaleFactor, colorScheme, timezoneId: 'UTC' });
    // No server is started: the app itself answers.
    await context.route('**', async (route) => {
      const response = await app.request(route.request().url(), { headers: { cookie: ADA } });
      const headers = Object.fromEntries(response.headers);
      await route.fulfill({ status: response.status, headers, body: Buffer.from(await response.arrayBuffer()) });
    });
    const page = await context.newPage();
    await page.goto(url);
    const picture = await page.screenshot({ animations: 'disabled' });
    await context.close();
    return [picture, width];
  };
  return [await draw(shop.app, SHOP_URL, 560), await draw(sandbox.app, `${HOME}/wallet`, 320)];
}
