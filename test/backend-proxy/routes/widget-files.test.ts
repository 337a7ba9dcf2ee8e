// The widget's files: caching, compression, origins, and what is not served.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { widgetFilesIn } from '../../../backend-proxy/routes/widget-files.ts';
import { VERSION } from '../../../backend-proxy/installation.ts';
import { SHOP, createWorld } from '../world.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { words } from '../in-words.ts';

const VERSIONED = `widget-${VERSION}.js`;

const BUILT = [
  ...words`
  LICENSES.txt integrity.json later-Ab12_-xY.js later-Ab12_-xY.js.map locale-de.js locale-longword.js
  locale-zh-Hant.js locale-zh-Hant.js.map themes/plain.css widget.js widget.js.map
`,
  VERSIONED,
];
const WIDGET = 'export const widget = "ä";\n'.repeat(20);

function widgetFolder(t: TestContext, names: string[] = [...BUILT, 'notes.txt', '.env']): string {
  const around = temporaryFolder(t);
  writeFileSync(join(around, 'package.json'), '{}');
  const folder = join(around, 'widget');
  mkdirSync(join(folder, 'themes'), { recursive: true });
  for (const name of names) {
    writeFileSync(join(folder, name), WIDGET);
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(WIDGET));
    writeFileSync(join(folder, `${name}.gz`), gzipSync(WIDGET));
  }
  return folder;
}

it("the widget's files are served to any origin, with integrity, and cached as their names allow", async (t) => {
  const world = await createWorld(t, { config: { widgetFolder: widgetFolder(t) } });
  const named = 'public, max-age=60';
  const hashed = 'public, max-age=31536000, immutable';
  for (const [name, type, cache] of [
    ['widget.js', 'text/javascript; charset=utf-8', named],
    ['widget.js.map', 'application/json', named],
    ['integrity.json', 'application/json', named],
    ['LICENSES.txt', 'text/plain; charset=utf-8', named],
    ['themes/plain.css', 'text/css; charset=utf-8', named],
    ['locale-de.js', 'text/javascript; charset=utf-8', named],
    ['locale-longword.js', 'text/javascript; charset=utf-8', named],
    ['locale-zh-Hant.js', 'text/javascript; charset=utf-8', named],
    ['locale-zh-Hant.js.map', 'application/json', named],
    ['later-Ab12_-xY.js', 'text/javascript; charset=utf-8', hashed],
    [VERSIONED, 'text/javascript; charset=utf-8', hashed],
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

it("the widget's files are sent in an encoding that the client takes, each with an entity tag of its own", async (t) => {
  const world = await createWorld(t, { config: { widgetFolder: widgetFolder(t) } });
  const plain = (bytes: Buffer) => bytes;
  const tags = new Map<string | null, string | null>();
  for (const [accepted, coding, decode] of [
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip, deflate', 'gzip', gunzipSync],
    ['deflate, zstd', null, plain],
    ['br;q=0, gzip;q=0', null, plain],
    ['', null, plain],
  ] as const) {
    const response = await world.request('GET', '/widget.js', { headers: { 'Accept-Encoding': accepted } });
    assert.equal(response.headers.get('content-encoding'), coding, accepted);
    assert.equal(response.headers.get('vary'), 'Accept-Encoding');
    const tag = response.headers.get('etag');
    assert.match(tag ?? '', /^"[0-9a-f]{40}"$/);
    assert.equal(tag, tags.get(coding) ?? tag);
    tags.set(coding, tag);
    assert.equal(decode(Buffer.from(await response.arrayBuffer())).toString(), WIDGET);
  }
  assert.equal(new Set(tags.values()).size, 3);
  assert.equal((await world.request('HEAD', '/widget.js')).status, 200);
});

it("the widget's files are answered 304 if the client has them, also by a weakened entity tag", async (t) => {
  const world = await createWorld(t, { config: { widgetFolder: widgetFolder(t) } });
  const ask = (headers: Record<string, string>) =>
    world.request('GET', '/widget.js', { headers: { 'Accept-Encoding': 'br', ...headers } });
  const etag = (await ask({})).headers.get('etag') ?? '';
  for (const known of [etag, `W/${etag}`, `"a", W/"b,c" ,W/${etag}`, '*']) {
    const again = await ask({ 'If-None-Match': known });
    const header = (name: string) => again.headers.get(name);
    assert.deepEqual([again.status, await again.text()], [304, ''], known);
    assert.deepEqual(
      [header('etag'), header('cache-control'), header('vary'), header('access-control-allow-origin')],
      [etag, 'public, max-age=60', 'Accept-Encoding', '*'],
    );
  }
  for (const other of ['"other"', etag.slice(1, -1), '']) {
    assert.equal((await ask({ 'If-None-Match': other })).status, 200, other);
  }
  const uncompressed = await ask({ 'If-None-Match': etag, 'Accept-Encoding': 'identity' });
  assert.equal(uncompressed.status, 200, 'a client that takes no Brotli is not sent to its Brotli copy');
});

it('the script of another version is answered 404 with the address of the installed one', async (t) => {
  const world = await createWorld(t, { config: { widgetFolder: widgetFolder(t) } });
  for (const version of ['0.0.1', '99.0.0', '1.2.3-beta.1']) {
    const response = await world.request('GET', `/widget-${version}.js`);
    const { code, detail } = (await response.json()) as { code: string; detail: string };
    assert.deepEqual(
      [response.status, code, response.headers.get('cache-control')],
      [404, 'not_found', 'no-store'],
      version,
    );
    assert.ok(detail.includes(`/${VERSIONED}`), detail);
  }
});

it('a script tag without type="module" is sent a script that imports the widget, which no cache keeps', async (t) => {
  const world = await createWorld(t, { config: { widgetFolder: widgetFolder(t) } });
  const ask = (name: string, mode: string, dest = 'script') =>
    world.request('GET', `/${name}`, { headers: { 'Sec-Fetch-Dest': dest, 'Sec-Fetch-Mode': mode } });
  for (const name of ['widget.js', VERSIONED]) {
    const classic = await ask(name, 'no-cors');
    assert.match(await classic.text(), /^import\(document\.currentScript\.src\)/);
    assert.equal(classic.headers.get('cache-control'), 'no-store');
    assert.equal(await (await ask(name, 'cors')).text(), WIDGET);
    assert.equal(await (await ask(name, 'no-cors', 'empty')).text(), WIDGET);
  }
  assert.equal(await (await ask('locale-de.js', 'no-cors')).text(), WIDGET);
});

it('only the built widget files are served, and nothing else in or outside their folder', async (t) => {
  const world = await createWorld(t, { config: { widgetFolder: widgetFolder(t) } });
  for (const path of words`
    /notes.txt /.env /nothing.js /../package.json /%2e%2e%2fpackage.json /..%5cpackage.json /widget.js%00
    /widget.js/ /constructor /__proto__.js /later-Ab12_-xY.js/x
  `) {
    assert.equal((await world.request('GET', path)).status, 404, path);
  }
  assert.deepEqual(widgetFilesIn(widgetFolder(t)).toSorted(), BUILT.toSorted());
  assert.deepEqual(widgetFilesIn('/nowhere'), []);
});
