// The theme editor's page over its real routes, mounted in the shop as in the demo.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createThemesAlone } from '../../../demo/themes/alone.ts';
import { createThemes } from '../../../demo/themes/app.ts';
import { SETTINGS } from '../../../demo/themes/theme.ts';
import { Browser, claimsIn, openShop, ORDER_SECRET, PROXY_URL, SHOP_URL } from '../shop/shop-fixture.ts';

function openThemes() {
  const shop = openShop();
  const settings = { publicUrl: SHOP_URL, proxyUrl: PROXY_URL, orderSecret: ORDER_SECRET };
  shop.app.route(
    '/themes',
    createThemes(settings, () => new Date('2026-11-20T12:00:00Z')),
  );
  return shop;
}

it('the theme page has one group of labeled controls for each setting', async () => {
  const { text } = await new Browser(openThemes()).get('/themes');
  const groups = text.split('data-key="').slice(1);
  const keys = groups.map((group) => group.slice(0, group.indexOf('"')));
  assert.deepEqual(
    keys,
    SETTINGS.map(({ key }) => key),
  );
  for (const group of groups) {
    const fields = group.match(/<(input|select)[^>]*>/g) ?? [];
    assert.ok(fields.length > 0);
    for (const field of fields) assert.match(field, /aria-label="[A-Z][^"]+"/);
  }
});

it('the theme page has nothing inline and the policy of all pages', async () => {
  const { text, headers } = await new Browser(openThemes()).get('/themes');
  assert.doesNotMatch(text, /<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/);
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'.*style-src 'self'/);
});

it('the theme page loads only files that are served', async () => {
  const visitor = new Browser(openThemes());
  const { text: page } = await visitor.get('/themes');
  const wanted = [...page.matchAll(/"(\/themes\/assets\/[\w.-]+)"/g)].map(([, path = '']) => path);
  for (const path of wanted) {
    const { status, text } = await visitor.get(path);
    assert.equal(status, 200, path);
    wanted.push(...[...text.matchAll(/from '\.\/([\w.-]+)'/g)].map(([, name]) => `/themes/assets/${name}`));
  }
  assert.ok(wanted.length > 4);
});

it('the theme page shows a visitor one order until a new one is requested, and never another visitor’s', async () => {
  const shop = openThemes();
  const visitor = new Browser(shop);
  const orderOn = async (browser: Browser) => claimsIn((await browser.get('/themes')).text)['orderId'];
  const first = await orderOn(visitor);
  assert.equal(await orderOn(visitor), first);
  assert.notEqual(await orderOn(new Browser(shop)), first);
  const { status, text } = await visitor.post('/themes/orders', {});
  assert.equal(status, 201);
  const { token } = JSON.parse(text) as { token: string };
  const renewed = await orderOn(visitor);
  assert.notEqual(renewed, first);
  assert.equal(claimsIn(` order="${token}"`)['orderId'], renewed);
});

it('the theme page signs no token for an order id of the shop', async () => {
  const visitor = new Browser(openThemes(), { cookie: 'themes_order=ST-2345678ABC' });
  assert.match(String(claimsIn((await visitor.get('/themes')).text)['orderId']), /^TH-/);
});

const app = createThemesAlone(new URL('../../../demo/themes/public/', import.meta.url));
const get = async (path: string) => {
  const response = await app.request(path);
  return { status: response.status, text: await response.text() };
};

it('the theme editor by itself has no order, and loads only files that it serves', async () => {
  const { text: page } = await get('/');
  assert.doesNotMatch(page, /data-order|data-renew>|New order/);
  assert.match(page, /<link rel="icon" href="data:,"/, 'otherwise a browser requests /favicon.ico');
  const wanted = [...page.matchAll(/"(\/[\w-]+\/[\w./-]+\.(?:js|css))"/g)].map(([, path = '']) => path);
  assert.ok(wanted.includes('/widget/widget.js'));
  for (const path of wanted.filter((each) => each !== '/widget/widget.js')) {
    assert.equal((await get(path)).status, 200, path);
  }
  assert.ok(wanted.length > 3);
});

it('the theme editor by itself serves scripts of the widget’s folder and nothing beside it', async () => {
  assert.equal((await get('/widget/contrast.js')).status, 200);
  for (const path of ['/widget/absent.js', '/widget/..%2Fapp.js', '/widget/themes.css']) {
    assert.equal((await get(path)).status, 404, path);
  }
});
