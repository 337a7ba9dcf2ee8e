// The theme editor by itself: its page, its files, the shop's style sheet, and the built widget. No proxy and no order:
// the widgets show states that preview.js answers.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { addAssets } from './app.ts';
import { themesPageAlone } from './themes-page.ts';

const STYLES = new URL('../shop/public/shop.css', import.meta.url);

/** `widgetFolder` has `widget.js` and its chunks, and ends with a slash. */
export function createThemesAlone(widgetFolder: URL): Hono {
  const app = new Hono();
  app.use(
    secureHeaders({
      contentSecurityPolicy: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        connectSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        baseUri: ["'none'"],
        frameAncestors: ["'none'"],
      },
    }),
  );
  app.get('/', (c) => c.html(themesPageAlone('/widget/widget.js')));

  const shopStyles = readFileSync(STYLES, 'utf8');
  app.get('/assets/shop.css', (c) => c.body(shopStyles, 200, { 'content-type': 'text/css; charset=utf-8' }));
  const assets = new Hono();
  addAssets(assets);
  app.route('/themes', assets);

  app.get('/widget/:name{[\\w.-]+\\.js}', async (c) => {
    const script = await readFile(new URL(c.req.param('name'), widgetFolder), 'utf8').catch(() => undefined);
    if (script === undefined) return c.notFound();
    return c.body(script, 200, { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache' });
  });
  return app;
}
