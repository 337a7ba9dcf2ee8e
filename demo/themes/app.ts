// The theme editor, which the demo mounts at /themes in the shop's server: its page and its files. Its widgets show
// states of the fake proxy, which answers in the page, so it needs no order and no proxy.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Hono } from 'hono';
import { transformWithOxc } from 'vite';
import type { Site } from '../shop/page.ts';
import { themesPage } from './themes-page.ts';

const ASSETS = {
  'themes.css': 'text/css; charset=utf-8',
  'theme-editor.js': 'text/javascript; charset=utf-8',
  'theme-text.js': 'text/javascript; charset=utf-8',
  'themes.js': 'text/javascript; charset=utf-8',
  'contrast.js': 'text/javascript; charset=utf-8',
};

const FAKE_PROXY = fileURLToPath(new URL('../../widget/testing/fake-proxy.ts', import.meta.url));

/** `proxyUrl` is how browsers reach the proxy, which serves the widget. */
export function createThemes(proxyUrl: string, site: Site): Hono {
  const app = new Hono();
  app.get('/', (c) => c.html(themesPage(proxyUrl, site)));
  // Without its types, as browsers need it.
  app.get('/assets/fake-proxy.js', async (c) => {
    const { code } = await transformWithOxc(readFileSync(FAKE_PROXY, 'utf8'), FAKE_PROXY);
    return c.body(code, 200, { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache' });
  });
  for (const [name, type] of Object.entries(ASSETS)) {
    const content = readFileSync(new URL(`public/${name}`, import.meta.url), 'utf8');
    const headers = { 'content-type': type, 'cache-control': 'no-cache' };
    app.get(`/assets/${name}`, (c) => c.body(content, 200, headers));
  }
  return app;
}
