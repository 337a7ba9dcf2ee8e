// The theme editor, which the demo mounts at /themes in the shop's server: its page and its files. Its widgets show
// states of the fake proxy, which answers in the page, so it needs no order and no proxy.
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Hono } from 'hono';
import { transformWithOxc } from 'vite';
import type { Site } from '../shop/page.ts';
import { themesPage } from './themes-page.ts';

const FILES = new URL('public/', import.meta.url);
const SCRIPT = 'text/javascript; charset=utf-8';
const FAKE_PROXY = fileURLToPath(new URL('../../widget/testing/fake-proxy.ts', import.meta.url));

/** `proxyUrl` is how browsers reach the proxy, which serves the widget. */
export function createThemes(proxyUrl: string, site: Site): Hono {
  const app = new Hono();
  app.get('/', (c) => c.html(themesPage(proxyUrl, site)));
  // Without its types, as browsers need it.
  app.get('/assets/fake-proxy.js', async (c) => {
    const { code } = await transformWithOxc(readFileSync(FAKE_PROXY, 'utf8'), FAKE_PROXY);
    return c.body(code, 200, { 'content-type': SCRIPT, 'cache-control': 'no-cache' });
  });
  for (const name of readdirSync(FILES)) {
    const content = readFileSync(new URL(name, FILES), 'utf8');
    const type = name.endsWith('.css') ? 'text/css; charset=utf-8' : SCRIPT;
    app.get(`/assets/${name}`, (c) => c.body(content, 200, { 'content-type': type, 'cache-control': 'no-cache' }));
  }
  return app;
}
