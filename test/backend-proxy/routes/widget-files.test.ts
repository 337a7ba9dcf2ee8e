// The widget's files: caching, compression, origins, and what is not served.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { readWidgetFiles } from '../../../backend-proxy/routes/widget-files.ts';
import { SHOP, createWorld } from '../world.ts';

const BUILT = [
  'LICENSES.txt',
  'integrity.json',
  'later-Ab12_-xY.js',
  'later-Ab12_-xY.js.map',
  'locale-de.js',
  'locale-longword.js',
  'locale-zh-Hant.js',
  'locale-zh-Hant.js.map',
  'widget.js',
  'widget.js.map',
];
const WIDGET = 'export const widget = "ä";\n'.repeat(20);

function widgetFolder(t: TestContext, names: string[] = [...BUILT, 'notes.txt', '.env']): string {
  const around = mkdtempSync(join(tmpdir(), 'widget-'));
  t.after(() => rmSync(around, { recursive: true }));
  writeFileSync(join(around, 'package.json'), '{}');
  const folder = join(around, 'widget');
  mkdirSync(folder);
  for (const name of names) writeFileSync(join(folder, name), WIDGET);
  return folder;
}

describe("the widget's files", () => {
  it("the widget's files are served to any origin, with integrity, and cached as their names allow", async (t) => {
    const world = await createWorld(t, { config: { widgetFolder: widgetFolder(t) } });
    const named = 'public, max-age=60';
    const hashed = 'public, max-age=31536000, immutable';
    for (const [name, type, cache] of [
      ['widget.js', 'text/javascript; charset=utf-8', named],
      ['widget.js.map', 'application/json', named],
      ['integrity.json', 'application/json', named],
      ['LICENSES.txt', 'text/plain; charset=utf-8', named],
      ['locale-de.js', 'text/javascript; charset=utf-8', named],
      ['locale-longword.js', 'text/javascript; charset=utf-8', named],
      ['locale-zh-Hant.js', 'text/javascript; charset=utf-8', named],
      ['locale-zh-Hant.js.map', 'application/json', named],
      ['later-Ab12_-xY.js', 'text/javascript; charset=utf-8', hashed],
      ['later-Ab12_-xY.js.map', 'application/json', hashed],
    ] as const) {
      for (const origin of [SHOP, 'https://anyone.example']) {
        const response = await world.request('GET', `/${name}?v=1`, { headers: { Origin: origin } });
        assert.equal(response.status, 200, name);
        assert.equal(await response.text(), WIDGET);
        const header = (key: string) => response.headers.get(key);
        assert.deepEqual(
          [
            header('content-type'),
            header('cache-control'),
            header('access-control-allow-origin'),
            header('cross-origin-resource-policy'),
            header('x-content-type-options'),
            header('vary'),
          ],
          [type, cache, '*', 'cross-origin', 'nosniff', 'Accept-Encoding'],
        );
      }
    }
  });

  it("the widget's files are sent as Brotli if accepted, and as 304 if the browser has them", async (t) => {
    const world = await createWorld(t, { config: { widgetFolder: widgetFolder(t) } });
    const compressed = await world.request('GET', '/widget.js', {
      headers: { 'Accept-Encoding': 'gzip, deflate, br' },
    });
    assert.equal(compressed.headers.get('content-encoding'), 'br');
    assert.equal(brotliDecompressSync(Buffer.from(await compressed.arrayBuffer())).toString(), WIDGET);
    const etag = compressed.headers.get('etag') ?? '';
    assert.equal(etag, `"${createHash('sha256').update(WIDGET).digest('base64url').slice(0, 22)}"`);
    const again = await world.request('GET', '/widget.js', { headers: { 'If-None-Match': etag } });
    assert.deepEqual(
      [again.status, await again.text(), again.headers.get('access-control-allow-origin')],
      [304, '', '*'],
    );
    assert.equal((await world.request('GET', '/widget.js', { headers: { 'If-None-Match': '"other"' } })).status, 200);
    assert.equal((await world.request('HEAD', '/widget.js')).status, 200);
  });

  it('only the built widget files are served, and nothing else in or outside their folder', async (t) => {
    const world = await createWorld(t, { config: { widgetFolder: widgetFolder(t) } });
    for (const path of [
      '/notes.txt',
      '/.env',
      '/nothing.js',
      '/../package.json',
      '/%2e%2e%2fpackage.json',
      '/..%5cpackage.json',
      '/widget.js%00',
      '/widget.js/',
      '/constructor',
      '/__proto__.js',
      '/later-Ab12_-xY.js/x',
    ]) {
      assert.equal((await world.request('GET', path)).status, 404, path);
    }
    assert.deepEqual([...readWidgetFiles(widgetFolder(t)).keys()].toSorted(), BUILT);
    assert.equal(readWidgetFiles('/nowhere').size, 0);
  });
});
