// Tests the built widget: its size, and that it contains nothing of a server.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { VERSION } from '../../backend-proxy/installation.ts';
import { buildWidgetIfStale } from '../../demo/widget-build.ts';

/** Brotli bytes before the first method can be chosen, and until the end of a payment, English. */
const BUDGET_BYTES = { first: 11_000, both: 27_500 };
/** A file that is loaded with its importer, unlike that of `import()`. */
const STATIC_IMPORT = /\bimport\s*["'`{*]/;
const SECRETS = [
  'GATEWAY_API_KEY',
  'ORDER_SECRET',
  'MERCHANT_API_KEY',
  'MERCHANT_KEYS',
  'IPN_SECRET',
  'WEBHOOK_SECRET',
  'X-API-KEY',
  'process.env',
];

describe('the built widget', () => {
  const folder = 'dist/widget';
  before(() => buildWidgetIfStale());

  const scripts = () => readdirSync(folder).filter((name) => name.endsWith('.js'));

  const bytesOf = (name: string) => brotliCompressSync(readFileSync(join(folder, name))).byteLength;

  it('the built widget loads one script, within its budget of bytes, before a method can be chosen', (t) => {
    const script = readFileSync(join(folder, 'widget.js'), 'utf8');
    assert.doesNotMatch(script, STATIC_IMPORT, 'a second file would be one more round trip');
    const bytes = bytesOf('widget.js');
    t.diagnostic(`widget.js: ${bytes} bytes (Brotli), budget ${BUDGET_BYTES.first}`);
    assert.ok(bytes <= BUDGET_BYTES.first, `${bytes} bytes`);
  });

  it('the built widget loads one more script for the rest of a payment, and both are within their budget', (t) => {
    const later = scripts().filter((name) => name.startsWith('flow-'));
    assert.equal(later.length, 1);
    for (const name of later) assert.doesNotMatch(readFileSync(join(folder, name), 'utf8'), STATIC_IMPORT, name);
    const bytes = ['widget.js', ...later].reduce((sum, name) => sum + bytesOf(name), 0);
    t.diagnostic(`both: ${bytes} bytes (Brotli), budget ${BUDGET_BYTES.both}`);
    assert.ok(bytes <= BUDGET_BYTES.both, `${bytes} bytes`);
  });

  it('the first bundle begins with the comment that has Chromium compile it as a whole, the second one does not', () => {
    const hint = '//# allFunctionsCalledOnLoad\n';
    const hinted = scripts().filter((name) => readFileSync(join(folder, name), 'utf8').startsWith(hint));
    assert.deepEqual(hinted.toSorted(), [`widget-${VERSION}.js`, 'widget.js']);
  });

  it('the built widget names no secret of the server', () => {
    for (const name of scripts()) {
      const text = readFileSync(join(folder, name), 'utf8');
      assert.deepEqual(
        SECRETS.filter((word) => text.includes(word)),
        [],
        name,
      );
    }
  });

  it('the built widget comes with an integrity hash for every script', () => {
    const hashes = JSON.parse(readFileSync(join(folder, 'integrity.json'), 'utf8')) as Record<string, string>;
    assert.deepEqual(Object.keys(hashes).toSorted(), scripts().toSorted());
    for (const hash of Object.values(hashes)) assert.match(hash, /^sha384-[A-Za-z0-9+/]{64}$/);
  });

  it('the built widget comes with the themes', () => {
    assert.deepEqual(readdirSync(join(folder, 'themes')), readdirSync('widget/themes'));
  });

  it('the built widget comes with the verbatim license of every package in it', () => {
    const maps = readdirSync(folder).filter((name) => name.endsWith('.map'));
    // From the source maps rather than the build's own count.
    const sources = maps.flatMap(
      (name) => (JSON.parse(readFileSync(join(folder, name), 'utf8')) as { sources: string[] }).sources,
    );
    const packages = new Set(
      sources.flatMap((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? []),
    );
    assert.ok(packages.has('lit') || packages.has('lit-html'), [...packages].join());
    const licenses = readFileSync(join(folder, 'LICENSES.txt'), 'utf8');
    assert.match(licenses, /Copyright \(c\) 2017 Google LLC/);
    for (const name of packages) {
      const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')) as { version: string };
      assert.ok(licenses.includes(`${name} - ${version} (`), name);
      assert.ok(licenses.includes(readFileSync(`node_modules/${name}/LICENSE`, 'utf8').trim()), name);
    }
  });

  it('the built widget evaluates no text as code and does not call document.write', () => {
    const text = scripts()
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
    assert.doesNotMatch(text, /\beval\(|new Function\(/);
    assert.doesNotMatch(text, /document\.write\(/);
  });
});
